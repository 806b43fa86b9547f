package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
)

// TestPapermill holds that papermill runs a notebook with parameters where the wheel is installed,
// and that a parameter which the notebook has not fails by its name.
func TestPapermill(t *testing.T) {
	testrun.LeaveToLong(t, "the program is built for a wheel")
	e := newEnvironment(t)
	wheel, err := madeWheel()
	if err != nil {
		t.Fatal(err)
	}
	e.pip("install", "--no-index", wheel)
	dir := t.TempDir()
	for _, variable := range seeing(filepath.Join(e.dir, "share", "jupyter"), dir) {
		name, value, _ := strings.Cut(variable, "=")
		if value != os.Getenv(name) {
			t.Setenv(name, value)
		}
	}
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	nb := &notebook.Notebook{
		Metadata: map[string]any{"kernelspec": map[string]any{"name": "hierml", "display_name": "Go", "language": "go"}},
		Cells: []*notebook.Cell{
			{Kind: notebook.Code, Source: "C, set := 1.0, \"webkb\"\nvar grid []float64 // of C\nquick := false", Metadata: map[string]any{"tags": []any{notebook.Parameters}}},
			{Kind: notebook.Code, Source: "fmt.Println(C/2, set, grid, quick)"},
		},
	}
	if err := nb.WriteFile(in); err != nil {
		t.Fatal(err)
	}
	said := e.run(e.bin("python"), "-m", "papermill", in, out, "-k", "hierml", "-p", "C", "3", "-p", "set", "a \"b\" é\\", "-p", "quick", "True", "-y", "grid: [0.5, 1]")
	if strings.Contains(said, "unknown parameter") {
		t.Errorf("papermill does not find the parameters:\n%s", said)
	}
	ran, err := notebook.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(ran.Cells) != 3 || !ran.Cells[1].Tagged(notebook.InjectedParameters) || len(ran.Cells[2].Outputs) != 1 {
		t.Fatalf("papermill writes %d cells", len(ran.Cells))
	}
	if got, want := ran.Cells[2].Outputs[0].Text, "1.5 a \"b\" é\\ [0.5 1] true\n"; got != want {
		t.Errorf("the notebook prints %q, want %q; its parameters are\n%s", got, want, ran.Cells[1].Source)
	}
	failed, err := exec.Command(e.bin("python"), "-m", "papermill", in, out, "-k", "hierml", "-p", "D", "3").CombinedOutput()
	if err == nil || !strings.Contains(string(failed), "undefined: D") {
		t.Errorf("a parameter that there is not: %v\n%s", err, failed)
	}
}
