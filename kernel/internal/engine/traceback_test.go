package engine_test

import (
	"runtime"
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
		"range over a function in a loop": {"func each(yield func(int) bool) { yield(5) }\nfunc f(m []int) {\n\tfor range 3 {\n\t\tfor v := range each {\n\t\t\tm[v] = 1\n\t\t}\n\t}\n}\nf(nil)", `panic: runtime error: index out of range [5] with length 0
Cell [1]:5:4 in f
    5 | ` + "\t\t\t" + `m[v] = 1
      | ` + "\t\t\t" + `^
Cell [1]:1:35 in each
Cell [1]:4:18 in f
Cell [1]:9:1
    9 | f(nil)
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

// TestFramesOfCellsAgain panics in functions of cells that have run again, changed and unchanged:
// the user sees the places in the cells that ran last.
func TestFramesOfCellsAgain(t *testing.T) {
	const types = "type T struct{ n int }\nfunc (t *T) at(xs []int) int { return xs[t.n] }\nfunc (t T) of(xs []int) int { return xs[t.n] }\nfunc first(xs []int) int { return xs[0] }"
	const div = "func div(a, b int) int {\n\n\treturn a / b\n}\n"
	const hook = "hook := func() int { return div(1, 0) }"
	const last = "func last[E any](xs []E) E { return xs[len(xs)-1] }\ntype G[E any] []E\nfunc (g G[E]) at(i int) E { return g[i] }"
	const literal = "func outer(b int) func() int {\n\treturn func() int {\n\t\treturn 1 / b\n\t}\n}\n"
	for name, c := range map[string]struct {
		cells []string
		want  string // in the traceback of the last cell
	}{
		"a function":                          {[]string{types, "fmt.Print()", types, "first(nil)"}, "Cell [3]:4:35 in first\n"},
		"a method of a pointer":               {[]string{types, types, "t := &T{5}", "t.at(nil)"}, "Cell [2]:2:39 in (*T).at\n"},
		"a method of a value":                 {[]string{types, types, "// again\n" + types, "T{5}.of(nil)"}, "Cell [3]:4:38 in T.of\n"},
		"two lines lower":                     {[]string{div + hook, div + hook, "\n// changed\n" + div + hook, "hook()"}, "Cell [3]:5:11 in div\n"},
		"and a literal":                       {[]string{div + hook, div + hook, "\n// changed\n" + div + hook, "hook()"}, "Cell [3]:7:29 in func\n"},
		"higher":                              {[]string{"\n\n" + div, "\n" + div, div, "div(1, 0)"}, "Cell [3]:3:11 in div\n"},
		"a generic function":                  {[]string{last, "\n" + last, "last([]int{})"}, "Cell [2]:2:37 in last\n"},
		"a method of a generic type":          {[]string{last, "\n" + last, "G[int]{}.at(2)"}, "Cell [2]:4:36 in G.at\n"},
		"an instance made before":             {[]string{last, "func ints(xs []int) int { return last(xs) }", "\n" + last, "ints(nil)"}, "Cell [3]:2:37 in last\n"},
		"and for a type argument that is new": {[]string{last, "last([]int{1})", "\n" + last, "last([]string{})"}, "Cell [3]:2:37 in last\n"},
		"a literal in a function":             {[]string{literal, "\n" + literal, "outer(0)()"}, "Cell [2]:4:12 in outer.func\n"},
		"which is inlined":                    {[]string{literal + "func mid() func() int { return outer(0) }", "\n" + literal + "func mid() func() int { return outer(0) }", "mid()()"}, "Cell [2]:4:12 in "},
		"within the line":                     {[]string{"func a(b int) int { return 1 / b }", "x := 1; func a(b int) int { return 1 / b }", "a(0)"}, "Cell [2]:1:38 in a\n"},
		"behind letters of several bytes":     {[]string{"func a(b int) int { return 1 / b }", "é := \"é\"; func a(b int) int { return 1 / b }", "a(0)"}, "Cell [2]:1:42 in a\n"},
		"columns of other lines":              {[]string{div, "x := 1; " + div, "div(1, 0)"}, "Cell [2]:3:11 in div\n"},
		"another one changed":                 {[]string{div + "func f() {}", "func f() { print() }\n" + div, "div(1, 0)"}, "Cell [2]:4:11 in div\n"},
		"which keeps its place": {[]string{"func f() int { return 1 }; func g(b int) int { return 1 / b }\nold := g", "func g(b int) int { return 2 / b }; func f() int { return 1 }", "old(0)"},
			"Cell [1]:1:57 in g\n"},
		"one of a line changed": {[]string{"func f() int { return 1 }; func g(b int) int { return 1 / b }", "func g(b int) int { return 1 / b }; func f() int { return 2 }", "g(0)"},
			"Cell [2]:1:30 in g\n"},
		"a part of the cell": {[]string{div + "func f() {}", div, "div(1, 0)"}, "Cell [2]:3:11 in div\n"},
		"another, and back":  {[]string{div, "func div(a, b int) int { return b / a }", "\n" + div, "\n\n" + div, "div(1, 0)"}, "Cell [4]:5:11 in div\n"},
		"statements":         {[]string{"hook := func() int { return []int{}[len(os.Args)] }", "hook()", "hook := func() int { return []int{}[len(os.Args)] }", "hook()"}, "Cell [3]:1:36 in func\n"},
	} {
		t.Run(name, func(t *testing.T) {
			inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
				n := newWorkerNotebook(t, mode)
				var err error
				for _, cell := range c.cells {
					_, _, err = n.run(cell)
				}
				if text := uncoloured(traceback(err)) + "\n"; !strings.Contains(text, c.want) {
					t.Errorf("%q\n%s\nwant %s", c.cells, text, c.want)
				}
			})
		})
	}
}

// TestColumnsBesideInstances panics in lines that also name instances of generic types, which look
// like operations with an index.
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

// TestColumnsAroundLiterals panics in lines that have an operation of the same kind in a function
// literal.
func TestColumnsAroundLiterals(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for _, c := range []struct{ cell, want string }{
		{"func leaf(b int) int { return 1 / b }\nx := 1; y := func(b int) int { return leaf(b) }(0)", "Cell [1]:2:14\n"},
		{"zero := 0\nx := 3 / zero; f := func() int { return x / zero }", "Cell [2]:2:8\n"},
		{"func outer(xs []int) int { _ = func() int { return xs[0] }; return xs[1] }\nouter(nil)", "Cell [3]:1:68 in outer\n"},
		{"func in(b int) int { f := func() int { return 1 / b }; x := 2 / b; return x + f() }\nin(0)", "Cell [4]:1:63 in in\n"},
		{"for i := range 3 { f := func() int { return 1 / i }; _ = 2 / i; _ = f }", "Cell [5]:1:60\n"},
		{"func each(yield func(int) bool) { yield(0) }\nfor i := range each { f := func() int { return 1 / i }; _ = 2 / i; _ = f }", "Cell [6]:2:63\n"},
		{"z := len(os.Args) - len(os.Args); f := func() int { return 1 / z }; _ = 2 / z; _ = f", "Cell [7]:1:75\n"},
	} {
		_, _, err := n.run(c.cell)
		if got := uncoloured(traceback(err)) + "\n"; !strings.Contains(got, c.want) {
			t.Errorf("%s\ngives\n%s\nwant %s", c.cell, got, c.want)
		}
	}
}

// TestGoroutinesOfCellsAgain panics in goroutines whose cell is over, after the code of both cells
// has been declared again.
func TestGoroutinesOfCellsAgain(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	r := &enginetest.Recorder{}
	const div, begins = "func div(a, b int) int { return a / b }", "go func() { <-begin; div(1, 0) }()"
	for i, cell := range []string{"begin := make(chan bool)", div, "\n" + div, begins, begins, "close(begin)"} {
		if _, err := n.engine.Run(t.Context(), program.Cell{Number: i + 1, Source: cell}, r); err != nil {
			t.Fatal(err)
		}
	}
	notes := ""
	for strings.Count(notes, " in func\n") < 2 && t.Context().Err() == nil {
		runtime.Gosched()
		notes = r.Notes()
	}
	if strings.Count(notes, "Cell [3]:2 in div\n  Cell [5]:1 in func\n") != 2 {
		t.Errorf("notes %q", notes)
	}
}
