package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/enginetest/local"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A notebook is a session.
type notebook struct {
	t      testing.TB
	engine *engine.Engine
	cell   int
	// values is what the last cell showed, as fmt.Sprint has it.
	values string
	// mode is what the session was begun with, in a worker process if worker is set and else in
	// this one.
	mode   program.Mode
	worker bool
	// ahead says that cells are told which cells wait behind them, and next are these.
	ahead bool
	next  []string
}

// waits says which cells wait behind the next one.
func (n *notebook) waits(cells []string) {
	if n.ahead {
		n.next = cells
	}
}

// newNotebook returns a session with an interpreter in this process.
func newNotebook(t testing.TB) *notebook {
	t.Helper()
	n := &notebook{t: t, mode: program.InterpretedMode}
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Mode: n.mode, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	t.Cleanup(func() {
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// newEngine returns an engine that nothing is run with.
func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	return engine.New(engine.Config{Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
}

func newExecutor(t testing.TB, n *notebook) program.Executor {
	executor, err := local.New(interpreted.Config{Symbols: stdlib.Symbols(), Display: func(shown []any) *program.Bundle {
		parts := make([]string, len(shown))
		for i, v := range shown {
			parts[i] = fmt.Sprint(v)
		}
		n.values = strings.Join(parts, " ")
		return values.Text(shown)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return executor
}

// run runs a cell and returns its text, its standard output and its error.
func (n *notebook) run(source string) (shown string, out string, err error) {
	shown, out, _, err = n.runNoting(source)
	return shown, out, err
}

// runNoting is run with the standard error.
func (n *notebook) runNoting(source string) (shown, out, notes string, err error) {
	n.cell++
	n.values = ""
	r := &enginetest.Recorder{}
	bundle, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: source, Next: func() []string { return n.next }}, r)
	if bundle != nil {
		shown, _ = bundle.Data["text/plain"].(string)
		if n.worker {
			n.values = shown
		}
	}
	return shown, r.Out(), r.Notes(), err
}
