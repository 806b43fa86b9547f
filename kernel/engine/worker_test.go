package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hierml/notebook/kernel/build"
	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/module"
	"github.com/hierml/notebook/kernel/worker"
	"github.com/hierml/notebook/stdlib"
)

// folder is where the program of the workers is built.
var folder string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if folder, err = os.MkdirTemp("", "hierml"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() {
			if err := os.RemoveAll(folder); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
		return m.Run()
	}())
}

// workerProgram builds the program whose workers run cells, with the race
// detector if this test has it.
var workerProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(folder, "hierml")
	args := []string{"build", "-o", program}
	if raced {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "..")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// workerKit opens what compiles cells for the workers.
var workerKit = sync.OnceValues(func() (*build.Kit, error) {
	program, err := workerProgram()
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return nil, err
	}
	return build.Open(context.Background(), build.Settings{Program: program, Root: root})
})

// newWorkerNotebook returns a session whose cells run in a worker process of its
// own.
func newWorkerNotebook(t testing.TB, mode engine.Mode) *notebook {
	t.Helper()
	program, err := workerProgram()
	if err != nil {
		t.Fatal(err)
	}
	process, err := worker.Start(worker.Config{Command: []string{program, "worker"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	n := &notebook{t: t, mode: mode, worker: true}
	n.engine = engine.New(engine.Config{
		Executor: process, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Mode: mode,
		Compiler: func(context.Context, func(string)) (engine.Compiler, error) {
			kit, err := workerKit()
			if err != nil {
				return nil, err
			}
			compiler, err := module.NewCompiler(kit)
			if err != nil {
				return nil, err
			}
			return compiler, nil
		},
	})
	t.Cleanup(func() {
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// inModes runs a test for each way to run cells in a worker.
func inModes(t *testing.T, modes []engine.Mode, test func(t *testing.T, mode engine.Mode)) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			if raced && mode != engine.CompiledMode {
				t.Skip("yaegi races where goroutines of a session run")
			}
			test(t, mode)
		})
	}
}

var compiledModes = []engine.Mode{engine.AutoMode}

// TestBehavioursInWorker runs all cases as users do. None is refused where cells
// can be compiled.
func TestBehavioursInWorker(t *testing.T) {
	inModes(t, compiledModes, func(t *testing.T, mode engine.Mode) {
		for _, c := range behaviours(t) {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				if sentence := c.check(t, newWorkerNotebook(t, mode)); sentence != "" {
					t.Errorf("refused: %s", sentence)
				}
			})
		}
	})
}
