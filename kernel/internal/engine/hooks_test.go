package engine_test

import (
	"context"
	"strings"
	"sync"
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

// stopEverywhere has all hooks tell the debugger, from then on.
var stopEverywhere = sync.OnceFunc(func() {
	for i := range magic.MaxStops {
		magic.Switch(i).Store(true)
	}
})

// TestHookedPrograms holds that programs do with hooks, which all tell the debugger, what they do
// without, in the interpreter: every third program, or all in a long run.
func TestHookedPrograms(t *testing.T) {
	stopEverywhere()
	for archive, programs := range archives(t) {
		t.Run(archive, func(t *testing.T) {
			for i, p := range programs {
				if i%3 != 0 && !testrun.Long() {
					continue
				}
				t.Run(p.Name, func(t *testing.T) {
					enginetest.SkipGoroutines(t, p.Source)
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
	stopEverywhere()
	for _, c := range behaviours(t) {
		t.Run(c.Name, func(t *testing.T) {
			if deadly[c.Name] {
				t.Skip("ends the process")
			}
			enginetest.SkipGoroutines(t, strings.Join(c.Cells, "\n"))
			magic.SetDebugger(passing{!enginetest.StartsGoroutines(strings.Join(c.Cells, "\n"))})
			n := newNotebook(t)
			n.engine.Hook(true)
			c.check(t, n)
		})
	}
}

// goesOn has a front end stop at failures, and go on at each.
func (f *frontEnd) goesOn() (over func()) {
	f.ask("setExceptionBreakpoints", `{"filters": ["panic", "error"]}`)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case e := <-f.events:
				if e["event"] == "stopped" {
					if _, err := f.engine.Debug(context.Background(), []byte(`{"seq": 0, "type": "request", "command": "continue", "arguments": {"threadId": 1}}`)); err != nil {
						f.t.Error(err)
					}
				}
			}
		}
	}()
	return func() { close(ended) }
}

// TestHookedCompiled holds the same of compiled cells, with a debugger that is told by all hooks,
// of every tenth program, or of all in a long run: it is to stop at failures, at which it goes on.
func TestHookedCompiled(t *testing.T) {
	for i, p := range enginetest.Joined(archives(t)) {
		if i%10 != 0 && !testrun.Long() {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			if p.Name == "panics/nil_pointer_to_value_method" {
				t.Skip("with hooks the panic of a nil pointer to a generic type names its method")
			}
			f := newFrontEnd(t, program.CompiledMode)
			defer f.goesOn()()
			checkProgram(t, f.notebook, p)
		})
	}
}

// TestHookedBehavioursCompiled does it with the cases of notebooks.
func TestHookedBehavioursCompiled(t *testing.T) {
	for _, c := range behaviours(t) {
		t.Run(c.Name, func(t *testing.T) {
			if deadly[c.Name] {
				t.Skip("ends the process")
			}
			f := newFrontEnd(t, program.CompiledMode)
			defer f.goesOn()()
			if refusal := c.check(t, f.notebook); refusal != "" {
				t.Errorf("refused: %s", refusal)
			}
		})
	}
}
