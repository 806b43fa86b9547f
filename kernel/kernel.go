package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/session"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func kernelCommand() *cobra.Command {
	var file string
	var limit memory
	var mode program.Mode
	cmd := &cobra.Command{
		Use:   "kernel [CONNECTION_FILE]",
		Short: "Serve Jupyter front ends",
		Long: `Kernel serves the Jupyter front ends that connect through a connection file, until one of them
shuts it down. Jupyter calls it; you rarely need to.`,
		Example: "  hierml kernel /run/user/1000/jupyter/kernel-1.json",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && file != "":
				return &usageError{cmd, errors.New("two connection files; name one, as the argument or by -f")}
			case len(args) == 1:
				file = args[0]
			case file == "":
				return &usageError{cmd, errors.New("no connection file; name it as the argument")}
			}
			// The session's tables live long and little else does: at Go's own pace, what is free
			// would grow with them.
			debug.SetGCPercent(collectAt)
			open := func() (session.Evaluator, error) {
				return newEngine(worker.Config{Memory: int64(limit)}, engine.Config{Mode: mode})
			}
			return session.Serve(cmd.Context(), file, open, session.Config{Version: strings.TrimPrefix(released, "v"), History: history.DefaultPath()})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "the connection file, as an option for compatibility with other kernels")
	cmd.Flags().Var(&limit, "memory", memoryUsage)
	engineFlag(cmd, &mode)
	return cmd
}

// collectAt is by how many per cent the memory of the kernel's own process may grow before its
// garbage is collected. Cells run in another.
const collectAt = 25

// memoryUsage describes the flag of a memory.
const memoryUsage = "the memory that cells may use, such as 8GiB, or none for no limit; the default is 80 % of the memory available"

// A memory is the value of a flag: a number of bytes, 0 for the default and negative for no limit.
type memory int64

// unitsOfMemory are what may follow the number, in bytes.
var unitsOfMemory = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}

// leastMemory is below what a worker needs for itself.
const leastMemory = 64 << 20

// Set implements pflag.Value.
func (m *memory) Set(text string) error {
	if text == "none" {
		*m = -1
		return nil
	}
	for _, unit := range unitsOfMemory {
		number, found := strings.CutSuffix(text, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch n *= unit.bytes; {
		case err != nil || !(n > 0 && n < 1<<62):
			return errors.New("expected a number before " + unit.name)
		case n < leastMemory:
			return errors.New("expected 64MiB or more")
		}
		*m = memory(n)
		return nil
	}
	return errors.New("expected a size with its unit, such as 512MiB or 8GiB, or none")
}

// String implements pflag.Value.
func (m *memory) String() string {
	switch {
	case *m == 0:
		return ""
	case *m < 0:
		return "none"
	}
	return fmt.Sprintf("%gMiB", float64(*m)/(1<<20))
}

// Type implements pflag.Value.
func (*memory) Type() string { return "SIZE" }
