package engine_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/host"
)

// A recorder keeps what a cell writes and shows.
type recorder struct {
	mu             sync.Mutex
	stdout, stderr strings.Builder
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "stderr" {
		r.stderr.WriteString(text)
	} else {
		r.stdout.WriteString(text)
	}
}

func (*recorder) Display(*program.Bundle, string, bool) {}
func (*recorder) Clear(bool)                            {}
func (*recorder) Comm(*program.CommMessage) error       { return host.ErrNoFrontEnd }
func (*recorder) Page(*program.Bundle)                  {}
func (*recorder) NextInput(string, bool)                {}
func (*recorder) Input(context.Context, string, bool) (string, error) {
	return "", io.EOF
}

func (r *recorder) out() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// A notebook is a session.
type notebook struct {
	t      testing.TB
	engine *engine.Engine
	cell   int
	// values is what the last cell showed, as fmt.Sprint has it.
	values string
	// mode is what the session was begun with, in a worker process if worker
	// is set and else in this one.
	mode   program.Mode
	worker bool
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
	executor, err := interpreted.NewLocal(interpreted.Config{Symbols: stdlib.Symbols(), Display: func(values []any) *program.Bundle {
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = fmt.Sprint(v)
		}
		n.values = strings.Join(parts, " ")
		return interpreted.Text(values)
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
	r := &recorder{}
	bundle, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: source}, r)
	if bundle != nil {
		shown, _ = bundle.Data["text/plain"].(string)
		if n.worker {
			n.values = shown
		}
	}
	return shown, r.out(), r.stderr.String(), err
}
