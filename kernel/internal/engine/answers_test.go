package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// TestCompleteChangesNothing completes cells that declare what the session has, and methods of its
// types, and then looks at the session.
func TestCompleteChangesNothing(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type T struct{ A int }\nfunc f(t T) int { return t.A }\nt := T{3}"); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		"func (t T) Extra() {}\nt.E|", "type T struct{ B string }\nt := T{}\nt.|", "func f() {}\nt := \"\"\n|", "import t \"fmt\"\nt.P|",
	} {
		source, cursor := enginetest.Cursor(t, source)
		if found := n.engine.Complete(source, cursor); len(found.Candidates) == 0 {
			t.Errorf("%s: nothing", source)
		}
	}
	if value, _, err := n.run("f(t) + t.A"); err != nil || value != "6" {
		t.Errorf("value %s, %v", value, err)
	}
	if _, _, err := n.run("t.Extra()"); err == nil {
		t.Error("a method was left behind")
	}
}

// A held executor runs until it is let go.
type held struct {
	program.Executor // for what is not asked
	running, release chan bool
}

func (h *held) Run(_ context.Context, p *program.Program, _ program.Output) (*program.Bundle, error) {
	if p.Call == "" {
		return nil, nil
	}
	h.running <- true
	<-h.release
	return nil, nil
}

func (*held) Close() error { return nil }

// TestAnswersWhileCellRuns asks while a cell runs.
func TestAnswersWhileCellRuns(t *testing.T) {
	executor := &held{running: make(chan bool), release: make(chan bool)}
	e := engine.New(engine.Config{Executor: executor, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	ended := make(chan error, 1)
	go func() {
		_, err := e.Run(t.Context(), program.Cell{Number: 1, Source: "time.Sleep(time.Hour)"}, &enginetest.Recorder{})
		ended <- err
	}()
	<-executor.running
	if got := e.Complete("strings.HasPre", 14); len(got.Candidates) != 1 {
		t.Errorf("completion: %+v", got)
	}
	if e.Inspect("strings.HasPrefix", 14, 0) == nil {
		t.Error("inspection: nothing")
	}
	close(executor.release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCompleteWhereCellsRun completes the name of a file in the folder of the executor.
func TestCompleteWhereCellsRun(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Executor: elsewhere{folder: folder}, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	source, cursor := enginetest.Cursor(t, `os.Open("a|")`)
	if got := e.Complete(source, cursor).Candidates; len(got) != 1 || got[0].Text != "a.csv" {
		t.Errorf("%v", got)
	}
}

// elsewhere is an executor that works in a folder of its own.
type elsewhere struct {
	program.Executor // for what is not asked
	folder           string
}

func (elsewhere) Run(context.Context, *program.Program, program.Output) (*program.Bundle, error) {
	return nil, nil
}

func (elsewhere) Close() error { return nil }

func (e elsewhere) Folder() string { return e.folder }
