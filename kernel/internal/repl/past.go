package repl

import (
	"fmt"
)

// past are the inputs that the editor offers again, the newest last.
type past struct{ inputs []string }

// Write adds an input.
func (p *past) Write(input string) (int, error) {
	p.inputs = append(p.inputs, input)
	return len(p.inputs), nil
}

// GetLine returns an input.
func (p *past) GetLine(i int) (string, error) {
	if i < 0 || i >= len(p.inputs) {
		return "", fmt.Errorf("there is no input %d among %d", i, len(p.inputs))
	}
	return p.inputs[i], nil
}

// Len is the number of inputs.
func (p *past) Len() int { return len(p.inputs) }

// Dump returns all inputs.
func (p *past) Dump() any { return p.inputs }
