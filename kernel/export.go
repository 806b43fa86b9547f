package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/folder"
	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/markdown"
	"github.com/hierml/notebook/internal/notebook/page"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// exportFormats are what a notebook can be written as, and the extensions that stand for them.
var exportFormats = map[string]string{".go": "program", ".html": "html", ".htm": "html", ".md": "markdown"}

func notebookExportCommand() *cobra.Command {
	var output, format string
	cmd := &cobra.Command{
		Use:   "export FILE.ipynb...",
		Short: "Write notebooks as a Go program, a web page or Markdown",
		Long: `Export writes a notebook in another form, without running it. The form is that of the
extension of the file after -o, or of --format:

program, .go: a Go program, which prints what the notebook shows as text when its cells are run from
top to bottom. "hierml run" runs it. Declarations become those of the package, statements those of main, and Markdown
becomes comments. Errors that would stop a cell end the program. A cell with the tag skip-execution becomes a
comment. A cell that does not compile ends the export, unless it has the tag raises-exception.

The go command compiles the program in a module that knows where the packages of hierml are: in a clone of its
repository, here CLONE, as no registry has them. In the program's folder:

  go mod init study
  go mod edit -require github.com/hierml/notebook@v0.0.0
  go mod edit -replace github.com/hierml/notebook=CLONE
  go mod tidy
  go build

html, .html: a web page with the cells and their stored outputs, in one file that needs no network. Formulas become
MathML; LaTeX that is not known stays as it is, in a box. Several notebooks become one page, with a list of contents.
Links between them lead to places in it. If a paragraph is only a link to a notebook that is named later, such as the
solutions of exercises, that notebook is put there, folded.

slides: a web page of slides to present, in one file that needs no network. The arrow keys turn slides, S opens a window
with speaker notes, Esc shows all slides, and ? lists the other keys. Ctrl+P prints one slide a sheet. Cells say where a
slide begins, and which are notes (in JupyterLab: Property Inspector, "Slide Type"); otherwise each heading begins one.
A slide has at most 15 lines of code. A cell that is too long continues on the next slide, whose notes are its text.

markdown, .md: Markdown with the cells and their stored outputs. The pictures go to files in a folder beside
it: that of notes.md is notes_files. On the standard output they are part of the text.

Without -o the result is written to the standard output, as a program unless --format says otherwise.`,
		Example: `  hierml notebook export notes.ipynb -o main.go && hierml run main.go
  hierml notebook export notes.ipynb -o notes.html
  hierml notebook export notebooks/*.ipynb -o book.html
  hierml notebook export notes.ipynb --format markdown > notes.md`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format == "" {
				var err error
				if format, err = formatOf(output); err != nil {
					return &usageError{cmd, err}
				}
			}
			var write func(context.Context, io.Writer, *notebook.Notebook, string) error
			switch format {
			case "program":
				write = exportProgram
			case "html":
				write = func(_ context.Context, w io.Writer, nb *notebook.Notebook, path string) error {
					return page.Write(w, nb, title(path))
				}
			case "slides":
				write = func(_ context.Context, w io.Writer, nb *notebook.Notebook, path string) error {
					return page.WriteSlides(w, nb, title(path))
				}
			case "markdown":
				write = func(_ context.Context, w io.Writer, nb *notebook.Notebook, _ string) error {
					return exportMarkdown(w, nb, output)
				}
			default:
				return &usageError{cmd, fmt.Errorf("unknown format %q; use program, html, slides or markdown", format)}
			}
			if len(args) > 1 && format != "html" {
				return &usageError{cmd, fmt.Errorf("only html takes several notebooks; %s takes one", format)}
			}
			var notebooks []*notebook.Notebook
			for _, file := range args {
				nb, err := readNotebook(file)
				if err != nil {
					return err
				}
				notebooks = append(notebooks, nb)
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			var text bytes.Buffer
			var err error
			if len(args) == 1 {
				err = write(ctx, &text, notebooks[0], args[0])
			} else {
				err = exportBook(&text, notebooks, args, title(cmp.Or(output, args[0])))
			}
			if err != nil {
				return err
			}
			if output == "" {
				_, err = text.WriteTo(cmd.OutOrStdout())
				return err
			}
			return replace.Content(output, text.Bytes())
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write it to this `FILE`")
	cmd.Flags().StringVar(&format, "format", "", "program, html, slides or markdown (default that of the file's extension, or program)")
	return cmd
}

// formatOf returns the format that the extension of a file stands for, and for the standard output
// a program.
func formatOf(file string) (string, error) {
	extension := strings.ToLower(filepath.Ext(file))
	format := exportFormats[extension]
	switch {
	case file == "":
		return "program", nil
	case extension == "":
		return "", fmt.Errorf("%s has no extension. Choose the format by --format: program, html, slides or markdown", file)
	case format == "":
		return "", fmt.Errorf("unknown extension %s; use .go, .html or .md, or choose the format by --format", extension)
	}
	return format, nil
}

// exportProgram writes a notebook, which is in the folder of a path, as a program.
func exportProgram(ctx context.Context, w io.Writer, nb *notebook.Notebook, path string) (err error) {
	importer := &moduleImporter{ctx: ctx, folder: filepath.Dir(path)}
	defer func() { err = errors.Join(err, importer.close()) }()
	text, err := engine.Export(ctx, engine.Config{Importer: importer, Preloaded: stdlib.Preloaded}, exportCells(nb))
	var failure *program.Error
	if errors.As(err, &failure) {
		said := *failure
		said.Traceback = append([]string{"hierml: " + path + ": nothing is written"}, said.Traceback...)
		return &said
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// exportBook writes notebooks, which are in files, as one page.
func exportBook(w io.Writer, notebooks []*notebook.Notebook, files []string, title string) error {
	var parts []page.Part
	for k, nb := range notebooks {
		parts = append(parts, page.Part{Path: filepath.ToSlash(files[k]), Notebook: nb})
	}
	return page.WriteBook(w, parts, title)
}

// exportMarkdown writes a notebook as Markdown, for a file of that name, beside which pictures are
// put, or none.
func exportMarkdown(w io.Writer, nb *notebook.Notebook, file string) error {
	if file == "" {
		return markdown.Write(w, nb, markdown.Inline)
	}
	beside := folder.Folder(filepath.Dir(file)) // which may come from elsewhere, as the notebook may
	pictures := title(file) + "_files"
	return markdown.Write(w, nb, func(name, _ string, data []byte) (string, error) {
		if err := beside.Mkdir(pictures); err != nil {
			return "", err
		}
		return pictures + "/" + name, beside.Replace(filepath.Join(pictures, name), data)
	})
}

// exportCells returns the cells of a notebook that a program has. Those that are run have the
// numbers that running gives them.
func exportCells(nb *notebook.Notebook) []export.Cell {
	var cells []export.Cell
	number := 0
	for _, c := range nb.Cells {
		cell := export.Cell{Cell: program.Cell{Source: c.Source}}
		switch {
		case strings.TrimSpace(c.Source) == "" || c.Kind == notebook.Raw:
			continue
		case c.Kind == notebook.Markdown:
			cell.Text = true
		case c.Tagged(notebook.SkipExecution):
			cell.Skipped = true
		default:
			number++
			cell.Number = number
			cell.Fails = c.Tagged(notebook.RaisesException)
		}
		cells = append(cells, cell)
	}
	return cells
}
