package acceptance

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/internal/notebook"
)

// picturesFolder is the value of a flag of this package's tests: it stands behind the package in
// the command that README's pictures are made with,
//
//	go test -count=1 -run TestBrowserPictures ./install/acceptance -pictures notebooks/pictures
var picturesFolder = flag.String("pictures", "", "make the README's pictures in this `folder`, below that of the module")

// pictures are those of the README: cells of notebooks in JupyterLab, from the first to the last of
// these IDs.
var pictures = []struct{ notebook, name, first, last string }{
	{"01-tour", "tour", "tour-09", "tour-09"},
	{"05-svm", "slider", "svm-c-interact", "svm-c-interact"},
}

// pictureWidth is the width of the window in which pictures are made, in pixels.
const pictureWidth = 1100

// TestBrowserPictures runs notebooks in JupyterLab and makes the README's pictures of them.
func TestBrowserPictures(t *testing.T) {
	if *picturesFolder == "" {
		t.Skip("the flag -pictures names no folder for them")
	}
	folder := filepath.Join(root(), *picturesFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, picture := range pictures {
		t.Run(picture.name, func(t *testing.T) {
			path := filepath.Join(root(), "notebooks", picture.notebook+".ipynb")
			nb, err := notebook.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			first, last := cellIndex(nb, picture.first), cellIndex(nb, picture.last)
			if first < 0 || last < first {
				t.Fatalf("%s has no cells from %s to %s", picture.notebook, picture.first, picture.last)
			}
			p := openForPictures(t, path)
			var parts []string
			for n := first; n <= last; n++ {
				parts = append(parts, cell(n+1)+" .jp-InputArea", cell(n+1)+" .jp-OutputArea-child")
			}
			image := run(t, p, picture.name, time.Minute, chromedp.Screenshot(chromedp.CSSAll(strings.Join(parts, ", "))))
			if err := os.WriteFile(filepath.Join(folder, picture.name+".png"), image, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s.png: %d bytes", picture.name, len(image))
		})
	}
}

// openForPictures opens a notebook with nothing beside it, and runs its cells.
func openForPictures(t *testing.T, path string) *page {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := openNotebook(t, filepath.Base(path), withoutOutputs(t, source))
	eval[bool](t, p, `window.jupyterapp.commands.execute("application:toggle-left-area").then(() => true)`, patience)
	p.width = pictureWidth
	run(t, p, "resizing", patience, chromedp.EmulateViewport(p.width, height))
	if !p.runAll(t, 10*time.Minute) {
		t.Fatalf("a cell of %s failed", path)
	}
	p.grow(t)
	return p
}

// cellIndex returns the index of the cell of an ID, or -1.
func cellIndex(nb *notebook.Notebook, id string) int {
	return slices.IndexFunc(nb.Cells, func(c *notebook.Cell) bool { return c.ID == id })
}
