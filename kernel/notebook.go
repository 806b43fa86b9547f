package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/page"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/rerun"
	"github.com/hierml/notebook/kernel/internal/session"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func notebookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notebook",
		Short: "Work with notebooks without Jupyter",
		Long: `Notebook runs notebooks from a terminal, compares their outputs with the stored ones, lists what they would
touch, removes their outputs, and converts them to other formats. It does not need Jupyter.`,
		Example: `  hierml notebook run notes.ipynb -o notes.ipynb
  hierml notebook check notes.ipynb`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(notebookRunCommand(), notebookCheckCommand(), notebookInspectCommand(), notebookClearCommand(), notebookExportCommand())
	return cmd
}

func notebookRunCommand() *cobra.Command {
	var output, html string
	var set []string
	var mode program.Mode
	cmd := &cobra.Command{
		Use:   "run FILE.ipynb",
		Short: "Run a notebook from top to bottom",
		Long: `Run runs the code cells of a notebook from top to bottom in a new session, in the folder of the
notebook, and reports on each. The first cell that fails ends the run with exit status 1, unless the cell has the tag
raises-exception. The outputs up to there are written all the same.

With -p you set variables that the cell with the tag parameters declares. Like papermill, run inserts a cell with the tag
injected-parameters after it. Write a value in the form of the variable's type: a string, a bool, a number, or a slice
of these, separated by commas or as a JSON array.

Without -o and --html, run writes nothing. It then only checks that the notebook runs.`,
		Example: `  hierml notebook run notes.ipynb
  hierml notebook run notes.ipynb -o notes.ipynb
  hierml notebook run notes.ipynb -o done.ipynb --html done.html
  hierml notebook run study.ipynb -p C=3 -p set=ng15 -p grid=0.1,1,10 -o study-3.ipynb`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			nb, err := readNotebook(args[0])
			if err != nil {
				return err
			}
			if len(set) > 0 {
				parameters, err := rerun.Parameters(set)
				if err == nil {
					err = rerun.Inject(nb, parameters)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
			}
			e, err := newEngine(worker.Config{Dir: filepath.Dir(args[0])}, engine.Config{Mode: mode})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, e.Close()) }()
			ctx, done := interruptible(cmd.Context())
			defer done()
			progress := newProgress(cmd.ErrOrStderr())
			runner := rerun.Runner{Evaluator: e, Starting: progress.starting, Finished: progress.finished}
			failure := runner.Run(ctx, nb)
			if err := recordLanguage(nb); err != nil {
				return errors.Join(failure, err)
			}
			if output != "" {
				if err := nb.WriteFile(output); err != nil {
					return errors.Join(failure, err)
				}
			}
			if html != "" {
				if err := page.WriteFile(html, nb, title(args[0])); err != nil {
					return errors.Join(failure, err)
				}
			}
			return failedCell(args[0], failure)
		},
	}
	cmd.Flags().StringArrayVarP(&set, "parameter", "p", nil, "set a parameter of the notebook: `NAME=VALUE`; may be repeated")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the notebook with its outputs to this file")
	cmd.Flags().StringVar(&html, "html", "", "write the notebook as a web page to this file")
	engineFlag(cmd, &mode)
	return cmd
}

// readNotebook reads a notebook from a file.
func readNotebook(path string) (*notebook.Notebook, error) {
	nb, err := notebook.ReadFile(path)
	var format *notebook.FormatError
	if errors.As(err, &format) && strings.EqualFold(filepath.Ext(path), ".go") {
		return nil, fmt.Errorf("%s is a Go file. Use: hierml run %[1]s", path)
	}
	return nb, err
}

// recordLanguage stores in a notebook of hierml what the kernel reports of its language, as front
// ends do when they save it. So a front end that opens the notebook has nothing to change.
func recordLanguage(nb *notebook.Notebook) error {
	if spec, _ := nb.Metadata["kernelspec"].(map[string]any); spec["name"] != "hierml" {
		return nil
	}
	text, err := json.Marshal(session.LanguageInfo())
	if err != nil {
		return err
	}
	var info map[string]any
	if err := json.Unmarshal(text, &info); err != nil {
		return err
	}
	nb.Metadata["language_info"] = info
	return nil
}

// title is what a notebook is called: its file's name without the extension.
func title(path string) string {
	base := filepath.Base(path)
	return base[:len(base)-len(filepath.Ext(base))]
}

// failedCell says of an error in which cell of which file it was.
func failedCell(file string, err error) error {
	var cell *rerun.CellError
	if !errors.As(err, &cell) {
		return err
	}
	var failure *program.Error
	if errors.As(err, &failure) {
		said := *failure
		said.Traceback = append([]string{fmt.Sprintf("hierml: %s: cell %d failed", file, cell.Number)}, said.Traceback...)
		return &said
	}
	return fmt.Errorf("%s: %w", file, err)
}
