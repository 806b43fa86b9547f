package interpreted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// patience is how long anything may take on a loaded machine.
const patience = 30 * time.Second

func newInterpreter(t testing.TB) *Interpreter {
	t.Helper()
	in, err := New(Config{Symbols: stdlib.Symbols(), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Run(t.Context(), &program.Program{Source: []string{`import b__ "hierml/bridge"
import time__p "time"
import sync__p "sync"
import context__p "context"
`}}); err != nil {
		t.Fatal(err)
	}
	return in
}

// run runs the statements of a cell, after declarations.
func run(ctx context.Context, in *Interpreter, cell int, declarations, statements string) (*program.Bundle, error) {
	return in.Run(ctx, &program.Program{
		Cell:   cell,
		Source: []string{fmt.Sprintf("%s\nfunc cell__%d() {\n%s\n}\n", declarations, cell, statements)},
		Call:   fmt.Sprintf("cell__%d", cell),
	})
}

func shows(t *testing.T, in *Interpreter, cell int, declarations, statements, want string) {
	t.Helper()
	b, err := run(t.Context(), in, cell, declarations, statements)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(b.Data["text/plain"]); got != want {
		t.Fatalf("%s: got %s, want %s", statements, got, want)
	}
}

func TestInterrupt(t *testing.T) {
	tests := []struct{ name, declarations, statements string }{
		{"loop", "", "for {}"},
		{"channel", "var c chan int", "c = make(chan int); <-c"},
		{"select", "", "select {}"},
		{"sleep", "", "time__p.Sleep(time__p.Hour)"},
		{"sleep of a goroutine", "var g sync__p.WaitGroup", "g.Add(1)\nb__.Go(func() { time__p.Sleep(time__p.Hour); g.Done() })\nb__.Await(&g)"},
		{"mutex", "var mu sync__p.Mutex", "mu.Lock(); b__.Lock(&mu)"},
		{"mutex for reading", "var rw sync__p.RWMutex", "b__.Lock(&rw); b__.RLock(&rw)"},
		{"group", "var wg sync__p.WaitGroup", "wg.Add(1); b__.Await(&wg)"},
		{"context", "", "<-context__p.Background().Done()\nfor {}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := newInterpreter(t)
			shows(t, in, 1, "var x = 41\nvar f func() int", "f = func() int { x++; return x }; b__.Show(false, x)", "41")
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				_, err := run(ctx, in, 2, tt.declarations, tt.statements)
				failed <- err
			}()
			select {
			case err := <-failed:
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			case <-time.After(patience):
				t.Fatal("the cell was not stopped")
			}
			shows(t, in, 3, "", "b__.Show(false, f())", "42")
		})
	}
}

func TestDo(t *testing.T) {
	in := newInterpreter(t)
	var fail, spin, add func()
	register := func(name string) func() {
		t.Helper()
		v, err := in.evaluate(name)
		if err != nil {
			t.Fatal(err)
		}
		return v.Interface().(func())
	}
	shows(t, in, 1, "var n int\nfunc add() { n++ }\nfunc spin() { for {} }\nfunc fail() { panic(\"no\") }", "b__.Show(false, n)", "0")
	add, spin, fail = register("add"), register("spin"), register("fail")

	if err := in.Do(t.Context(), 2, add); err != nil {
		t.Error(err)
	}
	var failure *program.RuntimeError
	if err := in.Do(t.Context(), 3, fail); !errors.As(err, &failure) || failure.Name != "panic" || failure.Message != "no" {
		t.Errorf("got %v", err)
	}
	if err := in.Do(t.Context(), 4, func() { panic(stdlib.Exit(3)) }); !errors.As(err, &failure) || failure.Name != "exit" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := in.Do(ctx, 5, spin); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	for range 50 { // what fails because of the interrupt is interrupted, whichever is noticed first
		ctx, cancel := context.WithCancel(t.Context())
		if err := in.Do(ctx, 5, func() { cancel(); panic("late") }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if err := in.Do(t.Context(), 6, add); err != nil {
		t.Error(err)
	}
	shows(t, in, 7, "", "b__.Show(false, n)", "2")
}

// Programs see what they show themselves, and their variables stay in place while others declare
// more.
func TestAtTheSameTime(t *testing.T) {
	if raced {
		t.Skip("the programs share a variable on purpose, and yaegi notes the channel that stops it while functions that begin read it")
	}
	in := newInterpreter(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	shows(t, in, 1, "var stop bool\nvar n int\nvar other = 5", "b__.Show(false, n)", "0")
	var main sync.WaitGroup
	main.Go(func() {
		b, err := run(ctx, in, 2, "", "b__.Show(false, 2)\nfor !stop { n++; other = 5 }")
		if err != nil {
			t.Error(err)
		} else if got := b.Data["text/plain"]; got != "2" {
			t.Errorf("the first program shows %v", got)
		}
	})
	for cell := 3; cell < 60; cell++ {
		shows(t, in, cell, fmt.Sprintf("var v%d = %d", cell, cell), fmt.Sprintf("b__.Show(false, v%d)", cell), fmt.Sprint(cell))
	}
	if _, err := run(ctx, in, 60, "", "stop = true"); err != nil {
		t.Error(err)
	}
	main.Wait()
	shows(t, in, 61, "", "b__.Show(false, other)", "5")
}

// An interrupt of one program may end others: they must not seem complete.
func TestStoppedWithAnother(t *testing.T) {
	if raced {
		t.Skip("yaegi notes the channel that stops it while functions that begin read it")
	}
	in := newInterpreter(t)
	ended := make(chan error, 1)
	go func() {
		_, err := run(t.Context(), in, 1, "", "for {}")
		ended <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := run(ctx, in, 2, "", "for {}"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	var failure *program.RuntimeError
	select {
	case err := <-ended:
		if !errors.As(err, &failure) || failure.Name != "interrupted" {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Error("the other program runs on")
	}
	shows(t, in, 3, "", "b__.Show(false, 3)", "3")
}

func TestReached(t *testing.T) {
	in := newInterpreter(t)
	if _, err := run(t.Context(), in, 1, "", "b__.Reached(2)\npanic(1)"); err == nil {
		t.Error("no panic")
	}
	if _, err := run(t.Context(), in, 2, "", "b__.Reached(1)\npanic(1)"); err == nil {
		t.Error("no panic")
	}
	for cell, want := range map[int]int{1: 2, 2: 1, 3: 0} {
		if got := in.ReachedBy(cell); got != want {
			t.Errorf("cell %d: got %d", cell, got)
		}
	}
}

// TestMissingInstructions runs what yaegi has no instruction for, and takes for the end of the
// function.
func TestMissingInstructions(t *testing.T) {
	in := newInterpreter(t)
	_, err := run(t.Context(), in, 1, "var u__1 uintptr", "u__1++\npanic(1)")
	if err == nil || !strings.Contains(err.Error(), "no instruction") {
		t.Errorf("%v, want an error that says what is missing", err)
	}
	shows(t, in, 2, "var u__2 uint", "u__2++\nb__.Show(false, u__2)", "1")
}
