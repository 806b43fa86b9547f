// Package book draws the formulas of a page of notebooks, and prints it. The page is made by
// internal/notebook/page, which leaves formulas as the LaTeX that they are written in; here a
// browser makes MathML of them by Temml, which needs no network. Which browser that is, is left to
// callers.
package book

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/replace"
)

// temml is Temml 0.13.5 as its authors have published it, under the MIT licence beside it.
//
//go:embed temml.min.js
var temml string

// draw replaces the formulas of the page by MathML, and returns the LaTeX of those that it could
// not.
const draw = `(() => {
	const failed = [];
	for (const code of document.querySelectorAll("code.math")) {
		const display = code.classList.contains("display");
		const latex = code.textContent.trim().replace(/^\${1,2}|\${1,2}$/g, "");
		const drawn = document.createElement("span");
		try {
			drawn.innerHTML = temml.renderToString(latex, {displayMode: display, throwOnError: true});
		} catch (e) {
			failed.push(latex + ": " + e.message);
			continue;
		}
		code.replaceWith(drawn.firstElementChild);
	}
	return failed;
})()`

// margin is in inches, and pageNumber what stands in that below.
const (
	margin     = 0.7
	pageNumber = `<div style="width:100%;text-align:center;font-size:8px"><span class="pageNumber"></span></div>`
)

// Draw has a browser, the program of that path, draw the formulas of a page, which is in a file,
// and writes it back: it needs neither scripts nor a network. It prints it besides, as PDF to
// another file. The error names formulas that are none.
func Draw(ctx context.Context, program, page, pdf string) (err error) {
	profile, err := os.MkdirTemp("", "hierml-book")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(profile)) }()
	ctx, cancelAllocated := chromedp.NewExecAllocator(ctx, browser.Alone(program, profile)...)
	defer cancelAllocated()
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	path, err := filepath.Abs(page)
	if err != nil {
		return err
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	// The page's own policy forbids scripts, not those that are evaluated for its maker.
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String()), chromedp.Evaluate[chromedp.Void](temml)); err != nil {
		return fmt.Errorf("opening %s in %s: %w", page, program, err)
	}
	failed, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](draw))
	switch {
	case err != nil:
		return fmt.Errorf("drawing formulas: %w", err)
	case len(failed) > 0:
		return fmt.Errorf("%d formulas cannot be drawn:\n%s", len(failed), strings.Join(failed, "\n"))
	}
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.documentElement.outerHTML"))
	if err != nil {
		return fmt.Errorf("reading the page with formulas: %w", err)
	}
	if err := replace.Content(page, []byte("<!DOCTYPE html>\n"+text+"\n")); err != nil {
		return err
	}
	printed, err := chromedp.Run(ctx, chromedp.PrintToPDF(
		chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFMargin(margin), chromedp.PDFPrintBackground(), chromedp.PDFOutlineAndTagged(),
		chromedp.PDFHeaderTemplate("<span></span>"), chromedp.PDFFooterTemplate(pageNumber),
	))
	if err != nil {
		return fmt.Errorf("printing %s: %w", page, err)
	}
	return replace.Content(pdf, printed)
}
