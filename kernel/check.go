package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/compare"
	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/rerun"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func notebookCheckCommand() *cobra.Command {
	c := checker{}
	cmd := &cobra.Command{
		Use:   "check FILE.ipynb...",
		Short: "Run notebooks and compare their outputs with the stored ones",
		Long: `Check runs each notebook from top to bottom in a new session, in the folder of the notebook. It
compares the outputs of the cells with those in the file and prints each difference. The notebook is executed, but
its file does not change. To look at a notebook that you do not trust, use "hierml notebook inspect".

Numbers are compared as numbers, in texts and in HTML tables, whatever the width of the columns. Two numbers are equal
if they differ by at most the tolerance, relative to the larger one, or by one in the last decimal. With --tolerance 0
every digit counts.

Durations such as 1.2s or 3 min, clock times, rates such as 35 epochs/s, and addresses such as 0xc000012345 may differ.
If an output changes in other ways, give its cell the tag "changes"; then check ignores the outputs.

HTML is compared by its words, JSON such as Vega's value by value, and pictures by their kind, size and rough look.
Standard error, progress bars, execution counts and metadata are not compared. A cell that fails ends its notebook. If it
has the tag raises-exception, its error is compared instead.`,
		Example: `  hierml notebook check notes.ipynb
  hierml notebook check --tolerance 0.02 notebooks/*.ipynb
  hierml notebook run notes.ipynb -o notes.ipynb        # stores the outputs`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.tolerance < 0 || math.IsNaN(c.tolerance) {
				return &usageError{cmd, fmt.Errorf("the tolerance %g is not a number of at least 0", c.tolerance)}
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			c.stdout, c.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.files(ctx, args)
		},
	}
	cmd.Flags().Float64Var(&c.tolerance, "tolerance", compare.DefaultTolerance, "how much numbers may differ, `RELATIVE` to the larger one")
	engineFlag(cmd, &c.mode)
	return cmd
}

// A checker compares what notebooks show with what is stored in them.
type checker struct {
	tolerance      float64
	mode           program.Mode
	stdout, stderr io.Writer
}

func (c *checker) files(ctx context.Context, paths []string) error {
	wrong := 0
	for i, path := range paths {
		if len(paths) > 1 {
			if _, err := fmt.Fprintf(c.stderr, "%s (%d of %d)\n", path, i+1, len(paths)); err != nil {
				return err
			}
		}
		same, err := c.file(ctx, path)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && len(paths) == 1:
			return err
		case err != nil:
			status(err, c.stderr)
		}
		if !same {
			wrong++
		}
	}
	switch {
	case wrong == 0:
		return nil
	case len(paths) == 1:
		return fmt.Errorf("the outputs of %s differ from the stored ones", paths[0])
	}
	return fmt.Errorf("the outputs of %d of %d notebooks differ from the stored ones", wrong, len(paths))
}

// file checks one notebook. The error is why it could not be run to its end.
func (c *checker) file(ctx context.Context, path string) (same bool, err error) {
	stored, err := readNotebook(path)
	if err != nil {
		return false, err
	}
	now, err := readNotebook(path)
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(stored.Cells, func(c *notebook.Cell) bool { return c.Count > 0 || len(c.Outputs) > 0 }) {
		return false, fmt.Errorf("%s has no stored outputs. Store them by `hierml notebook run %[1]s -o %[1]s`", path)
	}
	e, err := newEngine(worker.Config{Dir: filepath.Dir(path)}, engine.Config{Mode: c.mode})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	progress := newProgress(c.stderr)
	failure := rerun.Runner{Evaluator: e, Starting: progress.starting, Finished: progress.finished}.Run(ctx, now)
	if ctx.Err() != nil {
		return false, failure
	}
	differences := compare.Cells(stored, now, c.tolerance)
	if failed := (*rerun.CellError)(nil); errors.As(failure, &failed) {
		// Its error says more than what it lacks of what is stored.
		differences = slices.DeleteFunc(differences, func(d compare.Difference) bool { return d.Number == failed.Number })
	}
	if err := c.report(path, now, differences, failure); err != nil {
		return false, errors.Join(failedCell(path, failure), err)
	}
	return len(differences) == 0 && failure == nil, failedCell(path, failure)
}

// longest is how many lines of a diff are printed.
const longest = 40

func (c *checker) report(path string, now *notebook.Notebook, differences []compare.Difference, failure error) error {
	ran := 0 // to the end
	for _, cell := range now.Cells {
		if cell.Count > 0 {
			ran++
		}
	}
	var b strings.Builder
	if failed := (*rerun.CellError)(nil); errors.As(failure, &failed) {
		ran--
	}
	if len(differences) == 0 && failure == nil {
		fmt.Fprintf(&b, "%s: %s as stored\n", path, plural(ran, "cell shows", "cells show"))
	}
	colours := takesColours(c.stdout)
	enough, numbers := 0.0, len(differences) > 0
	for _, d := range differences {
		fmt.Fprintf(&b, "%s: cell %d: %s\n", path, d.Number, visible.Text(firstLine(d.Cell.Source)))
		numbers = numbers && d.Largest > 0
		enough = max(enough, d.Largest)
		for _, part := range d.Parts {
			fmt.Fprintf(&b, "  %s\n", part.Title)
			for i, line := range part.Diff {
				if i == longest {
					fmt.Fprintf(&b, "    … %s\n", plural(len(part.Diff)-i, "more line", "more lines"))
					break
				}
				fmt.Fprintf(&b, "    %s\n", coloured(visible.Text(line), colours))
			}
		}
	}
	if len(differences) > 0 {
		fmt.Fprintf(&b, "%s: %d of %s something else\n", path, len(differences), plural(ran, "cell shows", "cells show"))
	}
	if numbers && failure == nil {
		fmt.Fprintf(&b, "%s: only numbers differ; --tolerance %.2g accepts them\n", path, roundedUp(enough))
	}
	_, err := io.WriteString(c.stdout, b.String())
	return err
}

// roundedUp is the next number with two digits.
func roundedUp(x float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	return math.Ceil(x/unit) * unit
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// coloured colours a line of a diff as git does.
func coloured(line string, colours bool) string {
	codes := map[string]string{"-": "31", "+": "32", "@": "36"}
	if code := codes[line[:min(1, len(line))]]; colours && code != "" {
		return "\x1b[" + code + "m" + line + "\x1b[0m"
	}
	return line
}
