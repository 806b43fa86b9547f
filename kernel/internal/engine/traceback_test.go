package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// uncoloured is a traceback as text.
func uncoloured(lines []string) string {
	return strings.NewReplacer("\x1b[31m", "", "\x1b[1m", "", "\x1b[34m", "", "\x1b[0m", "").Replace(strings.Join(lines, "\n"))
}

// TestTracebacks looks at what is shown of panics: the words, the place with the source line and a
// caret, and the calls around.
func TestTracebacks(t *testing.T) {
	for name, c := range map[string]struct{ cell, want string }{
		"index in a call": {"xs := []int{1}\nn := 3\nfmt.Println(len(xs), xs[n])", `panic: runtime error: index out of range [3] with length 1
Cell [1]:3:22
    3 | fmt.Println(len(xs), xs[n])
      |                      ^`},
		"after an import, with tabs and emoji": {"import \"strings\"\n\nfunc f(m map[string]int) {\n\ts := strings.ToUpper(\"é😀\"); m[s] = 1\n}\nf(nil)", `panic: assignment to entry in nil map
Cell [1]:4:34 in f
    4 | ` + "\t" + `s := strings.ToUpper("é😀"); m[s] = 1
      | ` + "\t" + `                             ^
Cell [1]:6:1
    6 | f(nil)
      | ^`},
		"several lines": {"zero := 0\nxs := []int{\n\t1,\n\t2 / zero,\n}\n_ = xs", `panic: runtime error: integer divide by zero
Cell [1]:4:4
    4 | ` + "\t" + `2 / zero,
      | ` + "\t" + `  ^`},
		"one of two of a kind": {"xs := []int{1}\nn := 1\ny := xs[0] + xs[n]\n_ = y", `panic: runtime error: index out of range [1] with length 1
Cell [1]:3:1
    3 | y := xs[0] + xs[n]
      | ^`},
		"method, closure": {"type T struct{ xs []int }\nfunc (t *T) At(i int) int {\n\treturn t.xs[i]\n}\nt := &T{}\nf := func() int { return t.At(2) }\nf()", `panic: runtime error: index out of range [2] with length 0
Cell [1]:3:9 in (*T).At
    3 | ` + "\t" + `return t.xs[i]
      | ` + "\t" + `       ^
Cell [1]:6:26 in func
Cell [1]:7:1
    7 | f()
      | ^`},
		"deep recursion": {"func down(n int) int {\n\tif n == 0 {\n\t\tpanic(\"bottom\")\n\t}\n\treturn 1 + down(n-1)\n}\ndown(1000)", `panic: bottom
Cell [1]:3:3 in down
    3 | ` + "\t\t" + `panic("bottom")
      | ` + "\t\t" + `^
Cell [1] in down
… 999 more
Cell [1]:7:1
    7 | down(1000)
      | ^`},
		"callback of compiled code": {"import \"sort\"\nxs := []int{3, 1, 2}\nsort.Slice(xs, func(i, j int) bool {\n\treturn xs[i] < xs[i+j+5]\n})", `panic: runtime error: index out of range [6] with length 3
Cell [1]:4:2 in func
    4 | ` + "\t" + `return xs[i] < xs[i+j+5]
      | ` + "\t" + `^
Cell [1]:3:1
    3 | sort.Slice(xs, func(i, j int) bool {
      | ^`},
		"generic function": {"func last[T any](xs []T) T {\n\treturn xs[len(xs)-1]\n}\nlast([]string{})", `panic: runtime error: index out of range [-1]
Cell [1]:2:9 in last
    2 | ` + "\t" + `return xs[len(xs)-1]
      | ` + "\t" + `       ^
Cell [1]:4:1
    4 | last([]string{})
      | ^`},
		"range over a function": {"func count(yield func(int) bool) {\n\tfor i := 0; yield(i); i++ {\n\t}\n}\nxs := []int{1, 2}\nfor i := range count {\n\t_ = xs[i]\n}", `panic: runtime error: index out of range [2] with length 2
Cell [1]:7:6
    7 | ` + "\t" + `_ = xs[i]
      | ` + "\t" + `    ^
Cell [1]:2:14 in count
Cell [1]:6:16
    6 | for i := range count {
      |                ^`},
		"deferred call": {"func f() {\n\tdefer func() {\n\t\tvar p *int\n\t\t*p = 1\n\t}()\n}\nf()", `panic: runtime error: invalid memory address or nil pointer dereference
Cell [1]:4:3 in f.func
    4 | ` + "\t\t" + `*p = 1
      | ` + "\t\t" + `^
Cell [1]:2:8 in f
Cell [1]:7:1
    7 | f()
      | ^`},
		"after deferred calls": {"func f(xs []int) int {\n\tdefer func() {\n\t\tdefer func() { recover() }()\n\t\tpanic(\"inner\")\n\t}()\n\treturn xs[4]\n}\nf(nil)", `panic: runtime error: index out of range [4] with length 0
Cell [1]:6:9 in f
    6 | ` + "\t" + `return xs[4]
      | ` + "\t" + `       ^
Cell [1]:8:1
    8 | f(nil)
      | ^`},
		"panic in a deferred call": {"func f() {\n\tdefer func() { panic(\"second\") }()\n\tpanic(\"first\")\n}\nf()", `panic: first
	panic: second
Cell [1]:2:17 in f.func
    2 | ` + "\t" + `defer func() { panic("second") }()
      | ` + "\t" + `               ^
Cell [1]:3:2 in f
Cell [1]:5:1
    5 | f()
      | ^`},
		"what was recovered": {"func f() {\n\tdefer func() { panic(recover()) }()\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}\nf()", `panic: assignment to entry in nil map [recovered, repanicked]
Cell [1]:4:2 in f
    4 | ` + "\t" + `m["a"] = 1
      | ` + "\t" + `^
Cell [1]:6:1
    6 | f()
      | ^`},
		"an error that cannot be printed": {"type E struct{ p *int }\nfunc (e E) Error() string { return fmt.Sprint(*e.p) }\npanic(E{})", `panic: (main.E), whose method panicked: runtime error: invalid memory address or nil pointer dereference
Cell [1]:3:1
    3 | panic(E{})
      | ^`},
		"text of several lines": {"type text string\npanic(text(\"a\\nb\"))", `panic: main.text("a
	b")
Cell [1]:2:1
    2 | panic(text("a\nb"))
      | ^`},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			_, _, err := n.run(c.cell)
			if got := uncoloured(traceback(err)); got != c.want {
				t.Errorf("shows:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// TestColumnsBesideInstances panics in lines that also name instances of generic types, which look like
// operations with an index.
func TestColumnsBesideInstances(t *testing.T) {
	for cell, want := range map[string]string{
		"type G[E any] []E\nfunc (g G[E]) at(i int) E { return g[i] }\nG[int]{}.at(2)":                                              "Cell [1]:2:36 in G.at\n",
		"type P[K comparable, V any] struct{ k K; v []V }\nfunc (p *P[K, V]) at(i int) V { return p.v[i] }\n(&P[int, int]{}).at(2)": "Cell [1]:2:40 in (*P).at\n",
		"type G[E any] []E\nn := len(os.Args)\ng := G[int]{G[int]{}[n]}":                                                            "Cell [1]:3:21\n",
	} {
		inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
			_, _, err := newWorkerNotebook(t, mode).run(cell)
			if got := uncoloured(traceback(err)) + "\n"; !strings.Contains(got, want) {
				t.Errorf("%s\ngives\n%s\nwant %s", cell, got, want)
			}
		})
	}
}

// TestFramesOfCellsAgain panics in functions and methods of cells that have run twice: the user sees
// the number of the second time.
func TestFramesOfCellsAgain(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		const declares = "type T struct{ n int }\nfunc (t *T) at(xs []int) int { return xs[t.n] }\nfunc first(xs []int) int { return xs[0] }"
		n := newWorkerNotebook(t, mode)
		for _, cell := range []string{declares, "fmt.Print()", declares, "var t = &T{5}"} {
			beat{cell: cell}.play(t, n)
		}
		for call, want := range map[string]string{"first(nil)": "Cell [3]:3", "t.at(nil)": "Cell [3]:2"} {
			n.cell++
			_, err := n.engine.Run(t.Context(), program.Cell{Number: n.cell, Source: call}, &enginetest.Recorder{})
			if text := strings.Join(traceback(err), "\n"); !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", call, text, want)
			}
		}
	})
}
