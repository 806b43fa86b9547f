package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/notebook"
	"github.com/hierml/notebook/stdlib"
)

func notebookExportCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export FILE.ipynb",
		Short: "Write a notebook as a Go program",
		Long: `Export writes a notebook as a Go program, which prints what the notebook shows as
text when its cells are run from top to bottom. The go command compiles it in a
module that requires github.com/hierml/notebook. Nothing is run; a cell that does
not compile ends the export, unless it has the tag raises-exception.

Declarations become those of the package, statements those of main, and Markdown
becomes comments. Errors that would stop a cell end the program. A cell with the
tag skip-execution becomes a comment.

Without -o the program is written to the standard output.`,
		Example: `  hierml notebook export notes.ipynb -o main.go && go run main.go`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			nb, err := notebook.ReadFile(args[0])
			if err != nil {
				return err
			}
			importer := &moduleImporter{ctx: cmd.Context(), folder: filepath.Dir(args[0])}
			defer func() { err = errors.Join(err, importer.close()) }()
			program, err := engine.Export(engine.Config{Importer: importer, Preloaded: stdlib.Preloaded}, exportCells(nb))
			var failure *engine.Error
			if errors.As(err, &failure) {
				said := *failure
				said.Traceback = append([]string{"hierml: " + args[0] + ": nothing is written"}, said.Traceback...)
				return &said
			}
			if err != nil {
				return err
			}
			if output == "" {
				_, err = cmd.OutOrStdout().Write(program)
				return err
			}
			return os.WriteFile(output, program, 0o666)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the program to this file")
	return cmd
}

// exportCells returns the cells of a notebook that a program has. Those that
// are run have the numbers that running gives them.
func exportCells(nb *notebook.Notebook) []engine.ExportCell {
	var cells []engine.ExportCell
	number := 0
	for _, c := range nb.Cells {
		cell := engine.ExportCell{Cell: engine.Cell{Source: c.Source}}
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
