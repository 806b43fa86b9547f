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
		Short: "Run Go in the terminal, input by input",
		Long: `Repl reads Go in the terminal, runs each input like a cell of a notebook, and
shows its value. An input has statements, declarations and imports in any order.
The packages of hierml, Go's standard library, gonum and gonum/plot need no
import. %help lists further commands. Values are Out[1], Out[2], ... and _.

Enter runs a complete input and adds a line to an incomplete one. Alt-Enter, or
Enter on two blank lines, runs the input as it is. Tab completes names and shows
their types. name? or Alt-H shows what a name is. Up and Ctrl-R recall earlier
inputs, also those of other sessions and of notebooks.

Ctrl-C interrupts a running input and keeps the variables. If the input does not
end within a second, another Ctrl-C kills it, and the variables are lost. Before
an input runs, Ctrl-C discards it. Ctrl-D ends the session.

Pictures are saved in a folder, which is shown. Terminals such as kitty and
iTerm2 also draw them. Keys are those of GNU Readline, with your settings in
~/.inputrc.

If standard input is not a terminal, all of it runs as one cell, and its displays
are printed as text. The exit status is then that of 'hierml run'.`,
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
