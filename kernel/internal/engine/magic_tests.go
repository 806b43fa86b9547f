package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// test does what %test says: it has the tests of the session built, and runs them in a cell of
// their own, so that they end with an interrupt, and have the folder and the environment of cells.
func (e *Engine) test(ctx context.Context, src *syntax.Source, m *magics.Use, out program.Output) (err error) {
	e.mu.Lock()
	tests, err := export.WriteTests(e.checker)
	e.mu.Unlock()
	switch {
	case err != nil:
		return e.testError(ctx, src, m, err)
	case tests == nil:
		out.Stream("stdout", "No cell has declared a test, as func TestX(t *testing.T), func BenchmarkX(b *testing.B), func FuzzX(f *testing.F) or func ExampleX().\n")
		return nil
	}
	arguments, chosen, fuzz, complaint := m.Test.Choose(tests.Names)
	if complaint != "" {
		return e.testError(ctx, src, m, errors.New(complaint))
	}
	var flags []string
	if m.Test.Race {
		flags = append(flags, "-race")
	}
	if fuzz != "" {
		flags = append(flags, "-fuzz=.") // by which the go command instruments the program
	}
	binary, err := e.buildTests(ctx, tests, flags, out)
	if err != nil {
		return e.testError(ctx, src, m, err)
	}
	defer func() { err = errors.Join(err, temporary.Remove(filepath.Dir(binary))) }()
	e.mu.Lock()
	variables := slices.DeleteFunc(tests.Variables(chosen), func(name string) bool {
		d := e.checker.Session.Live[name]
		told := e.testVariables[name] == d
		e.testVariables[name] = d
		return told
	})
	e.mu.Unlock()
	if len(variables) > 0 {
		out.Stream(host.Notes, "note: "+declaredValues(variables)+"\n")
	}
	e.mu.Lock()
	alias := magics.Alias(func(name string) bool { return e.checker.Session.Live[name] != nil })
	e.mu.Unlock()
	if fuzz != "" {
		arguments = append(arguments, "-test.fuzzcachedir="+filepath.Join(filepath.Dir(binary), "inputs"))
		defer e.showFailing(fuzz, out)()
	}
	words := []string{strconv.Quote(binary), strconv.Quote("-test.paniconexit0")} // as go test does
	for _, a := range arguments {
		words = append(words, strconv.Quote(a))
	}
	cell := program.Cell{Number: e.number(0), Count: src.Cell.Count, Name: src.Cell.Title(), Source: src.Cell.Source, Aside: true}
	text := alias + ".Test(" + strings.Join(words, ", ") + ")"
	at := []syntax.TextPiece{{Origin: m.Start}}
	_, err = e.run(ctx, syntax.NewLexed(&syntax.Source{Cell: cell, Translation: &syntax.Translation{Text: text, Pieces: at, Alias: alias}}), out)
	return err
}

// declaredValues says which values the variables have that tests use.
func declaredValues(variables []string) string {
	const reason = "; %test runs no other statements of cells"
	if len(variables) == 1 {
		return "in tests, the variable " + variables[0] + " has its declared value" + reason
	}
	last := len(variables) - 1
	return "in tests, the variables " + strings.Join(variables[:last], ", ") + " and " + variables[last] + " have their declared values" + reason
}

// showFailing returns a function that shows the inputs of a fuzz test which failed since. The
// program of the tests has written them to files.
func (e *Engine) showFailing(fuzz string, out program.Output) func() {
	inputs := func() []string {
		files, _ := filepath.Glob(filepath.Join(e.folder(), "testdata", "fuzz", fuzz, "*")) // the pattern is a good one, or there are none
		return files
	}
	before := inputs()
	return func() {
		for _, file := range inputs() {
			if slices.Contains(before, file) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				out.Stream("stderr", fmt.Sprintf("the input that fails cannot be read: %v\n", err))
				continue
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			out.Stream("stdout", fmt.Sprintf("The input that fails is %s(%s); %%test %s/%s runs it again.\n", fuzz, strings.Join(lines[1:], ", "), fuzz, filepath.Base(file)))
		}
	}
}

// testError words what keeps tests from being run.
func (e *Engine) testError(ctx context.Context, src *syntax.Source, m *magics.Use, err error) error {
	var known *program.Error
	if ctx.Err() != nil || errors.As(err, &known) {
		return err
	}
	return syntax.ProblemsError("error", []syntax.Problem{{Source: src, Offset: m.Start, Msg: err.Error()}})
}

// buildTests returns the program that runs tests.
func (e *Engine) buildTests(ctx context.Context, tests *export.Tests, more []string, out program.Output) (string, error) {
	e.declaring.Lock() // a cell may ask for modules
	defer e.declaring.Unlock()
	if err := e.openCompiler(ctx, out); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("tests cannot be built, because they need the go command: %w", err)
	}
	modules, ok := e.compiler.(program.Modules)
	if !ok {
		return "", errors.New("tests need the go command, which this program does not have")
	}
	modules.SetFlags(slices.Concat(e.goflags, more))
	defer modules.SetFlags(e.goflags)
	files := map[string]string{"cells.go": tests.Declared, "cells_test.go": tests.Tested}
	return modules.BuildTests(ctx, e.folder(), files, func(line string) { out.Stream(host.Notes, line+"\n") })
}

// chooseFlags does what %goflags says: it lists the flags of the go command, or sets them.
func (e *Engine) chooseFlags(m *magics.Use, out program.Output) {
	e.declaring.Lock()
	defer e.declaring.Unlock()
	if len(m.Flags) > 0 || m.Unset {
		e.goflags = m.Flags
		if modules, ok := e.compiler.(program.Modules); ok {
			modules.SetFlags(m.Flags)
		}
	}
	if len(e.goflags) == 0 {
		out.Stream("stdout", "No flags are set for the go command.\n")
		return
	}
	out.Stream("stdout", strings.Join(e.goflags, " ")+"\n")
}
