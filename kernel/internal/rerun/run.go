// Package rerun runs the cells of a notebook without Jupyter and stores their outputs in it. An
// [Evaluator] runs the cells, and package notebook handles the file.
package rerun

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/notebook"

	"github.com/hierml/notebook/kernel/internal/program"
)

// An Evaluator runs cells, one after the other. *engine.Engine is one.
type Evaluator interface {
	// Run runs a cell. Its output goes to out before Run returns; the bundle is the value of its
	// last expression, or nil. Run interrupts the cell when ctx is done.
	Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error)
}

// A Step is the run of one code cell.
type Step struct {
	// Number counts the cells of the run, from 1, and Total is the number of all.
	Number, Total int
	Cell          *notebook.Cell
	// Time is how long the cell took; 0 while it runs.
	Time time.Duration
	// Err is the error of a failed cell.
	Err error
}

// A Runner runs notebooks.
type Runner struct {
	Evaluator Evaluator
	// Starting and Finished, if not nil, are called before and after each cell.
	Starting, Finished func(Step)
}

// A CellError says which cell failed. Err is what the evaluator returned.
type CellError struct {
	Number int // as in Step
	Err    error
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %d: %v", e.Number, e.Err) }

// Unwrap returns the evaluator's error.
func (e *CellError) Unwrap() error { return e.Err }

// Run runs the code cells of the notebook from top to bottom and replaces their outputs. It stops
// at the first cell that fails, with a *CellError, unless the cell has the tag [RaisesException];
// the notebook keeps the outputs up to there. It skips a cell with the tag [SkipExecution]. When
// ctx is done, the running cell is interrupted, and so fails.
func (r Runner) Run(ctx context.Context, nb *notebook.Notebook) error {
	var cells []*notebook.Cell
	for _, c := range nb.Cells {
		if c.Kind != notebook.Code {
			continue
		}
		if c.Tagged(notebook.SkipExecution) {
			continue
		}
		c.Count, c.Outputs = 0, nil
		if strings.TrimSpace(c.Source) != "" {
			cells = append(cells, c)
		}
	}
	shown := displays{}
	for i, c := range cells {
		step := Step{Number: i + 1, Total: len(cells), Cell: c}
		if r.Starting != nil {
			r.Starting(step)
		}
		start := time.Now()
		step.Err = r.cell(ctx, step.Number, cells[i:], shown)
		step.Time = time.Since(start)
		if r.Finished != nil {
			r.Finished(step)
		}
		if step.Err != nil && (ctx.Err() != nil || !c.Tagged(notebook.RaisesException)) {
			return &CellError{step.Number, step.Err}
		}
	}
	return nil
}

// cell runs the first of some cells.
func (r Runner) cell(ctx context.Context, number int, cells []*notebook.Cell, shown displays) error {
	c := cells[0]
	c.Count = number
	next := func() (sources []string) {
		for _, c := range cells[1:] {
			sources = append(sources, c.Source)
		}
		return sources
	}
	out := &collector{cell: c, displays: shown}
	bundle, err := r.Evaluator.Run(ctx, program.Cell{Number: number, Source: c.Source, Next: next}, out)
	if err != nil {
		out.add(failure(err))
		return err
	}
	if bundle != nil {
		out.show(&notebook.Output{Kind: notebook.Result, Count: number}, bundle)
	}
	return nil
}

// failure returns an error as a notebook output.
func failure(err error) *notebook.Output {
	var e *program.Error
	if errors.As(err, &e) {
		return &notebook.Output{Kind: notebook.Failure, ErrorName: e.Name, ErrorValue: e.Message, Traceback: e.Traceback}
	}
	return &notebook.Output{Kind: notebook.Failure, ErrorName: "Error", ErrorValue: err.Error(), Traceback: []string{err.Error()}}
}
