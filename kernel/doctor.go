package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and suggest fixes",
		Long: `Doctor checks everything that hierml needs, and prints a line for each check:

  this program, the one that PATH finds, and the Go tool chain
  whether cells run, and whether they can be compiled
  Jupyter, its widgets, the kernels that it knows, and papermill
  whether hierml lab would start
  the folders of HIERML_DATA, the cache and the history, with their sizes
  the memory that cells may use, and the terminal
  if Slurm is installed, whether it accepts jobs and whether its machines may see the
  working folder and the data

A line begins with ok, wrong or hint. Wrong means that something does not work. Hint means that something could be better,
or that another program did not answer in time. Both say what to do.

Doctor changes nothing, with one exception: if the compiler of cells is missing, doctor builds it, as the first
compiled cell would. That takes a minute or two.`,
		Example: `  hierml doctor
  NO_COLOR=1 hierml doctor > report.txt 2>&1`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			colours := takesColours(cmd.OutOrStdout())
			wrong, total := 0, 0
			for _, examine := range []func(context.Context) []finding{
				examineProgram, examineToolchain, examineWorker, examineJupyter, examineLab, examineKernels, examinePapermill,
				examineData, examineFolders, examineMemory, examineCluster, examineTerminal, examineCells,
			} {
				findings := examine(ctx)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				for _, f := range findings {
					total++
					if f.state == wrongState {
						wrong++
					}
					if _, err := fmt.Fprintln(cmd.OutOrStdout(), f.line(colours)); err != nil {
						return err
					}
				}
			}
			if wrong > 0 {
				return fmt.Errorf("%d of %d checks failed", wrong, total)
			}
			return nil
		},
	}
}

// A finding is what the doctor says of one thing.
type finding struct {
	state state
	text  string // a sentence
}

type state int

const (
	okState state = iota
	hintState
	wrongState
)

func (f finding) line(colours bool) string {
	sign := [...]string{"ok     ", "hint   ", "wrong  "}[f.state]
	if colours {
		sign = [...]string{"\x1b[32m", "\x1b[33m", "\x1b[1;31m"}[f.state] + sign + "\x1b[0m"
	}
	return sign + f.text
}

func ok(format string, args ...any) finding {
	return finding{okState, sentence(fmt.Sprintf(format, args...))}
}

func hint(format string, args ...any) finding {
	return finding{hintState, sentence(fmt.Sprintf(format, args...))}
}

func wrong(format string, args ...any) finding {
	return finding{wrongState, sentence(fmt.Sprintf(format, args...))}
}

// one is for what has a single finding.
func one(f finding) []finding { return []finding{f} }

// sentence begins a text with a capital letter, unless that is a name, and ends it with a stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, " ")
	if strings.ToLower(first) == first && !strings.ContainsAny(first, "/._") {
		text = strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
	}
	return strings.TrimSuffix(text, ".") + "."
}

// examineProgram looks whether the program that runs is the one that PATH finds.
func examineProgram(context.Context) []finding {
	self, err := os.Executable()
	if err != nil {
		return one(wrong("this program cannot find its own file, so it cannot start a worker: %v", err))
	}
	findings := one(ok("this is hierml %s, %s", version(), self))
	if err := toolchain.TrustProgram(self); err != nil {
		findings = append(findings, wrong("%v", err))
	}
	switch found, err := exec.LookPath("hierml"); {
	case err != nil:
		findings = append(findings, hint("the command hierml is not on PATH; add the folder %s", filepath.Dir(self)))
	case !sameFile(found, self):
		findings = append(findings, hint("the command hierml on PATH is another program, %s; remove it, or put %s before its folder in PATH", found, filepath.Dir(self)))
	}
	return findings
}

func examineToolchain(ctx context.Context) []finding {
	command, err := exec.LookPath("go")
	if err != nil {
		return one(wrong("compiled cells need Go, which is not on PATH; install Go from go.dev/dl"))
	}
	out, err := ask(ctx, command, "env", "GOVERSION")
	if silent := (*silence)(nil); errors.As(err, &silent) {
		return one(silent.finding())
	} else if err != nil {
		return one(wrong("the Go tool chain does not work: %s env GOVERSION: %v; install Go from go.dev/dl", command, err))
	}
	found := strings.TrimSpace(out.stdout)
	findings := one(ok("the Go tool chain is %s, %s", found, command))
	if found != runtime.Version() {
		findings = append(findings, ok("cells are compiled by %s, which also built this program; the go command fetches it if necessary", runtime.Version()))
	}
	return findings
}

// examineWorker runs a cell.
func examineWorker(ctx context.Context) []finding {
	switch err := tryWorker(ctx); {
	case wasKilled(err):
		return one((&silence{"the process that runs cells", "was killed before it answered"}).finding())
	case err != nil:
		return one(wrong("the process that runs cells does not work: %v; run `go run ./install` again in your clone of hierml", err))
	}
	return one(ok("the process that runs cells starts and interprets a cell"))
}

func tryWorker(ctx context.Context) (err error) {
	e, err := newEngine(worker.Config{}, engine.Config{Mode: program.InterpretedMode})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	bundle, err := e.Run(ctx, program.Cell{Number: 1, Source: "1 + 1"}, nobody())
	if err == nil && (bundle == nil || bundle.Data["text/plain"] != "2") {
		err = fmt.Errorf("the cell 1 + 1 shows %v", bundle)
	}
	return err
}

// examineCells builds a plugin and has a worker load it.
func examineCells(ctx context.Context) []finding {
	cannot := func(err error) []finding {
		return one(wrong("cells cannot be compiled: %v; they are interpreted, which is slower and refuses code that the interpreter runs differently from Go", err))
	}
	kit, err := toolchain.Open(ctx, toolchain.Settings{Progress: func(step string) { fmt.Fprintln(os.Stderr, "       "+step) }})
	if err != nil {
		return cannot(err)
	}
	command, err := workerProgram()
	if err != nil {
		return cannot(err)
	}
	if err := tryKit(ctx, kit, command); err != nil {
		return cannot(err)
	}
	findings := one(ok("cells can be compiled, from the first one on"))
	if slow := kit.Slow(); slow != "" {
		findings = append(findings, hint("%s", slow))
	}
	return findings
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}
