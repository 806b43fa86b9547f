package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/magic"
)

// passing is a debugger that hears of everything and lets it pass. Each variable is changed to what
// it is, which only a program without goroutines does not notice.
type passing struct{ alone bool }

func (p passing) Stop(int, []any) int {
	if p.alone {
		return -1
	}
	return 0
}
func (passing) Enter(int) int { return 1 }
func (passing) Leave(int)     {}

// stopEverywhere has all hooks tell the debugger until the test ends.
func stopEverywhere(t *testing.T) {
	set := func(on bool) {
		for i := range magic.Stops {
			magic.Stops[i] = on
		}
	}
	set(true)
	t.Cleanup(func() { set(false) })
}

// TestHookedPrograms holds that programs do with hooks, which all tell the debugger, what they do
// without, in the interpreter.
func TestHookedPrograms(t *testing.T) {
	if enginetest.Raced {
		t.Skip("the hooks' switches are read without a lock")
	}
	stopEverywhere(t)
	for archive, programs := range archives(t) {
		t.Run(archive, func(t *testing.T) {
			for _, p := range programs {
				t.Run(p.Name, func(t *testing.T) {
					magic.SetDebugger(passing{!enginetest.StartsGoroutines(p.Source)})
					n := newNotebook(t)
					n.engine.Hook(true)
					checkProgram(t, n, p)
				})
			}
		})
	}
}

// TestHookedBehaviours does the same with the cases of notebooks.
func TestHookedBehaviours(t *testing.T) {
	if enginetest.Raced {
		t.Skip("the hooks' switches are read without a lock")
	}
	stopEverywhere(t)
	for _, c := range behaviours(t) {
		t.Run(c.Name, func(t *testing.T) {
			if deadly[c.Name] {
				t.Skip("ends the process")
			}
			magic.SetDebugger(passing{!enginetest.StartsGoroutines(strings.Join(c.Cells, "\n"))})
			n := newNotebook(t)
			n.engine.Hook(true)
			c.check(t, n)
		})
	}
}

// TestHookedCompiled holds the same of compiled cells, whose hooks tell nobody: of every tenth program,
// or of all in a long run.
func TestHookedCompiled(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	n.engine.Hook(true)
	for i, p := range enginetest.Joined(archives(t)) {
		if i%10 == 0 || testrun.Long() {
			t.Run(p.Name, func(t *testing.T) { checkProgram(t, n, p) })
		}
	}
}
