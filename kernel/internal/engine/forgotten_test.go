package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// failing declares what the cells of the tests below call.
const failing = `import ("io/fs"; "strconv")
type Bad struct{ Code int }
func (b *Bad) Error() string { return fmt.Sprint("bad ", b.Code) }
type Plain int
func (p Plain) Error() string { return "plain" }
type failure = error
var boom = errors.New("boom")
func one(fail bool) (int, error) { if fail { return 7, boom }; return 1, nil }
func two(fail bool) (int, string, error) { if fail { return 7, "seven", boom }; return 1, "one", nil }
func only(fail bool) error { if fail { return boom }; return nil }
func bad() (int, error) { return 0, &Bad{3} }
func plain() error { return Plain(1) }
func wrapped() error { return fmt.Errorf("outer: %w", &Bad{4}) }
func joined() error { return errors.Join(boom, boom) }
func alias() (int, failure) { return 0, boom }
func own() *Bad { return &Bad{5} }
func ownToo() (int, *Bad) { return 6, &Bad{6} }
func typedNil() error { var b *Bad; return b }
func gen[T any](x T, fail bool) (T, error) { if fail { return x, boom }; return x, nil }
type Reader struct{ n int }
func (r *Reader) Read(fail bool) (int, error) { r.n++; return one(fail) }
func (r Reader) Close() error { return boom }
func (r *Reader) Next() (*Reader, error) { return r, nil }
type Source interface{ Read(bool) (int, error) }
func double(n int) int { calls++; return 2 * n }
func sum(a, b int) int { calls++; return a + b }
func join(n int, s string) string { return fmt.Sprint(n) + s }
func spread(all ...any) int { return len(all) }
func makes(fail bool) (func(int) int, error) { if fail { return nil, boom }; return double, nil }
func note(n int, fail bool) (int, error) { fmt.Print(n); if fail { return n, boom }; return n, nil }
var calls int
var call = one
var x, y, s = -1, -2, []int{0, 0}
`

// A forgottenCase is a cell that leaves out errors. One that fails has no value of after, which is
// looked at in another cell.
type forgottenCase struct {
	cell         string
	shown, out   string
	err, message string // name and text of the error
	at           string // in its traceback
	after, is    string
}

// run runs the cell behind one that declares what it calls.
func (c forgottenCase) run(t *testing.T, n *notebook) {
	t.Helper()
	if _, _, err := n.run(failing); err != nil {
		t.Fatal(err)
	}
	shown, out, err := n.run(c.cell)
	checkError(t, err, c.err, c.message, strings.Replace(c.at, "Cell [2]", fmt.Sprintf("Cell [%d]", n.cell), 1))
	if shown != c.shown || out != c.out {
		t.Errorf("shown %q, written %q, want %q, %q", shown, out, c.shown, c.out)
	}
	if c.after == "" {
		return
	}
	got, _, err := n.run(c.after)
	if err != nil {
		got = err.Error()
	}
	if got != c.is && !strings.Contains(got, ": "+c.is) {
		t.Errorf("%s is then %q, want %q", c.after, got, c.is)
	}
}

// withinExpressions are calls that leave out errors within expressions.
var withinExpressions = []forgottenCase{
	{cell: "double(one(false))", shown: "2"},
	{cell: "double(one(true))", err: "error", message: "boom", at: "Cell [2]:1:8", after: "calls", is: "0"},
	{cell: "sum(one(false), 3)", shown: "4"},
	{cell: "sum(3, one(true))\nfmt.Print(1)", err: "error", message: "boom", at: "Cell [2]:1:8", after: "calls", is: "0"},
	{cell: "a, b := one(false), 2\na + b", shown: "3"},
	{cell: "a, b := note(1, false), note(2, false)\na + b", out: "12", shown: "3"},
	{cell: "e, b := note(1, true), note(2, false)\ne + b", out: "1", err: "error", message: "boom", at: "Cell [2]:1:9", after: "e", is: "undefined: e"},
	{cell: "a, b := note(1, false), note(2, true)", out: "12", err: "error", message: "boom", at: "Cell [2]:1:25"},
	{cell: "x, y = one(false), note(5, true)", out: "5", err: "error", message: "boom", after: "fmt.Sprint(x, y)", is: "-1 -2"},
	{cell: "var a, b = one(false), note(5, false)\na + b", out: "5", shown: "6"},
	{cell: "var a, b int = one(false), note(5, false)\na + b", out: "5", shown: "6"},
	{cell: "(&Reader{}).Next().Next().n", shown: "0"},
	{cell: "(&Reader{}).Next().Read(true)", err: "error", message: "boom", at: "Cell [2]:1:1"},
	{cell: "r := (&Reader{}).Next().Next()\nz := r.Next().Read(false)\nz + r.n", shown: "2"},
	{cell: "x = sum(note(1, false), double(note(2, false))) + note(3, true)", out: "123", err: "error", message: "boom", at: "Cell [2]:1:51", after: "x", is: "-1"},
	{cell: "note(1, false) + note(2, false)", out: "12", shown: "3"},
	{cell: "false && note(1, true) == 1", shown: "false"},
	{cell: "true || note(1, true) == 1", shown: "true"},
	{cell: "true && note(1, true) == 1", out: "1", err: "error", message: "boom", at: "Cell [2]:1:9"},
	{cell: "s[one(false)] = note(4, false)", out: "4", after: "s", is: "[0 4]"},
	{cell: "x += one(false)", after: "x", is: "0"},
	{cell: "x += one(true)", err: "error", message: "boom", at: "Cell [2]:1:6", after: "x", is: "-1"},
	{cell: "[]int{one(false), note(7, false)}", out: "7", shown: "[1 7]"},
	{cell: "map[string]int{\"a\": one(false)}[\"a\"]", shown: "1"},
	{cell: "len(gen([]int{1, 2}, false))", shown: "2"},
	{cell: "append(s, one(false))", shown: "[0 0 1]"},
	{cell: "float64(one(false)) / 2", shown: "0.5"},
	{cell: "join(two(false))", shown: "1one"},
	{cell: "join(two(true))", err: "error", message: "boom", at: "Cell [2]:1:6"},
	{cell: "spread(two(false))", shown: "3"},
	{cell: "fmt.Sprint(one(false))", shown: "1 <nil>"},
	{cell: "fmt.Sprint(one(false), 2)", shown: "1 2"},
	{cell: "func() int { return 2 * x }() + one(false)", shown: "-1"},
	{cell: "makes(false)(1)", shown: "2"},
	{cell: "makes(true)(1)", err: "error", message: "boom", at: "Cell [2]:1:1"},
	{cell: "if one(false) == 1 { fmt.Print(3) }", out: "3"},
	{cell: "if z := one(false); z == 1 { fmt.Print(z) }", out: "1"},
	{cell: "if one(true) == 1 {}", err: "error", message: "boom", at: "Cell [2]:1:4"},
	{cell: "if a, b := two(false); a == 1 { fmt.Print(b) }", out: "one"},
	{cell: "for i := one(false); i < note(3, i == 2); i++ { fmt.Print(\".\") }", out: "3.3", err: "error", message: "boom"},
	{cell: "for range one(false) { fmt.Print(2) }", out: "2"},
	{cell: "switch one(false) {\ncase note(1, false):\n\tfmt.Print(\"a\")\n}", out: "1a"},
	{cell: "c := make(chan int, 1)\nc <- one(false)\n<-c", shown: "1"},
	{cell: "defer fmt.Print(one(false), 2)\nfmt.Print(5)", out: "51 2"},
	{cell: "defer fmt.Print(one(true), 2)\nfmt.Print(5)", err: "error", message: "boom", at: "Cell [2]:1:17"},
	{cell: "type T struct{ n int }\nfunc newT(n int) (*T, error) { return &T{n}, nil }\nnewT(one(false)).n", shown: "1"},
	{cell: "for range 1 {\n\ttype T struct{ n int }\n\tx = gen(T{4}, false).n\n}\nx", shown: "4"},
	{cell: "strconv.Itoa(strconv.Atoi(\"12\"))", shown: "12"},
	{cell: "strconv.Itoa(strconv.Atoi(\"q\"))", err: "*strconv.NumError", message: "strconv.Atoi: parsing \"q\": invalid syntax", at: "Cell [2]:1:14"},
	{cell: "double(one(false)) +\n  double(one(true))", err: "error", message: "boom", at: "Cell [2]:2:10"},
	{cell: "sum(two(false), 1)", err: "CompileError", message: "multiple-value"},
	{cell: "func() int { return double(one(true)) }()", err: "CompileError", message: "too many arguments"},
	{cell: "func f() int { return double(one(true)) }", err: "CompileError", message: "too many arguments"},
	{cell: "i := nb.Interact(func(fail bool) { z := one(fail); fmt.Print(z) }, false)", out: "1"},
	{cell: "nb.Interact(func(fail bool) any { return double(one(fail)) }, true)", err: "error", message: "boom", at: "Cell [2]:1:49"},
	{cell: "nb.Interact(func(fail bool) int { return one(fail) }, true)", err: "error", message: "boom", at: "Cell [2]:1:42"},
	{cell: "nb.Interact(func(fail bool) (int, error) { return one(fail) }, true)", err: "error", message: "boom"},
	{cell: "nb.Interact(func(fail bool) any { return func() int { return one(fail) } }, true)", err: "CompileError", message: "too many return values"},
	{cell: "apply := func(g func() int) int { return g() }\nz := one(false)\napply(func() int { return z })", shown: "1"},
	{cell: "defer func() { err := recover().(error); fmt.Print(err == boom) }()\ndouble(one(true))", out: "true"},
}

// TestForgottenErrorsWithin runs calls that leave out errors within expressions.
func TestForgottenErrorsWithin(t *testing.T) {
	for _, c := range withinExpressions {
		t.Run(c.cell, func(t *testing.T) { c.run(t, newNotebook(t)) })
	}
}

// TestForgottenErrors runs statements that leave out errors.
func TestForgottenErrors(t *testing.T) {
	for _, c := range []forgottenCase{
		// Assignments.
		{cell: "x := one(false)\nx", shown: "1", after: "x", is: "1"},
		{cell: "fmt.Print(5)\nx := one(true)\nfmt.Print(6)", out: "5", err: "error", message: "boom", at: "Cell [2]:2:6", after: "x", is: "-1"},
		{cell: "z := one(true)", err: "error", message: "boom", at: "     | .....^", after: "z", is: "undefined: z"},
		{cell: "z := 4\nw := one(true)", err: "error", message: "boom", after: "z", is: "4"},
		{cell: "x = one(false)", after: "x", is: "1"},
		{cell: "x = one(true)", err: "error", message: "boom", at: "Cell [2]:1:5", after: "x", is: "-1"},
		{cell: "s[1] = one(false)", after: "s", is: "[0 1]"},
		{cell: "s[1] = one(true)", err: "error", message: "boom", after: "s", is: "[0 0]"},
		{cell: "var z = one(false)", after: "z", is: "1"},
		{cell: "var z = one(true)", err: "error", message: "boom", at: "Cell [2]:1:9", after: "z", is: "undefined: z"},
		{cell: "var z any = one(false)\nz", shown: "1", after: "z.(int)", is: "1"},
		{cell: "var z any = one(true)", err: "error", message: "boom", at: "Cell [2]:1:13", after: "z", is: "undefined: z"},
		{cell: "var x int = one(true)", err: "error", message: "boom", after: "x", is: "-1"},
		{cell: "var z string = one(true)", err: "CompileError", message: "in assignment"},
		{cell: "var (\n\ta = 1\n\tb any = one(false)\n\tc = one(false)\n\td = a\n)\na + b.(int) + c + d", shown: "4"},
		{cell: "x, y := two(false)", after: "fmt.Sprint(x, y)", is: "1one"},
		{cell: "x, z := two(true)", err: "error", message: "boom", after: "x", is: "-1"},
		{cell: "var a, b = two(false)\nb", shown: "one"},
		{cell: "x, _ = two(false)", after: "x", is: "1"},
		{cell: "a := one(false)\nb := one(a == 2)\nc := one(b == 1)", err: "error", message: "boom", at: "Cell [2]:3:6", after: "a + b", is: "2"},
		{cell: "r := (&Reader{}).Next()\nq := r.Next()\nq = q.Next()\nq.n", shown: "0"},
		{cell: "r := &Reader{}\nx = r.Read(true)", err: "error", message: "boom", at: "Cell [2]:2:5", after: "r.n", is: "1"},
		{cell: "var r Source = &Reader{}\nx = r.Read(true)", err: "error", message: "boom"},
		{cell: "x := gen(3, false)\nx", shown: "3"},
		{cell: "x := gen[string](\"a\", true)", err: "error", message: "boom", at: "Cell [2]:1:6"},
		{cell: "x := call(true)", err: "error", message: "boom"},
		{cell: "x := func() (int, error) { return 3, boom }()", err: "error", message: "boom", at: "Cell [2]:1:6"},
		{cell: "x := alias()", err: "error", message: "boom"},
		{cell: "é := 1; x := one(true)", err: "error", message: "boom", at: "Cell [2]:1:15"},
		{cell: "f := func() int { return x }\nx = one(false)\nf()", shown: "1"},
		{cell: "func late() int { return x }\nx := one(false)\nlate()", shown: "1"},
		{cell: "s[len(s)-1] = one(false)", after: "s", is: "[0 1]"},
		{cell: "f := func() int { fmt.Print(1); return 1 }\ns[f()] = note(5, false)", out: "15", after: "s", is: "[0 5]"},
		{cell: "f := func() int { fmt.Print(1); return 1 }\ns[f()] = note(5, true)", out: "15", err: "error", message: "boom", after: "s", is: "[0 0]"},
		// Errors of all kinds.
		{cell: "x := bad()", err: "*Bad", message: "bad 3", at: "*Bad: bad 3"},
		{cell: "plain()", err: "Plain", message: "plain"},
		{cell: "wrapped()", err: "error", message: "outer: bad 4"},
		{cell: "joined()", err: "error", message: "boom\nboom"},
		{cell: "typedNil()", err: "*Bad", message: "<nil>"},
		{cell: "x := strconv.Atoi(\"q\")", err: "*strconv.NumError", message: "strconv.Atoi: parsing \"q\": invalid syntax"},
		{cell: "f := os.Open(\"/no/such\")", err: "*fs.PathError", message: "open /no/such: no such file or directory"},
		{cell: "data := os.ReadFile(\"/no/such\")\nlen(data)", err: "*fs.PathError", message: "open /no/such: no such file or directory"},
		// Calls.
		{cell: "only(false)\n3", shown: "3"},
		{cell: "only(true)\nfmt.Print(1)", err: "error", message: "boom", at: "Cell [2]:1:1"},
		{cell: "only(true);", err: "error", message: "boom"},
		{cell: "two(true)\nfmt.Print(1)", err: "error", message: "boom"},
		{cell: "(only(true))\n3", err: "error", message: "boom", at: "Cell [2]:1:1"},
		{cell: "Reader{}.Close()\n3", err: "error", message: "boom"},
		{cell: "only(true)\nonly(false)", err: "error", message: "boom", at: "Cell [2]:1:1"},
		{cell: "os.Remove(\"/no/such\")\n3", err: "*fs.PathError", message: "remove /no/such: no such file or directory"},
		{cell: "fmt.Println(1)\nfmt.Fprintln(os.Stdout, 2)\n3", out: "1\n2\n", shown: "3"},
		// In blocks.
		{cell: "if true { x := one(true); _ = x }", err: "error", message: "boom", at: "Cell [2]:1:16"},
		{cell: "if true {\n\tonly(true)\n}\n3", err: "error", message: "boom", at: "Cell [2]:2:2"},
		{cell: "if x > 0 {\n} else if x < 0 {\n\tonly(true)\n}", err: "error", message: "boom", at: "Cell [2]:3:2"},
		{cell: "{only(true)}", err: "error", message: "boom", at: "Cell [2]:1:2"},
		{cell: "for i := range 3 {\n\tfmt.Print(i)\n\tz := one(i == 1)\n\tx += z\n}", out: "01", err: "error", message: "boom", at: "Cell [2]:3:7", after: "x", is: "0"},
		{cell: "for i := range 3 {\n\tz, w := two(false)\n\tx += z + len(w) + i\n}\nx", shown: "14"},
		{cell: "for i := 0; i < 3; i++ {\n\tx = one(i == 2)\n\ts[1] = one(false)\n}", err: "error", message: "boom", after: "fmt.Sprint(x, s)", is: "1 [0 1]"},
		{cell: "switch x {\ncase -1:\n\tz := one(false)\n\tw := one(z == 1)\n\tx = w\n}", err: "error", message: "boom", after: "x", is: "-1"},
		{cell: "switch v := any(x).(type) {\ncase int:\n\tonly(v == -1)\n}", err: "error", message: "boom"},
		{cell: "c := make(chan bool, 1)\nc <- true\nselect {\ncase fail := <-c:\n\ttwo(fail)\n}", err: "error", message: "boom", at: "Cell [2]:5:2"},
		{cell: "for i := range func(yield func(int) bool) { _ = yield(1) && yield(2) } {\n\tfmt.Print(i)\n\tonly(i == 2)\n}", out: "12", err: "error", message: "boom", at: "Cell [2]:3:2"},
		{cell: "for range 2 {\n\tfmt.Println(1)\n\tif _, err := one(true); err != nil { continue }\n}", out: "1\n1\n"},
		{cell: "for range 1 {\n\tdefer only(true)\n\tgo only(true)\n\tfunc() { only(true) }()\n\t_ = only(true)\n}\n3", shown: "3"},
		{cell: "outer:\nfor i := range 3 {\n\tfor j := range 3 {\n\t\tif j == 1 { continue outer }\n\t\tonly(i == 1)\n\t}\n}", err: "error", message: "boom"},
		{cell: "for range 1 {\n\tvar z = one(false)\n\tvar w any = one(z == 1)\n\t_ = w\n}", err: "error", message: "boom", at: "Cell [2]:3:14"},
		{cell: "for range 1 {\n\tz := one(false)\n}", err: "CompileError", message: "declared and not used: z"},
		{cell: "defer func() { err := recover().(error); fmt.Print(err == boom) }()\nfor range 1 { only(true) }", out: "true"},
		// Last expressions.
		{cell: "one(false)", shown: "1"},
		{cell: "two(false)", shown: "1 one"},
		{cell: "one(true)", err: "error", message: "boom", at: "Cell [2]:1:1"},
		{cell: "one(true);", err: "error", message: "boom"},
		{cell: "only(false)", shown: ""},
		{cell: "only(true)", err: "error", message: "boom"},
		{cell: "boom", shown: "boom"},
		{cell: "errors.New(\"a\")", shown: "a"},
		{cell: "fmt.Errorf(\"b: %w\", boom)", shown: "b: boom"},
		{cell: "error(Plain(1))", shown: "plain"},
		// What is left alone.
		{cell: "x, _ := one(true)", after: "x", is: "7"},
		{cell: "_, err := one(true)\nerr", shown: "boom"},
		{cell: "_ = only(true)\n3", shown: "3"},
		{cell: "err := only(true)", after: "err", is: "boom"},
		{cell: "x, err := one(true)\nx", shown: "7"},
		{cell: "own()", shown: "bad 5"},
		{cell: "own()\n3", shown: "3"},
		{cell: "z := ownToo()", err: "CompileError", message: "assignment mismatch: 1 variable but ownToo returns 2 values"},
		{cell: "_ = one(false)", err: "CompileError", message: "assignment mismatch"},
		{cell: "z := two(false)", err: "CompileError", message: "assignment mismatch: 1 variable but two returns 3 values"},
		{cell: "func f() int { x := one(true); return x }", err: "CompileError", message: "assignment mismatch"},
		{cell: "func() { only(true) }()\n3", shown: "3"},
		{cell: "func f() { only(true); one(true) }\nf()\n3", shown: "3"},
		{cell: "defer only(true)\n3", shown: "3"},
		{cell: "go only(true)\n3", shown: "3"},
		{cell: "x := one(false)\nx := one(false)", err: "CompileError", message: "no new variables"},
		{cell: "x := one(false)\nz := nope", err: "CompileError", message: "undefined: nope"},
		// Deferred calls run, and may recover.
		{cell: "defer fmt.Print(\"end\")\nx := one(true)", out: "end", err: "error", message: "boom", at: "Cell [2]:2:6"},
		{cell: "defer func() { err := recover().(error); fmt.Print(err == boom) }()\nx := one(true)", out: "true", after: "x", is: "-1"},
	} {
		t.Run(c.cell, func(t *testing.T) { c.run(t, newNotebook(t)) })
	}
}

// checkError looks at an error's name, at a part of its message, and at a part of its traceback, in
// which a period stands for a blank.
func checkError(t *testing.T, err error, name, message, at string) {
	t.Helper()
	if name == "" {
		if err != nil {
			t.Errorf("error %v", err)
		}
		return
	}
	var e *program.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want %s: %s", err, name, message)
	}
	if e.Name != name || e.Message != message && !(name == "CompileError" && strings.Contains(e.Message, message)) {
		t.Errorf("error %s: %q, want %s: %q", e.Name, e.Message, name, message)
	}
	if text := uncoloured(e.Traceback); !strings.Contains(text, at) && !strings.Contains(strings.ReplaceAll(text, " ", "."), strings.ReplaceAll(at, " ", ".")) {
		t.Errorf("no %q in\n%s", at, text)
	}
}

// TestForgottenErrorsStrict runs the same where errors are left to the cells.
func TestForgottenErrorsStrict(t *testing.T) {
	for _, c := range []struct{ cell, shown, message string }{
		{"x := one(false)", "", "assignment mismatch: 1 variable but one returns 2 values"},
		{"var x = one(false)", "", "multiple-value one(false) (value of type (int, error)) in single-value context"},
		{"only(true)\n3", "3", ""},
		{"only(true)", "boom", ""},
		{"one(true)", "7 boom", ""},
		{"one(false)", "1", ""},
		{"two(true);", "", ""},
		{"double(one(false))", "", "too many arguments in call"},
		{"a, b := one(false), one(false)", "", "multiple-value one(false)"},
	} {
		n := &notebook{t: t}
		n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Strict: true})
		if _, _, err := n.run(failing); err != nil {
			t.Fatal(err)
		}
		name := ""
		if c.message != "" {
			name = "CompileError"
		}
		shown, _, err := n.run(c.cell)
		checkError(t, err, name, c.message, "")
		if shown != c.shown {
			t.Errorf("%s: shown %q, want %q", c.cell, shown, c.shown)
		}
	}
}

// TestForgottenErrorInterrupted interrupts a call whose error is left out.
func TestForgottenErrorInterrupted(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("func wait() (int, error) { <-make(chan int); return 1, nil }"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &enginetest.Recorder{}
	go func() {
		defer cancel()
		r.Await(ctx, "")
	}()
	_, err := n.engine.Run(ctx, program.Cell{Number: 2, Source: "y := 2\nfmt.Print(\"waits\")\nx := wait()"}, r)
	checkError(t, err, "Interrupted", "interrupted", "")
	n.cell = 2
	for cell, want := range map[string]string{"y": "2", "x": "undefined: x"} {
		got, _, err := n.run(cell)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
	}
}
