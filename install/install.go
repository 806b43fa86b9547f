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

// outcome is what the summary tells.
type outcome struct {
	// version is that of the sources if they are those of a module.
	version   string
	spec      kernelspec.Spec
	kernelDir string
	places    place.Places
	jupyter   *python.Interpreter
	// withoutJupyter says why jupyter is nil.
	withoutJupyter string
	// searchPath is what JUPYTER_PATH has to be for Jupyter to see the kernel; empty if it sees it
	// anyway.
	searchPath string
	tour       *tourRecord
	tourKept   bool
}

// install does the whole installation, step by step. Each step finds out what is in place already
// and does only the rest.
func install(ctx context.Context, c *console, s settings, places place.Places) (err error) {
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
		return fmt.Errorf("%w; --prefix names another folder", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	for _, dir := range []string{places.Data, places.Bin, places.Man, o.kernelDir} {
		if err := r.makeFolder(dir); err != nil {
			return fmt.Errorf("%w; --prefix names a folder that you may write to", err)
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	for _, stage := range []func(context.Context, *console, *receipt, string) error{o.chooseGo, o.buildProgram, o.prepareCells, o.registerKernel, o.placeFiles} {
		if err := stage(ctx, c, r, root); err != nil {
			return err
		}
	}
	if s.noJupyter {
		o.withoutJupyter = "as --no-jupyter asks"
	} else if err := o.provideJupyter(ctx, c, r); err != nil {
		return err
	}
	if err := o.runTour(ctx, c, r, root); err != nil {
		return err
	}
	_, err = c.out.Write([]byte(o.summary()))
	return err
}

// chooseGo has all that follows use a Go for which cells can be compiled.
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

// prepareCells makes what the program needs to compile cells. Where that cannot be, it says why;
// cells are interpreted then.
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

// placeFiles puts the course where `hierml lab` takes it from, and the manual where man does.
func (o *outcome) placeFiles(_ context.Context, c *console, r *receipt, root string) error {
	step := c.begin("Placing the course and the manual")
	manual, err := os.ReadFile(filepath.Join(root, "kernel", "hierml.1"))
	if err != nil {
		return step.fail(err)
	}
	if err := r.writeFile(filepath.Join(o.places.Man, "hierml.1"), manual); err != nil {
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

// provideJupyter finds a Jupyter or makes one: the private environment of an earlier installation,
// what is on PATH, or a new private environment, in this order. Where Python is missing it leaves
// o.jupyter nil and says why.
func (o *outcome) provideJupyter(ctx context.Context, c *console, r *receipt) error {
	step := c.begin("Looking for Jupyter")
	env := python.Environment{Dir: filepath.Join(o.places.Data, "python"), Lock: python.Jupyter()}
	if err := env.Tidy(); err != nil {
		return step.fail(err)
	}
	chosen, err := env.Open(ctx)
	if err != nil {
		found := python.Find(ctx)
		existing, ok := python.Choose(found)
		if ok {
			chosen = existing
			// What is left of a private one is of no use any more.
			if err := env.Remove(); err != nil {
				return step.fail(err)
			}
			r.Python = ""
		} else {
			base, err := python.Base(found)
			if err != nil {
				o.withoutJupyter = "because Python is missing: " + err.Error()
				step.end("none; %s", err)
				return nil
			}
			step.end("none; it will be put into %s", env.Dir)
			step = c.begin("Installing JupyterLab")
			r.Python = env.Dir
			if err := r.save(); err != nil {
				return step.fail(err)
			}
			total := env.Lock.Len()
			chosen, err = env.Make(ctx, base, func(done int, what string) { step.progress(done, total, what) })
			if err != nil {
				before, none := env.Works(ctx)
				if none != nil || ctx.Err() != nil {
					return step.fail(err)
				}
				// One of an earlier version is better than none.
				step.end("not possible now, the earlier one stays: %s", err)
				step = c.begin("Looking for Jupyter")
				chosen = before
			}
		}
	}
	o.jupyter = &chosen
	if o.searchPath, err = neededSearchPath(ctx, chosen, o.spec.Name, o.kernelDir, o.places.Jupyter); err != nil {
		return step.fail(err)
	}
	step.end("JupyterLab %s, %s", chosen.Packages["jupyterlab"], chosen.Path)
	return r.save()
}

// neededSearchPath returns what JUPYTER_PATH has to be so that `jupyter kernelspec list` shows the
// kernel: nothing, if it does already.
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
	return "", fmt.Errorf("%s was written, but `jupyter kernelspec list` does not show %q; is kernel.json readable for you?", dir, name)
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
	o.tourKept, err = r.Tour.current(inputs)
	if err != nil {
		return step.fail(err)
	}
	o.tour = r.Tour
	if o.tourKept {
		step.end("kept, because program and notebook are those of its last run")
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
	step.end("every cell ran, by %s", o.tour.Runner)
	for _, path := range aside {
		c.printf("  you had changed the last one; it is now %s", path)
	}
	return nil
}
