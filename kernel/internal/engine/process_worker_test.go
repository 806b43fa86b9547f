package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A beat is a cell of a session and what is expected of it.
type beat struct {
	cell  string
	value string
	out   string // all that it writes to standard output
	notes string // a part of them
	err   string // a part of it
	// stop interrupts the cell, and kill ends its process, when it has written something.
	stop, kill bool
}

// loop is a cell that waits until it is stopped.
const loop = "fmt.Println(\"begun\")\nselect {}"

// TestWorkerSessions runs sessions whose engine is changed, and that are interrupted, killed and
// reset.
func TestWorkerSessions(t *testing.T) {
	const declared = "type point struct{ x, y int }\nfunc (p *point) move(n int) { p.x += n }\nfunc twice(n int) int { return 2 * n }\nfunc total() int { return twice(ps[0].x) + counts[\"a\"] }"
	const variables = "ps := []*point{{1, 2}}\nfirst := ps[0]\ncounts := map[string]int{\"a\": 1}\nm := mat.NewDense(1, 1, []float64{5})\ninc := func() int { counts[\"a\"]++; return counts[\"a\"] }"
	const spin = "y := 2\nfmt.Println(\"begun\")\nfor {\n}"
	for _, c := range []struct {
		name  string
		mode  program.Mode
		beats []beat
	}{
		{"interpreted, then compiled", program.InterpretedMode, []beat{
			{cell: "ps := []*point{}\ncounts := map[string]int{}\n" + declared},
			{cell: variables},
			{cell: "total()", value: "3"},
			{cell: toCompiled, notes: restarted("counts, first, inc, m, ps")},
			{cell: "total()", err: "the variable was lost when %engine restarted the session"},
			{cell: "twice(4)", value: "8"},
			{cell: variables},
			{cell: "first.move(4)\ncounts[\"a\"] = 7\nfmt.Sprintf(\"%T %v\", ps[0], total())", value: "*main.point 17"},
			{cell: "inc()", value: "8"},
		}},
		{"compiled, then interpreted", program.AutoMode, []beat{
			{cell: "ps := []*point{}\ncounts := map[string]int{}\n" + declared},
			{cell: "type pair[K comparable, V any] struct { k K; v V }\nfunc (p pair[K, V]) String() string { return fmt.Sprint(p.k, \"=\", p.v) }\nfunc apply[T any](f func(T) T, x T) T { return f(x) }\nfunc init() { counts[\"init\"]++ }"},
			{cell: "import s \"strings\"\nconst half = 0.5\ntype shape interface{ area() float64 }\ntype square float64\nfunc (s square) area() float64 { return float64(s*s) * half }\nfunc areas(list ...shape) (sum float64) { for _, x := range list { sum += x.area() }; return }"},
			{cell: variables},
			{cell: "func caller() string { return fmt.Sprint(runtime.Caller(0)) }\nimport \"runtime\"\nfunc useCaller() string { return caller() }"},
			{cell: toInterpreted, notes: restarted("counts, first, inc, m, ps"), out: "interpreted: cells are interpreted; code that the interpreter is known to run differently from Go is refused\n"},
			{cell: "ps", err: "undefined: ps (the variable was lost when %engine restarted the session)"},
			{cell: "total()", err: "ps: the variable was lost when %engine restarted the session"},
			{cell: variables},
			{cell: "first.move(4)\ncounts[\"a\"] = 7\nfmt.Sprintf(\"%T %v\", ps[0], total())", value: "*main.point 17"},
			{cell: "inc()", value: "8"},
			{cell: "fmt.Sprint(pair[string, int]{\"a\", 1}, apply(twice, 4), counts)", value: "a=1 8 map[a:8]"},
			{cell: "areas(square(2), square(4))", value: "10"},
			{cell: "s.ToUpper(\"a\")", value: "A"},
			{cell: "useCaller()", err: "runtime.Caller: the interpreter would show calls and lines of its own"},
			{cell: "%engine auto\nlen(useCaller()) > 0", value: "true"},
		}},
		{"a module, then interpreted", program.CompiledMode, []beat{
			{cell: ownModule},
			{cell: "import \"own/a\"\nfunc n() int { return a.Make(20).N }\nn()", value: "40"},
			{cell: toInterpreted},
			{cell: "n()", err: "the interpreter has no package own/a"},
			{cell: "a.Make(1)", err: "the interpreter has no package own/a"},
			{cell: toCompiled + "\nn()", value: "40"},
		}},
		{"interrupted", program.CompiledMode, []beat{
			{cell: "x := 1"},
			{cell: spin, stop: true, err: "Interrupted"},
			{cell: loop, stop: true, err: "Interrupted"},
			{cell: "x + y", value: "3"},
		}},
		{"killed", program.CompiledMode, []beat{
			{cell: declared[:strings.Index(declared, "\nfunc total")] + "\nx := 1\nfunc useX() int { return x }"},
			{cell: loop, kill: true, err: "WorkerDied"},
			{cell: "x", err: "undefined: x (the variable was lost when the worker process died: stopped by the user)"},
			{cell: "useX()", err: "x: the variable was lost when the worker process died: stopped by the user"},
			{cell: "p := &point{1, 2}\np.move(twice(3))\np.x", value: "7"},
			{cell: "x := 5\nuseX()", value: "5"},
		}},
		{"killed after a change", program.InterpretedMode, []beat{
			{cell: "func twice(n int) int { return 2 * n }\nx := 1"},
			{cell: toCompiled},
			{cell: loop, kill: true, err: "WorkerDied"},
			{cell: "twice(4)", value: "8"},
		}},
		{"reset", program.AutoMode, []beat{
			{cell: "x := 1"},
			{cell: "%reset"},
			{cell: "x", err: "undefined: x"},
			{cell: "x := \"new\"\nx", value: "new"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newWorkerNotebook(t, c.mode)
			for _, b := range c.beats {
				b.play(t, n)
			}
		})
	}
}

// playInModes plays sessions in compiled and in interpreted cells.
func playInModes(t *testing.T, sessions map[string][]beat) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		for name, beats := range sessions {
			t.Run(name, func(t *testing.T) {
				n := newWorkerNotebook(t, mode)
				for _, b := range beats {
					b.play(t, n)
				}
			})
		}
	})
}

func (b beat) play(t *testing.T, n *notebook) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r := &enginetest.Recorder{}
	if b.stop || b.kill {
		go func() {
			r.Await(ctx, "")
			if b.kill {
				n.engine.Kill()
			} else {
				cancel()
			}
		}()
	}
	n.cell++
	bundle, err := n.engine.Run(ctx, program.Cell{Number: n.cell, Source: b.cell}, r)
	var failed *program.Error
	switch {
	case b.err == "" && err != nil:
		t.Fatalf("%s: %v\n%s", b.cell, err, strings.Join(traceback(err), "\n"))
	case b.err != "" && (!errors.As(err, &failed) || !strings.Contains(err.Error(), b.err)):
		t.Fatalf("%s: error %v, want %s", b.cell, err, b.err)
	}
	shown := ""
	if bundle != nil {
		shown, _ = bundle.Data["text/plain"].(string)
	}
	if b.value != "" && shown != b.value {
		t.Errorf("%s: %q, want %q", b.cell, shown, b.value)
	}
	if b.out != "" && r.Out() != b.out {
		t.Errorf("%s: it writes %q, want %q", b.cell, r.Out(), b.out)
	}
	if notes := r.Notes(); !strings.Contains(notes, b.notes) {
		t.Errorf("%s: it says %q without %q", b.cell, notes, b.notes)
	}
}

// TestReplacedTypes holds that values in interfaces stay whose types no declaration mentions, and
// that those are named of which the new process has no type.
func TestReplacedTypes(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode, func(c *engine.Config) { c.MaxPlugins = 2 })
	const why = " was not carried over to the new process: "
	for _, b := range []beat{
		{cell: "type Box[T any] struct{ v T }\nfunc wrap[T any](v T) any { return Box[T]{v} }\nvar x any = Box[int]{1}\nxs := []any{1, wrap(\"a\"), struct{ n int }{4}}\nvar local any\nif true {\n\ttype point struct{ x int }\n\tlocal = &point{1}\n}"},
		{cell: "func() any { type point struct{ y int }; return point{2} }()"},
		{cell: "fmt.Sprint(x == any(Box[int]{1}), xs[1] == any(Box[string]{\"a\"}), xs[2] == any(struct{ n int }{4}))", value: "true true true", notes: "note: local" + why},
		{cell: "local", err: "undefined: local (the variable" + why + "its type no longer exists: *main.point"},
		{cell: "Out[2]", err: "the value" + why + "its type no longer exists: main.point"},
		{cell: "type P struct{ a int }\ntype boxed = Box[P]\nvar p any = boxed{P{1}}"},
		{cell: "type P struct{ a, b int }\nvar q any = Box[P]{P{1, 2}}"},
		{cell: "1"},
		{cell: "fmt.Sprint(p, q, q == any(Box[P]{P{1, 2}}))", value: "{{1}} {{1 2}} true"},
	} {
		b.play(t, n)
	}
}

// TestReplacedMethods declares a method of a type after a variable of that type has stayed behind.
func TestReplacedMethods(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode, func(c *engine.Config) { c.MaxPlugins = 2 })
	for _, b := range []beat{
		{cell: "type job struct{ n int }\nvar jobs chan job = make(chan job, 1)\nvar done func(job)\nfunc ask(n int) { j := job{n}; jobs <- j; done(j) }"},
		{cell: "done = func(job) {}"},
		{cell: "1", value: "1", notes: "note: jobs was not carried over to the new process: a channel"},
		{cell: "func (j job) String() string { return fmt.Sprint(\"job \", j.n) }"},
		{cell: "ask(1)", err: "jobs: the variable was not carried over"},
		{cell: "jobs := make(chan job, 1)\ndone := func(j job) { fmt.Println(j) }\nask(2)\n<-jobs", value: "job 2", out: "job 2\n"},
	} {
		b.play(t, n)
	}
}

// TestReplaced runs a session whose process is replaced several times.
func TestReplaced(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode, func(c *engine.Config) { c.MaxPlugins = 2 })
	const replaced = "note: the process that runs cells was replaced by another"
	for _, b := range []beat{
		{cell: "type node struct{ name string; next *node }\nfunc (n *node) String() string { return n.name + suffix }\nsuffix := \"!\""},
		{cell: "a := &node{name: \"a\"}\na.next = &node{\"b\", a}\nalias := a.next\ncounts := map[*node]int{a: 1}\nhook := func() int { return 1 }\nos.Setenv(\"REPLACED\", \"kept\")\nvar shown fmt.Stringer = a"},
		{cell: "a.next.next == a && alias == a.next && counts[a] == 1", value: "true", notes: replaced},
		{cell: "fmt.Sprint(alias.next, shown, os.Getenv(\"REPLACED\"))", value: "a! a!kept"},
		{cell: "hook()", err: "undefined: hook (the variable was not carried over to the new process"},
		{cell: "suffix = \"?\"\nalias.next = nil"},
		{cell: "fmt.Sprint(a.next.next == nil, shown)", value: "true a?"},
		{cell: "_", value: "true a?"},
		{cell: "Out[4] + \" again\"", value: "a! a!kept again"},
		{cell: "func() int { return 1 }"},
		{cell: "1"},
		{cell: "2"},
		{cell: "Out[10]()", err: "the value was not carried over to the new process"},
		{cell: "%who -m"},
		{cell: loop, stop: true, err: "Interrupted"},
	} {
		b.play(t, n)
	}
}
