package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowserCompiled runs the notebook about compiled cells in JupyterLab. No cell fails, and one
// note says from where on cells are compiled.
func TestBrowserCompiled(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", "compiled.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	p := openNotebook(t, "compiled.ipynb", withoutOutputs(t, source))
	p.runAll(t, 3*time.Minute)

	p.grow(t)
	p.screenshot(t, "compiled")
	promotions := 0
	for _, text := range eval[[]string](t, p, `[...document.querySelectorAll('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')].map(e => e.textContent)`, 10*time.Second) {
		if !strings.HasPrefix(text, "note: ") {
			t.Errorf("an error: %q", text)
		}
		promotions += strings.Count(text, "note: cells are compiled from here on")
	}
	if promotions != 1 {
		t.Errorf("%d notes say that cells are compiled, want one", promotions)
	}
	if n := eval[int](t, p, `[...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
		.filter(e => !/^\[\d+\]:?$/.test(e.textContent)).length`, 10*time.Second); n > 0 {
		t.Errorf("%d cells did not run", n)
	}
}
