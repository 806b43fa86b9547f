package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowser opens the tour in JupyterLab, runs all of its cells and looks at
// what a reader sees.
func TestBrowser(t *testing.T) {
	data := kernelData(t)
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(root(), "notebooks", "tour.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tour.ipynb"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	jupyterLab := startLab(t, dir, data)
	p := openPage(t)

	run(t, p, "opening JupyterLab", time.Minute,
		chromedp.Navigate(fmt.Sprintf("%s/lab/tree/tour.ipynb?token=%s", jupyterLab.url, jupyterLab.token)))
	p.wait(t, `document.querySelector(".jp-Notebook .jp-CodeCell") !== null`, time.Minute)
	p.wait(t, `document.querySelector(".jp-NotebookPanel-toolbar").textContent.includes("Go (hierml)")`, time.Minute)
	p.wait(t, idle, time.Minute)
	if n := p.count(t, ".jp-OutputArea-output"); n > 0 {
		t.Errorf("the notebook in the tree has %d outputs already; it must be saved without", n)
	}

	begun := time.Now()
	ok := eval[bool](t, p, `window.jupyterapp.commands.execute("notebook:run-all-cells").then(Boolean)`, 10*time.Minute)
	p.wait(t, idle, time.Minute)
	t.Logf("all cells ran in %.1f s", time.Since(begun).Seconds())
	if !ok {
		t.Error("JupyterLab reports that a cell failed")
	}

	p.grow(t)
	t.Logf("screenshot: %s", p.screenshot(t, "tour"))
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
	if compared != 1 {
		t.Errorf("%d tables compare the accuracy of the three methods, want 1", compared)
	}
	drawn := eval[int](t, p, `[...document.querySelectorAll(".jp-OutputArea-output img, .jp-OutputArea-output svg")]
		.filter(e => e.getBoundingClientRect().width > 100 && (e.naturalWidth ?? 1) > 0).length`, 10*time.Second)
	if drawn != plots {
		t.Errorf("%d plots are drawn, want %d", drawn, plots)
	}
	if errors := p.consoleErrors(); len(errors) > 0 {
		t.Errorf("the browser's console shows errors: %q", errors)
	}
}

// idle is true while the kernel computes nothing.
const idle = `document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "idle"`

// plots is how many figures the tour has: the taxonomy, the accuracy over the
// training size, the confusions and the convergence.
const plots = 4
