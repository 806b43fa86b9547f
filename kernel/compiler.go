package main

import (
	"context"

	"github.com/hierml/notebook/kernel/build"
	"github.com/hierml/notebook/kernel/engine"
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
	return builder, nil
}
