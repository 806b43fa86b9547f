package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestProgramCells runs programs as they are pasted into cells.
func TestProgramCells(t *testing.T) {
	steps := []struct{ cell, out, fails, notes string }{
		{"package main\n\nimport \"fmt\"\n\nvar who = \"world\"\n\nfunc init() { fmt.Println(\"init\", who) }\n\nfunc main() {\n\tdefer fmt.Println(\"deferred\")\n\tfmt.Println(\"hello\", later())\n}\n\nfunc later() string { return who }\n// the end", "init world\nhello world\ndeferred\n", "", ""},
		{"main()", "hello world\ndeferred\n", "", ""},
		{"package main; import \"fmt\"; func main() { fmt.Println(\"again\") }", "again\n", "", ""},
		{"package main\n\nfunc main() { fmt.Println(\"its own call\") }\nmain()", "its own call\n", "", ""},
		{"package main\nimport \"os\"\nfunc main() {\n\tos.Exit(3)\n}", "", "exit status 3", ""},
		{"package main\nfunc main() {\n\tvar m map[string]int\n\tm[\"a\"]++\n}", "", "assignment to entry in nil map", ""},
		{"package main\nfunc main() { fmt.Println(missing()) }", "", "Cell [7]:2:27: undefined: missing", ""},
		{"package main\nfunc helper() int { return 1 }", "", "", ""},
		{"// no program\nfunc main() { fmt.Println(\"called\") }", "", "", "note: main is declared; call main() to run it\n"},
		{"main()", "called\n", "", ""},
		{"func main() { fmt.Println(\"at once\") }\nmain()", "at once\n", "", ""},
		{"type T struct{}\nfunc (T) main() {}", "", "", ""},
		{"package main\nfunc main(a []string) {}", "", "Cell [13]:2:6: func main must have no arguments and no return values", ""},
		{"package main\nfunc main[T any]() {}", "", "Cell [14]:2:11: func main must have no type parameters", ""},
		{"package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"before the value\") }\n1 + 1", "before the value\n", "", ""},
		{"package main\nimport \"fmt\"\nx := 3\nfunc main() { fmt.Println(x) }; x + 1", "3\n", "", ""},
		{"package main\nfunc main() { panic(\"p\") }\n1 + 1", "", "panic: p", ""},
		{"package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"main\") }\nfunc init() { fmt.Println(\"init\") }", "init\nmain\n", "", ""},
		{"%%\nfmt.Println()", "", "there is no magic %%; in its place there is nothing", ""},
	}
	test := func(t *testing.T, n *notebook) {
		for i, s := range steps {
			_, out, notes, err := n.runNoting(s.cell)
			if lines := traceback(err); strings.Contains(s.cell, "package main\n") && slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, ":2:1\x1b") }) {
				t.Errorf("%q shows the call of main, which is not in the cell:\n%s", s.cell, strings.Join(lines, "\n"))
			}
			if out != s.out || notes != s.notes || (err == nil) != (s.fails == "") || err != nil && !strings.Contains(err.Error(), s.fails) {
				t.Errorf("cell %d, %q: %q, notes %q, error %v; want %q, notes %q, error %q", i+1, s.cell, out, notes, err, s.out, s.notes, s.fails)
			}
		}
	}
	t.Run("interpreted", func(t *testing.T) { test(t, newNotebook(t)) })
	t.Run("compiled", func(t *testing.T) { test(t, newWorkerNotebook(t, program.CompiledMode)) })
}
