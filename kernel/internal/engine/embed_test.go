package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestEmbed embeds files of the folder in which the cells work.
func TestEmbed(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		course{"embed", []step{
			{`os.MkdirAll("pages/.hidden", 0o755)
os.MkdirAll("empty", 0o755)
for _, name := range []string{"a.txt", "b c.txt", "pages/x.html", "pages/_y.html", "pages/.hidden/z.html"} { os.WriteFile(name, []byte("text of " + name), 0o644) }`, ""},
			{"import \"embed\"\n//go:embed a.txt\nvar s string\ns", "text of a.txt"},
			{"import _ \"embed\"\n\n//go:embed \"b c.txt\"\n// A comment.\n\nvar b []byte\nstring(b)", "text of b c.txt"},
			{"//go:embed a.txt\nvar t string", "! [4]:1:1: go:embed only allowed in Go files that import \"embed\""},
			{`import "embed"
var (
	//go:embed *.txt pages
	files embed.FS
	//go:embed all:pages
	//go:embed a.txt
	all embed.FS
	plain = 3
)
func list(fsys fs.FS) (names []string) {
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error { if !d.IsDir() { names = append(names, name) }; return err })
	return names
}
fmt.Sprint(list(files), list(all), plain)`, "[a.txt b c.txt pages/x.html] [a.txt pages/.hidden/z.html pages/_y.html pages/x.html] 3"},
			{"text := files.ReadFile(\"pages/x.html\")\nstring(text)", "text of pages/x.html"},
			// A cell that runs again has the files as they are then.
			{"os.WriteFile(\"a.txt\", []byte(\"other\"), 0o644)", ""}, {"import \"embed\"\n//go:embed a.txt\nvar s string\ns", "other"},
			{"import \"embed\"\n//go:embed no.txt\nvar u string", "! [9]:2:12: pattern no.txt: no matching files found"},
			{"import \"embed\"\n//go:embed a.txt ../x\nvar u embed.FS", "! [10]:2:18: pattern ../x: invalid pattern syntax"},
			{"import \"embed\"\n//go:embed empty\nvar u embed.FS", "! cannot embed directory empty: contains no embeddable files"},
			{"import \"embed\"\n//go:embed a.txt\nvar u, w string", "! go:embed cannot apply to multiple vars"},
			{"import \"embed\"\n//go:embed a.txt\nvar u string = \"x\"", "! go:embed cannot apply to var with initializer"},
			{"import \"embed\"\n//go:embed a.txt\nvar u int", "! [14]:3:5: go:embed cannot apply to var of type int"},
			{"import \"embed\"\n//go:embed a.txt\nx := 1", "! [15]:2:1: misplaced go:embed directive"},
			{"import \"embed\"\nfunc f() {\n\t//go:embed a.txt\n\tvar s string\n\t_ = s\n}", "! misplaced go:embed directive"},
		}}.check(t, newWorkerNotebook(t, mode))
	})
	t.Run("interpreted", func(t *testing.T) {
		n := newNotebook(t)
		_, _, err := n.run("import _ \"embed\"\n//go:embed session_test.go\nvar s string")
		var e *program.Error
		if !errors.As(err, &e) || e.Name != "Refused" || !strings.Contains(e.Message, "the interpreter embeds none") {
			t.Error(err)
		}
	})
}

// TestEmbedInScript embeds files beside a script.
func TestEmbedInScript(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("beside"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newWorkerNotebook(t, program.CompiledMode)
	r := &enginetest.Recorder{}
	source := "import (\n\t\"fmt\"\n\t_ \"embed\"\n)\n//go:embed a.txt\nvar s string\nvar n = len(s)\nfunc main() { fmt.Print(s, n) }\nmain()"
	if _, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Name: filepath.Join(dir, "x.go"), Source: source, Plain: true}, r); err != nil || r.Out() != "beside6" {
		t.Errorf("%q, %v", r.Out(), err)
	}
}
