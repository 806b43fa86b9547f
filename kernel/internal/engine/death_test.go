package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A mortal executor starts anew when it is told to die.
type mortal struct {
	program.Executor
	die  bool
	born func() program.Executor
}

func (m *mortal) Run(ctx context.Context, p *program.Program, out program.Output) (*program.Bundle, error) {
	if m.die {
		m.die = false
		m.Executor = m.born()
		return nil, &program.DeathError{Cause: "stack overflow", Frames: []program.Frame{{Function: "inf", Cell: 2, Line: 1}}}
	}
	return m.Executor.Run(ctx, p, out)
}

// TestDeath looks at what is left of a session when its process dies.
func TestDeath(t *testing.T) {
	n := newNotebook(t)
	m := &mortal{born: func() program.Executor { return newExecutor(t, n) }}
	m.Executor = m.born()
	n.engine = engine.New(engine.Config{Executor: m, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	run := func(source string) string {
		t.Helper()
		value, _, err := n.run(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		return value
	}
	run("import str \"strings\"")
	run("type P struct{ X int }\nfunc (p P) Twice() int { return 2 * p.X }\ntype Stack[T any] struct{ items []T }\nfunc (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }")
	run("x := 5\ny := P{3}")
	run("func f() int { return P{4}.Twice() + x }\nfunc g() int { return P{4}.Twice() }")
	run("var s Stack[int]\ns.Push(1)")
	run("41")
	m.die = true
	_, _, err := n.run("func late() int { return g() }\nx = 7")
	var e *program.Error
	if !errors.As(err, &e) || e.Name != "WorkerDied" || !strings.Contains(e.Message, "stack overflow") {
		t.Fatalf("error %v", err)
	}
	if _, _, err := n.run("y"); err == nil || !strings.Contains(err.Error(), "lost") || !strings.Contains(err.Error(), "y") {
		t.Errorf("y: %v", err)
	}
	for cell, want := range map[string]string{
		"_":                 "_: the value was lost when the worker process died: stack overflow",
		"Out[6]":            "Out[6]: the value was lost when the worker process died: stack overflow",
		"x := In[3] + nope": "undefined: nope",
	} {
		if _, _, err := n.run(cell); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", cell, err, want)
		}
	}
	if _, _, err := n.run("f()"); err == nil || !strings.Contains(err.Error(), "x: the variable was lost") {
		t.Errorf("f: %v", err)
	}
	if got := run("late()"); got != "8" {
		t.Errorf("late() = %s", got)
	}
	if got := run("x := 1\nf()"); got != "9" {
		t.Errorf("f() = %s", got)
	}
	if got := run("str.ToUpper(\"a\")"); got != "A" {
		t.Errorf("str: %s", got)
	}
	if got := run("s := Stack[int]{}\ns.Push(3)\nfmt.Sprint(s, P{1})"); got != "{[3]} {1}" {
		t.Errorf("s: %s", got)
	}
}
