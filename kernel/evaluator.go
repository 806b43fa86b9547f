package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/address"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/script"
	"github.com/hierml/notebook/kernel/internal/worker"
	"github.com/hierml/notebook/kernel/internal/worker/child"
	"github.com/hierml/notebook/stdlib"
)

// newEngine returns an engine whose cells run in a worker process of this program. The settings are
// completed. What processes have left that were killed is cleared. Args are the os.Args of the
// cells; without any these have the name of this program alone.
func newEngine(config worker.Config, settings engine.Config, args ...string) (*engine.Engine, error) {
	if err := address.CheckForCells(); err != nil {
		return nil, err
	}
	command, err := workerProgram()
	if err != nil {
		return nil, err
	}
	warnOfOpenProgram()
	config.Command = command
	if len(args) > 0 {
		config.Command = slices.Concat(command, []string{"--"}, args)
	} else if err := runAgain(); err != nil { // cells, which run nowhere else
		return nil, err
	}
	child, err := worker.Start(config)
	if err != nil {
		return nil, err
	}
	temporary.Clear()
	settings.Executor = child
	settings.Compiler = func(ctx context.Context, progress func(string)) (program.Compiler, error) {
		return newCompiler(ctx, progress, command)
	}
	settings.Importer = stdlib.Importer
	settings.Preloaded = stdlib.Preloaded
	settings.Cells = cellsOf
	settings.DataSets = dataSets
	return engine.New(settings), nil
}

// warnOfOpenProgram says once if others can write to this program.
var warnOfOpenProgram = sync.OnceFunc(func() {
	self, err := os.Executable()
	if err == nil {
		err = toolchain.TrustProgram(self)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been replaced since it was started
		fmt.Fprintln(os.Stderr, "hierml: warning:", visible.Text(err.Error()))
	}
})

// cellsOf returns the cells of a script, a program or a notebook, for %run. Those of a notebook
// that are not to be run, or are there to fail, are left out.
func cellsOf(path string) ([]program.Cell, error) {
	if !strings.EqualFold(filepath.Ext(path), ".ipynb") {
		s, err := script.Read(path)
		if err != nil {
			return nil, err
		}
		return []program.Cell{s.Cell()}, nil
	}
	nb, err := notebook.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cells []program.Cell
	number := 0
	for _, c := range nb.Cells {
		if c.Kind != notebook.Code {
			continue
		}
		number++
		if !c.Tagged(notebook.SkipExecution) && !c.Tagged(notebook.RaisesException) {
			cells = append(cells, program.Cell{Name: fmt.Sprintf("%s, cell %d", filepath.Base(path), number), Source: c.Source})
		}
	}
	return cells, nil
}

// runAgain has studies know by which command of this program a farm does what this process does:
// the arguments are empty where there is none.
func runAgain(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot find its own file, so a farm cannot start it: %w", err)
	}
	return process.SetAgain(append([]string{self}, args...)...)
}

// workerProgram is the command that starts a worker.
func workerProgram() ([]string, error) {
	self, err := process.Program()
	if err != nil {
		return nil, fmt.Errorf("this program cannot find its own file, so it cannot start a worker: %w", err)
	}
	return []string{self, "worker"}, nil
}

// engineFlag adds the flag that chooses how cells are run.
func engineFlag(cmd *cobra.Command, mode *program.Mode) {
	cmd.Flags().TextVar(mode, "engine", program.AutoMode,
		"how to run cells: `MODE` is interpreted, compiled, or auto, which compiles them if possible")
}

// workerCommand is what newEngine starts.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker [-- ARGS...]",
		Short:  "Run the cells of the process that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = os.Args[:1]
			}
			os.Args = args
			// As package flag does it, and without the flags of the packages that this program is
			// made of.
			flag.CommandLine = flag.NewFlagSet(args[0], flag.ExitOnError)
			flag.CommandLine.Usage = func() { flag.Usage() }
			return child.Main(loadPlugin)
		},
	}
}
