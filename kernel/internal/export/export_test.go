package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/enginetest/local"
	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/display"
)

// A sequence is the cells of a notebook, and what is known of its program.
type sequence struct {
	name    string
	cells   []export.Cell
	program []byte
}

// readCells reads cells, which lines of three hyphens separate. A first line in brackets says what
// a cell is.
func readCells(text string) []export.Cell {
	var cells []export.Cell
	number := 0
	for source := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n---\n") {
		var cell export.Cell
		kind, rest, _ := strings.Cut(source, "\n")
		switch kind {
		case "[markdown]":
			cell.Text, source = true, rest
		case "[skip-execution]":
			cell.Skipped, source = true, rest
		case "[raises-exception]":
			cell.Fails, source = true, rest
		}
		if !cell.Text {
			number++
			cell.Number = number
		}
		cell.Source = source
		cells = append(cells, cell)
	}
	return cells
}

func exportProgram(t *testing.T, cells []export.Cell) ([]byte, error) {
	t.Helper()
	return export.Write(enginetest.NewSession().Checker, cells)
}

// TestExport compares the programs that cells become with the files beside them, and what they
// print with what the cells show.
func TestExport(t *testing.T) {
	testrun.LeaveOutShort(t)
	var golden []*sequence
	files, err := filepath.Glob(filepath.Join("testdata", "export", "*.cells"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cells: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cells"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &sequence{name: strings.TrimSuffix(filepath.Base(file), ".cells"), cells: readCells(string(text))}
			if s.program, err = exportProgram(t, s.cells); err != nil {
				t.Fatal(err)
			}
			golden = append(golden, s)
			file := strings.TrimSuffix(file, ".cells") + ".go"
			if *enginetest.Update {
				if err := os.WriteFile(file, s.program, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.program, want) {
				t.Errorf("becomes:\n%s\nwant:\n%s", s.program, want)
			}
		})
	}
	all := sequences(t)
	dir := buildExported(t, golden, append(all, readTour(t)))
	run := func(s *sequence, p string, args ...string) {
		t.Run("run "+s.name, func(t *testing.T) {
			for _, c := range s.cells {
				enginetest.SkipGoroutines(t, c.Source)
			}
			want := shown(t, s.cells)
			cmd := exec.Command(filepath.Join(dir, p), args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v: %s", err, &stderr)
			}
			got := string(out)
			if len(args) > 0 {
				got = strings.ReplaceAll(got, "case"+args[0]+".", "main.")
			}
			if got != want {
				t.Errorf("prints:\n%s\nwant:\n%s\nthe program:\n%s", got, want, s.program)
			}
		})
	}
	for _, s := range golden {
		run(s, s.name)
	}
	for i, s := range all {
		run(s, "sequences", fmt.Sprint(i))
	}
}

// sequences reads the cells of testdata/export/sequences.txt, which lines of three equality signs
// separate, and those of the engine's behaviours that do not fail.
func sequences(t *testing.T) []*sequence {
	text, err := os.ReadFile(filepath.Join("testdata", "export", "sequences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*sequence
	for i, part := range strings.Split(string(text), "\n===\n") {
		all = append(all, &sequence{name: fmt.Sprint("sequence ", i+1), cells: readCells(part)})
	}
	data, err := os.ReadFile(filepath.Join("..", "engine", "testdata", "notebook-behaviours.json"))
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Cases []struct {
			Name   string
			Cells  []string
			Expect struct {
				Error string `json:"error_contains"`
			}
		}
	}
	if err := json.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	for _, c := range suite.Cases {
		source := strings.Join(c.Cells, "\n---\n")
		// What one shows depends on the clock, and one ends its process.
		if c.Name == "goroutine-survives-cells" || c.Name == "stack-overflow-kernel-survives" {
			continue
		}
		if c.Expect.Error != "" || strings.Contains(c.Name, "panic") || strings.Contains(c.Name, "failed") {
			continue
		}
		all = append(all, &sequence{name: c.Name, cells: readCells(source)})
	}
	for _, s := range all {
		if s.program, err = exportProgram(t, s.cells); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
	}
	return all
}

// buildExported compiles programs into a folder: the golden ones each by its name, and all others
// as packages of one program, sequences, which runs the one whose number it is given. Types have
// another package there, which displays show.
func buildExported(t *testing.T, golden, all []*sequence) string {
	dir := t.TempDir()
	here, err := filepath.Abs("exported")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	add := func(text string, path ...string) {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", len(overlay)))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(here, filepath.Join(path...))] = file
	}
	var imports, calls strings.Builder
	for i, s := range all {
		name := fmt.Sprintf("case%d", i)
		text := strings.Replace(string(s.program), "package main\n", "package "+name+"\n", 1)
		add(strings.Replace(text, "func main() {\n", "func Main() {\n", 1), "sequences", name, "main.go")
		fmt.Fprintf(&imports, "\t%q\n", "github.com/hierml/notebook/kernel/internal/export/exported/sequences/"+name)
		fmt.Fprintf(&calls, "\tcase %q:\n\t\t%s.Main()\n", fmt.Sprint(i), name)
	}
	add("package main\n\nimport (\n\t\"os\"\n\n"+imports.String()+")\n\nfunc main() {\n\tswitch os.Args[1] {\n"+calls.String()+"\t}\n}\n", "sequences", "main.go")
	packages := []string{"./exported/sequences"}
	for _, s := range golden {
		add(string(s.program), s.name, "main.go")
		packages = append(packages, "./exported/"+s.name)
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o644); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir() + string(filepath.Separator)
	if out, err := exec.Command("go", append([]string{"build", "-ldflags=-s -w", "-overlay", file, "-o", bin}, packages...)...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// shown runs cells and returns what they print and show as text.
func shown(t *testing.T, cells []export.Cell) string {
	t.Helper()
	executor, err := local.New(interpreted.Config{Symbols: stdlib.Symbols(), Display: func(values []any) *program.Bundle {
		b := display.Of(values...)
		if b == nil {
			return nil
		}
		return &program.Bundle{Data: map[string]any{"text/plain": b.Text()}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Executor: executor, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out strings.Builder
	for _, c := range cells {
		if c.Text || c.Skipped {
			continue
		}
		r := &enginetest.Recorder{}
		bundle, err := e.Run(context.Background(), c.Cell, r)
		if err != nil && !c.Fails {
			t.Fatalf("%s: %v", c.Source, err)
		}
		out.WriteString(r.Out())
		if bundle != nil {
			if text, _ := bundle.Data["text/plain"].(string); text != "" {
				out.WriteString(strings.TrimSuffix(text, "\n") + "\n")
			}
		}
	}
	return out.String()
}

// readTour reads the cells of the tour.
func readTour(t *testing.T) *sequence {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "notebooks", "01-tour.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		}
	}
	if err := json.Unmarshal(text, &nb); err != nil {
		t.Fatal(err)
	}
	tour := &sequence{name: "tour"}
	for i, c := range nb.Cells {
		cell := program.Cell{Number: i + 1, Source: strings.Join(c.Source, "")}
		tour.cells = append(tour.cells, export.Cell{Cell: cell, Text: c.Kind == "markdown"})
	}
	if tour.program, err = exportProgram(t, tour.cells); err != nil {
		t.Fatal(err)
	}
	return tour
}

// TestExportFails looks at the errors of cells that are no program.
func TestExportFails(t *testing.T) {
	for _, c := range []struct{ cells, message string }{
		{"x := 1\n---\ny := x + nope", "Cell [2]:1:10: undefined: nope"},
		{"func f() int { return g() }\n---\nf()", "Cell [2]:1:1: undefined: g (f calls g, which no cell has declared yet)"},
		{"return 1, 2", "Cell [1]:1:8: too many return values"},
		{"1 +", "Cell [1]:1:4: syntax error: "},
		{"1 << 70", "Cell [1]:1:1: cannot use 1 << 70 (untyped int constant 1180591620717411303424) as int value (overflows)"},
		{"func f()", "missing function body"},
		{"import _ \"embed\"\n//go:embed a.txt\nvar s string", "Cell [1]:3:5: files that a cell embeds are not exported"},
	} {
		p, err := exportProgram(t, readCells(c.cells))
		if err == nil || !strings.Contains(err.Error(), c.message) || p != nil {
			t.Errorf("%q: error %v, want %s; program %q", c.cells, err, c.message, p)
		}
	}
}

// TestExportOfMagics compares the program that cells with magics become with the file beside them.
// What it prints is another one each time.
func TestExportOfMagics(t *testing.T) {
	const golden = "testdata/magic/magics.go"
	text, err := os.ReadFile("testdata/magic/magics.cells")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exportProgram(t, readCells(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if *enginetest.Update {
		if err := os.WriteFile(golden, program, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(program) != string(want) {
		t.Errorf("becomes:\n%s\nwant:\n%s", program, want)
	}
	_, err = exportProgram(t, readCells("!echo '😀'\n%time x := nope"))
	if err == nil || !strings.Contains(err.Error(), "Cell [1]:2:12: undefined: nope") {
		t.Error(err)
	}
}
