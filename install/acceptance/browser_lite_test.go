package acceptance

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/testrun"
)

// TestBrowserLite opens a site for the browser, behind which there is no kernel and no server of Jupyter:
// cells run, draw, train and are interrupted, and what a browser cannot do says so.
func TestBrowserLite(t *testing.T) {
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	notebook := notebookOf(t,
		"1+2",
		"fmt.Print(\"written\")\nos.WriteFile(\"numbers.csv\", []byte(\"1,2\\n\"), 0o644)\nos.ReadFile(\"numbers.csv\")",
		"p := plot.New()\np.Add(plotter.NewFunction(func(x float64) float64 { return x * x }))\np.X.Max, p.Y.Max = 2, 4\np",
		"texts, err := synthetic.TextLike{}.Generate(nb.Context())\nmodel, err := svm.Hierarchical{C: 1}.Fit(nb.Context(), texts.Train)\nmodel.Training.Status",
		"kept := 41\nfmt.Print(\"begun\")\nfor {\n}",
		"fmt.Print(\"begun\")\nfor i := range 1000 {\n\tsvm.Hierarchical{C: 1000, Settings: solver.Settings{Gap: 1e-9, Seed: uint64(i)}}.Fit(nb.Context(), texts.Train)\n}",
		"func deeper(n int) int { return deeper(n+1) + 1 }\ndeeper(0)",
		"kept + 1",
		"!ls",
		"docs, err := collection.GoDoc(\"\")\nlen(docs.Documents) > 1000",
		interactive,
		"a := mat.NewDense(2500, 2500, floats.Span(make([]float64, 2500*2500), 1, 2))\nvar b mat.Dense\nb.Mul(a, a)",
		"6 * 7",
	)
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebook, 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(buildLite(t, folder))))
	t.Cleanup(server.Close)

	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening the site", time.Minute, chromedp.Navigate(server.URL+"/lab/index.html?path=try.ipynb"))
	begun := time.Now()
	p.waitNotebook(t)
	t.Logf("the kernel was ready after %.1f s", time.Since(begun).Seconds())
	p.click(t, cell(1)+" .cm-content", "1+2")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "3", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(2), "written", time.Minute)
	p.press(t, "Shift+Enter")
	p.wait(t, `document.querySelector(`+quote(output(3)+" :is(svg, img, canvas)")+`)?.getBoundingClientRect().width > 100`, time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(4), "converged", time.Minute)
	for _, n := range []int{5, 6} {
		p.press(t, "Shift+Enter")
		p.waitText(t, output(n), "begun", time.Minute)
		p.press(t, "Escape")
		p.wait(t, `document.querySelector(".jp-Notebook.jp-mod-commandMode") !== null`, patience)
		begun := time.Now()
		p.click(t, `.jp-Toolbar-item[data-jp-item-name="interrupt"]`, "")
		p.waitText(t, output(n), "interrupted", patience)
		p.wait(t, idle, patience)
		t.Logf("cell %d ended %.2f s after the click on the stop button", n, time.Since(begun).Seconds())
		p.click(t, cell(n+1)+" .cm-content", "")
	}
	p.press(t, "Shift+Enter")
	p.waitText(t, output(7), "stack overflow", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(8), "42", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(9), "cannot be run in a browser", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(10), "true", time.Minute)

	p.press(t, "Shift+Enter")
	const area = ".jupyter-widgets .jp-OutputArea-output"
	p.waitText(t, area, "drawn with 1 black", time.Minute)
	before := p.drawnIn(t, area)
	p.drag(t, ".noUi-handle", "", 60, 0)
	p.drawnAnew(t, area, before)

	// What lets nothing in is ended with its worker, and another begins.
	p.click(t, cell(12)+" .cm-content", "")
	p.press(t, "Shift+Enter")
	p.wait(t, busy, patience)
	p.click(t, `.jp-Toolbar-item[data-jp-item-name="interrupt"]`, "")
	p.waitText(t, output(12), "did not heed it", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(13), "42", time.Minute)
	p.grow(t)
	p.screenshot(t, "lite")
}

// buildLite builds a site from a folder of notebooks, as people do, and returns its folder.
func buildLite(t *testing.T, notebooks string) string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	cmd := exec.Command("go", "run", "./install", "lite", notebooks, "-o", site)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return site
}
