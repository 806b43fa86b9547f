// Hierml is a Go kernel for Jupyter and a scripting environment for research on hierarchical
// classification. This package is its command line; what the commands do is in the packages below.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hierml/notebook/internal/machine"
	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/script"
)

func main() {
	heedJob()
	os.Exit(status(command().ExecuteContext(context.Background()), os.Stderr))
}

// heedJob has this process and those that it starts run on as many processors as the job that it is
// in was given, where that is less than what Go finds.
func heedJob() {
	if n := machine.Processors(); n < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
		_ = os.Setenv("GOMAXPROCS", strconv.Itoa(n)) // the name is one
	}
}

// command is the program.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "hierml",
		Short: "Go for notebooks and scripts, with hierarchical classification",
		Long: `Hierml runs Go in notebooks, scripts and a terminal: statements and declarations
in any order, and packages without imports. It compiles cells into the running
process, or interprets them if it cannot. It comes with Go's standard library,
gonum, gonum/plot, and hierml, a library for hierarchical classification.

In Jupyter, choose the kernel "Go (hierml)".`,
		Example: `  hierml repl                           # Go on the terminal
  hierml run experiment.go              # a script
  hierml notebook run notes.ipynb       # does the notebook run?
  hierml notebook run notes.ipynb -o notes.ipynb --html notes.html
  hierml doctor                         # checks the installation`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          asUsed,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("hierml {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &usageError{cmd, err} })
	root.AddCommand(kernelCommand(), runCommand(), replCommand(), notebookCommand(), workerCommand(), trainCommand(), predictCommand(), evaluateCommand(), dataCommand(), studyCommand(), trainingCommand(), fitCommand(), liteCommand(), labCommand(), doctorCommand(), versionCommand(), licencesCommand())
	root.AddCommand(topics()...)
	addCompletion(root)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if _, err := io.WriteString(cmd.OutOrStdout(), helpText(cmd)); err != nil {
			cmd.PrintErrln("hierml:", err)
		}
	})
	completions(root)
	return root
}

// helpCommand prints the help of commands and topics.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Show the help of a command or a topic",
		Long:  "Help prints the help of a command, like --help, or of a topic.",
		Example: `  hierml help notebook check
  hierml help cells`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			parent, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range parent.Commands() {
				if strings.HasPrefix(sub.Name(), toComplete) && (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &usageError{cmd.Root(), fmt.Errorf("unknown command or topic %q%s", strings.Join(args, " "), closestName(found, strings.Join(rest, " "), true))}
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Version prints the version of hierml, the version of Go that built it, and the system.",
		Example: "  hierml version",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "hierml", version())
			return err
		},
	}
}

// released is the version with the commit, which builds of a release set by -ldflags -X.
var released string

// version is that of the release or of the module, as the build recorded it, and of Go.
func version() string {
	v := released
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("%s %s %s/%s", cmp.Or(v, "(devel)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// The exit statuses.
const (
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130
)

var errInterrupted = errors.New("interrupted")

// status reports an error to the user and returns the exit status for it.
func status(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	if code, ok := script.ExitStatus(err); ok {
		return code
	}
	var usage *usageError
	var failure *program.Error
	switch {
	case errors.As(err, &failure) && len(failure.Traceback) > 0:
		printTraceback(stderr, failure.Traceback)
	default:
		fmt.Fprintln(stderr, "hierml:", visible.Text(err.Error()))
	}
	switch {
	case errors.As(err, &usage):
		return statusUsage
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	}
	return statusFailed
}

var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

// printTraceback prints the lines, with their colours if they go to a terminal.
func printTraceback(w io.Writer, lines []string) {
	colored := takesColours(w)
	for _, line := range lines {
		line = visible.Coloured(line)
		if !colored {
			line = color.ReplaceAllString(line, "")
		}
		fmt.Fprintln(w, line)
	}
}

// takesColours reports whether what goes to w may have colours.
func takesColours(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isTerminal(w) }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interruptible returns a context that the first SIGINT or SIGTERM ends; the second one ends the
// program.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-interrupts:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
		signal.Stop(interrupts)
	}()
	return ctx, func() { cancel(nil) }
}
