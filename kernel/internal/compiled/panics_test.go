package compiled

import (
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

type (
	point   struct{ x, y int }
	word    string
	celsius float64
	loud    struct{}
	broken  struct{ p *int }
)

func (loud) String() string { return "LOUD" }

func (b broken) Error() string { return fmt.Sprint(*b.p) }

// Refused is an error of a package.
type Refused struct{}

func (*Refused) Error() string { return "refused" }

func TestPanicMessage(t *testing.T) {
	var list []int
	var m map[string]int
	var nothing *point
	for name, tt := range map[string]struct {
		run  func()
		want string
	}{
		"string":        {func() { panic("no") }, "no"},
		"lines":         {func() { panic("a\nb") }, "a\n\tb"},
		"int":           {func() { panic(7) }, "7"},
		"float":         {func() { panic(1e6) }, "1e+06"},
		"complex":       {func() { panic(1i) }, "(0+1i)"},
		"nil":           {func() { panic(nil) }, new(runtime.PanicNilError).Error()},
		"error":         {func() { panic(errors.New("broke")) }, "broke"},
		"Stringer":      {func() { panic(loud{}) }, "LOUD"},
		"named string":  {func() { panic(word("a\nb")) }, "compiled.word(\"a\n\tb\")"},
		"named number":  {func() { panic(celsius(1.5)) }, "compiled.celsius(1.5)"},
		"struct":        {func() { panic(point{1, 2}) }, "(compiled.point) {x:1 y:2}"},
		"broken error":  {func() { panic(broken{}) }, "(compiled.broken), whose method panicked: runtime error: invalid memory address or nil pointer dereference"},
		"index":         {func() { list[3] = 1 }, "runtime error: index out of range [3] with length 0"},
		"nil map":       {func() { m["a"] = 1 }, "assignment to entry in nil map"},
		"nil pointer":   {func() { nothing.x = 1 }, "runtime error: invalid memory address or nil pointer dereference"},
		"closed":        {func() { c := make(chan int); close(c); cell.Send(c, 1) }, "send on closed channel"},
		"left behind":   {func() { cell.Waits("", func() { panic("apart") })() }, "apart"},
		"from deferred": {func() { defer func() { panic("second") }(); panic("first") }, "first\n\tpanic: second"},
		"after a recovered one": {func() {
			defer func() { recover(); panic("second") }()
			panic("first")
		}, "first [recovered]\n\tpanic: second"},
		"recovered and again": {func() {
			defer func() { panic(recover()) }()
			m["a"] = 1
		}, "assignment to entry in nil map [recovered, repanicked]"},
		"again, then another": {func() {
			defer func() { panic("other") }()
			defer func() { panic(recover()) }()
			m["a"] = 1
		}, "assignment to entry in nil map [recovered, repanicked]\n\tpanic: other"},
		"one that is over": {func() {
			func() {
				defer func() { recover() }()
				panic("first")
			}()
			panic("second")
		}, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{}).Run(t.Context(), unitOf(1, tt.run))
			if f := failure(t, err); f.Name != "panic" || f.Message != tt.want {
				t.Errorf("%s: %q, want %q", f.Name, f.Message, tt.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	private := errors.New("private")
	for name, tt := range map[string]struct {
		run           func()
		kind, message string
	}{
		"error left out":         {func() { cell.Failed(&Refused{}, 1, 2, 3) }, "*compiled.Refused", "refused"},
		"private error left out": {func() { cell.Failed(private, 1, 2, 3) }, "error", "private"},
		"exit":                   {func() { defer panic("deferred"); cell.Exit(3) }, "exit", "exit status 3"},
		"fatal":                  {func() { cell.LoggerFatal(log.New(io.Discard, "", 0), "no") }, "exit", "exit status 1"},
		"end of the goroutine":   {runtime.Goexit, "exit", "runtime.Goexit ended the goroutine of the cell"},
		"failure of a magic":     {func() { panic(host.Failure{Err: private}) }, "error", "private"},
		"exit of a goroutine":    {func() { go cell.Exit(2); cell.Sleep(time.Hour) }, "exit", "exit status 2"},
		"panic of a goroutine": {func() {
			go func() { defer cell.Caught(); panic("beside") }()
			cell.Sleep(time.Hour)
		}, "panic", "beside"},
		"panic of a timer": {func() {
			time.AfterFunc(1, cell.Guard(func() { panic("late") }))
			cell.Sleep(time.Hour)
		}, "panic", "late"},
		"panic of a goroutine's deferred call": {func() {
			go func() {
				defer cell.Caught()
				defer func() { panic("second") }()
				panic("first")
			}()
			for {
				cell.Check()
			}
		}, "panic", "first\n\tpanic: second"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{Stderr: new(recorder)}).Run(t.Context(), unitOf(1, tt.run))
			if f := failure(t, err); f.Name != tt.kind || f.Message != tt.message {
				t.Errorf("%s: %q, want %s: %q", f.Name, f.Message, tt.kind, tt.message)
			}
		})
	}
	r := New(Config{})
	_, err := r.Run(t.Context(), unitOf(1, func() { cell.Failed(private, 1, 2, 3) }))
	if f := failure(t, err); len(f.Frames) != 1 || f.Frames[0] != (program.Frame{Cell: 1, Line: 2, Column: 3}) {
		t.Errorf("frames %v", f.Frames)
	}
	b, err := r.Run(t.Context(), unitOf(2, func() {
		defer func() { cell.Show(false, recover() == private) }()
		cell.Failed(private, 1, 2, 3)
	}))
	if err != nil || b.Data["text/plain"] != "true" {
		t.Errorf("an error that was recovered: got %v, %v", b, err)
	}
}

// A goroutine that fails when its cell has ended says so on standard error.
func TestLatePanic(t *testing.T) {
	var out recorder
	r := New(Config{Stderr: &out})
	ended, printed := make(chan bool), make(chan bool)
	p := unitOf(3, func() {
		go func() {
			defer close(printed)
			defer cell.Caught()
			<-ended
			late()
		}()
	})
	p.Title = "Cell [9]"
	if _, err := r.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	close(ended)
	<-printed
	if got, want := out.String(), "panic: late\n\ngoroutine:\n  Cell [9]:2 in late\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFrames(t *testing.T) {
	for name, tt := range map[string]struct {
		run  func()
		want string
	}{
		"method and literal": {func() { outer() }, "(*pair).at:12 index, outer.func:22 call, outer:24 call"},
		"panic again":        {func() { again(nil) }, "again.func:91 panic, again:93 index"},
		"recursion":          {func() { down(1_000_000) }, "down:32 panic, down:34 call+999999"},
		"generic function":   {func() { last([]int(nil)) }, "last:41 index"},
		"callback":           {func() { sorted() }, "sorted.func:51 index, sorted:50 call"},
		"loop body":          {func() { ranged() }, "ranged:62 index, count:71 call, ranged:61 call"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{}).Run(t.Context(), unitOf(1, tt.run))
			var got []string
			for _, f := range failure(t, err).Frames {
				if f.Cell != 3 {
					t.Errorf("cell %d", f.Cell)
				}
				text := fmt.Sprintf("%s:%d %s", f.Function, f.Line, f.Operation)
				if f.More > 0 {
					text += fmt.Sprintf("+%d", f.More)
				}
				got = append(got, text)
			}
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// The operation of the innermost call is what failed there, or the call of what did.
func TestOperations(t *testing.T) {
	for want, run := range map[string]func(){
		"index":      func() { failsAt(func(list []int, _ map[any]int, _ any, n int) { _ = list[n] }) },
		"slice":      func() { failsAt(func(list []int, _ map[any]int, _ any, n int) { _ = list[n:] }) },
		"map":        func() { failsAt(func(_ []int, m map[any]int, _ any, n int) { m[n] = 1 }) },
		"divide":     func() { failsAt(func(list []int, _ map[any]int, _ any, n int) { _ = n / len(list) }) },
		"shift":      func() { failsAt(func(_ []int, _ map[any]int, _ any, n int) { _ = 1 << (n - 9) }) },
		"assertion":  func() { failsAt(func(_ []int, _ map[any]int, v any, _ int) { _ = v.(int) }) },
		"compare":    func() { failsAt(func(_ []int, _ map[any]int, v any, _ int) { _ = v == any([]int{}) }) },
		"make":       func() { failsAt(func(_ []int, _ map[any]int, _ any, n int) { _ = make([]int, n-9) }) },
		"nil":        func() { failsAt(func([]int, map[any]int, any, int) { var p *pair; p.list = nil }) },
		"conversion": func() { failsAt(func(list []int, _ map[any]int, _ any, _ int) { _ = [3]int(list) }) },
		"send":       func() { failsAt(func([]int, map[any]int, any, int) { c := make(chan int); close(c); cell.Send(c, 1) }) },
		"close":      func() { failsAt(func([]int, map[any]int, any, int) { c := make(chan int); close(c); close(c) }) },
		"panic":      func() { failsAt(func([]int, map[any]int, any, int) { panic(errors.New("no")) }) },
		"call":       func() { failsAt(func([]int, map[any]int, any, int) { _ = strings.Repeat("a", -1) }) },
	} {
		_, err := New(Config{}).Run(t.Context(), unitOf(1, run))
		if f := failure(t, err); len(f.Frames) == 0 || f.Frames[0].Operation != want {
			t.Errorf("%s: frames %v of %v", want, f.Frames, err)
		}
	}
}

func TestUserName(t *testing.T) {
	for function, want := range map[string]string{
		"main.init":                       "",
		"main.init.func1":                 "func",
		"main.init.func1.2":               "func.func",
		"main.init-range1":                "",
		"main.init.func2-range1.func3":    "func.func",
		"main.init.make.func1":            "make.func",
		"main.init.0":                     "init",
		"main.init.1.func2":               "init.func",
		"main.main":                       "main",
		"main.main.func1":                 "main.func",
		"main.initial":                    "initial",
		"main.f":                          "f",
		"main.f.func1":                    "f.func",
		"main.(*T).m":                     "(*T).m",
		"main.(*T).m.func1":               "(*T).m.func",
		"main.T.m-fm":                     "T.m",
		"main.(*stack[...]).push":         "(*stack).push",
		"example%2eorg.Map[...].func1":    "Map.func",
		"main.glob..func1":                "func",
		"main.f.func2.outer.func1":        "outer.func",
		"main.f.gowrap1":                  "f.func",
		"example.org/m.v2/pkg.Outer.func": "Outer.func",
	} {
		if got := userName(function); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
}

func TestCallsIn(t *testing.T) {
	words := `runtime: goroutine stack exceeds 1000000000-byte limit
fatal error: stack overflow

runtime stack:
runtime.throw({0x55d0, 0x1})
	/go/src/runtime/panic.go:1023 +0x5e

goroutine 7 [running]:
panic({0x55d0, 0x1})
	/go/src/runtime/panic.go:789 +0x132
main.(*T).f({0x1, 0x2}, 0x3)
	/cell/7/Cell [3]:3 +0x1d
main.g(...)
	/cell/7/Cell [3]:5 +0x1d fp=0xc0 sp=0xc0
main.g(0x1)
	/cell/7/Cell [3]:5 +0x1d
main.init()
	/cell/8/a:1 b.go:1 +0x13
main.init()
	/home/ca.go:6 +0x13
main.other()
	/home/other.go:6 +0x13
created by github.com/hierml/notebook/kernel/internal/compiled.(*Runner).supervise in goroutine 1
	/src/kernel/internal/compiled/runner.go:100 +0x20

goroutine 8 [select]:
main.h()
	/cell/9/Cell [5]:1 +0x1
`
	want := []program.Frame{{Function: "(*T).f", Cell: 7, Line: 3, Operation: "panic"}, {Function: "g", Cell: 7, Line: 5, Operation: "call", More: 1}, {Cell: 8, Line: 1, Operation: "call"}, {Cell: 4, Line: 6, Operation: "call"}}
	if got := CallsIn(words, map[string]int{"/home/ca.go": 4}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCallsOfCreators reads of goroutines that functions of cells created: what created them is no
// active call, and stands only for a goroutine without any.
func TestCallsOfCreators(t *testing.T) {
	const created = "created by main.(*T).f in goroutine 50\n\t/cell/7/Cell [3]:3 +0x1d\n\ngoroutine 8 [select]:\nmain.h()\n\t/cell/9/Cell [5]:1 +0x1\n"
	for words, want := range map[string]program.Frame{
		"goroutine 51 [running]:\nmain.w(...)\n\t/cell/6/Cell [2]:4\n" + created:    {Function: "w", Cell: 6, Line: 4},
		"goroutine 51 [running]:\nos.exit(0x1)\n\t/go/src/os/proc.go:4\n" + created: {Function: "(*T).f", Cell: 7, Line: 3, Operation: "call"},
	} {
		if got := CallsIn(words, nil); !slices.Equal(got, []program.Frame{want}) {
			t.Errorf("%s\ngives %v, want %v", words, got, want)
		}
	}
}
