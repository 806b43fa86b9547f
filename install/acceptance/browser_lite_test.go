package acceptance

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/testrun"
)

// TestBrowserLite opens a site for the browser, behind which there is no kernel and no server of
// Jupyter: cells run, draw, train and are interrupted, and what a browser cannot do says so.
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
		"func twice(n int) int { return 2 * n }\nkept + 1",
		"!ls",
		"docs, err := collection.GoDoc(\"\")\nlen(docs.Documents) > 1000",
		interactive,
		"a := mat.NewDense(2500, 2500, floats.Span(make([]float64, 2500*2500), 1, 2))\nvar b mat.Dense\nb.Mul(a, a)",
		"twice(21)",
		"var all [][]byte\nfor {\n\tall = append(all, make([]byte, 64<<20))\n}",
		"twice(4)",
	)
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebook, 0o644); err != nil {
		t.Fatal(err)
	}
	server := serveLite(t, buildLite(t, folder))
	p := openPage(t)
	p.checkConsole(t)
	p.enter(t, server.URL)
	begun := time.Now()
	p.waitText(t, ".hierml-loading", " of ", time.Minute)
	p.waitNotebook(t)
	t.Logf("the kernel was ready after %.1f s", time.Since(begun).Seconds())
	p.waitGone(t, ".hierml-loading")
	p.click(t, cell(1)+" .cm-content", "1+2")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "3", time.Minute)
	if sent := server.sent(); sent > maxFirst {
		t.Errorf("%.2f MB were sent for the first cell, more than %.0f:\n%s", float64(sent)/1e6, float64(maxFirst)/1e6, server.largest(20))
	} else {
		t.Logf("%.2f MB were sent for the first cell", float64(sent)/1e6)
	}
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
	p.waitText(t, output(9), "cannot run in a browser", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(10), "true", time.Minute)

	p.press(t, "Shift+Enter")
	const area = ".jupyter-widgets .jp-OutputArea-output"
	p.waitText(t, area, "drawn with 1 black", time.Minute)
	before := p.drawnIn(t, area)
	p.drag(t, ".noUi-handle", "", 60, 0)
	p.drawnAnew(t, area, before)

	// What lets nothing in is ended with its worker, and another begins, which has what was
	// declared. So is what takes all memory.
	p.click(t, cell(12)+" .cm-content", "")
	p.press(t, "Shift+Enter")
	p.wait(t, busy, patience)
	p.click(t, `.jp-Toolbar-item[data-jp-item-name="interrupt"]`, "")
	p.waitText(t, output(12), "did not heed it", time.Minute)
	p.waitText(t, output(12), "declared again", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(13), "42", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(14), "out of memory", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(15), "8", time.Minute)
	p.grow(t)
	p.screenshot(t, "lite")
	// What JupyterLab still waits for would be an error in the console now.
	eval[chromedp.Void](t, p, `window.jupyterapp.shell.currentWidget.sessionContext.shutdown()`, patience)
}

// TestBrowserLiteFirst follows the link to a site ten times, each time as a new visitor, and runs
// all cells as soon as the notebook is there, before its kernel is. JupyterLab must not ask for a
// kernel.
func TestBrowserLiteFirst(t *testing.T) {
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebookOf(t, "1+2", "3+4"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := serveLite(t, buildLite(t, folder))
	for range 10 {
		p := openPage(t)
		p.checkConsole(t)
		run(t, p, "opening the site", time.Minute, chromedp.Navigate(server.URL))
		// Until the file is read, the notebook has one empty cell.
		testrun.Await(t, "the notebook is there", func() bool {
			there, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`window.jupyterapp?.shell?.currentWidget?.content?.model?.cells?.length === 2`))
			return there && err == nil
		})
		eval[chromedp.Void](t, p, `void window.jupyterapp.commands.execute("notebook:run-all-cells")`, patience)
		const ended = `document.querySelector(".jp-Dialog")?.textContent ?? [...document.querySelectorAll(".jp-OutputArea-executeResult")].map(e => e.textContent).join().endsWith("7")`
		if said := poll[any](t, p, "the cells have run", ended, time.Minute); said != true {
			t.Fatalf("JupyterLab asks: %v", said)
		}
	}
}

// enter opens a site, which goes on to its first notebook, and waits until that is drawn or the
// kernel loads.
func (p *page) enter(t *testing.T, address string) {
	t.Helper()
	run(t, p, "opening the site", time.Minute, chromedp.Navigate(address))
	testrun.Await(t, "the site goes on to its notebook", func() bool {
		// A page that goes on to another cannot be asked just then.
		drawn, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`document.querySelector(".hierml-loading, .jp-Notebook .jp-CodeCell") !== null`))
		return drawn && err == nil
	})
}

// maxFirst is how much a site may send until a first cell has run, in bytes.
const maxFirst = 14_000_000

// TestBrowserLiteOffline runs cells after the site was visited once and its server has ended: with
// what the first visit has asked for, and with what it has not.
func TestBrowserLiteOffline(t *testing.T) {
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	notebook := notebookOf(t,
		"1+2",
		"p := plot.New()\np.Title.Text = \"offline\"\np.X.Max, p.Y.Max = 2, 4\np",
		"docs, err := collection.GoDoc(\"\")\nlen(docs.Documents) > 1000",
		"floats.Sum([]float64{20, 22})",
	)
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebook, 0o644); err != nil {
		t.Fatal(err)
	}
	server := serveLite(t, buildLite(t, folder))
	p := openPage(t)
	p.enter(t, server.URL)
	p.waitNotebook(t)
	p.click(t, cell(1)+" .cm-content", "1+2")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "3", time.Minute)
	p.wait(t, siteKept, time.Minute)
	p.save(t) // or the browser asks whether to leave
	server.CloseClientConnections()
	server.Close()

	begun := time.Now()
	p.enter(t, server.URL)
	p.waitNotebook(t)
	t.Logf("without its server the kernel was ready after %.1f s", time.Since(begun).Seconds())
	p.click(t, cell(1)+" .cm-content", "1+2")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "3", time.Minute)
	p.press(t, "Shift+Enter")
	p.wait(t, `document.querySelector(`+quote(output(2)+" svg.marks")+`)?.getBoundingClientRect().width > 100`, time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(3), "true", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(4), "42", time.Minute)
}

// TestBrowserLiteFiles brings a table of one's own to the site, trains on it, and takes the model
// away.
func TestBrowserLiteFiles(t *testing.T) {
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	notebook := notebookOf(t,
		"table := files.CSV{Text: []string{\"title\"}, Levels: []string{\"department\", \"kind\"}}\nshop, err := table.Open(nb.Context(), \"own.csv\", nil)\nlen(shop.Documents)",
		"words, err := features.Text{}.Fit(shop)\ntrain := words.Transform(shop)\nmodel, err := svm.Hierarchical{C: 10}.Fit(nb.Context(), train)\nlearned := pipeline.Pipeline{Vectorizer: words, Model: model}\nanswer, err := learned.Predict(\"a ripe apple\")\nanswer.Name",
		"learned.Save(\"own.hierml\")",
		"again, err := pipeline.Load(\"own.hierml\")\nanswer, err = again.Predict(\"a steel hammer\")\nanswer.Name",
	)
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebook, 0o644); err != nil {
		t.Fatal(err)
	}
	server := serveLite(t, buildLite(t, folder))
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening the site", time.Minute, chromedp.Navigate(server.URL+"/lab/index.html?path=try.ipynb"))
	p.waitNotebook(t)

	// The button to upload asks for a file; the choice is made for it.
	var own strings.Builder
	own.WriteString("title,department,kind\n")
	for range 5 {
		own.WriteString("a red ripe apple,food,fruit\na ripe yellow pear,food,fruit\nbread of rye,food,bakery\na steel hammer,tools,hand\na saw of steel,tools,hand\nan electric drill,tools,power\n")
	}
	eval[bool](t, p, `(() => {
		const chosen = new DataTransfer();
		chosen.items.add(new File([`+quote(own.String())+`], "own.csv", { type: "text/csv" }));
		HTMLInputElement.prototype.click = function () {
			this.files = chosen.files;
			this.dispatchEvent(new Event("change"));
		};
		return true;
	})()`, patience)
	p.click(t, `.jp-FileBrowser [data-jp-item-name="uploader"]`, "")
	p.waitText(t, ".jp-DirListing-item", "own.csv", time.Minute)
	p.waitText(t, "#jp-main-dock-panel .lm-TabBar-tabLabel", "own.csv", time.Minute) // it is shown
	p.click(t, "#jp-main-dock-panel .lm-TabBar-tabLabel", "try.ipynb")
	p.click(t, cell(1)+" .cm-content", "")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "30", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(2), "food/fruit", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, ".jp-DirListing-item", "own.hierml", time.Minute)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(4), "tools/hand", time.Minute)

	// What the browser would store is looked at in place of the folder of downloads.
	eval[bool](t, p, `(() => {
		HTMLAnchorElement.prototype.click = function () { window.downloaded = { name: this.download, address: this.href }; };
		return true;
	})()`, patience)
	p.click(t, ".jp-DirListing-item .jp-DirListing-itemText", "own.hierml")
	eval[bool](t, p, `window.jupyterapp.commands.execute("filebrowser:download").then(() => true)`, time.Minute)
	p.wait(t, `window.downloaded?.name === "own.hierml"`, time.Minute)
	// A model's file has eight bytes of a length, and then JSON.
	if size := eval[int](t, p, `fetch(window.downloaded.address).then(r => r.arrayBuffer()).then(b => new Uint8Array(b)).then(b => b[8] === 0x7b ? b.length : -1)`, time.Minute); size < 1000 {
		t.Errorf("the model that is taken away has %d bytes", size)
	}
}

// timed is a cell that says how many milliseconds a training takes.
const timed = `texts, err := synthetic.TextLike{}.Generate(nb.Context())
begun := time.Now()
model, err := svm.Hierarchical{C: 10}.Fit(nb.Context(), texts.Train)
if model.Training.Status != solver.Converged {
	panic(model.Training.Status.String())
}
fmt.Printf("trained in %d ms\n", time.Since(begun).Milliseconds())`

// TestBrowserLiteFigures writes a table of the sizes of a site and of the times in it: with -v to
// the log, and to lite.md among the artifacts. Times are those of this machine, as busy as it is.
func TestBrowserLiteFigures(t *testing.T) {
	testrun.LeaveToLong(t, "it measures, and other tests of sites see the same")
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "try.ipynb"), notebookOf(t, "1+2", "1+3", timed, interactive), 0o644); err != nil {
		t.Fatal(err)
	}
	site := buildLite(t, folder)
	var table strings.Builder
	row := func(what, format string, values ...any) {
		fmt.Fprintf(&table, "| %s | "+format+" |\n", append([]any{what}, values...)...)
	}
	fmt.Fprint(&table, "| what | figure |\n|---|---|\n")
	files, size := 0, int64(0)
	if err := filepath.WalkDir(site, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		size += info.Size()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	row("site on disk, with one notebook", "%d files, %.1f MB", files, float64(size)/1e6)

	server := serveLite(t, site)
	p := openPage(t)
	address := server.URL + "/lab/index.html?path=try.ipynb"
	visit := func(which string) {
		before, begun := server.sent(), time.Now()
		run(t, p, "opening the site", time.Minute, chromedp.Navigate(address))
		p.wait(t, `document.querySelector(".jp-Notebook .jp-CodeCell") !== null`, time.Minute)
		drawn := time.Since(begun)
		p.waitNotebook(t)
		p.click(t, cell(1)+" .cm-content", "1+2")
		p.press(t, "Shift+Enter")
		p.waitText(t, output(1), "3", time.Minute)
		row(which+" visit, sent until a first cell has run", "%.2f MB", float64(server.sent()-before)/1e6)
		row(which+" visit, page drawn, first cell has run after", "%.1f s, %.1f s", drawn.Seconds(), time.Since(begun).Seconds())
	}
	visit("first")
	p.wait(t, siteKept, time.Minute)
	p.save(t) // or the browser asks whether to leave
	row("fetched besides, when needed or after the first cell", "%.2f MB", float64(server.beside())/1e6)
	visit("second")
	begun := time.Now()
	p.press(t, "Shift+Enter")
	p.waitText(t, output(2), "4", time.Minute)
	row("a trivial cell, from the key to its output on the screen", "%d ms", time.Since(begun).Milliseconds())
	row("a trivial cell, from its request to idle, median of 21", "%.0f ms", eval[float64](t, p, roundTrip, time.Minute))
	p.press(t, "Shift+Enter")
	p.waitText(t, output(3), "trained in", time.Minute)
	here := milliseconds(t, p.texts(t, output(3))[0])
	p.press(t, "Shift+Enter")
	const area = ".jupyter-widgets .jp-OutputArea-output"
	p.waitText(t, area, "drawn with 1 black", time.Minute)
	before := p.drawnIn(t, area)
	p.drag(t, ".noUi-handle", "", 60, 0)
	begun = time.Now()
	p.drawnAnew(t, area, before)
	row("a slider's redraw, after the mouse rests", "%d ms", time.Since(begun).Milliseconds())
	native := milliseconds(t, hierml(t, filepath.Join(folder, "timed.go"), timed, "run"))
	row("a training of 1,500 texts", "%d ms, with all native cores %d ms: %.1f times", here, native, float64(here)/float64(native))
	t.Logf("\n%s", table.String())
	if err := os.WriteFile(filepath.Join(artifacts(t), "lite.md"), []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// milliseconds returns what the training says.
func milliseconds(t *testing.T, text string) (ms int) {
	t.Helper()
	at := strings.Index(text, "trained in")
	if at < 0 {
		t.Fatalf("the training says %q", text)
	}
	if _, err := fmt.Sscanf(text[at:], "trained in %d ms", &ms); err != nil {
		t.Fatal(err)
	}
	return ms
}

// roundTrip runs trivial cells by the messages that JupyterLab sends, and is how many milliseconds
// one takes.
const roundTrip = `(async () => {
	const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
	const took = [];
	for (let i = 0; i < 21; i++) {
		const begun = performance.now();
		await kernel.requestExecute({ code: "1+" + i }).done;
		took.push(performance.now() - begun);
	}
	return took.sort((a, b) => a - b)[10];
})()`

// siteKept is true when the site would work without its server.
const siteKept = `caches.open("hierml-site").then(c => c.keys()).then(all => ["std-export.zip", "std-docs.zip"].every(name => all.some(r => r.url.endsWith("/" + name))))`

// chapterLimit is how long a chapter may take in the browser, on a quiet machine.
const chapterLimit = 10 * time.Minute

// TestBrowserLiteChapters runs each chapter of the course in the browser, in a kernel of its own:
// no cell fails but those that are to, and those that say that a browser cannot do it. A chapter
// that says that it is for reading there, as it needs processes, is left out.
func TestBrowserLiteChapters(t *testing.T) {
	testrun.LeaveToLong(t, "all chapters take an hour in a browser")
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := filepath.Join(root(), "notebooks")
	chapters, err := filepath.Glob(filepath.Join(folder, "[01][0-9]-*.ipynb"))
	if err != nil || len(chapters) == 0 {
		t.Fatalf("no chapters in %s (%v)", folder, err)
	}
	chapters = slices.DeleteFunc(chapters, func(chapter string) bool {
		text, err := os.ReadFile(chapter)
		return err == nil && strings.Contains(string(text), "browser there are neither; there this chapter is for reading")
	})
	server := serveLite(t, buildLite(t, folder))
	for _, chapter := range chapters {
		name := filepath.Base(chapter)
		t.Run(strings.TrimSuffix(name, ".ipynb"), func(t *testing.T) {
			p := openPage(t)
			// JupyterLab asks its server for the paths that outputs seem to name, and there is
			// none.
			p.checkConsole(t, "/api/resolvePath?")
			run(t, p, "opening "+name, time.Minute, chromedp.Navigate(server.URL+"/lab/index.html?path="+name))
			p.waitNotebook(t)
			begun := time.Now()
			p.runAll(t, chapterLimit)
			t.Logf("%s took %.0f s", name, time.Since(begun).Seconds())
			type failure struct {
				Cell         int
				Name, Evalue string
				Tags         []string
			}
			failed := eval[[]failure](t, p, `[...window.jupyterapp.shell.currentWidget.content.model.cells].flatMap((c, i) => c.type !== "code" ? [] :
				[...Array(c.outputs.length).keys()].map(n => c.outputs.get(n).toJSON()).filter(o => o.output_type === "error")
					.map(o => ({ cell: i, name: o.ename, evalue: o.evalue, tags: c.getMetadata("tags") ?? [] })))`, patience)
			for _, f := range failed {
				if !slices.Contains(f.Tags, "raises-exception") && !strings.Contains(f.Evalue, "browser") {
					t.Errorf("cell %d fails: %s: %s", f.Cell, f.Name, f.Evalue)
				}
			}
			// Cells that are not run as one before them fails have its number.
			if left := eval[int](t, p, `[...window.jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === "code" && c.sharedModel.source.trim() !== "")
				.filter((c, i, all) => c.executionCount === null || i > 0 && c.executionCount <= all[i - 1].executionCount).length`, patience); left > 0 {
				t.Errorf("%d cells were not run", left)
			}
			p.grow(t)
			p.screenshot(t, "lite-"+strings.TrimSuffix(name, ".ipynb"))
		})
	}
}

// A liteServer serves a site as hosts of static pages do, and counts what it sends.
type liteServer struct {
	*httptest.Server

	mu    sync.Mutex
	files map[string]int64 // bytes that were sent of each
}

// serveLite serves a site until the test has ended.
func serveLite(t *testing.T, site string) *liteServer {
	s := &liteServer{files: map[string]int64{}}
	files := http.FileServer(http.Dir(site))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedWriter{w: w, server: s, path: r.URL.Path}
		switch path.Ext(r.URL.Path) {
		case ".js", ".json", ".html", ".css", ".svg", ".ipynb", "":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(counted)
			defer z.Close() // what a browser does not take is of no account
			// A range or a length would be that of the plain file.
			r.Header.Del("Range")
			files.ServeHTTP(&compressedWriter{ResponseWriter: w, z: z}, r)
		default:
			files.ServeHTTP(&countingWriter{ResponseWriter: w, to: counted}, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// sent returns how many bytes were sent.
func (s *liteServer) sent() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.files {
		sum += n
	}
	return sum
}

// beside returns how many bytes were sent of the files that the kernel asks for when it needs them.
func (s *liteServer) beside() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.files {
		if path.Ext(name) == ".zip" || path.Ext(name) == ".gz" {
			sum += n
		}
	}
	return sum
}

// largest returns the files of which most was sent, a line for each.
func (s *liteServer) largest(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(s.files), func(a, b string) int { return cmp.Compare(s.files[b], s.files[a]) })
	var lines []string
	for _, name := range names[:min(n, len(names))] {
		lines = append(lines, fmt.Sprintf("%10d  %s", s.files[name], name))
	}
	return strings.Join(lines, "\n")
}

// A countedWriter counts what is written for a file.
type countedWriter struct {
	w      io.Writer
	server *liteServer
	path   string
}

func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.files[c.path] += int64(n)
	return n, err
}

type countingWriter struct {
	http.ResponseWriter
	to io.Writer
}

func (c *countingWriter) Write(p []byte) (int, error) { return c.to.Write(p) }

type compressedWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (c *compressedWriter) WriteHeader(status int) {
	c.Header().Del("Content-Length")
	c.ResponseWriter.WriteHeader(status)
}

func (c *compressedWriter) Write(p []byte) (int, error) { return c.z.Write(p) }

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
