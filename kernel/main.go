// Hierml is a Go kernel for Jupyter and a scripting environment for research on
// hierarchical classification. This package is its command line; what the
// commands do is in the packages below.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/session"
	"github.com/hierml/notebook/kernel/worker"
	"github.com/hierml/notebook/stdlib"
)

func main() {
	if err := command().ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "hierml:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "hierml",
		Short:         "Go for notebooks, with hierarchical classification",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(kernelCommand(), workerCommand())
	return root
}

// newEngine returns an engine whose cells run in a worker process of this
// program.
func newEngine() (*engine.Engine, error) {
	process, err := worker.Start(worker.Config{})
	if err != nil {
		return nil, err
	}
	return engine.New(engine.Config{
		Executor:  process,
		Importer:  stdlib.Importer,
		Preloaded: stdlib.Preloaded,
	}), nil
}

func kernelCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "kernel [CONNECTION_FILE]",
		Short:   "Serve Jupyter front ends",
		Long:    "Kernel serves the Jupyter front ends that come by way of a connection file.\nJupyter calls it; people rarely do.",
		Example: "  hierml kernel /run/user/1000/jupyter/kernel-1.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				file = args[0]
			}
			if file == "" {
				return errors.New("no connection file; name it as the argument")
			}
			e, err := newEngine()
			if err != nil {
				return err
			}
			return session.Serve(cmd.Context(), file, e, session.Config{})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "connection file")
	return cmd
}

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run the cells of the process that started this one",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return worker.Main() },
	}
}
