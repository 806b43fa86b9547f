package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/module"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/script"
	"github.com/hierml/notebook/kernel/internal/worker"
)

// newCompiler makes what compiles the cells of a session for a worker of this program, which is
// started by a command. The error is a sentence that says why they cannot be compiled.
func newCompiler(ctx context.Context, progress func(string), command []string) (program.Compiler, error) {
	step := ""
	kit, err := toolchain.Open(ctx, toolchain.Settings{
		Progress: func(next string) {
			step = next
			progress(step)
		},
		Compiled: func(packages int) { progress(fmt.Sprintf("%s: %d", step, packages)) },
	})
	if err != nil {
		return nil, err
	}
	if !kit.Tried() {
		if err := tryKit(ctx, kit, command); err != nil {
			return nil, err
		}
	}
	compiler, err := module.NewCompiler(kit)
	if err != nil {
		return nil, err
	}
	return compiler, nil
}

// tryKit has a worker load what a kit builds, and notes in the kit that it did.
func tryKit(ctx context.Context, kit *toolchain.Kit, command []string) error {
	if err := kit.Trial(ctx, func(plugin string) error { return tryPlugin(ctx, plugin, command) }); err != nil {
		return err
	}
	return kit.SetTried()
}

func tryPlugin(ctx context.Context, plugin string, command []string) (err error) {
	process, err := worker.Start(worker.Config{Command: command})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, process.Close()) }()
	trial := &program.Compiled{Units: program.Units{Plugin: plugin, Paths: []string{toolchain.TrialUnit}}, Run: toolchain.TrialUnit}
	if _, err := process.Run(ctx, &program.Program{Cell: 1, Title: "the trial", Compiled: trial}, nobody()); err != nil {
		if ctx.Err() != nil || wasKilled(err) {
			return err
		}
		return fmt.Errorf("this program cannot load the code that was compiled for it; run `go run ./install` again: %w", err)
	}
	return nil
}

// wasKilled reports whether the process that runs cells was killed, as for want of memory.
func wasKilled(err error) bool {
	var death *program.DeathError
	return errors.As(err, &death) && (strings.HasPrefix(death.Cause, "killed") || death.Cause == "out of memory")
}

// nobody is an output that shows nothing and has no input.
func nobody() program.Output {
	return script.NewOutput(strings.NewReader(""), io.Discard, io.Discard)
}
