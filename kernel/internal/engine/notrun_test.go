package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// TestNotRun uses, as after a restart, what cells of the notebook declare that have not run.
func TestNotRun(t *testing.T) {
	n := &notebook{t: t}
	var failing error
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Cells: func(path string) ([]program.Cell, error) {
		if path != "/home/n.ipynb" {
			t.Errorf("the file %s", path)
		}
		return []program.Cell{
			{Name: "n.ipynb, cell 1", Source: "func draw(n int) int { return n }\ntype T struct{}\ntype parser struct{}"}, {Name: "n.ipynb, cell 2", Source: "size, err := 3, error(nil)\nconst limit = 2"}, {Name: "n.ipynb, cell 3", Source: "draw(size)"},
		}, failing
	}})
	for _, s := range []struct{ name, cell, want string }{
		{"", "size", "Cell [1]:1:1: undefined: size"},
		{"/home/n.ipynb", "size", "Cell [2]:1:1: undefined: size (n.ipynb, cell 2 declares size, and has not run in this session: run it first)"},
		{"/home/n.ipynb", "draw(1)", "use of package draw not in selector (n.ipynb, cell 1 declares draw, and has not run in this session: run it first)"},
		{"/home/n.ipynb", "x := draw.Size", "undefined: draw.Size (n.ipynb, cell 1 declares draw,"},
		{"/home/n.ipynb", "var t T", "undefined: T (n.ipynb, cell 1 declares T,"},
		{"/home/n.ipynb", "draw.drawer", "undefined: draw.drawer (n.ipynb, cell 1 declares draw,"},
		{"/home/n.ipynb", "var p parser", "parser (package name) is not a type (n.ipynb, cell 1 declares parser,"},
		{"/home/n.ipynb", "var a [limit]int", "or missing type constraint (n.ipynb, cell 2 declares limit,"},
		{"/home/n.ipynb", "fmt.Print1()", "undefined: fmt.Print1"},
		{"/home/n.ipynb", "nothing", "undefined: nothing"},
		{"/home/n.ipynb", "func draw(n int) int { return n }\ntype T struct{}\ntype parser struct{}", ""},
		{"/home/n.ipynb", "draw(size)", "undefined: size (n.ipynb, cell 2 declares size,"},
		{"/home/n.ipynb", "size, err := 3, error(nil)\nconst limit = 2", ""},
		{"/home/n.ipynb", "draw(size)", ""},
		{"/home/n.ipynb", "%rm size", ""},
		{"/home/n.ipynb", "size", "undefined: size"},
		{"a script.go", "later", "undefined: later"},
	} {
		t.Setenv("JPY_SESSION_NAME", s.name)
		_, _, err := n.run(s.cell)
		if s.want == "" {
			if err != nil {
				t.Errorf("%s: %v", s.cell, err)
			}
			continue
		}
		var failed *program.Error
		if !errors.As(err, &failed) || !strings.Contains(uncoloured(failed.Traceback), s.want) || !strings.Contains(s.want, "has not run") && strings.Contains(uncoloured(failed.Traceback), "declares") != strings.Contains(s.want, "declares") {
			t.Errorf("%s: %v, want %s", s.cell, failed, s.want)
		}
	}
	failing = errors.New("moved")
	t.Setenv("JPY_SESSION_NAME", "/home/n.ipynb")
	if _, _, err := n.run("gone"); err == nil || !strings.Contains(err.Error(), "undefined: gone") {
		t.Error(err)
	}
}
