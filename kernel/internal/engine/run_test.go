package engine_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// endless are cells that would not end by themselves, once they have set y.
var endless = map[string]string{
	"empty loop":   "y := 2\nfor {\n}",
	"loop":         "y := 2\nfor i := 0; ; i++ {\n\t_ = i\n}",
	"receive":      "y := 2\n<-make(chan int)",
	"select":       "y := 2\nselect {}",
	"send":         "y := 2\nmake(chan int) <- 1",
	"in function":  "func spin() { for { } }\ny := 2\nspin()",
	"in closure":   "y := 2\nfunc() { for { } }()",
	"deferred":     "func f() { defer fmt.Print(1); for { } }\ny := 2\nf()",
	"range":        "y := 2\nfor range make(chan int) {\n}",
	"sleep":        "y := 2\ntime.Sleep(time.Hour)",
	"mutex":        "y := 2\nvar mu sync.Mutex\nmu.Lock()\nmu.Lock()",
	"pointer":      "y := 2\nmu := &sync.RWMutex{}\nmu.Lock()\nmu.RLock()",
	"embedded":     "type guarded struct{ sync.Mutex }\ny := 2\nvar g guarded\ng.Lock()\ng.Lock()",
	"group":        "y := 2\nvar wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()",
	"context":      "func wait(ctx context.Context) error { <-ctx.Done(); for { } }\ny := 2\nc, cancel := context.WithCancel(context.Background())\ndefer cancel()\nwait(c)",
	"range select": "y := 2\nfor {\n\tselect {\n\tcase <-time.After(time.Millisecond):\n\t}\n}",
	"get":          "import \"net\"\nl, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\ny := 2\nhttp.Get(\"http://\" + l.Addr().String())",
	"client":       "import \"net\"\nl, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\ny := 2\nvar client http.Client\nreq, _ := http.NewRequest(\"GET\", \"http://\"+l.Addr().String(), nil)\nresp, err := client.Do(req)\n_, _ = resp, err",
	"serve":        "y := 2\nhttp.ListenAndServe(\"127.0.0.1:0\", nil)",
	"accept":       "import \"net\"\nl, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\ny := 2\nl.Accept()",
	"conn":         "import \"net\"\na, b := net.Pipe()\n_ = b\ny := 2\na.Read(make([]byte, 1))",
	"tcp":          "import \"net\"\nl, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\nc, _ := net.Dial(\"tcp\", l.Addr().String())\ntcp := c.(*net.TCPConn)\ny := 2\ntcp.Read(make([]byte, 1))",
	"read all":     "import \"net\"\na, b := net.Pipe()\n_ = b\ny := 2\nio.ReadAll(a)",
	"reads itself": "type own struct{ c chan int }\nfunc (o own) Read(p []byte) (int, error) { <-o.c; return 0, io.EOF }\ny := 2\nio.ReadAll(own{})",
	"cond":         "y := 2\nvar mu sync.Mutex\ncond := sync.NewCond(&mu)\nfunc() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tcond.Wait()\n}()",
	"locker":       "y := 2\nvar mu sync.Mutex\nvar l sync.Locker = &mu\nl.Lock()\nl.Lock()",
	"exec":         "import \"os/exec\"\ny := 2\nexec.Command(\"sleep\", \"5\").Run()",
}

// A watched output does something once the cell has written a text.
type watched struct {
	enginetest.Recorder
	when string
	then func()
	once sync.Once
}

func (w *watched) Stream(name, text string) {
	w.Recorder.Stream(name, text)
	if strings.Contains(w.Out(), w.when) {
		w.once.Do(w.then)
	}
}

// TestInterrupt stops cells and looks at what is left.
func TestInterrupt(t *testing.T) {
	for name, cell := range endless {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			if _, _, err := n.run("x := 1\ninc := func() int { x++; return x }\nch := make(chan int, 1)\nsend := func() int { ch <- 5; return <-ch }"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			// The passing of time is meant: behind y the cell is to be in what does not end.
			out := &watched{when: "y is set", then: func() { time.AfterFunc(100*time.Millisecond, cancel) }}
			_, err := n.engine.Run(ctx, program.Cell{Number: 2, Source: strings.Replace(cell, "y := 2\n", "y := 2; fmt.Println(\"y is set\")\n", 1)}, out)
			var e *program.Error
			if !errors.As(err, &e) || e.Name != "Interrupted" {
				t.Fatalf("error %v", err)
			}
			n.cell = 2
			for cell, want := range map[string]string{"inc()": "2", "y": "2", "send()": "5"} {
				if got, _, err := n.run(cell); err != nil || got != want {
					t.Errorf("%s: %q, %v", cell, got, err)
				}
			}
		})
	}
}

// TestCompileErrors looks at the words and places of errors.
func TestCompileErrors(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type T struct{ A int }\nfunc (t T) M() {}\nt := T{1}"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cell, message, caret string }{
		{"x := undefinedThing", "Cell [2]:1:6: undefined: undefinedThing", "     ^"},
		{"func f() {\n\ty := 3\n}", "Cell [2]:2:2: declared and not used: y", "\t^"},
		{"s := \"é😀\" + nope", "Cell [2]:1:17: undefined: nope", "             ^"},
		{"import \"no/such\"", "Cell [2]:1:8: ", "       ^"},
		{"var x int = \"a\"", "Cell [2]:1:13: cannot use \"a\" (untyped string constant) as int value in variable declaration", "            ^"},
		{"t.B", "Cell [2]:1:3: t.B undefined (type T has no field or method B)", "  ^"},
		{"if 1 {}", "Cell [2]:1:4: non-boolean condition in if statement", "   ^"},
		{"func g() int { }", "Cell [2]:1:16: missing return", "               ^"},
		{"x := 1\nx := 2", "Cell [2]:2:3: no new variables on left side of :=", "  ^"},
		{"a, b := 1, 2, 3", "Cell [2]:1:9: assignment mismatch: 2 variables but 3 values", ""},
		{"1 +", "Cell [2]:1:4: syntax error: unexpected ", "   ^"},
		{"for {", "Cell [2]:1:6: syntax error: ", "     ^"},
		{"}", "Cell [2]:1:1: syntax error: ", "^"},
		{"1\n2", "Cell [2]:1:1: 1 (untyped int constant) is not used", "^"},
		{"return 5, 6", "Cell [2]:1:8: too many return values", "       ^"},
		{"//go:embed a.txt\nvar s string", "Cell [2]:1:1: go:embed only allowed in Go files that import \"embed\"", "^"},
		{"//go:cgo_ldflag \"-lm\"\nfunc f() {}", "Cell [2]:1:1: //go:cgo_ldflag \"-lm\" only allowed in cgo-generated code", "^"},
		{"import init \"fmt\"", "Cell [2]:1:8: cannot import package as init - init must be a func", "       ^"},
		{"import \"C\"", "Cell [2]:1:8: package C is not available", ""},
		{"type U struct { V }\nvar u U", "undefined: V", ""},
		{"import \"os\"; import \"strings\"; strings.Nope()", "undefined: strings.Nope", ""},
		{"func (t T) M() int { return 1 }", "has a different signature than before", ""},
		{"func (t T) A() {}", "field and method with the same name A", ""},
	} {
		n.cell = 1
		_, out, err := n.run(c.cell)
		var e *program.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", c.cell, err)
			continue
		}
		if !strings.Contains(e.Message, c.message) {
			t.Errorf("%q: message %q, want %q", c.cell, e.Message, c.message)
		}
		if out != "" {
			t.Errorf("%q was run: %q", c.cell, out)
		}
		if c.caret == "" {
			continue
		}
		plain := strings.NewReplacer("\x1b[31m", "", "\x1b[1m", "", "\x1b[34m", "", "\x1b[0m", "").Replace(strings.Join(e.Traceback, "\n"))
		found := false
		for _, line := range strings.Split(plain, "\n") {
			if _, caret, ok := strings.Cut(line, "| "); ok && caret == c.caret {
				found = true
			}
		}
		if !found {
			t.Errorf("%q: no caret like %q in\n%s", c.cell, c.caret, plain)
		}
	}
	if _, _, err := n.run("t.M()"); err != nil {
		t.Errorf("after the errors: %v", err)
	}
}

// TestTenErrors looks at a cell with many errors.
func TestTenErrors(t *testing.T) {
	n := newNotebook(t)
	_, _, err := n.run(strings.Repeat("_ = nope\n", 12))
	var e *program.Error
	if !errors.As(err, &e) || strings.Count(e.Message, "undefined: nope") != 10 || !strings.Contains(e.Message, "too many errors") {
		t.Errorf("error %v", err)
	}
}

// TestNothingChanges looks at a session after cells that do not compile.
func TestNothingChanges(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type T struct{ A int }\nx := T{3}\nfunc f() int { return 1 }"); err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{
		"func (t T) M() int { return \"nope\" }\nfunc f() int { return 2 }",
		"type T struct{ B int }\nvar y string = 1",
		"func (t T) N() int { return t.A }\nz := t.N() + \"a\"",
		"x := 5\nreturn 1, 2",
	} {
		if _, _, err := n.run(cell); err == nil {
			t.Errorf("%q compiles", cell)
		}
	}
	for cell, want := range map[string]string{"x.A + f()": "4", "T{A: 1}": "T{A:1}"} {
		if got, _, err := n.run(cell); err != nil || got != want {
			t.Errorf("%s: %q, %v", cell, got, err)
		}
	}
	for _, cell := range []string{"x.M()", "x.N()"} {
		if _, _, err := n.run(cell); err == nil {
			t.Errorf("%q compiles", cell)
		}
	}
	if got, _, err := n.run("func (t T) M() int { return t.A * 2 }\nx.M()"); err != nil || got != "6" {
		t.Errorf("M: %q, %v", got, err)
	}
}

// TestPanicMessages compares the words of run-time panics with Go's.
func TestPanicMessages(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type E struct{ C int }\nfunc (e E) Error() string { return fmt.Sprint(\"E\", e.C) }\ntype P struct{ X int }\nvar p *P\nvar m map[string]int\nvar a any = \"s\"\nzero := 0\nxs := []int{1}\nvar fn func()\nvar arr [2]int\nk := 5\ntype K int\ns := \"abc\""); err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]string{
		"m[\"a\"] = 1":             "assignment to entry in nil map",
		"xs[k]":                    "runtime error: index out of range [5] with length 1",
		"arr[k]":                   "runtime error: index out of range [5] with length 2",
		"s[k]":                     "runtime error: index out of range [5] with length 3",
		"xs[k:]":                   "runtime error: slice bounds out of range [5:1]",
		"1 / zero":                 "runtime error: integer divide by zero",
		"1 % zero":                 "runtime error: integer divide by zero",
		"p.X":                      "runtime error: invalid memory address or nil pointer dereference",
		"p.X = 1":                  "runtime error: invalid memory address or nil pointer dereference",
		"*p":                       "runtime error: invalid memory address or nil pointer dereference",
		"fn()":                     "runtime error: invalid memory address or nil pointer dereference",
		"a.(int)":                  "interface conversion: interface {} is string, not int",
		"a.(K)":                    "interface conversion: interface {} is string, not main.K",
		"panic(\"x\")":             "x",
		"panic(5)":                 "5",
		"panic(E{3})":              "E3",
		"panic(errors.New(\"q\"))": "q",
		"panic(fmt.Sprint(1))":     "1",
		"make([]int, zero-1)":      "runtime error: makeslice: len out of range",
		"close((chan int)(nil))":   "close of nil channel",
		"var e error\ne.Error()":   "runtime error: invalid memory address or nil pointer dereference",
	} {
		_, _, err := n.run(cell)
		var r *program.RuntimeError
		if !errors.As(err, &r) {
			t.Errorf("%s: %v", cell, err)
			continue
		}
		if r.Message != want {
			t.Errorf("%s: %q, want %q", cell, r.Message, want)
		}
		if len(r.Frames) == 0 || r.Frames[len(r.Frames)-1].Line == 0 {
			t.Errorf("%s: frames %v", cell, r.Frames)
		}
	}
	_, _, err := n.run("os.Exit(3)")
	var r *program.RuntimeError
	if !errors.As(err, &r) || r.Name != "exit" || r.Message != "exit status 3" {
		t.Errorf("exit: %v", err)
	}
}

// TestGoroutinePanic looks at the panic of a goroutine: it ends the cell, and if that is over, it
// is told.
func TestGoroutinePanic(t *testing.T) {
	n := newNotebook(t)
	r := &enginetest.Recorder{}
	const bad = "func bad() {\n\tvar m map[int]int\n\tm[1] = 2\n}\n"
	_, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Count: 7, Source: "done := make(chan bool)\n" + bad + "go bad()\n<-done"}, r)
	var failure *program.Error
	if !errors.As(err, &failure) || failure.Message != "assignment to entry in nil map" || !strings.Contains(strings.Join(failure.Traceback, "\n"), "Cell [7]:4:2 in bad") {
		t.Errorf("%v", err)
	}
	if got := r.Notes(); got != "" {
		t.Errorf("stderr %q", got)
	}
	for i, c := range []struct {
		cell string
		want []string
	}{
		{"begin := make(chan bool)\ngo func() {\n\t<-begin\n\tvar m map[int]int\n\tm[1] = 2\n}()", []string{"panic: assignment to entry in nil map\n\ngoroutine:\n", "Cell [8]:5:2 in func"}},
		{"begin = make(chan bool)\ngo func() {\n\t<-begin\n\tos.Exit(3)\n}()", []string{"os.Exit(3) in a goroutine: only the goroutine ends\n"}},
	} {
		for j, cell := range []string{c.cell, "close(begin)"} {
			if _, err = n.engine.Run(context.Background(), program.Cell{Number: 2 + 2*i + j, Count: 8, Source: cell}, r); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range c.want {
			for !strings.Contains(r.Notes(), want) && t.Context().Err() == nil {
				runtime.Gosched()
			}
		}
	}
}

// TestMeantNowhere holds that an unfinished mend helps no complaint that says itself what became of
// a name.
func TestMeantNowhere(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("first := 1\npanic(1)\nfirsts := 2"); err == nil {
		t.Fatal("no panic")
	}
	_, _, err := n.run("firsts")
	if err == nil || !strings.HasSuffix(err.Error(), "(Cell [1] ended before the statement that declares it)") {
		t.Errorf("%v", err)
	}
}

// TestUndeclared looks at what is said of a name that a cell would have declared which did not run.
func TestUndeclared(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		for _, cell := range []string{
			"a := 1 +",
			"var b, c = nope(), 2\nconst d = 3\ntype E struct{ X int }\nfunc f() int { return 1 }\nfunc (E) g() {}",
			"import rr \"container/ring\"\nvar (\n\th = 1\n\ti, j int = nope, 2\n)\nk, l := 1",
			"%cd /nowhere/at/all\nm := 1",
			"o := []int{}[len(os.Args)]\np := 2",
		} {
			if _, _, err := n.run(cell); err == nil {
				t.Fatalf("%s runs", cell)
			}
		}
		for name, want := range map[string]string{
			"a": "(Cell [1], which would declare it, did not run)", "b": "(Cell [2], which would declare it, did not run)", "c": "(Cell [2], which would declare it, did not run)",
			"d": "(Cell [2], which would declare it, did not run)", "E{}": "(Cell [2], which would declare it, did not run)", "f() + 1": "(Cell [2], which would declare it, did not run)",
			"g": "undefined: g", "X": "undefined: X", "rr.New(1)": "(Cell [3], which would declare it, did not run)", "h": "(Cell [3], which would declare it, did not run)",
			"j": "(Cell [3], which would declare it, did not run)", "l": "(Cell [3], which would declare it, did not run)", "m": "(Cell [4] ended before the statement that declares it)",
			"nope": "undefined: nope", "p": "(Cell [5] ended before the statement that declares it)",
		} {
			if _, _, err := n.run(name); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
		for _, cell := range []string{"a := 2", "type E int", "a + int(E(1))"} {
			if _, _, err := n.run(cell); err != nil {
				t.Errorf("%s: %v", cell, err)
			}
		}
	})
}
