package acceptance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

const runJupytext = "import sys; from jupytext.cli import jupytext; jupytext(sys.argv[1:])"

// TestJupytext holds that jupytext writes each chapter of the course as a program in cells of
// percent signs, and the same notebook from it, and that it runs such a program by the kernel.
func TestJupytext(t *testing.T) {
	interpreter, dir := jupyter(t), t.TempDir()
	jupytext := func(args ...string) {
		t.Helper()
		cmd := interpreter.Command(t.Context(), dir, runJupytext, args...)
		cmd.Env = append(cmd.Env, seeing(kernelData(t), dir)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("jupytext %q: %v\n%s", args, err, out)
		}
	}
	chapters, err := filepath.Glob(filepath.Join(root(), "notebooks", "*.ipynb"))
	if err != nil || len(chapters) < 13 {
		t.Fatalf("%d chapters, %v", len(chapters), err)
	}
	var notebooks, programs []string
	for _, path := range chapters {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		notebooks, programs = append(notebooks, name), append(programs, strings.TrimSuffix(name, "ipynb")+"go")
	}
	jupytext(slices.Concat([]string{"--to", "go:percent"}, notebooks)...)
	for _, name := range notebooks {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	jupytext(slices.Concat([]string{"--to", "ipynb"}, programs)...)
	for i, name := range notebooks {
		want, err := notebook.ReadFile(chapters[i])
		if err != nil {
			t.Fatal(err)
		}
		got, err := notebook.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Cells) != len(want.Cells) {
			t.Errorf("%s: %d cells come back, of %d", name, len(got.Cells), len(want.Cells))
			continue
		}
		for i, c := range want.Cells {
			if g := got.Cells[i]; g.Kind != c.Kind || strings.TrimSpace(g.Source) != strings.TrimSpace(c.Source) {
				t.Errorf("%s: cell %d comes back as\n%s\nwant\n%s", name, i+1, g.Source, c.Source)
			}
		}
	}

	const program = `// %% [markdown]
// # Sums

// %%
%engine interpreted

// %%
n := 0
for i := range 10 {
	n += i
}

// %% tags=["raises-exception"]
n / 0

// %%
n
`
	if err := os.WriteFile(filepath.Join(dir, "sums.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	jupytext("--to", "ipynb", "--set-kernel", "hierml", "--execute", "sums.go")
	ran, err := notebook.ReadFile(filepath.Join(dir, "sums.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if len(ran.Cells) != 5 {
		t.Fatalf("%d cells ran", len(ran.Cells))
	}
	if last := ran.Cells[4].Outputs; len(last) != 1 || last[0].Data["text/plain"] != "45" {
		t.Errorf("the last cell shows %+v", last)
	}
}
