package compiled

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/compiled/standard"
	"github.com/hierml/notebook/kernel/internal/program"
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
var units atomic.Int32

// unitOf returns a program that runs a function as the statements of a cell.
func unitOf(number int, run func()) *program.Program {
	path := fmt.Sprintf("cell/%d-%d", number, units.Add(1))
	cell.Register(path, cell.Code{Run: run})
	return &program.Program{Cell: number, Keep: true, Compiled: &program.Compiled{Units: program.Units{Paths: []string{path}}, Run: path}}
}

func failure(t *testing.T, err error) *program.RuntimeError {
	t.Helper()
	var failure *program.RuntimeError
	if !errors.As(err, &failure) {
		t.Fatalf("%v, want a run-time error", err)
	}
	return failure
}

func TestShow(t *testing.T) {
	r := New(Config{})
	b, err := r.Run(t.Context(), unitOf(1, func() { cell.Show(true, 41, nil) }))
	if err != nil || b.Data["text/plain"] != "41" {
		t.Errorf("got %v, %v", b, err)
	}
	b, err = r.Run(t.Context(), unitOf(2, func() { cell.Show(false, cell.Kept[int](1, 0)+1, cell.Kept[error](1, 1)) }))
	if err != nil || b.Data["text/plain"] != "42, <nil>" {
		t.Errorf("got %v, %v", b, err)
	}
	_, err = r.Run(t.Context(), unitOf(3, func() { cell.Show(false, cell.Kept[string](1, 0)) }))
	if f := failure(t, err); f.Name != "error" || !strings.Contains(f.Message, "type of the value has changed") {
		t.Errorf("got %v", err)
	}
}

func TestReached(t *testing.T) {
	r := New(Config{})
	for number, want := range []int{0, 2} {
		_, err := r.Run(t.Context(), unitOf(number, func() {
			cell.Reached(want)
			panic("no")
		}))
		if err == nil {
			t.Error("no panic")
		}
		if got := r.ReachedBy(number); got != want {
			t.Errorf("cell %d: got %d, want %d", number, got, want)
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
				_, err := r.Run(ctx, unitOf(1, func() {
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
			if _, err := r.Run(t.Context(), unitOf(2, func() { cell.Check() })); err != nil {
				t.Errorf("the next cell: %v", err)
			}
		})
	}
}

// A cell goes on, with its goroutines and those of earlier cells, when another is interrupted.
func TestSideBySide(t *testing.T) {
	r := New(Config{})
	earlier, beside := make(chan int), make(chan int)
	if _, err := r.Run(t.Context(), unitOf(1, func() {
		go func() {
			for n := 0; ; n++ {
				cell.Check()
				cell.Send(earlier, n)
			}
		}()
	})); err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	ended.Go(func() {
		_, err := r.Run(t.Context(), unitOf(2, func() {
			go func() {
				for n := 0; ; n++ {
					cell.Check()
					cell.Send(beside, n)
				}
			}()
			for range 100 {
				cell.Check()
				cell.Receive(beside)
				cell.Receive(earlier)
			}
		}))
		if err != nil {
			t.Errorf("the other cell: %v", err)
		}
	})
	stopped := make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Run(ctx, unitOf(3, func() {
		go func() {
			defer close(stopped)
			for {
				cell.Check()
			}
		}()
		cancel()
		for {
			cell.Check()
		}
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Error("a goroutine of the interrupted cell goes on")
	}
	ended.Wait()
	if n := <-earlier; n < 100 {
		t.Errorf("the goroutine of an earlier cell has counted to %d", n)
	}
}

// What cells print keeps its order across the two streams, and input is asked for where it is read.
func TestStandardFiles(t *testing.T) {
	var out recorder
	r := New(Config{Stdin: strings.NewReader("5 six\n7\n"), Stdout: &out, Stderr: &out})
	_, err := r.Run(t.Context(), unitOf(1, func() {
		var n int
		var word string
		cell.FmtScanln(&n, &word)
		cell.FmtPrintln(n, word)
		cell.Println("e", 1.5, true, nil, 'a', 2i)
		cell.FmtScanf("%d", &n)
		cell.FmtPrintf("%d;", n)
		cell.Print(1, "a", uint8(2))
		fmt.Fprint(standard.Of(os.Stdout), "out")
		fmt.Fprint(standard.Of(os.Stderr), "err")
	}))
	if want := "5 six\ne 1.5 true (0x0,0x0) 97 (0+2i)\n7;1a2outerr"; err != nil || out.String() != want {
		t.Errorf("%q, %v, want %q", out.String(), err, want)
	}
	_, err = New(Config{Stdin: iotest.ErrReader(errors.New("nobody to ask"))}).Run(t.Context(), unitOf(2, func() { cell.FmtScan(new(int)) }))
	if f := failure(t, err); f.Message != "nobody to ask" {
		t.Errorf("got %v", err)
	}
}

func TestRunFails(t *testing.T) {
	for name, tt := range map[string]struct {
		load     func(string) error
		compiled program.Compiled
		want     string
	}{
		"no plugins":        {nil, program.Compiled{}, ErrCannotLoad.Error()},
		"a broken plugin":   {func(string) error { return errors.New("broken") }, program.Compiled{}, "compiled: broken"},
		"a panic of a unit": {func(string) error { panic("init") }, program.Compiled{}, "compiled: a unit cannot be initialized: init"},
		"a missing unit":    {func(string) error { return nil }, program.Compiled{Units: program.Units{Paths: []string{"cell/none"}}}, "compiled: the plugin does not have the unit cell/none"},
		"nothing to be run": {func(string) error { return nil }, program.Compiled{Run: "cell/none"}, "compiled: the unit cell/none has no statements"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "plugin.so")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			tt.compiled.Plugin = file
			_, err := New(Config{Load: tt.load}).Run(t.Context(), &program.Program{Cell: 1, Compiled: &tt.compiled})
			if err == nil || err.Error() != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the plugin's file is left: %v", err)
			}
		})
	}
	if _, err := New(Config{}).Run(t.Context(), &program.Program{Cell: 1, Source: []string{"x"}}); err == nil {
		t.Error("a program that is not compiled was run")
	}
}

func TestDo(t *testing.T) {
	r := New(Config{})
	if r.Used() {
		t.Error("used before the first program")
	}
	if err := r.Do(t.Context(), 2, func() { panic("no") }); failure(t, err).Message != "no" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := r.Do(ctx, 3, func() { cancel(); cell.Sleep(time.Hour) }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for range 50 { // what fails because of the interrupt is interrupted, whichever is noticed first
		ctx, cancel := context.WithCancel(t.Context())
		if err := r.Do(ctx, 3, func() { cancel(); panic("late") }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if err := r.Do(ctx, 4, func() { t.Error("it began after its end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	if err := r.Do(ctx, 5, func() { cancel(); <-standard.EndsWithCell(context.Background()).Done() }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestContextsEnd interrupts goroutines that have given a context to a package, which has not
// called them: the context has ended when the first check comes, and that ends them.
func TestContextsEnd(t *testing.T) {
	own, end := context.WithTimeout(context.Background(), time.Hour)
	defer end()
	type key struct{}
	for name, given := range map[string]context.Context{
		"background": context.Background(), "own": own, "value": context.WithValue(own, key{}, 1), "none": nil,
	} {
		r := New(Config{})
		ctx, cancel := context.WithCancel(t.Context())
		passed := 0
		err := r.Do(ctx, 3, func() {
			var within context.Context
			if given != nil {
				within = standard.EndsWithCell(given)
			}
			cancel()
			for !r.tasks.bearer().task.stopped() {
				runtime.Gosched()
			}
			if within != nil && !errors.Is(within.Err(), context.Canceled) {
				t.Errorf("%s: %v", name, within.Err())
			}
			for range 3 {
				r.Check()
				passed++
			}
		})
		if !errors.Is(err, context.Canceled) || passed != 0 {
			t.Errorf("%s: %v after %d checks", name, err, passed)
		}
	}
	if own.Err() != nil {
		t.Errorf("the context of the cell: %v", own.Err())
	}
}
