package worker

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// Replace implements program.Replacer. The variables go through a file. The new child has the
// environment and the arguments of the old one, and its working directory.
func (p *Process) Replace(ctx context.Context, a *program.Adoption, out program.Output) (left program.LeftBehind, process int, err error) {
	old, err := p.connection()
	if err != nil {
		return left, 0, err
	}
	dir, err := temporary.Folder("", "variables")
	if err != nil {
		return left, 0, err
	}
	defer func() { err = errors.Join(err, temporary.Remove(dir)) }()
	file := filepath.Join(dir, "variables")
	saved, err := askOn[*pipe.Saved](ctx, old, a.Cell, &pipe.Save{File: file, Adoption: a}, out)
	if err != nil {
		return left, 0, err
	}
	config := p.config
	config.Dir = p.Folder()
	config.environment = saved.Environment
	if at := slices.Index(config.Command, "--"); at >= 0 || len(saved.Arguments) > 1 {
		if at < 0 {
			at = len(config.Command)
		}
		config.Command = slices.Concat(config.Command[:at], []string{"--"}, saved.Arguments)
	}
	p.mu.Lock()
	p.children++
	number := p.children
	p.mu.Unlock()
	fresh, err := connect(config, number, p.event)
	if err != nil {
		return left, 0, err
	}
	loaded, err := askOn[*pipe.Adopted](ctx, fresh, a.Cell, &pipe.Load{File: file, Adoption: a}, out)
	if err == nil {
		err = p.succeed(old, fresh)
	}
	if err != nil {
		var death *program.DeathError
		if errors.As(err, &death) {
			err = errors.New(death.Cause) // not the process with the variables
		}
		fresh.end("not used")
		return left, 0, err
	}
	old.end("replaced")
	return joined(saved.Left, loaded.Left), old.number, nil
}

// succeed makes fresh the connection of the process, if old still is.
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

// end ends the child silently, and waits until it is gone.
func (c *connection) end(why string) {
	c.silence()
	c.kill(why)
	<-c.gone
}

// joined merges the losses of saving the variables with those of loading them.
func joined(saved, loaded program.LeftBehind) program.LeftBehind {
	all := program.LeftBehind{Whole: map[string]string{}, InPart: map[string]string{}}
	for _, left := range []program.LeftBehind{loaded, saved} {
		maps.Copy(all.Whole, left.Whole)
		maps.Copy(all.InPart, left.InPart)
	}
	return all
}
