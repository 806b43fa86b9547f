package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// deepest bounds how deep files may run each other by %run.
const deepest = 20

type runDepth struct{}

// runFile runs the cells of a file in the session, up to the first one that fails.
func (e *Engine) runFile(ctx context.Context, src *syntax.Source, m *magics.Use, out program.Output) error {
	refuse := func(msg string) error {
		return syntax.ProblemsError("CompileError", []syntax.Problem{{Source: src, Offset: m.Argument, Msg: msg}})
	}
	if e.cells == nil {
		return refuse("%run is not available here")
	}
	depth, _ := ctx.Value(runDepth{}).(int)
	if depth == deepest {
		return refuse("the files run each other in an endless loop")
	}
	var path, arguments string
	for _, f := range m.Files {
		var err error
		if path, err = e.expand(f.Name); err != nil {
			return refuse(err.Error())
		}
		arguments = f.Arguments
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	cells, err := e.cells(path)
	if err != nil {
		return refuse(err.Error())
	}
	if arguments != "" {
		cells = slices.Insert(cells, 0, program.Cell{Source: "%args " + arguments})
	}
	ctx = context.WithValue(ctx, runDepth{}, depth+1)
	for _, cell := range cells {
		cell.Number, cell.Count, cell.Aside = e.number(0), src.Cell.Count, true
		if _, err := e.conduct(ctx, cell, out); err != nil {
			return e.worded(ctx, cell, err)
		}
	}
	return nil
}

// expand returns the path of a file that a cell names. ~ is the user's home directory; relative
// paths start in the cells' working directory.
func (e *Engine) expand(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Join(e.folder(), path), nil
}
