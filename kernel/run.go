package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/script"
	"github.com/hierml/notebook/kernel/worker"
)

func runCommand() *cobra.Command {
	var strict bool
	var mode engine.Mode
	cmd := &cobra.Command{
		Use:   "run FILE.go [ARGS...]",
		Short: "Run a script",
		Long: `Run runs a file of Go without compiling it: either what could stand in the cells
of a notebook, that is statements, declarations and imports in any order, with
the packages of hierml, Go's standard library, gonum and gonum/plot usable without import; or
a plain program, whose function main is called.

It prints what the script prints, and what it displays as text. ARGS are the
script's os.Args[1:].

A statement outside functions that leaves out the error of a call, such as
docs := f() where f returns ([]Doc, error), ends the script with the error. With
--strict, and in a plain program, it does not compile, as in Go, or drops the error if
it is just a call.`,
		Example: `  hierml run experiment.go
  hierml run experiment.go -seed 7 ng15

A script:
  #!/usr/bin/env -S hierml run
  docs, err := dataset.GoDoc("")
  if err != nil {
  	log.Fatal(err)
  }
  fmt.Println(docs)`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s, err := script.Read(args[0])
			if err != nil {
				return err
			}
			if strings.EqualFold(filepath.Ext(args[0]), ".ipynb") {
				return fmt.Errorf("%s is a notebook: hierml notebook run %[1]s", args[0])
			}
			e, err := newEngine(worker.Config{}, engine.Config{Mode: mode, Strict: strict || s.Program()}, args...)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, e.Close()) }()
			ctx, done := interruptible(cmd.Context())
			defer done()
			out := script.NewOutput(os.Stdin, os.Stdout, os.Stderr)
			return errors.Join(s.Run(ctx, e, out), out.Close())
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "leave errors to the script, as Go does")
	engineFlag(cmd, &mode)
	// What follows the script's name is the script's.
	cmd.Flags().SetInterspersed(false)
	return cmd
}
