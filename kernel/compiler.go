package main

import (
	"context"
	"errors"

	"github.com/hierml/notebook/kernel/build"
	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/module"
)

// newCompiler makes what compiles the cells of a session for a worker of this
// program. The error is a sentence that says why they cannot be compiled.
func newCompiler(ctx context.Context, progress func(string)) (engine.Compiler, error) {
	kit, err := build.Open(ctx, build.Settings{Progress: progress})
	if err != nil {
		return nil, err
	}
	builder, err := kit.NewBuilder()
	if err != nil {
		return nil, err
	}
	packages := kit.Packages()
	modules := module.New(module.Program{
		Path: packages.Module, Folder: packages.Root, Packages: packages.Archives,
		Go: packages.Go, Flags: packages.Flags, Env: packages.Env,
	}, builder.Add)
	return &compiler{builder, modules}, nil
}

// A compiler builds the cells of a session, and what they import.
type compiler struct {
	*build.Builder
	*module.Session
}

var _ engine.Modules = (*compiler)(nil)

// Close implements engine.Compiler.
func (c *compiler) Close() error { return errors.Join(c.Session.Close(), c.Builder.Close()) }
