package acceptance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/testrun"
)

// TestBrowserBook makes the book of the course, whose formulas are all drawn, and of which nothing
// is cut off or to be scrolled on paper.
func TestBrowserBook(t *testing.T) {
	_, err := browser.Find()
	testrun.Need(t, "browser", err)
	folder := t.TempDir()
	cmd := exec.Command("go", "run", "./install", "book", "-o", folder)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go run ./install book: %v\n%s", err, out)
	}
	printed, err := os.ReadFile(filepath.Join(folder, "book.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(printed, []byte("%PDF-")) || len(printed) < 1<<20 {
		t.Errorf("the PDF has %d bytes and begins with %q", len(printed), printed[:min(8, len(printed))])
	}
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening the book", time.Minute, chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(folder, "book.html"))))
	if n := p.count(t, "code.math"); n > 0 {
		t.Errorf("%d formulas are LaTeX", n)
	}
	if formulas, chapters, solutions := p.count(t, "math"), p.count(t, "article"), p.count(t, "details[id]"); formulas < 100 || chapters < 15 || solutions != chapters-1 {
		t.Errorf("there are %d formulas, %d chapters and %d solutions", formulas, chapters, solutions)
	}
	lost := eval[[]string](t, p, `[...document.querySelectorAll("a[href^='#']")].map(a => a.getAttribute("href")).filter(id => !document.getElementById(decodeURIComponent(id.slice(1))))`, time.Minute)
	if len(lost) > 0 {
		t.Errorf("links lead nowhere: %s", strings.Join(lost, " "))
	}
	const width = 680 // of what is printed on a sheet of A4, in pixels
	run(t, p, "printing", time.Minute, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return chromedp.Void{}, err
	})
	run(t, p, "resizing", time.Minute, chromedp.EmulateViewport(width, height))
	wide := eval[[]string](t, p, `[...document.querySelectorAll("pre, .output, table, code.math, math, section")].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 || e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + "." + e.className + " of " + e.closest("article").id + ": " + e.textContent.trim().slice(0, 60))`, time.Minute)
	if len(wide) > 0 {
		t.Errorf("%d pieces are wider than the paper:\n%s", len(wide), strings.Join(wide, "\n"))
	}
	p.screenshot(t, "book-printed")
}
