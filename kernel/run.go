package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/script"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func runCommand() *cobra.Command {
	var strict bool
	var mode program.Mode
	cmd := &cobra.Command{
		Use:   "run FILE.go [ARGS...]",
		Short: "Run a script",
		Long: `Run runs a Go file at once, without a build. The file is a script or a plain program.

A script looks like the cells of a notebook: statements, declarations and imports in any order. The packages of hierml,
Go's standard library, gonum and gonum/plot need no import.

A plain program begins with "package main". Run calls its function main.

Run prints the output of the file. Displays, as by nb.Display, are printed as text. The value of a script's last expression is
not printed; "hierml repl < FILE.go" shows it, like a notebook. ARGS are os.Args[1:]. If FILE.go is -, run reads the
script from standard input, and the script itself finds no input there.

A script need not assign the error that a call returns. Outside of functions, an unassigned error that is not nil
ends the script:

  docs := collection.GoDoc("")  // also returns an error
  os.Remove("old.txt")          // returns only an error

Plain programs, and scripts with --strict, follow Go's rules: the first line does not compile, and the second
ignores the error.`,
		Example: `  hierml run experiment.go
  hierml run experiment.go -seed 7 ng15

A script:
  #!/usr/bin/env -S hierml run
  docs, err := collection.GoDoc("")
  if err != nil {
  	log.Fatal(err)
  }
  fmt.Println(docs)`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			read := script.Read
			if args[0] == "-" {
				read = func(string) (*script.Script, error) { return script.ReadFrom(cmd.InOrStdin(), "(standard input)") }
			}
			if other, ok := otherLanguages[strings.ToLower(filepath.Ext(args[0]))]; ok {
				return fmt.Errorf("%s is %s, and hierml run runs Go. Use: %s %[1]s", args[0], other.name, other.command)
			}
			s, err := read(args[0])
			if err != nil {
				return err
			}
			if strings.EqualFold(filepath.Ext(args[0]), ".ipynb") {
				return fmt.Errorf("%s is a notebook. Use: hierml notebook run %[1]s", args[0])
			}
			if err := scriptAgain(args, mode, strict); err != nil {
				return err
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
	cmd.Flags().BoolVar(&strict, "strict", false, "follow Go's own rules about errors")
	engineFlag(cmd, &mode)
	// What follows the script's name is the script's.
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// otherLanguages are those that the extension of a script may tell of, with what runs it.
var otherLanguages = map[string]struct{ name, command string }{
	".py": {"Python", "python3"}, ".r": {"R", "Rscript"}, ".jl": {"Julia", "julia"}, ".sh": {"a shell script", "sh"},
}

// scriptAgain has studies know how a farm runs the script.
func scriptAgain(args []string, mode program.Mode, strict bool) error {
	if args[0] == "-" {
		return runAgain() // what was read is gone
	}
	file, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	return runAgain(append([]string{"run", fmt.Sprintf("--strict=%t", strict), "--engine=" + mode.String(), file}, args[1:]...)...)
}
