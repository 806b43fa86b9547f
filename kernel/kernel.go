package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/session"
	"github.com/hierml/notebook/kernel/worker"
)

func kernelCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "kernel [CONNECTION_FILE]",
		Short: "Serve Jupyter front ends",
		Long: `Kernel serves the Jupyter front ends that come by way of a connection file,
until one of them ends it. Jupyter calls it; people rarely do.`,
		Example: "  hierml kernel /run/user/1000/jupyter/kernel-1.json",
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && file != "":
				return &usageError{cmd, errors.New("two connection files; name it once, as the argument or by -f")}
			case len(args) == 1:
				file = args[0]
			case file == "":
				return &usageError{cmd, errors.New("no connection file; name it as the argument")}
			}
			open := func() (session.Evaluator, error) { return newEngine(worker.Config{}) }
			return session.Serve(cmd.Context(), file, open, session.Config{})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "the connection file, as other kernels take it")
	return cmd
}
