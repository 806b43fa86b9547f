package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/install/internal/release"
	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// The names of files in the folders of data and of manual pages.
const (
	pythonFolder = "python"
	manualPage   = "hierml.1"
)

// outcome is the content of the summary.
type outcome struct {
	// version is that of the sources if they are those of a module.
	version   string
	spec      kernelspec.Spec
	kernelDir string
	places    place.Places
	// env is the private environment, and base the Python that makes it where it is needed.
	env     python.Environment
	base    *python.Interpreter
	jupyter *python.Interpreter
	// withoutJupyter says why jupyter is nil.
	withoutJupyter string
	// searchPath is the value of JUPYTER_PATH with which Jupyter finds the kernel; empty if it
	// finds it anyway.
	searchPath string
	tour       *tourRecord
	tourKept   bool
}

// install does the whole installation, step by step. Each step checks what is already in place and
// does only the rest.
func install(ctx context.Context, c *console, s settings, places place.Places) (err error) {
	restrict()
	temporary.Clear()
	root, version, err := sourceRoot(ctx)
	if err != nil {
		return err
	}
	o := outcome{
		version:   version,
		spec:      kernelspec.Spec{Name: s.name, DisplayName: s.displayName, Program: filepath.Join(places.Bin, programName())},
		kernelDir: kernelspec.Dir(places.Jupyter, s.name),
		places:    places,
	}
	if err := o.spec.Check(); err != nil {
		return err
	}
	r, held, err := begin(places)
	if err != nil {
		return fmt.Errorf("%w; name another folder with --prefix", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	for _, dir := range []string{places.Data, places.Bin, places.Man, o.kernelDir} {
		if err := r.makeFolder(dir); err != nil {
			return fmt.Errorf("%w; name a folder that you may write to with --prefix", err)
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	if s.noJupyter {
		o.withoutJupyter = "as --no-jupyter asks"
	} else if err := o.findJupyter(ctx, c, r); err != nil {
		return err
	}
	making := o.makeJupyter(ctx)
	defer making.end()
	for _, stage := range []func(context.Context, *console, *receipt, string) error{o.chooseGo, o.buildProgram, o.prepareCells, o.registerKernel, o.placeFiles, making.await, o.checkJupyter, o.runTour} {
		if err := stage(ctx, c, r, root); err != nil {
			return err
		}
	}
	_, err = c.out.Write([]byte(o.summary()))
	return err
}

// chooseGo selects a Go for which cells can be compiled, for the following steps.
func (o *outcome) chooseGo(ctx context.Context, c *console, _ *receipt, root string) error {
	step := c.begin("Looking at Go")
	choice, err := toolchain.Choose(ctx, root)
	switch {
	case ctx.Err() != nil:
		return step.fail(err)
	case err != nil:
		step.end("%s; cells will be interpreted; run `go run ./install` again with a network", err)
	case choice.Misfit != nil:
		if err := os.Setenv("GOTOOLCHAIN", choice.Version); err != nil {
			return step.fail(err)
		}
		step.end("%s; so program and cells are built with %s, which the go command has fetched", choice.Misfit, choice.Version)
	default:
		step.end("%s", choice.Version)
	}
	return nil
}

func (o *outcome) buildProgram(ctx context.Context, c *console, r *receipt, root string) error {
	step := c.begin("Building hierml")
	r.addProgram(o.spec.Program)
	if err := r.save(); err != nil {
		return step.fail(err)
	}
	compiled := 0
	ldflags := ""
	if o.version != "" {
		ldflags = "-X main.released=" + o.version
	}
	err := buildProgram(ctx, root, o.spec.Program, func(what string) {
		compiled++
		step.progress(compiled, 0, what)
	}, ldflags)
	if err != nil {
		return step.fail(err)
	}
	step.end("%s", o.spec.Program)
	return nil
}

// prepareCells makes the files for compiling cells. If that is not possible, it says why; cells are
// interpreted then.
func (o *outcome) prepareCells(ctx context.Context, c *console, _ *receipt, root string) error {
	step := c.begin("Preparing compiled cells")
	now := ""
	_, err := toolchain.Open(ctx, toolchain.Settings{
		Program: o.spec.Program, Root: root,
		Progress: func(what string) {
			now = what
			step.progress(0, 0, now)
		},
		Compiled: func(packages int) { step.progress(packages, 0, now) },
	})
	switch {
	case ctx.Err() != nil:
		return step.fail(err)
	case err != nil:
		step.end("not possible here, cells are interpreted: %s", err)
	case now == "":
		step.end("kept, because the program is the same")
	default:
		step.end("ready, in the cache of the user")
	}
	return nil
}

// placeFiles puts the course where `hierml lab` finds it, and the manual where man does.
func (o *outcome) placeFiles(_ context.Context, c *console, r *receipt, root string) error {
	step := c.begin("Placing the course and the manual")
	manual, err := os.ReadFile(filepath.Join(root, "kernel", "hierml.1"))
	if err != nil {
		return step.fail(err)
	}
	if err := r.writeFile(filepath.Join(o.places.Man, manualPage), manual); err != nil {
		return step.fail(err)
	}
	content, err := release.Course(root, time.Unix(0, 0))
	if err != nil {
		return step.fail(err)
	}
	path := filepath.Join(o.places.Data, beside.Course)
	if err := r.writeFile(path, content); err != nil {
		return step.fail(err)
	}
	step.end("`hierml lab` copies the course into a folder of yours, `man hierml` shows the manual")
	return nil
}

func (o *outcome) registerKernel(_ context.Context, c *console, r *receipt, _ string) error {
	step := c.begin("Registering the kernel")
	if err := o.spec.Write(o.kernelDir); err != nil {
		return step.fail(err)
	}
	r.addKernel(o.kernelDir)
	if err := r.save(); err != nil {
		return step.fail(err)
	}
	step.end("%s", o.kernelDir)
	return nil
}

// findJupyter looks for a Jupyter: in the private environment of an earlier installation, then on
// PATH. If there is none, it sets o.base to a Python that can make the private environment. Without
// one, it says why.
func (o *outcome) findJupyter(ctx context.Context, c *console, r *receipt) error {
	step := c.begin("Looking for Jupyter")
	o.env = python.Environment{Dir: filepath.Join(o.places.Data, pythonFolder), Lock: python.Jupyter()}
	if err := o.env.Tidy(); err != nil {
		return step.fail(err)
	}
	if chosen, err := o.env.Open(ctx); err == nil {
		o.jupyter = &chosen
	} else {
		found := python.Find(ctx)
		if existing, ok := python.Choose(found); ok {
			o.jupyter = &existing
			// The rest of a private environment has no use any more.
			if _, _, err := o.env.Remove(); err != nil {
				return step.fail(err)
			}
			r.Python = ""
		} else if base, err := python.Base(found); err != nil {
			o.withoutJupyter = "because Python is missing: " + err.Error()
			step.end("none; %s", err)
			return nil
		} else {
			o.base = &base
			r.Python = o.env.Dir
			step.end("none; JupyterLab will be put into %s while the program is built", o.env.Dir)
			return r.save()
		}
	}
	step.end("%s", o.jupyter.Path)
	return r.save()
}

// jupyterMaking makes the private environment while the compiler runs. A nil one makes none.
type jupyterMaking struct {
	o      *outcome
	cancel context.CancelFunc
	// packages reports the number of installed packages, and the last one. It is closed when made
	// and err are set.
	packages chan placed
	made     python.Interpreter
	err      error
}

type placed struct {
	done int
	what string
}

// makeJupyter begins to make the private environment, if o.base is set.
func (o *outcome) makeJupyter(ctx context.Context) *jupyterMaking {
	if o.base == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	m := &jupyterMaking{o: o, cancel: cancel, packages: make(chan placed, o.env.Lock.Len())}
	go func() {
		defer close(m.packages)
		m.made, m.err = o.env.Make(ctx, *o.base, func(done int, what string) {
			select {
			case m.packages <- placed{done, what}:
			default: // nobody looks yet
			}
		})
	}()
	return m
}

// await waits until the environment is ready, and shows its packages.
func (m *jupyterMaking) await(ctx context.Context, c *console, _ *receipt, _ string) error {
	if m == nil {
		return nil
	}
	step := c.begin("Installing JupyterLab")
	total := m.o.env.Lock.Len()
	for p := range m.packages {
		step.progress(p.done, total, p.what)
	}
	m.o.jupyter = &m.made
	if m.err == nil {
		step.end("%d packages, in %s", total, m.o.env.Dir)
		return nil
	}
	before, none := m.o.env.Works(ctx)
	if none != nil || ctx.Err() != nil {
		return step.fail(m.err)
	}
	// An earlier version is better than none.
	m.o.jupyter = &before
	step.end("not possible now, the earlier one stays: %s", m.err)
	return nil
}

// end cancels the work and waits for its end.
func (m *jupyterMaking) end() {
	if m == nil {
		return
	}
	m.cancel()
	for range m.packages {
	}
}

// checkJupyter finds out whether Jupyter sees the kernel.
func (o *outcome) checkJupyter(ctx context.Context, c *console, r *receipt, _ string) (err error) {
	if o.jupyter == nil {
		return nil
	}
	step := c.begin("Showing the kernel to Jupyter")
	if o.searchPath, err = neededSearchPath(ctx, *o.jupyter, o.spec.Name, o.kernelDir, o.places.Jupyter); err != nil {
		return step.fail(err)
	}
	step.end("JupyterLab %s, %s", o.jupyter.Packages["jupyterlab"], o.jupyter.Path)
	return nil
}

// neededSearchPath returns the value of JUPYTER_PATH with which `jupyter kernelspec list` shows the
// kernel; empty if it already does.
func neededSearchPath(ctx context.Context, jupyter python.Interpreter, name, dir, data string) (string, error) {
	for _, searchPath := range []string{"", python.SearchPath(data, os.Getenv("JUPYTER_PATH"))} {
		kernels, err := python.Kernels(ctx, jupyter, searchPath)
		if err != nil {
			return "", err
		}
		if sameFolder(kernels[filepath.Base(dir)], dir) {
			return searchPath, nil
		}
	}
	return "", fmt.Errorf("%s was written, but `jupyter kernelspec list` does not show %q; check that you can read kernel.json", dir, name)
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

func (o *outcome) runTour(ctx context.Context, c *console, r *receipt, root string) error {
	t := tour{source: filepath.Join(root, "notebooks", "01-tour.ipynb"), spec: o.spec, places: o.places, jupyter: o.jupyter}
	step := c.begin("Running the tour")
	inputs, err := t.inputs()
	if err != nil {
		return step.fail(err)
	}
	if r.Tour != nil && !r.Tour.of(o.places) {
		r.Tour = nil // it names files that are none of hierml's
	}
	o.tourKept, err = r.Tour.current(inputs)
	if err != nil {
		return step.fail(err)
	}
	o.tour = r.Tour
	if o.tourKept {
		step.end("kept, because program and notebook have not changed since its last run")
		return nil
	}
	aside, err := putAside(r.Tour)
	if err != nil {
		return step.fail(err)
	}
	o.tour, err = t.run(ctx, func(done, total int) { step.progress(done, total, "cells") })
	if err != nil {
		return step.fail(err)
	}
	r.Tour = o.tour
	if err := r.save(); err != nil {
		return step.fail(err)
	}
	step.end("ran, by %s", o.tour.Runner)
	for _, path := range aside {
		c.printf("  you had changed the earlier tour; it is now %s", path)
	}
	return nil
}
