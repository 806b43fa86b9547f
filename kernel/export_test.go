package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/notebook"
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
