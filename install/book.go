package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/install/internal/book"
	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/page"
	"github.com/hierml/notebook/internal/replace"
)

func bookCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Make a book of the course, as a web page and as PDF",
		Long: `Makes a book of the course: all chapters with their stored outputs, after a list
of contents, with the solutions of the exercises folded into the page and printed
in the PDF. Printing needs Chromium or Chrome.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := moduleRoot()
			if err != nil {
				return err
			}
			return bindBook(cmd.Context(), newConsole(os.Stdout), filepath.Join(root, "notebooks"), folder)
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "book", "the `folder` for book.html and book.pdf")
	return cmd
}

// bindBook makes a book of the chapters in a folder of notebooks: those whose names begin with a
// number.
func bindBook(ctx context.Context, c *console, notebooks, folder string) error {
	if err := provideBrowser(ctx, c); err != nil {
		return err
	}
	program, err := browser.Find()
	if err != nil {
		return err
	}
	step := c.begin("Binding the chapters")
	parts, err := chapters(notebooks)
	if err != nil {
		return step.fail(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return step.fail(err)
	}
	html, pdf := filepath.Join(folder, "book.html"), filepath.Join(folder, "book.pdf")
	err = replace.With(html, func(w io.Writer) error { return page.WriteBook(w, parts, "Hierarchical classification, cell by cell") })
	if err != nil {
		return step.fail(err)
	}
	step.end("%d notebooks", len(parts))
	step = c.begin("Printing")
	if err := book.Print(ctx, program, html, pdf); err != nil {
		return step.fail(err)
	}
	step.end("done")
	c.printf("The book is %s, and %s to print.", html, pdf)
	return nil
}

// chapters returns the chapters of the course, then the solutions of their exercises.
func chapters(folder string) ([]page.Part, error) {
	var parts []page.Part
	for _, pattern := range []string{"[0-9]*.ipynb", "appendix-*.ipynb", "solutions/[0-9]*.ipynb", "solutions/appendix-*.ipynb"} {
		files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			nb, err := notebook.ReadFile(file)
			if err != nil {
				return nil, err
			}
			path, err := filepath.Rel(folder, file)
			if err != nil {
				return nil, err
			}
			parts = append(parts, page.Part{Path: filepath.ToSlash(path), Notebook: nb})
		}
	}
	return parts, nil
}
