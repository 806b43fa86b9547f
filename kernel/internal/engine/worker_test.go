package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/module"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker"
	"github.com/hierml/notebook/stdlib"
)

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

// newWorkerNotebook returns a session whose cells run in a worker process of its own.
func newWorkerNotebook(t testing.TB, mode program.Mode, set ...func(*engine.Config)) *notebook {
	t.Helper()
	return newWorkerNotebookWith(t, mode, func(c program.Compiler) program.Compiler { return c }, set...)
}

// newWorkerNotebookWith is newWorkerNotebook with something around the compiler.
func newWorkerNotebookWith(t testing.TB, mode program.Mode, around func(program.Compiler) program.Compiler, set ...func(*engine.Config)) *notebook {
	t.Helper()
	p := testprogram.Open(t, enginetest.Raced)
	process, err := worker.Start(worker.Config{Command: []string{p.File, "worker"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	n := &notebook{t: t, mode: mode, worker: true}
	config := engine.Config{
		Executor: process, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Mode: mode,
		Compiler: func(context.Context, func(string)) (program.Compiler, error) {
			kit, err := p.Kit()
			if err != nil {
				return nil, err
			}
			compiler, err := module.NewCompiler(kit)
			if err != nil {
				return nil, err
			}
			return around(compiler), nil
		},
	}
	for _, f := range set {
		f(&config)
	}
	n.engine = engine.New(config)
	t.Cleanup(func() {
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// inModes runs a test for each way to run cells in a worker.
func inModes(t *testing.T, modes []program.Mode, test func(t *testing.T, mode program.Mode)) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			if enginetest.Raced && mode != program.CompiledMode {
				t.Skip("yaegi races where goroutines of a session run")
			}
			test(t, mode)
		})
	}
}

// skipMany leaves to the tests without the race detector what is like other cells to it.
func skipMany(t *testing.T) {
	if enginetest.Raced {
		t.Skip("the race detector sees the same in TestBehavioursInWorker")
	}
}

// TestBehavioursInWorker runs all cases as users do. Compiled, none is refused.
func TestBehavioursInWorker(t *testing.T) {
	for _, c := range behaviours(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if sentence := c.check(t, newWorkerNotebook(t, program.CompiledMode)); sentence != "" {
				t.Errorf("refused: %s", sentence)
			}
		})
	}
}

// TestCollectedInterpreted collects garbage while interpreted functions call each other, which
// ended the process where the program was built for plugins by Go 1.27.
func TestCollectedInterpreted(t *testing.T) {
	newWorkerNotebook(t, program.InterpretedMode).turns(t, []turn{
		{source: "import \"runtime\"\nfunc f(n int) int { if n == 0 { runtime.GC(); return 0 }; return f(n-1) + 1 }"},
		{source: "f(1000)", want: "1000"},
		{source: "f(100000)", want: "100000"},
	})
}

// TestSequencesInWorker runs the sequences compiled.
func TestSequencesInWorker(t *testing.T) {
	testrun.LeaveOutShort(t)
	skipMany(t)
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, newWorkerNotebook(t, program.CompiledMode))
		})
	}
}

// TestProgramsInWorker runs all programs compiled.
func TestProgramsInWorker(t *testing.T) {
	testrun.LeaveOutShort(t)
	skipMany(t)
	all := archives(t)
	all["guard"] = enginetest.ReadArchive(t, filepath.Join("..", "compiled", "emit", "testdata", "guard", "programs.txtar"))
	for archive, programs := range all {
		for _, p := range programs {
			t.Run(archive+"/"+p.Name, func(t *testing.T) {
				t.Parallel()
				checkProgram(t, newWorkerNotebook(t, program.CompiledMode), p)
			})
		}
	}
}
