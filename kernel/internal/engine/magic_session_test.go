package engine_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// TestMagicErrors looks at the places and words of errors in cells with magics.
func TestMagicErrors(t *testing.T) {
	n := newNotebook(t)
	for _, c := range []struct{ cell, message, caret string }{
		{"%tme f()", "Cell [1]:1:1: there is no magic %tme; the nearest is %time (%help lists them)", "^"},
		{"%%bsh\nls '", "Cell [1]:1:1: there is no magic %%bsh; the nearest is %%bash (%help lists them)", "^"},
		{"%nothinglikeit", "Cell [1]:1:1: there is no magic %nothinglikeit (%help lists them)", "^"},
		{"%timeit undefined()", "Cell [1]:1:9: undefined: undefined", "        ^"},
		{"s := \"é😀\"\n%time t := s + \"😀\" + nope", "Cell [1]:2:25: undefined: nope", "                      ^"},
		{"!echo '😀\n%timeit -n 3 func() {\n\tnope()\n}()", "Cell [1]:3:2: undefined: nope", "\t^"},
		{"%%time\nx := 1\nx + nope // no", "Cell [1]:3:5: undefined: nope", "    ^"},
		{"%%timeit\nx := 1\n\tx + nope", "Cell [1]:3:6: undefined: nope", "\t    ^"},
		{"%time f(", "Cell [1]:1:9: syntax error: unexpected end of cell, expected expression", "        ^"},
		{"%time }", "Cell [1]:1:7: syntax error: unexpected }", "      ^"},
		{"%timeit if {", "Cell [1]:1:12: syntax error: ", "           ^"},
		{"%time 1 2", "Cell [1]:1:9: syntax error: ", "        ^"},
		{"%cd x\n}", "Cell [1]:2:1: syntax error: unexpected }", "^"},
		{"var x int = \"a\"; !ls", "Cell [1]:1:", ""},
		{"func f() {\n\t%time g()\n}", "Cell [1]:2:2: %time is inside a block; magics work only outside of blocks", "\t^"},
		{"for range 3 {\n\t!ls -l 'x\n}", "Cell [1]:2:2: !ls is inside a block; magics work only outside of blocks", "\t^"},
		{"x := 1; %time x++", "Cell [1]:1:9: a magic must be at the beginning of a line", "        ^"},
		{"x := 1\n%who\nx++", "Cell [1]:2:1: %who is between statements. Put it at the beginning or the end of the cell", "^"},
		{"nope?", "Cell [1]:1:1: there is no declaration or documentation of nope", "^"},
		{"%tim?", "Cell [1]:1:1: there is no magic %tim; the nearest is %time (%help lists them)", "^"},
		{"%pwd", "Cell [1]:1:1: there is no magic %pwd; !pwd runs the command (%help lists the magics)", "^"},
		{"%ls -l", "Cell [1]:1:1: there is no magic %ls; !ls runs the command (%help lists the magics)", "^"},
		{"%hist", "Cell [1]:1:1: there is no magic %hist; in its place there is %history (%help lists the magics)", "^"},
		{"%pip install numpy", "Cell [1]:1:1: there is no magic %pip; in its place there is an import of the package by its path, and %mod for its version (%help", "^"},
		{"%matplotlib inline", "Cell [1]:1:1: there is no magic %matplotlib; in its place there is nothing, as charts show themselves (%help", "^"},
		{"%strict of", "Cell [1]:1:9: %strict takes on or off", "        ^"},
	} {
		n.cell = 0
		_, _, err := n.run(c.cell)
		var e *program.Error
		if !errors.As(err, &e) || e.Name != "CompileError" || !strings.HasPrefix(e.Message, c.message) {
			t.Errorf("%s\nerror %v\nwant  %s", c.cell, err, c.message)
			continue
		}
		_, caret, _ := strings.Cut(e.Traceback[len(e.Traceback)-1], "| \x1b[0m")
		if caret = strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(caret); c.caret != "" && caret != c.caret {
			t.Errorf("%s\ncaret %q, want %q", c.cell, caret, c.caret)
		}
	}
}

// TestPlainCells holds that programs have no magics.
func TestPlainCells(t *testing.T) {
	n := newNotebook(t)
	_, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Source: "x := 1\n%time x++", Plain: true}, &enginetest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), "syntax error: unexpected %") {
		t.Error(err)
	}
}

// A desk is an output with all that is shown on it.
type desk struct {
	enginetest.Recorder
	shown, pages []*program.Bundle
}

func (d *desk) Display(b *program.Bundle, _ string, _ bool) { d.shown = append(d.shown, b) }
func (d *desk) Page(b *program.Bundle)                      { d.pages = append(d.pages, b) }

func (n *notebook) runOn(t *testing.T, source string) *desk {
	t.Helper()
	n.cell++
	d := &desk{}
	if _, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: source}, d); err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return d
}

func TestWho(t *testing.T) {
	n := newNotebook(t)
	out, errs := host.Stdout(), host.Stderr()
	host.SetOutput(io.Discard, io.Discard)
	t.Cleanup(func() { host.SetOutput(out, errs) })
	if d := n.runOn(t, "%who"); d.Out() != "Nothing is declared.\n" {
		t.Errorf("of nothing: %q", d.Out())
	}
	n.runOn(t, "import str \"strings\"\ntype Point struct{ X, Y int; name string; at *Point }\ntype Day int\nfunc (d Day) String() string { panic(\"called\") }\nconst Pi = 3.14\nfunc f(a int) error { return nil }")
	n.runOn(t, "p := Point{1, 2, \"é\", nil}\nday := Day(3)\nxs := []float64{1, 2, 3}\nm := map[string]int{\"a\": 1}\ns := \"a\\n\" + str.Repeat(\"😀\", 100)\nvar err error\nq := &p\nd := 90 * time.Minute\nc := 1 + 2i\nb := <-func() chan bool { c := make(chan bool, 1); c <- true; return c }()")
	n.runOn(t, "%%time\ngo func() {}()\nvar any string = \"hides a type\"\nfunc g() {}")
	d := n.runOn(t, "x := 1 // before\n%who")
	want := `name   kind      type               value                                                         declared in
any    variable  string             "hides a type"                                                Cell [4]
b      variable  bool               true                                                          Cell [3]
c      variable  complex128         (1+2i)                                                        Cell [3]
d      variable  time.Duration      1h30m0s                                                       Cell [3]
day    variable  Day                3                                                             Cell [3]
err    variable  error              nil                                                           Cell [3]
m      variable  map[string]int     len 1                                                         Cell [3]
p      variable  Point              {X:1 Y:2 name:"é" …}                                          Cell [3]
q      variable  *Point                                                                           Cell [3]
s      variable  string             "a\n😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀…  Cell [3]
x      variable  int                1                                                             Cell [5]
xs     variable  []float64          len 3                                                         Cell [3]
Pi     constant  untyped float      3.14                                                          Cell [2]
f      function  func(a int) error                                                                Cell [2]
g      function  func()                                                                           Cell [4]
Day    type      int                                                                              Cell [2]
Point  type      struct                                                                           Cell [2]
str    import    strings                                                                          Cell [2]
`
	if len(d.shown) != 1 || d.shown[0].Data["text/plain"] != want {
		t.Errorf("shown\n%v\nwant\n%s", d.shown[0].Data["text/plain"], want)
	}
	if page, _ := d.shown[0].Data["text/html"].(string); !strings.Contains(page, "<td style=\"text-align:left\"><code>[]float64</code></td>") {
		t.Error(page)
	}
}

func TestResetWithoutProcess(t *testing.T) {
	n := newNotebook(t)
	n.runOn(t, "x := 1\nfunc f() int { return slices.Max([]int{x}) }")
	if d := n.runOn(t, "%reset"); d.Out() != "The session is new: 2 names are forgotten.\n" {
		t.Error(d.Out())
	}
	if _, _, err := n.run("x"); err == nil || !strings.Contains(err.Error(), "undefined: x") {
		t.Error(err)
	}
	n.runOn(t, "x := \"s\"\nfunc f() string { return slices.Max([]string{x}) }")
	if got, _, err := n.run("f() + fmt.Sprint(slices.Max([]int{1}))"); got != "s1" || err != nil {
		t.Error(got, err)
	}
}

// TestOwnMagicsWaitForTheCell holds that no magic is carried out in a cell that does not parse.
func TestOwnMagicsWaitForTheCell(t *testing.T) {
	n := newNotebook(t)
	n.runOn(t, "x := 1")
	if _, _, err := n.run("%reset\ny := "); err == nil {
		t.Error("the cell parses")
	}
	if got, _, err := n.run("x"); got != "1" || err != nil {
		t.Error(got, err)
	}
}

func TestStrict(t *testing.T) {
	n := newNotebook(t)
	const forgets = "os.Remove(\"no/such/file\")"
	if _, _, err := n.run(forgets); err == nil {
		t.Error("an error stops no cell")
	}
	if _, out, err := n.run("%strict"); err != nil || !strings.HasPrefix(out, "strict is off: ") || !strings.Contains(out, "%strict on") {
		t.Errorf("%q, %v", out, err)
	}
	if _, _, err := n.run(forgets); err == nil {
		t.Error("an error stops no cell after strict was asked for")
	}
	n.runOn(t, "%strict on\n"+forgets)
	if _, out, err := n.run("%strict"); err != nil || !strings.HasPrefix(out, "strict is on: ") {
		t.Errorf("%q, %v", out, err)
	}
	n.runOn(t, forgets+"\n%strict off")
	if _, _, err := n.run(forgets); err == nil {
		t.Error("an error stops no cell, with strict off")
	}
}

func TestQuestions(t *testing.T) {
	n := newNotebook(t)
	n.runOn(t, "// Twice doubles.\nfunc Twice(x int) int { return 2 * x }")
	for _, c := range []struct{ cell, want, not string }{
		{"strings.Cut?", "func strings.Cut(s, sep string)", ""},
		{"?strings.Cut", "func strings.Cut(s, sep string)", ""},
		{"Twice?", "Twice doubles.", "2 * x"},
		{"Twice??", "return 2 * x", ""},
		{"  Twice ?? ;", "", ""},
		{"%timeit?", "%timeit [-n LOOPS] [-r RUNS] STATEMENT", ""},
		{"?%%bash", "%%bash", ""},
		{"x := Twice(2)\nx?", "var x int", ""},
	} {
		if c.want == "" {
			if _, _, err := n.run(c.cell); err == nil {
				t.Errorf("%s is a question", c.cell)
			}
			continue
		}
		d := n.runOn(t, c.cell)
		if len(d.pages) != 1 {
			t.Fatalf("%s: %d pages", c.cell, len(d.pages))
		}
		text, _ := d.pages[0].Data["text/plain"].(string)
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s shows\n%s", c.cell, text)
		}
	}
}

func TestHelp(t *testing.T) {
	n := newNotebook(t)
	d := n.runOn(t, "%help")
	text, _ := d.shown[0].Data["text/plain"].(string)
	for _, name := range []string{"%time ", "%timeit", "%who", "%reset", "%cd", "%env", "%load", "%%writefile", "%%bash", "%strict", "%help", "!COMMAND", "NAME?"} {
		if !strings.Contains(text, "\n"+name) && !strings.HasPrefix(text, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestMagicsAreComplete(t *testing.T) {
	n := newNotebook(t)
	for _, c := range []struct{ source, status, indent string }{
		{"!ls", "complete", ""},
		{"!ls '", "complete", ""},
		{"%cd x", "complete", ""},
		{"x?", "complete", ""},
		{"x := 1\n!ls (\ny := 2", "complete", ""},
		{"!ls\nif x {", "incomplete", "\t"},
		{"%time f(func() {", "incomplete", "\t"},
		{"%time f(func() {\n})", "complete", ""},
		{"%timeit x +", "incomplete", "\t"},
		{"%time )", "invalid", ""},
		{"%%bash", "incomplete", ""},
		{"%%bash\nfor i in 1; do", "incomplete", ""},
		{"%%bash\nls\n", "complete", ""},
		{"%%writefile a.txt\nx (", "incomplete", ""},
		{"%%writefile a.txt\nx (\n  ", "complete", ""},
		{"%%time", "incomplete", ""},
		{"%%time\nx := 1", "complete", ""},
		{"%%time\nfor {", "incomplete", "\t"},
		{"%%timeit\nfor {\n}", "complete", ""},
	} {
		if status, indent := n.engine.IsComplete(c.source); status != c.status || indent != c.indent {
			t.Errorf("%q: %s %q, want %s %q", c.source, status, indent, c.status, c.indent)
		}
	}
}
