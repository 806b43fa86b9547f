package nb

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hierml/notebook/stdlib/host"
)

// Input asks the user for a line of text. If there is no user to ask, and at the end of the input,
// it panics with an error, which ends the cell. fmt.Scanln also asks the user, but returns io.EOF
// at the end of the input.
func Input(prompt string) string { return ask("nb.Input", prompt, false) }

// Password is Input with a line that is not shown while it is typed.
func Password(prompt string) string { return ask("nb.Password", prompt, true) }

func ask(name, prompt string, password bool) string {
	h := host.Current()
	ctx := h.Context()
	line, err := h.Input(prompt, password)
	switch {
	case err == nil:
		return line
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		panic(err) // the interrupt itself
	case errors.Is(err, io.EOF):
		panic(fmt.Errorf("%s: the input has ended: %w", name, err))
	}
	panic(fmt.Errorf("%s: %w", name, err))
}
