package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
)

// save writes a notebook of code cells into a new folder and returns the folder.
func save(t *testing.T, name string, sources ...string) string {
	t.Helper()
	nb := &notebook.Notebook{}
	for _, s := range sources {
		nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Code, Source: s})
	}
	dir := t.TempDir()
	if err := nb.WriteFile(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

var seconds = regexp.MustCompile(` +[0-9.]+s `)

func TestNotebook(t *testing.T) {
	dir := save(t, "a.ipynb", "x := 20", "", "fmt.Println(\"x is\", x)\nx + 1", "h := nb.HTML(\"<b>old</b>\")\nh.Update(\"new\")", "os.ReadFile(\"beside\")")
	if err := os.WriteFile(filepath.Join(dir, "beside"), []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The cells run in the folder of the notebook.
	a, out, html := filepath.Join(dir, "a.ipynb"), filepath.Join(dir, "out.ipynb"), filepath.Join(dir, "out.html")
	got := hierml(t, t.TempDir(), "", "notebook", "run", a, "-o", out, "--html", html)
	got.stderr = seconds.ReplaceAllString(got.stderr, "")
	want := result{"", "[1/4] x := 20\n[2/4] fmt.Println(\"x is\", x)\n[3/4] h := nb.HTML(\"<b>old</b>\")\n[4/4] os.ReadFile(\"beside\")\n", 0}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	nb, err := notebook.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			text, _ := o.Data["text/plain"].(string)
			texts = append(texts, o.Kind+" "+o.Text+text)
		}
	}
	if got, want := strings.Join(texts, "|"), "stream x is 20\n|execute_result 21|display_data new|execute_result b"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	page, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>a</title>", "x is 20", "</html>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestNotebookFails(t *testing.T) {
	dir := save(t, "a.ipynb", "x := 1", "x.y", "x = 2")
	got := hierml(t, dir, "", "notebook", "run", "a.ipynb", "-o", "a.ipynb")
	got.stderr = seconds.ReplaceAllString(got.stderr, "")
	want := result{"", "[1/3] x := 1\n[2/3] failed: x.y\nhierml: a.ipynb: cell 2 failed\n" +
		"Cell [2]:1:3: x.y undefined (type int has no field or method y)\n    1 | x.y\n      |   ^\n", 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	nb, err := notebook.ReadFile(filepath.Join(dir, "a.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if c := nb.Cells[1]; len(c.Outputs) != 1 || c.Outputs[0].Kind != notebook.Failure || c.Outputs[0].ErrorName != "CompileError" {
		t.Errorf("the failed cell was saved with %+v", c.Outputs)
	}
	if c := nb.Cells[2]; c.Count != 0 {
		t.Error("the cell behind the failed one was run")
	}
}

// TestNotebookExits runs cells behind one that calls os.Exit(0).
func TestNotebookExits(t *testing.T) {
	for _, engine := range []string{"interpreted", "compiled"} {
		dir := save(t, "a.ipynb", "x := 1", "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(0) }", "x = 2\nos.Exit(0)\nx = 3\ny := 4", "y := 5\nx + y", "os.Exit(3)", "x = 4")
		got := hierml(t, dir, "", "notebook", "run", "--engine", engine, "a.ipynb", "-o", "a.ipynb")
		got.stderr = seconds.ReplaceAllString(got.stderr, "")
		want := result{"", "[1/6] x := 1\n[2/6] package main\n[3/6] x = 2\n[4/6] y := 5\n[5/6] failed: os.Exit(3)\n", 3}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", engine, got, want)
		}
		nb, err := notebook.ReadFile(filepath.Join(dir, "a.ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"", "", "", "7", "exit status 3", ""} {
			shown := ""
			for _, o := range nb.Cells[i].Outputs {
				text, _ := o.Data["text/plain"].(string)
				shown += text + o.ErrorValue
			}
			if shown != want {
				t.Errorf("%s: cell %d shows %q, want %q", engine, i+1, shown, want)
			}
		}
	}
}

func TestNotebookBroken(t *testing.T) {
	dir := write(t, "a.ipynb", "{\"nbformat\": 4,\n \"cells\": [}")
	got := hierml(t, dir, "", "notebook", "run", "a.ipynb", "-o", "a.ipynb")
	if want := (result{"", "hierml: a.ipynb:2:12: this is not JSON: invalid character '}' looking for beginning of value\n", 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestOtherFiles gives notebooks to the command that runs scripts, and a script to those that take
// notebooks.
func TestOtherFiles(t *testing.T) {
	dir := save(t, "a.ipynb", "x := 1")
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("x := 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, said string }{
		{"run a.ipynb", "a.ipynb is a notebook. Use: hierml notebook run a.ipynb"},
		{"run b.ipynb", "open b.ipynb: no such file or directory"},
		{"notebook run a.go", "a.go is a Go file. Use: hierml run a.go"},
		{"notebook check a.go", "a.go is a Go file. Use: hierml run a.go"},
		{"notebook clear a.go", "a.go is a Go file. Use: hierml run a.go"},
		{"notebook export a.go", "a.go is a Go file. Use: hierml run a.go"},
		{"notebook run b.go", "open b.go: no such file or directory"},
	} {
		if got, want := hierml(t, dir, "", strings.Fields(c.args)...), (result{"", "hierml: " + c.said + "\n", 1}); got != want {
			t.Errorf("%s: got %+v, want %+v", c.args, got, want)
		}
	}
}

// TestNotebookRunInterrupted holds that what was shown up to an interrupt is written.
func TestNotebookRunInterrupted(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := save(t, "a.ipynb", "6 * 7", "os.Create(\"begun\")\nfor {\n}")
			cmd := exec.CommandContext(t.Context(), binary, "notebook", "run", "a.ipynb", "-o", "b.ipynb")
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			testrun.Await(t, "the cell begins", func() bool { _, err := os.Stat(filepath.Join(dir, "begun")); return err == nil })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != statusInterrupted {
				t.Errorf("it ended with %v", err)
			}
			nb, err := notebook.ReadFile(filepath.Join(dir, "b.ipynb"))
			if err != nil {
				t.Fatal(err)
			}
			if first := nb.Cells[0]; len(first.Outputs) != 1 || first.Outputs[0].Data["text/plain"] != "42" {
				t.Errorf("the first cell shows %+v", first.Outputs)
			}
		})
	}
}

func TestNotebookParameters(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, "a.ipynb", []string{"C, set := 1.0, \"webkb\"", "fmt.Println(C/2, set)"}, nil, map[int]string{0: notebook.Parameters})
	if got := hierml(t, dir, "", "notebook", "run", "a.ipynb", "-p", "C=3", "-p", "set=ng15", "-o", "out.ipynb"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	nb, err := notebook.ReadFile(filepath.Join(dir, "out.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if len(nb.Cells) != 3 || nb.Cells[1].Source != "// Parameters\nC = 3\nset = \"ng15\"" || nb.Cells[2].Outputs[0].Text != "1.5 ng15\n" {
		t.Errorf("%s", contentsOf(t, dir, "out.ipynb"))
	}
	got := hierml(t, dir, "", "notebook", "run", "a.ipynb", "-p", "D=3")
	want := result{"", "hierml: a.ipynb: there is no parameter D: the cell with the tag parameters declares C, set\n", 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
