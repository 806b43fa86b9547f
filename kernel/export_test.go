package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

func TestNotebookExport(t *testing.T) {
	tagged := func(tag, source string) *notebook.Cell {
		return &notebook.Cell{Kind: notebook.Code, Source: source, Metadata: map[string]any{"tags": []any{tag}}}
	}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Markdown, Source: "# Title"},
		{Kind: notebook.Raw, Source: "raw"},
		{Kind: notebook.Code, Source: " \n"},
		{Kind: notebook.Code, Source: "x := 1"},
		tagged("skip-execution", "skipped("),
		tagged("raises-exception", "x + nope"),
		{Kind: notebook.Markdown, Source: "## Words"},
		{Kind: notebook.Code, Source: "x + 1"},
	}}
	dir := t.TempDir()
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "main.go"); got != (result{}) {
		t.Errorf("got %+v", got)
	}
	program, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := `// # Title
package main

import "fmt"

func main() {
	x := 1

	// This cell is not run:
	//
	//	skipped(
	//
	// This cell does not compile:
	//
	//	Cell [2]:1:5: undefined: nope
	//
	//	x + nope
	//
	// ## Words
	fmt.Println(x + 1)
}
`
	if string(program) != want {
		t.Errorf("wrote\n%s\nwant\n%s", program, want)
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb"); got != (result{stdout: want}) {
		t.Errorf("without -o: %+v", got)
	}
}

func TestNotebookExportFails(t *testing.T) {
	dir := save(t, "a.ipynb", "x := 1", "x.y")
	got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "main.go")
	want := result{"", "hierml: a.ipynb: nothing is written\nCell [2]:1:3: x.y undefined (type int has no field or method y)\n    1 | x.y\n      |   ^\n", 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(list) > 0 {
		t.Errorf("there is %s, %v", strings.Join(list, " "), err)
	}
}

// TestExportOfImports holds that a program imports what a notebook imports of the module that it is
// in.
func TestExportOfImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module own\n\ngo 1.26\n",
		"a/a.go": "package a\n\n// Twice doubles.\nfunc Twice(n int) int { return 2 * n }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Code, Source: "%mod\nimport two \"own/a\"\nx := two.Twice(21)"},
		{Kind: notebook.Code, Source: "x"},
	}}
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "main.go"); got != (result{}) {
		t.Errorf("got %+v", got)
	}
	cmd := exec.Command("go", "run", "main.go")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "42\n" {
		t.Errorf("go run: %s%v", out, err)
	}
	nb.Cells[0].Source = "import \"own/b\""
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	if got, want := hierml(t, dir, "", "notebook", "export", "a.ipynb").stderr, "package own/b is neither in the standard library nor in the module beside the notebook"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNotebookExportFormats(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Markdown, Source: "# Title"},
		{Kind: notebook.Code, Source: "not.Go(", Count: 1, Outputs: []*notebook.Output{
			{Kind: notebook.Display, Data: map[string]any{"image/png": "AQID", "text/plain": "drawn"}},
		}},
	}}
	dir := t.TempDir()
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	const text = "# Title\n\n```go\nnot.Go(\n```\n\n![drawn](PICTURE)\n"
	inline := strings.ReplaceAll(text, "PICTURE", "data:image/png;base64,AQID")
	for _, c := range []struct {
		args   string
		stdout string // a part of it
	}{
		{"--format markdown", inline},
		{"--format html", "<title>a</title>"},
		{"-o b.md", ""},
		{"-o b.html", ""},
		{"-o odd.name --format html", ""},
	} {
		got := hierml(t, dir, "", append([]string{"notebook", "export", "a.ipynb"}, strings.Fields(c.args)...)...)
		if got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, c.stdout) || c.stdout == "" && got.stdout != "" {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
	if got, want := contentsOf(t, dir, "b.md"), strings.ReplaceAll(text, "PICTURE", "b_files/cell-2-1.png"); got != want {
		t.Errorf("the Markdown is\n%s\nwant\n%s", got, want)
	}
	if got := contentsOf(t, dir, filepath.Join("b_files", "cell-2-1.png")); got != "\x01\x02\x03" {
		t.Errorf("the picture is %q", got)
	}
	if contentsOf(t, dir, "b.html") != contentsOf(t, dir, "odd.name") {
		t.Error("the pages differ")
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "--format", "pdf"); got.status != 2 || !strings.HasPrefix(got.stderr, "hierml: unknown format \"pdf\"; use ") {
		t.Errorf("got %+v", got)
	}
}

// TestNotebookExportUnknown holds that nothing is written where the file's name does not say as
// what.
func TestNotebookExportUnknown(t *testing.T) {
	for _, c := range []struct{ file, said string }{
		{"study.pdf", "unknown extension .pdf; use .go, .html or .md, or choose the format by --format"},
		{"study.py", "unknown extension .py; use .go, .html or .md, or choose the format by --format"},
		{"study", "study has no extension. Choose the format by --format: program, html, slides or markdown"},
	} {
		dir := save(t, "a.ipynb", "x := 1")
		want := result{"", "hierml: " + c.said + "\nSee 'hierml notebook export --help'.\n", 2}
		if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", c.file); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if _, err := os.Stat(filepath.Join(dir, c.file)); err == nil {
			t.Errorf("%s was written", c.file)
		}
	}
}

// TestExportedModule compiles a program as the help says.
func TestExportedModule(t *testing.T) {
	clone, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := save(t, "a.ipynb", `t := taxonomy.FromPaths([]string{"a/b", "a/c"}, "/")`, "fmt.Println(t.Len())")
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "-o", "main.go"); got != (result{}) {
		t.Fatalf("got %+v", got)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(indented(notebookExportCommand()), "CLONE", clone)+"./study\n")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "\n3\n") {
		t.Errorf("it prints %s%v", out, err)
	}
}

// TestNotebookExportBook binds a chapter and its solutions.
func TestNotebookExportBook(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "solutions"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, source := range map[string]string{"a.ipynb": "# Title\n\n[Solutions](solutions/a.ipynb)", "solutions/a.ipynb": "# How"} {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Markdown, Source: source}}}
		if err := nb.WriteFile(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Fatal(err)
		}
	}
	if got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "solutions/a.ipynb", "-o", "book.html"); got != (result{}) {
		t.Errorf("got %+v", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "book.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>book</title>", `<article id="a">`, `<details id="solutions-a">`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s:\n%s", want, text)
		}
	}
	got := hierml(t, dir, "", "notebook", "export", "a.ipynb", "solutions/a.ipynb", "-o", "main.go")
	if want := "only html takes several notebooks; program takes one"; got.status == 0 || !strings.Contains(got.stderr, want) {
		t.Errorf("got %+v, want %s", got, want)
	}
}
