package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/repl"
	"github.com/hierml/notebook/kernel/internal/script"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func replCommand() *cobra.Command {
	var limit memory
	var mode program.Mode
	cmd := &cobra.Command{
		Use:   "repl",
		Short: "Run Go on the terminal, input by input",
		Long: `Repl reads Go on the terminal, runs each input as a notebook runs a cell, and
shows its value: statements, declarations and imports in any order, with the
packages of hierml, Go's standard library, gonum and gonum/plot usable without
import, and magics (%help lists them). Values are Out[1], Out[2], ... and _.

Enter runs an input that is whole, and begins another line in one that is not;
Alt-Enter, or Enter on two blank lines, runs it as it is. Tab completes, with
types. name? or Alt-H shows what a name is. Up and Ctrl-R bring back earlier
inputs, also those of other sessions and of notebooks.

Ctrl-C interrupts an input that runs, and variables stay as they are; if it does
not end, another Ctrl-C after a second kills it, and variables are lost. Before
an input runs, Ctrl-C drops it. Ctrl-D ends the session.

Pictures are saved in a folder whose name is shown; terminals that can (kitty,
iTerm2 and their like) draw them, too. Keys are those of GNU Readline; its
settings in ~/.inputrc are heeded.

If the standard input is no terminal, all of it is run as one cell, and what it
displays is printed as text. The exit status is then that of 'hierml run'.`,
		Example: `  hierml repl
  hierml repl --engine compiled
  echo 'taxonomy.FromPaths([]string{"a/b", "a/c"}, "/")' | hierml repl`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			e, err := newEngine(worker.Config{Memory: int64(limit), Grace: repl.Patience}, engine.Config{Mode: mode})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, e.Close()) }()
			if !isTerminal(os.Stdin) {
				return runInput(cmd.Context(), e)
			}
			ctx, done := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGHUP)
			defer done()
			past := history.Open(history.DefaultPath(), slog.New(slog.NewTextHandler(os.Stderr, nil)))
			defer past.Close()
			return repl.Run(ctx, e, past, banner())
		},
	}
	cmd.Flags().Var(&limit, "memory", memoryUsage)
	engineFlag(cmd, &mode)
	return cmd
}

// banner is what the repl begins with.
func banner() string {
	return "hierml " + strings.SplitN(version(), " ", 2)[0] + ", Go on the terminal. Tab completes, name? explains, %help lists\nmagics, Ctrl-C interrupts, Ctrl-D ends."
}

// runInput runs the standard input as one cell, and prints what it shows.
func runInput(ctx context.Context, e *engine.Engine) error {
	source, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the standard input: %w", err)
	}
	ctx, done := interruptible(ctx)
	defer done()
	// What is read is the script; nothing is left for it to read.
	out := script.NewOutput(strings.NewReader(""), os.Stdout, os.Stderr)
	bundle, err := e.Run(ctx, program.Cell{Number: 1, Name: "<stdin>", Source: string(source)}, out)
	if err == nil {
		out.Display(bundle, "", false)
	}
	return errors.Join(err, out.Close())
}
