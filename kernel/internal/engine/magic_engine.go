package engine

import (
	"context"

	"github.com/hierml/notebook/kernel/internal/program"
)

// chooseMode carries out %engine: it shows how cells run, or changes it.
func (e *Engine) chooseMode(ctx context.Context, argument string, out program.Output) error {
	e.declaring.Lock()
	defer e.declaring.Unlock()
	var err error
	if argument == "" {
		_, err = e.choose(ctx, out)
	} else {
		var mode program.Mode
		if err := mode.UnmarshalText([]byte(argument)); err != nil {
			return err
		}
		err = e.switchTo(ctx, mode, out)
	}
	if err != nil && (argument != "" || ctx.Err() != nil) {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = true
	out.Stream("stdout", e.runs()+"\n")
	return nil
}

// switchTo changes the mode. If the first cell has chosen the other executor, the session's process
// is restarted.
func (e *Engine) switchTo(ctx context.Context, mode program.Mode, out program.Output) error {
	compiled, err := e.compiles(ctx, mode, out)
	if err != nil {
		return err
	}
	if e.chosen && e.compiled != compiled {
		if err := e.restart(compiled, out); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mode, e.chosen, e.compiled = mode, true, compiled
	return nil
}
