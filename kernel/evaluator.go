package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker"
	"github.com/hierml/notebook/stdlib"
)

// newEngine returns an engine whose cells run in a worker process of this
// program. The settings are completed. Args are the os.Args of the cells; there
// may be none.
func newEngine(config worker.Config, settings engine.Config, args ...string) (*engine.Engine, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start the worker: %w", err)
	}
	config.Command = []string{self, "worker"}
	if len(args) > 0 {
		config.Command = append(append(config.Command, "--"), args...)
	}
	process, err := worker.Start(config)
	if err != nil {
		return nil, err
	}
	settings.Executor = process
	settings.Compiler = newCompiler
	settings.Importer = stdlib.Importer
	settings.Preloaded = stdlib.Preloaded
	return engine.New(settings), nil
}

// engineFlag adds the flag that chooses how cells are run.
func engineFlag(cmd *cobra.Command, mode *engine.Mode) {
	cmd.Flags().TextVar(mode, "engine", engine.AutoMode,
		"how cells are run: `MODE` is interpreted, compiled, or auto, which\ncompiles from the first cell on that the interpreter does not take")
}

// workerCommand is what newEngine starts.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker [-- ARGS...]",
		Short:  "Run the cells of the process that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				os.Args = args
				// As package flag does it, and without the flags of the
				// packages that this program is made of.
				flag.CommandLine = flag.NewFlagSet(args[0], flag.ExitOnError)
				flag.CommandLine.Usage = func() { flag.Usage() }
			}
			return worker.Main(loadPlugin)
		},
	}
}
