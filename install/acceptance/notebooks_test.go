package acceptance

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/microcosm-cc/bluemonday"

	"github.com/hierml/notebook/internal/notebook"
)

// notebookSize is how large a notebook may be in bytes. GitHub does not tell from what size on it
// says "too big to display"; it shows notebooks of this size.
const notebookSize = 5 << 20

// TestBrowserNotebooks opens each notebook as nbconvert and as GitHub show it, without running it
// and without a network, and sees every output and every picture.
func TestBrowserNotebooks(t *testing.T) {
	interpreter := jupyter(t)
	sources, pages := t.TempDir(), t.TempDir()
	var books []book
	for _, below := range []string{"", "solutions"} {
		folder := filepath.Join(root(), "notebooks", below)
		paths, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			t.Fatalf("no notebooks in %s", folder)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b := book{test: filepath.ToSlash(filepath.Join(below, strings.TrimSuffix(filepath.Base(path), ".ipynb"))), content: content}
			b.name = strings.ReplaceAll(b.test, "/", "-")
			if err := os.WriteFile(filepath.Join(sources, b.name+".ipynb"), content, 0o644); err != nil {
				t.Fatal(err)
			}
			books = append(books, b)
		}
	}
	cmd := interpreter.Command(t.Context(), pages, "from nbconvert.nbconvertapp import main; main()",
		"--to", "html", "--log-level", "WARN", "--output-dir", pages, filepath.Join(sources, "*.ipynb"))
	cmd.Env = append(cmd.Env, seeing(t.TempDir(), t.TempDir())...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nbconvert: %v\n%s", err, out)
	}
	p := openPage(t)
	for _, b := range books {
		t.Run(b.test, func(t *testing.T) {
			if len(b.content) > notebookSize {
				t.Errorf("%d bytes are more than GitHub shows", len(b.content))
			}
			nb, err := notebook.Read(bytes.NewReader(b.content), b.test)
			if err != nil {
				t.Fatal(err)
			}
			checkStatic(t, nb)
			checkOutputs(t, p, nb, filepath.Join(pages, b.name+".html"), "nbconvert-"+b.name)
			view := filepath.Join(pages, b.name+"-github.html")
			if err := os.WriteFile(view, githubPage(t, nb), 0o644); err != nil {
				t.Fatal(err)
			}
			checkOutputs(t, p, nb, view, "github-"+b.name)
		})
	}
}

// book is a notebook of the tree: what it is called below the folder of notebooks, what its files
// are called, and what is in it.
type book struct {
	test, name string
	content    []byte
}

// drawn are the MIME types of pictures, the interactive ones too.
var drawn = []string{"image/png", "image/jpeg", "image/gif", "image/svg+xml", "application/vnd.vega.v5+json", "application/vnd.vegalite.v5+json",
	"application/vnd.vega.v6+json", "application/vnd.vegalite.v6+json"}

// checkStatic checks that what needs a kernel or a script has something beside it, more than a
// word, for readers without.
func checkStatic(t *testing.T, nb *notebook.Notebook) {
	t.Helper()
	for _, cell := range nb.Cells {
		for i, o := range cell.Outputs {
			static := false
			for kind := range o.Data {
				static = static || kind == "text/html" || kind == "text/markdown" || strings.HasPrefix(kind, "image/")
			}
			for _, kind := range []string{"application/vnd.jupyter.widget-view+json", "application/javascript"} {
				if o.Data[kind] != nil && !static {
					t.Errorf("output %d of the cell %s has nothing beside %s", i+1, cell.ID, kind)
				}
			}
		}
	}
}

// checkOutputs opens a page of a notebook and checks that each output shows something, and a
// picture where it has one. A picture of the page is kept.
func checkOutputs(t *testing.T, p *page, nb *notebook.Notebook, path, name string) {
	t.Helper()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	run(t, p, "opening "+path, time.Minute, chromedp.Navigate(address.String()))
	type output struct {
		Text     string
		Pictures int
	}
	cells := eval[map[string][]output](t, p, `(async () => {
		await Promise.all([...document.images].map(e => e.decode().catch(() => {})));
		const size = e => e.getBoundingClientRect().width * e.getBoundingClientRect().height;
		const drawn = e => size(e) > 100 && (e.naturalWidth ?? 1) > 0;
		return Object.fromEntries([...document.querySelectorAll(".jp-CodeCell")].map(cell => [cell.id.replace("cell-id=", ""),
			[...cell.querySelectorAll(".jp-OutputArea-child")].map(child => {
				child.querySelector(".jp-OutputPrompt")?.remove();
				return {Text: child.innerText.trim(), Pictures: [...child.querySelectorAll("img, svg, canvas")].filter(drawn).length};
			})]));
	})()`, time.Minute)
	for _, cell := range nb.Cells {
		if cell.Kind != notebook.Code {
			continue
		}
		shown := cells[cell.ID]
		if len(shown) != len(cell.Outputs) {
			t.Errorf("%s: cell %s shows %d outputs, want %d", name, cell.ID, len(shown), len(cell.Outputs))
			continue
		}
		for i, o := range cell.Outputs {
			if shown[i].Text == "" && shown[i].Pictures == 0 {
				t.Errorf("%s: output %d of the cell %s shows nothing", name, i+1, cell.ID)
			}
			pictured := false
			for _, kind := range drawn {
				pictured = pictured || o.Data[kind] != nil
			}
			if pictured && shown[i].Pictures == 0 {
				t.Errorf("%s: output %d of the cell %s lacks its picture", name, i+1, cell.ID)
			}
		}
	}
	if broken := eval[int](t, p, `[...document.images].filter(e => e.naturalWidth === 0).length`, patience); broken > 0 {
		t.Errorf("%s: %d pictures of the page are broken", name, broken)
	}
	picture := run(t, p, "a picture of the page", time.Minute, chromedp.FullScreenshot(80))
	keep(t, name+".jpg", picture)
}

// githubPage returns a page of the outputs of a notebook as GitHub shows them: of each the first
// kind that GitHub draws, HTML without what acts or has a style. It draws no Vega, no widgets and
// no JavaScript.
func githubPage(t *testing.T, nb *notebook.Notebook) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><meta charset=utf-8><title>As GitHub shows it</title>\n")
	for _, cell := range nb.Cells {
		if cell.Kind != notebook.Code {
			continue
		}
		fmt.Fprintf(&b, "<div class=jp-CodeCell id=%q><pre style='background:#eee'>%s</pre>\n", "cell-id="+cell.ID, html.EscapeString(cell.Source))
		for _, o := range cell.Outputs {
			fmt.Fprintf(&b, "<div class=jp-OutputArea-child>%s</div>\n", githubOutput(t, cell.ID, o))
		}
		b.WriteString("</div>\n")
	}
	return []byte(b.String())
}

// githubOutput returns the HTML of one output as GitHub shows it.
func githubOutput(t *testing.T, id string, o *notebook.Output) string {
	t.Helper()
	text := func(s string) string { return "<pre>" + html.EscapeString(s) + "</pre>" }
	switch o.Kind {
	case notebook.Stream:
		return text(o.Text)
	case notebook.Failure:
		return text(strings.Join(o.Traceback, "\n"))
	}
	part := func(kind string) string {
		s, _ := o.Data[kind].(string)
		return s
	}
	if s := part("text/html"); s != "" {
		clean := bluemonday.UGCPolicy().Sanitize(s)
		for _, lost := range []string{"<svg", "<canvas", "<img", "<iframe"} {
			if strings.Count(s, lost) > strings.Count(clean, lost) {
				t.Errorf("GitHub does not show the %s> in the HTML of the cell %s", lost, id)
			}
		}
		return clean
	}
	for _, kind := range []string{"text/markdown", "text/latex"} {
		if s := part(kind); s != "" {
			return text(s)
		}
	}
	for _, kind := range []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif"} {
		if s := part(kind); s != "" {
			if kind == "image/svg+xml" {
				return fmt.Sprintf("<img src=\"data:%s,%s\">", kind, url.PathEscape(s))
			}
			return fmt.Sprintf("<img src=\"data:%s;base64,%s\">", kind, strings.ReplaceAll(s, "\n", ""))
		}
	}
	return text(part("text/plain"))
}
