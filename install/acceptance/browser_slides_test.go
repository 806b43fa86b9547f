package acceptance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/internal/notebook"
	notebookpage "github.com/hierml/notebook/internal/notebook/page"
)

// badSlide lists what does not fit on the current slide of 1280 by 720 pixels. A long output may
// scroll.
const badSlide = `(() => {
	const sheet = Reveal.getCurrentSlide().querySelector(".sheet"), bad = [];
	if (sheet.scrollHeight > sheet.clientHeight + 1 || sheet.scrollWidth > sheet.clientWidth + 1) bad.push("the slide scrolls");
	for (const e of sheet.querySelectorAll(".sheet > div, img, math")) {
		const box = e.getBoundingClientRect();
		if (!e.closest(".output.long") && (box.right > 1281 || box.bottom > 721)) bad.push(e.tagName + "." + e.className + " crosses the edge");
	}
	for (const e of sheet.querySelectorAll(".input, .formula, .output:not(.long)")) {
		if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) bad.push(e.className + " is cut off");
	}
	for (const e of sheet.querySelectorAll(".figure")) {
		if (e.clientHeight < 200) bad.push("a figure is " + e.clientHeight + " pixels high");
	}
	return bad.map(what => "slide " + (Reveal.getSlidePastCount() + 1) + ": " + what);
})()`

// TestBrowserSlides presents two chapters by keys: all slides fit, the window of the notes follows,
// and paper has each slide.
func TestBrowserSlides(t *testing.T) {
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "resizing", time.Minute, chromedp.EmulateViewport(1280, 720))
	for _, name := range []string{"01-tour", "05-svm"} {
		nb, err := notebook.ReadFile(filepath.Join(root(), "notebooks", name+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := notebookpage.WriteSlides(&b, nb, name); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		address := "file://" + filepath.ToSlash(file)
		run(t, p, "opening the slides", time.Minute, chromedp.Navigate(address))
		p.wait(t, "window.Reveal?.isReady()", time.Minute)
		slides := eval[int](t, p, "Reveal.getTotalSlides()", time.Minute)
		if slides < 10 {
			t.Errorf("%s has %d slides", name, slides)
		}
		var bad []string
		for range slides {
			bad = append(bad, eval[[]string](t, p, badSlide, time.Minute)...)
			p.press(t, "Right")
		}
		if len(bad) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(bad, "\n"))
		}
		if !eval[bool](t, p, "Reveal.isLastSlide()", time.Minute) {
			t.Errorf("%s: the keys do not lead to the last slide", name)
		}
		run(t, p, "opening the paper", time.Minute, chromedp.Navigate(address+"?print-pdf"))
		p.wait(t, `document.querySelector(".pdf-page")`, time.Minute)
		if pages := p.count(t, ".pdf-page"); pages != slides {
			t.Errorf("%s: %d slides become %d pages", name, slides, pages)
		}
		if n := eval[int](t, p, `[...document.querySelectorAll(".sheet, .sheet .output")].filter(e => e.scrollHeight > e.clientHeight + 1).length`, time.Minute); n > 0 {
			t.Errorf("%s: %d outputs are cut off on paper", name, n)
		}
	}
}

// TestBrowserSpeakerNotes opens the window of the notes: it shows those of the current slide, and
// its keys turn the slides.
func TestBrowserSpeakerNotes(t *testing.T) {
	cell := func(source, kind string) *notebook.Cell {
		return &notebook.Cell{Kind: notebook.Markdown, Source: source, Metadata: map[string]any{"slideshow": map[string]any{"slide_type": kind}}}
	}
	var b bytes.Buffer
	nb := &notebook.Notebook{Cells: []*notebook.Cell{cell("# One", "slide"), cell("say $x$", "notes"), cell("# Two", "slide"), cell("say *two*", "notes")}}
	if err := notebookpage.WriteSlides(&b, nb, "talk"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "talk.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p := openPage(t)
	p.checkConsole(t)
	run(t, p, "opening the slides", time.Minute, chromedp.Navigate("file://"+filepath.ToSlash(file)))
	p.wait(t, "window.Reveal?.isReady()", time.Minute)
	p.press(t, "s")
	const body = `open("", "notes").document.body`
	p.wait(t, body+`.querySelector(".notes math") && `+body+`.querySelector(".next").textContent.includes("Two")`, time.Minute)
	eval[bool](t, p, body+`.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`, time.Minute)
	p.wait(t, `Reveal.isLastSlide() && `+body+`.querySelector(".notes").textContent.includes("say two")`, time.Minute)
}
