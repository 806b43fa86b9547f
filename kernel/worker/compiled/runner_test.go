package compiled

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/compiled/cell"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// A recorder is a writer that several goroutines may use.
type recorder struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// units numbers the units of the tests.
var units int

// program returns a program that runs a function as the statements of a cell.
func program(number int, run func()) *engine.Program {
	units++
	path := fmt.Sprintf("cell/%d-%d", number, units)
	cell.Register(path, cell.Code{Run: run})
	return &engine.Program{Cell: number, Keep: true, Compiled: &engine.Compiled{Units: []string{path}, Run: path}}
}

func failure(t *testing.T, err error) *engine.RuntimeError {
	t.Helper()
	var failure *engine.RuntimeError
	if !errors.As(err, &failure) {
		t.Fatalf("%v, want a run-time error", err)
	}
	return failure
}

func TestShow(t *testing.T) {
	r := New(Config{})
	b, err := r.Run(t.Context(), program(1, func() { cell.Show(true, 41, nil) }))
	if err != nil || b.Data["text/plain"] != "41" {
		t.Errorf("got %v, %v", b, err)
	}
	b, err = r.Run(t.Context(), program(2, func() { cell.Show(false, cell.Kept[int](1, 0)+1, cell.Kept[error](1, 1)) }))
	if err != nil || b.Data["text/plain"] != "42, <nil>" {
		t.Errorf("got %v, %v", b, err)
	}
	_, err = r.Run(t.Context(), program(3, func() { cell.Show(false, cell.Kept[string](1, 0)) }))
	if f := failure(t, err); f.Name != "error" || !strings.Contains(f.Message, "stayed behind") {
		t.Errorf("got %v", err)
	}
}

func TestReached(t *testing.T) {
	r := New(Config{})
	for number, want := range []int{0, 2} {
		_, err := r.Run(t.Context(), program(number, func() {
			cell.Reached(want)
			panic("no")
		}))
		if err == nil {
			t.Error("no panic")
		}
		b, err := r.Run(t.Context(), &engine.Program{Cell: number, Call: engine.ReachedCall, Compiled: &engine.Compiled{}})
		if err != nil || b.Data["reached"] != want {
			t.Errorf("cell %d: got %v, %v", number, b, err)
		}
	}
}

func TestInterrupt(t *testing.T) {
	var held sync.Mutex
	held.Lock()
	var rw sync.RWMutex
	rw.Lock()
	var group sync.WaitGroup
	group.Add(1)
	unready := sync.NewCond(new(sync.Mutex))
	never := make(chan int)
	for name, run := range map[string]func(){
		"loop": func() {
			for {
				cell.Check()
			}
		},
		"receive":           func() { cell.Receive(never) },
		"receive from nil":  func() { cell.ReceiveOK[int](nil) },
		"range":             func() { cell.Range(never)(func(int) bool { return true }) },
		"send":              func() { cell.Send(never, 1) },
		"select":            func() { <-cell.Done(); cell.Stop() },
		"sleep":             func() { cell.Sleep(time.Hour) },
		"lock":              func() { cell.Lock(&held) },
		"lock for writing":  func() { cell.LockRW(&rw) },
		"lock for reading":  func() { cell.RLock(&rw) },
		"any lock":          func() { cell.LockAny(&held) },
		"group":             func() { cell.Wait(&group) },
		"condition":         func() { unready.L.Lock(); defer unready.L.Unlock(); cell.WaitCond(unready) },
		"function":          func() { cell.Waits("", func(c chan int) int { return <-c })(make(chan int)) },
		"of a goroutine":    func() { go cell.Sleep(time.Hour); cell.Receive(never) },
		"in deferred calls": func() { defer cell.Receive(never); cell.Receive(never) },
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Config{})
			ctx, cancel := context.WithCancel(t.Context())
			deferred := false
			ended := make(chan error, 1)
			go func() {
				_, err := r.Run(ctx, program(1, func() {
					defer func() {
						cell.Check()
						deferred = recover() == nil
					}()
					cancel()
					run()
				}))
				ended <- err
			}()
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			case <-time.After(patience):
				t.Fatal("the cell was not stopped")
			}
			if !deferred {
				t.Error("a deferred call was cut short")
			}
			if _, err := r.Run(t.Context(), program(2, func() { cell.Check() })); err != nil {
				t.Errorf("the next cell: %v", err)
			}
		})
	}
}
