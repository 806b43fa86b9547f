package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowserCompiled runs the notebook about compiled cells in JupyterLab. No cell fails, and one
// says that cells are compiled.
func TestBrowserCompiled(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", "compiled.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	p := openNotebook(t, "compiled.ipynb", withoutOutputs(t, source))
	p.runAll(t, 3*time.Minute)

	p.grow(t)
	p.screenshot(t, "compiled")
	texts := func(kind string) []string {
		return eval[[]string](t, p, `[...document.querySelectorAll('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.`+kind+`"]')].map(e => e.textContent)`, 10*time.Second)
	}
	for _, text := range texts("stderr") {
		t.Errorf("an error: %q", text)
	}
	if n := strings.Count(strings.Join(texts("stdout"), ""), "auto: cells are compiled\n"); n != 1 {
		t.Errorf("%d cells say that cells are compiled, want one", n)
	}
	if n := eval[int](t, p, `[...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
		.filter(e => !/^\[\d+\]:?$/.test(e.textContent)).length`, 10*time.Second); n > 0 {
		t.Errorf("%d cells did not run", n)
	}
}
