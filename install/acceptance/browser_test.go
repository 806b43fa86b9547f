package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/internal/testrun"
)

// shorterTour is the study of the tour, and the shorter one that the browser's test runs instead.
// TestInstallation runs all of it, without Jupyter.
var shorterTour = [][2]string{
	{"PerClass: []int{1, 5, 20}", "PerClass: []int{1, 2}"},
	{"Repeats:  3", "Repeats:  2"},
}

// TestBrowser opens the tour in JupyterLab, runs all of its cells and looks at what a reader sees.
func TestBrowser(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", "01-tour.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if !testrun.Long() {
		for _, part := range shorterTour {
			if n := bytes.Count(source, []byte(part[0])); n != 1 {
				t.Fatalf("the tour has %q %d times, want once", part[0], n)
			}
			source = bytes.ReplaceAll(source, []byte(part[0]), []byte(part[1]))
		}
	}
	p := openNotebook(t, "tour.ipynb", withoutOutputs(t, source))
	if n := p.count(t, ".jp-OutputArea-output"); n > 0 {
		t.Errorf("the notebook in the tree has %d outputs already; what is shown later may be theirs", n)
	}

	begun := time.Now()
	ok := p.runAll(t, 10*time.Minute)
	t.Logf("all cells ran in %.1f s", time.Since(begun).Seconds())
	if !ok {
		t.Error("JupyterLab reports that a cell failed")
	}

	p.grow(t)
	p.screenshot(t, "tour")
	for _, wrong := range []string{"stderr", "error"} {
		if n := p.count(t, fmt.Sprintf(`.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.%s"]`, wrong)); n > 0 {
			t.Errorf("%d outputs of the kind %s", n, wrong)
		}
	}
	unrun := eval[[]string](t, p, `[...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
		.map(e => e.textContent).filter(s => !/^\[\d+\]:?$/.test(s))`, 10*time.Second)
	if len(unrun) > 0 {
		t.Errorf("cells with the prompts %q did not run", unrun)
	}
	compared := eval[int](t, p, `[...document.querySelectorAll(".jp-OutputArea-output table")]
		.filter(e => ["flat", "hierarchical", "normalized", "accuracy"].every(s => e.textContent.includes(s))).length`, 10*time.Second)
	if compared == 0 {
		t.Error("no table compares the accuracy of the three methods")
	}
	drawn := eval[int](t, p, `[...document.querySelectorAll(".jp-OutputArea-output :is(img, svg, canvas)")]
		.filter(e => e.getBoundingClientRect().width > 100 && (e.naturalWidth ?? 1) > 0).length`, 10*time.Second)
	if drawn < plots {
		t.Errorf("%d plots are drawn, want at least %d", drawn, plots)
	}
}

// TestBrowserUnchanged opens a chapter in JupyterLab and saves it: the file stays as it is.
func TestBrowserUnchanged(t *testing.T) {
	const chapter = "05-svm.ipynb"
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", chapter))
	if err != nil {
		t.Fatal(err)
	}
	p := openNotebook(t, chapter, source)
	// JupyterLab marks the tab as modified when the kernel tells its language.
	p.wait(t, `window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info.then(() => true)`, time.Minute)
	if eval[bool](t, p, `window.jupyterapp.shell.currentWidget.context.model.dirty`, patience) {
		t.Error("the notebook counts as modified after it was opened")
	}
	p.save(t)
	l := openLab(t)
	saved, err := os.ReadFile(filepath.Join(l.dir, t.Name(), chapter))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved, source) {
		keep(t, "unchanged.ipynb", saved)
		t.Error("saving the opened notebook has changed it")
	}
}

// openNotebook opens a notebook in JupyterLab, in a browser, and waits for its kernel.
func openNotebook(t *testing.T, name string, content []byte) *page {
	t.Helper()
	l := openLab(t)
	folder := l.folder(t)
	if err := os.WriteFile(filepath.Join(l.dir, folder, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening JupyterLab", time.Minute, chromedp.Navigate(l.page(folder, name)))
	p.waitNotebook(t)
	return p
}

// withoutOutputs returns a notebook as it was before it ran.
func withoutOutputs(t *testing.T, source []byte) []byte {
	t.Helper()
	var notebook map[string]any
	if err := json.Unmarshal(source, &notebook); err != nil {
		t.Fatal(err)
	}
	for _, cell := range notebook["cells"].([]any) {
		if c := cell.(map[string]any); c["cell_type"] == "code" {
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	cleared, err := json.Marshal(notebook)
	if err != nil {
		t.Fatal(err)
	}
	return cleared
}

// plots is how many figures the tour has at least: the taxonomy, the accuracy over the training
// size, the confusions and the convergence.
const plots = 4
