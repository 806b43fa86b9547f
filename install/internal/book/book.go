// Package book prints a page of notebooks, which internal/notebook/page writes. Callers choose the
// browser.
package book

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/replace"
)

// temml is Temml 0.13.5 as published by its authors, under the MIT licence beside it.
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

// Draw makes a browser, the program at a path, draw the formulas of a page in a file, and writes
// the page back: it needs neither scripts nor a network. It also prints the page as PDF to another
// file. The error names invalid formulas.
func Print(ctx context.Context, program, page, pdf string) (err error) {
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
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String())); err != nil {
		return fmt.Errorf("opening %s in %s: %w", page, program, err)
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
