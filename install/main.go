// Command install builds the program hierml, registers it with Jupyter and runs the tour, so that
// one command leads from a fresh clone to a notebook that works:
//
//	go run ./install
//
// It makes the files for compiling cells (see internal/toolchain), and continues without them if
// that is not possible. If Jupyter is missing, it installs it in a private environment. It repairs
// the results of an earlier run, and removes everything with `go run ./install uninstall`. `go run
// ./install test` prepares and runs the tests. The program itself is in package kernel; this one
// only installs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command().ExecuteContext(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "interrupted; the next run goes on from here")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// settings are the values of the flags.
type settings struct {
	prefix      string
	user        bool
	name        string
	displayName string
	noJupyter   bool
}

func command() *cobra.Command {
	var s settings
	root := &cobra.Command{
		Use:   "install",
		Short: "Build hierml, register it with Jupyter and try it on the tour",
		Long: `Builds the program hierml, registers it with Jupyter and tries it on the tour:
Jupyter runs its first cells, hierml itself all of them.

The program goes to GOBIN if that is set, and to ~/.local/bin otherwise (the
folder for programs of the user on Windows); the kernel to the user's Jupyter
folder; the tour, and a private JupyterLab where Jupyter is missing, to the
user's data folder. With --prefix all of it goes under one folder.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := s.places(cmd.Context())
			if err != nil {
				return err
			}
			return install(cmd.Context(), newConsole(os.Stdout), s, places)
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVar(&s.prefix, "prefix", "", "put everything under this `folder`: bin, share/jupyter, share/hierml")
	root.PersistentFlags().BoolVar(&s.user, "user", false, "put everything where the user's own programs and data live (the default)")
	root.MarkFlagsMutuallyExclusive("prefix", "user")
	root.Flags().StringVar(&s.name, "name", kernelspec.DefaultName, "`name` by which notebooks refer to the kernel")
	root.Flags().StringVar(&s.displayName, "display-name", kernelspec.DefaultDisplayName, "`name` of the kernel that people see")
	root.Flags().BoolVar(&s.noJupyter, "no-jupyter", false, "never touch Python; run the tour with hierml itself")
	root.AddCommand(&cobra.Command{
		Use:   "uninstall",
		Short: "Remove what an installation made, and nothing else",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := s.places(cmd.Context())
			if err != nil {
				return err
			}
			return uninstall(os.Stdout, places)
		},
	}, testCommand(), liteCommand(), bookCommand(), wheelCommand(), releaseCommand())
	return root
}

func testCommand() *cobra.Command {
	var form testForm
	cmd := &cobra.Command{
		Use:   "test [flags]",
		Short: "Install what the tests need, and run them all",
		Long: `Installs and builds everything that the tests need, and runs them all. That takes
a quarter of an hour on two idle cores, if an earlier run has filled the caches.

With --long it also runs the tests that take long. That takes some hours.

Some tests need folders that no clone has: HIERML_DATA names the data sets,
HIERML_DRIVERS the programs that load a kernel, HIERML_PROGRAMS (with --long)
the Go programs that are run as cells. Without a folder its tests are skipped.
With --given only these tests run, and HIERML_DATA and HIERML_DRIVERS are
required.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return test(cmd.Context(), newConsole(os.Stdout), form, os.Getenv("CI") == "true")
		},
	}
	cmd.Flags().BoolVar(&form.long, "long", false, "run the tests that take long, too")
	cmd.Flags().BoolVar(&form.given, "given", false, "run only the tests that need folders of data and programs")
	return cmd
}

func (s settings) places(ctx context.Context) (place.Places, error) {
	if s.prefix != "" {
		return place.Prefix(s.prefix)
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOBIN").Output()
	if err != nil {
		return place.Places{}, errors.Join(errors.New("the go command does not answer; put the bin folder of Go on PATH"), err)
	}
	return place.User(strings.TrimSpace(string(out)))
}
