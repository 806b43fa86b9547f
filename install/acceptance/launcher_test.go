package acceptance

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowserLauncher makes a notebook with the mouse as a newcomer does, types cells and runs
// them, saves, loads the page anew and goes on.
func TestBrowserLauncher(t *testing.T) {
	p := newNotebook(t)
	p.write(t, "x := 6\nx * 7")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(1), "42", time.Minute)
	// The cursor is in the next cell.
	p.write(t, `fmt.Println("next to", x)`)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(2), "next to 6", time.Minute)
	p.screenshot(t, "new-notebook")

	p.press(t, "Ctrl+s")
	// With another name than the proposed one, JupyterLab would now and then ask for the file under
	// its old name, and show that as an error on the console.
	p.wait(t, `document.querySelector(".jp-Dialog input")?.value === "Untitled.ipynb"`, patience)
	p.click(t, ".jp-Dialog .jp-mod-accept", "")
	p.waitGone(t, ".jp-Dialog")
	p.wait(t, `document.querySelector(".jp-mod-dirty") === null`, patience)
	p.reload(t)
	p.waitText(t, output(1), "42", patience)
	p.waitText(t, output(2), "next to 6", patience)
	p.click(t, cell(3)+" .cm-content", "")
	p.write(t, "x + 1")
	p.press(t, "Shift+Enter")
	p.waitText(t, output(3), "7", patience)
}

// newNotebook opens JupyterLab's launcher and makes a notebook with a click on the card of the
// kernel, which must show its logo. The cursor is in the first cell then.
func newNotebook(t *testing.T) *page {
	t.Helper()
	l := openLab(t)
	folder := l.folder(t)
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening JupyterLab", time.Minute, chromedp.Navigate(l.page(folder, "")))
	const card = `.jp-LauncherCard[data-category="Notebook"]`
	p.waitText(t, card, "Go (hierml)", time.Minute)
	logo := poll[struct{ Width, Height, Shown float64 }](t, p, "the logo in the launcher", `(() => {
		const card = [...document.querySelectorAll('`+card+`')].find(e => e.textContent.includes("Go (hierml)"));
		const logo = card.querySelector("img");
		return logo?.complete ? {Width: logo.naturalWidth, Height: logo.naturalHeight, Shown: logo.getBoundingClientRect().width} : false;
	})()`, patience)
	if logo.Width == 0 || logo.Height == 0 || logo.Shown < 16 {
		t.Errorf("the launcher's logo has %v × %v pixels and is %v wide", logo.Width, logo.Height, logo.Shown)
	}
	p.screenshot(t, "launcher")
	p.click(t, card, "Go (hierml)")
	p.waitNotebook(t)
	p.click(t, cell(1)+" .cm-content", "")
	return p
}
