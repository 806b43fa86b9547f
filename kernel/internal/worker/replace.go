package worker

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Replace implements program.Replacer. The variables go through a file. The new
// child has the environment of the old one and works in its folder.
func (p *Process) Replace(ctx context.Context, prog *program.Program, out program.Output) (bundle *program.Bundle, process int, err error) {
	old, err := p.connection()
	if err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "hierml-variables-")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "variables")
	saving := *prog
	saving.Compiled = &program.Compiled{Moved: prog.Compiled.Moved, Shown: prog.Compiled.Shown, Save: file}
	saved, err := old.execute(ctx, &saving, out)
	if err != nil {
		return nil, 0, err
	}
	config := p.config
	config.Dir = p.Folder()
	config.environment = environment(saved)
	p.mu.Lock()
	p.children++
	number := p.children
	p.mu.Unlock()
	fresh, err := connect(config, number)
	if err != nil {
		return nil, 0, err
	}
	loading, compiled := *prog, *prog.Compiled
	compiled.Load = file
	// The file calls the variables what they are called here.
	compiled.Moved = slices.Clone(compiled.Moved)
	for i := range compiled.Moved {
		m := &compiled.Moved[i]
		m.FromUnit, m.FromVariable = "", m.Variable
	}
	loading.Compiled = &compiled
	loaded, err := fresh.execute(ctx, &loading, out)
	if err == nil {
		err = p.succeed(old, fresh)
	}
	if err != nil {
		var death *program.DeathError
		if errors.As(err, &death) {
			err = errors.New(death.Cause) // not the one that holds the variables
		}
		fresh.end("not used")
		return nil, 0, err
	}
	old.end("replaced")
	return joined(saved, loaded), old.number, nil
}

// succeed makes the fresh connection that of the process, if the old one still
// is.
func (p *Process) succeed(old, fresh *connection) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return errClosed
	case p.conn != old:
		return errors.New("it ended meanwhile")
	}
	p.conn = fresh
	return nil
}

// end ends the child without a word, and waits until it is gone.
func (c *connection) end(why string) {
	c.silence()
	c.kill(why)
	<-c.gone
}

// environment returns that of the process that has saved its variables.
func environment(saved *program.Bundle) []string {
	if saved == nil {
		return nil
	}
	entries, _ := saved.Data[program.Environment].([]any)
	var list []string
	for _, entry := range entries {
		if text, ok := entry.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// joined tells what was lost when variables were saved and when they were loaded.
func joined(saved, loaded *program.Bundle) *program.Bundle {
	all := &program.Bundle{Data: map[string]any{}}
	for _, name := range []string{program.LeftBehind, program.LeftInPart} {
		reasons := map[string]any{}
		for _, bundle := range []*program.Bundle{loaded, saved} {
			if bundle != nil {
				some, _ := bundle.Data[name].(map[string]any)
				maps.Copy(reasons, some)
			}
		}
		all.Data[name] = reasons
	}
	return all
}
