package engine

import "strings"

// Lower returns what a cell becomes, and commits it as if it had run.
func (e *Engine) Lower(cell Cell) (string, error) {
	l, program, err := e.prepare(cell)
	if err != nil {
		return "", err
	}
	l.commit(len(l.k.body))
	return strings.Join(program.Source, "\n"), nil
}
