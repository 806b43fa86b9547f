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

// margin is in inches, and pageNumber what stands in that below.
const (
	margin     = 0.7
	pageNumber = `<div style="width:100%;text-align:center;font-size:8px"><span class="pageNumber"></span></div>`
)

// Print prints a page, which is in a file, as PDF to another file. The program is a browser's path.
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
