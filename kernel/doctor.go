package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/kernel/build"
	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what works here and what does not",
		Long: `Doctor says in a sentence each whether cells can be interpreted and compiled, and
whether Jupyter knows this program, and what to do where that is not so. It
changes nothing, save that it makes what compiling cells needs if that is
missing, as the first compiled cell would: it takes a minute or two then. The exit
status is 1 if something does not work.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			wrong, total := 0, 0
			for _, examine := range []func(context.Context) (string, error){
				func(context.Context) (string, error) { return "This is hierml " + version() + ".", nil },
				examineToolchain, examineWorker, examineCells, examineJupyter,
			} {
				well, err := examine(ctx)
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				total++
				sign := "ok     "
				if err != nil {
					sign, well = "wrong  ", sentence(err)
					wrong++
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), sign+well); err != nil {
					return err
				}
			}
			if wrong > 0 {
				return fmt.Errorf("%d of %d checks failed", wrong, total)
			}
			return nil
		},
	}
}

// sentence is an error as a sentence.
func sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	text = strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
	return strings.TrimSuffix(text, ".") + "."
}

func examineToolchain(ctx context.Context) (string, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("there is no Go tool chain on PATH, which compiled cells need; install Go from go.dev/dl")
	}
	out, err := exec.CommandContext(ctx, command, "env", "GOVERSION").Output()
	if err != nil {
		return "", fmt.Errorf("the Go tool chain does not answer: %s env GOVERSION: %w", command, err)
	}
	return fmt.Sprintf("The Go tool chain is %s, %s.", strings.TrimSpace(string(out)), command), nil
}

// examineWorker runs a cell.
func examineWorker(ctx context.Context) (well string, err error) {
	const failed = "the process that runs cells does not work: %w"
	e, err := newEngine(worker.Config{}, engine.Config{Mode: engine.InterpretedMode})
	if err != nil {
		return "", fmt.Errorf(failed, err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	bundle, err := e.Run(ctx, engine.Cell{Number: 1, Source: "strings.Repeat(\"ab\", 2)"}, nobody())
	if err == nil && (bundle == nil || bundle.Data["text/plain"] != "abab") {
		err = fmt.Errorf("a cell shows %v", bundle)
	}
	if err != nil {
		return "", fmt.Errorf(failed, err)
	}
	return "The process that runs cells starts, and interprets them.", nil
}

// examineCells builds a plugin and has a worker load it.
func examineCells(ctx context.Context) (string, error) {
	kit, err := build.Open(ctx, build.Settings{Progress: func(step string) { fmt.Fprintln(os.Stderr, "       "+step) }})
	if err != nil {
		return "", fmt.Errorf("cells cannot be compiled: %w", err)
	}
	command, err := workerProgram()
	if err != nil {
		return "", err
	}
	if err := tryKit(ctx, kit, command); err != nil {
		return "", fmt.Errorf("cells cannot be compiled: %w", err)
	}
	return "Cells can be compiled.", nil
}

// examineJupyter looks for the kernel of this program where Jupyter does.
func examineJupyter(context.Context) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	var others []string
	for _, dir := range jupyterFolders(self) {
		specs, err := filepath.Glob(filepath.Join(dir, "kernels", "*", "kernel.json"))
		if err != nil {
			return "", err
		}
		for _, spec := range specs {
			program := kernelProgram(spec)
			switch {
			case program == "":
			case sameFile(program, self):
				return fmt.Sprintf("Jupyter's kernel %s, in %s, is this program.", filepath.Base(filepath.Dir(spec)), filepath.Dir(spec)), nil
			default:
				others = append(others, fmt.Sprintf("the one in %s starts %s", filepath.Dir(spec), program))
			}
		}
	}
	if len(others) > 0 {
		return "", fmt.Errorf("no kernel of Jupyter is this program, %s: %s; run `go run ./install` in the clone that is to be used", self, strings.Join(others, ", "))
	}
	return "", errors.New("no kernel of Jupyter is this program; run `go run ./install`")
}

// jupyterFolders are the folders of data in which Jupyter looks for kernels, as
// jupyter_core.paths.jupyter_path has them, and that of the installation which
// the program belongs to.
func jupyterFolders(program string) []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	home, _ := os.UserHomeDir() // without one there is nothing to find
	switch user := os.Getenv("JUPYTER_DATA_DIR"); {
	case user != "":
		dirs = append(dirs, user)
	case runtime.GOOS == "darwin":
		dirs = append(dirs, filepath.Join(home, "Library", "Jupyter"))
	default:
		dirs = append(dirs, filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "jupyter"))
	}
	dirs = append(dirs, filepath.Join(filepath.Dir(filepath.Dir(program)), "share", "jupyter"))
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

// kernelProgram returns the program that a kernel.json starts, empty if it is no
// kernel of hierml.
func kernelProgram(spec string) string {
	content, err := os.ReadFile(spec)
	if err != nil {
		return ""
	}
	var kernel struct {
		Argv []string `json:"argv"`
	}
	if json.Unmarshal(content, &kernel) != nil || len(kernel.Argv) < 2 || kernel.Argv[1] != "kernel" {
		return ""
	}
	if !strings.HasPrefix(filepath.Base(kernel.Argv[0]), "hierml") {
		return ""
	}
	return kernel.Argv[0]
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}
