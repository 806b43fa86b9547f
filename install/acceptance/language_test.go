package acceptance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowserLanguage runs the notebook about the rules of cells in JupyterLab. Each cell that is
// to fail does, with its place, and no other.
func TestBrowserLanguage(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", "02-language.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	p := openNotebook(t, "language.ipynb", withoutOutputs(t, source))
	p.grow(t) // JupyterLab draws a cell before it runs it
	p.runAll(t, 2*time.Minute)

	p.grow(t)
	// Every cell has run.
	p.wait(t, `[...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")].every(e => /^\[\d+\]:?$/.test(e.textContent))`, time.Minute)
	p.screenshot(t, "language")
	// JupyterLab renders a traceback as it does what is written to stderr.
	failures := 0
	for _, text := range eval[[]string](t, p, `[...document.querySelectorAll('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')].map(e => e.textContent)`, 10*time.Second) {
		failures++
		if !strings.Contains(text, "Cell [") || !strings.Contains(text, "^") {
			t.Errorf("an error does not say where it is: %q", text)
		}
	}
	if want := bytes.Count(source, []byte(`"raises-exception"`)); failures != want {
		t.Errorf("%d cells failed, want %d", failures, want)
	}
}
