package engine_test

import (
	"context"
	"errors"
	"go/types"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A stuckImporter stands for a check that does not end: it says that it was asked for strings, and
// does not answer until it is released.
type stuckImporter struct {
	types.Importer
	stuck           atomic.Bool
	asked, released chan struct{}
}

func (i *stuckImporter) Import(path string) (*types.Package, error) {
	if path == "strings" && i.stuck.CompareAndSwap(true, false) {
		close(i.asked)
		<-i.released
	}
	return i.Importer.Import(path)
}

// TestInterruptOfCheck interrupts a cell whose check hears of nothing.
func TestInterruptOfCheck(t *testing.T) {
	importer := &stuckImporter{Importer: stdlib.Importer, asked: make(chan struct{}), released: make(chan struct{})}
	n := &notebook{t: t, mode: program.InterpretedMode}
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Mode: n.mode, Importer: importer, Preloaded: stdlib.Preloaded})
	if _, _, err := n.run("x := 1"); err != nil {
		t.Fatal(err)
	}
	importer.stuck.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := n.engine.Run(ctx, program.Cell{Number: 100, Source: "type T int\nx := strings.ToUpper(\"x\")"}, &enginetest.Recorder{})
		ended <- err
	}()
	<-importer.asked
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "Cell [100]: interrupted, but its check cannot be stopped") {
		t.Errorf("the cell ended with %v", err)
	}
	if found := n.engine.Complete("fm", 2); len(found.Candidates) > 0 {
		t.Errorf("completion waits for the check: %v", found)
	}
	if found := n.engine.Inspect("fmt", 2, 0); found != nil {
		t.Errorf("inspection waits for the check: %v", found)
	}
	if _, err := n.engine.Run(ctx, program.Cell{Number: 101, Source: "x"}, &enginetest.Recorder{}); err == nil || !strings.Contains(err.Error(), "the check of Cell [100], which was interrupted, has not ended yet") {
		t.Errorf("the next cell ended with %v", err)
	}
	close(importer.released)
	if value, _, err := n.run("x"); err != nil || value != "1" {
		t.Errorf("the session was changed by a cell that was interrupted: %s, %v", value, err)
	}
	if _, _, err := n.run("var _ T"); err == nil {
		t.Error("the session has a type of a cell that was interrupted")
	}
	if err := n.engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestInterruptOfDoublingTypes interrupts a cell whose check takes seconds, as types that double
// do. The cell ends, and the session is as it was.
func TestInterruptOfDoublingTypes(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("x := 1"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	source := "type t0 int\n" + rows(20, "type t@ struct{ a, b t# }\n") + "x := 2"
	_, err := n.engine.Run(ctx, program.Cell{Number: 100, Source: source}, &enginetest.Recorder{})
	var failed *program.Error
	if !errors.As(err, &failed) || failed.Name != "Interrupted" {
		t.Errorf("the cell ended with %v", err)
	}
	for {
		value, _, err := n.run("x")
		if err != nil && strings.Contains(err.Error(), "has not ended yet") {
			continue
		}
		if value != "1" || err != nil {
			t.Errorf("the session was changed by a cell that was interrupted: %s, %v", value, err)
		}
		break
	}
}

// TestInterruptOfExport interrupts an export whose check hears of nothing.
func TestInterruptOfExport(t *testing.T) {
	importer := &stuckImporter{Importer: stdlib.Importer, asked: make(chan struct{}), released: make(chan struct{})}
	importer.stuck.Store(true)
	defer close(importer.released)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("no more")
	ended := make(chan error)
	cells := []export.Cell{{Cell: program.Cell{Number: 1, Source: "strings.ToUpper(\"x\")"}}}
	export := func() {
		_, err := engine.Export(ctx, engine.Config{Importer: importer, Preloaded: stdlib.Preloaded}, cells)
		ended <- err
	}
	go export()
	<-importer.asked
	cancel(cause)
	if err := <-ended; err != cause {
		t.Errorf("the export ended with %v", err)
	}
	go export()
	if err := <-ended; err != cause {
		t.Errorf("an export that is interrupted before it begins ended with %v", err)
	}
}

// TestCloseDuringCheck closes a session whose check hears of nothing.
func TestCloseDuringCheck(t *testing.T) {
	importer := &stuckImporter{Importer: stdlib.Importer, asked: make(chan struct{}), released: make(chan struct{})}
	importer.stuck.Store(true)
	n := &notebook{t: t, mode: program.InterpretedMode}
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Mode: n.mode, Importer: importer, Preloaded: stdlib.Preloaded})
	ended := make(chan error)
	go func() {
		_, err := n.engine.Run(t.Context(), program.Cell{Number: 1, Source: "strings.ToUpper(\"x\")"}, &enginetest.Recorder{})
		ended <- err
	}()
	<-importer.asked
	if err := n.engine.Close(); err == nil || !strings.Contains(err.Error(), "its check cannot be stopped") {
		t.Errorf("the session was closed with %v", err)
	}
	close(importer.released)
	<-ended
}

// TestHeed runs cells whose context has ended.
func TestHeed(t *testing.T) {
	n := newNotebook(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("no more")
	cancel(cause)
	for _, source := range []string{"x := 1", "type T int", "func f() {}", "1 + 2"} {
		_, err := n.engine.Run(ctx, program.Cell{Number: 1, Source: source}, &enginetest.Recorder{})
		var failed *program.Error
		if !errors.As(err, &failed) || failed.Name != "Interrupted" || !errors.Is(err, cause) {
			t.Errorf("%s ends with %v", source, err)
		}
	}
	for _, source := range []string{"x", "var y T", "f()"} {
		if _, _, err := n.run(source); err == nil {
			t.Errorf("%s: the session was changed by a cell that was interrupted", source)
		}
	}
}
