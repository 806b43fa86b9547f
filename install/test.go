package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/install/internal/debian"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/install/internal/slurm"
	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/testrun/given"
	"github.com/hierml/notebook/internal/toolchain"
)

// slowest are the packages with the slowest tests. They start first, in parallel with all others.
var slowest = []string{module + "/install/acceptance", module + "/kernel/internal/engine", module + "/kernel", module + "/install/checks"}

// raced are the packages in which goroutines share most. Their tests run with the race detector.
var raced = []string{"./kernel/internal/history", "./kernel/internal/session", "./kernel/internal/wire/...", "./stdlib/nb", "./hierml/internal/guarded", "./hierml/gram"}

// racedLong are packages for which the long form repeats tests with shared state of goroutines
// under the race detector.
var racedLong = []string{
	"-run=AtTheSameTime|Concurrent|Parallel|Workers|Cancelled|Interrupt|Together|BehavioursInWorker|WorkerSessions|ProgramsAreGo|CentroidDistances|FitEndsEarly",
	"./kernel/internal/...", "./stdlib/...", "./hierml/...",
}

// A testForm says which tests run: also those that take long, or only those of given folders.
type testForm struct{ long, given bool }

// check returns an error if a folder is missing that the tests of given folders need.
func (f testForm) check() error {
	if !f.given {
		return nil
	}
	for _, variable := range []string{given.Data, given.Drivers} {
		if info, err := os.Stat(os.Getenv(variable)); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %q. Set %s to one, or omit --given", os.Getenv(variable), variable)
		}
	}
	return nil
}

// timeout returns how long the tests of a package may take, about twice what they take on two
// processors. A test that waits forever is then reported with its stack.
func (f testForm) timeout() string {
	if f.long {
		return "90m"
	}
	return "40m"
}

// test provides what the tests need, runs them with go test, and shows them with gotestsum. If
// something is missing, that is an error if ci is set. Otherwise the tests that need it are
// skipped, with a reason.
func test(ctx context.Context, c *console, form testForm, ci bool) (err error) {
	if err := form.check(); err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	temporary.Clear()
	dir, err := temporary.Folder("", "test")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temporary.Remove(dir)) }()
	if err := provide(ctx, c, root, dir, form.long, ci); err != nil {
		return err
	}
	stages, err := stages(ctx, form)
	if err != nil {
		return err
	}
	return show(ctx, func(events io.Writer) error {
		var failed error
		for _, args := range stages {
			// With -json alone, os.Stderr of the tests is os.Stdout, but tests of cells distinguish
			// them.
			args = slices.Concat([]string{"test", "-json", "-count=1", "-timeout=" + form.timeout()}, args, []string{"-args", "-test.v=true"})
			cmd := process.Bind(exec.CommandContext(ctx, "go", args...))
			cmd.Stdout, cmd.Stderr = events, os.Stderr
			if err := process.Run(cmd); err != nil {
				failed = errors.Join(failed, fmt.Errorf("go test: %w", err))
			}
		}
		return failed
	})
}

// stages returns the arguments of each run of go test.
func stages(ctx context.Context, form testForm) ([][]string, error) {
	// The tests of one package wait for a browser or for a cluster while those of others compute.
	beside := "-p=" + strconv.Itoa(runtime.NumCPU()+1)
	if form.given {
		return [][]string{{"-vet=off", beside, "-run=^TestGiven", "./..."}}, nil
	}
	all, err := list(ctx, "./...")
	if err != nil {
		return nil, err
	}
	var stages [][]string
	if raceable(ctx) == nil {
		stages = append(stages, append([]string{"-race", "-vet=off"}, raced...))
		if form.long {
			stages = append(stages, append([]string{"-race", "-vet=off"}, racedLong...))
		}
		elsewhere, err := list(ctx, raced...)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(p string) bool { return slices.Contains(elsewhere, p) })
	}
	return append(stages, append(append([]string{"-vet=all", beside}, slowest...), all...)), nil
}

// show runs tests, and shows their events: a line for each package, the output of a test that has
// failed as soon as it has ended, then the failed and the skipped tests, and the counts.
func show(ctx context.Context, run func(events io.Writer) error) error {
	// The command of gotestsum reads the events from the standard input.
	cmd := process.Bind(exec.CommandContext(ctx, "go", "tool", "gotestsum", "--format=pkgname-and-test-fails", "--format-hide-empty-pkg", "--raw-command", "--", "cat"))
	events, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	wait, err := process.Start(cmd)
	if err != nil {
		return err
	}
	return errors.Join(run(events), events.Close(), wait())
}

// list returns the packages that patterns match.
func list(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := goOutput(ctx, "", append([]string{"list"}, patterns...)...)
	return strings.Fields(out), err
}

// raceable returns why tests cannot run with the race detector.
func raceable(ctx context.Context) error {
	enabled, err := goEnv(ctx, "", "CGO_ENABLED")
	if err == nil && enabled != "1" {
		err = errors.New("the race detector needs a C compiler; install gcc or clang")
	}
	return err
}

// provide installs and builds what the tests need, and sets the environment variables with which
// they find it.
func provide(ctx context.Context, c *console, root, dir string, long, ci bool) error {
	type need struct {
		name    string
		provide func() error
	}
	needs := []need{
		{"Python environment of the tests", func() error { return providePython(ctx, c) }},
		{"Chromium", func() error { return provideBrowser(ctx, c) }},
		{"parts of a site for the browser", func() error { _, err := siteParts(ctx, c, root, ""); return err }},
		{"Slurm", func() error { return provideSlurm(ctx, c) }},
		{"C compiler", func() error { return provideCompiler(ctx, c) }},
		{"compiled cells", func() error { return provideProgram(ctx, c, root, dir, false) }},
	}
	if long {
		if err := os.Setenv(testrun.LongVariable, "1"); err != nil {
			return err
		}
		needs = append(needs, need{"compiled cells with the race detector", func() error { return provideProgram(ctx, c, root, dir, true) }})
	}
	var missing error
	for _, need := range needs {
		if err := need.provide(); err != nil {
			missing = errors.Join(missing, fmt.Errorf("missing: %s: %w", need.name, err))
			c.printf("missing: %s: %s", need.name, err)
		}
	}
	if !ci && ctx.Err() == nil {
		return nil
	}
	return missing
}

func providePython(ctx context.Context, c *console) error {
	env := python.TestEnvironment(place.Cache())
	if _, err := env.Open(ctx); err != nil {
		base, err := python.Base(python.Find(ctx))
		if err != nil {
			return err
		}
		step := c.begin("Installing JupyterLab, jupyter_kernel_test and numpy for the tests")
		total := env.Lock.Len()
		if err := env.Tidy(); err != nil {
			return step.fail(err)
		}
		if _, err = env.Make(ctx, base, func(done int, what string) { step.progress(done, total, what) }); err != nil {
			return step.fail(err)
		}
		step.end("%s", env.Dir)
	}
	return os.Setenv(testrun.PythonVariable, env.Python())
}

func provideBrowser(ctx context.Context, c *console) error {
	if _, err := browser.Find(); err == nil {
		return nil
	}
	step := c.begin("Installing Chromium for the browser test")
	if err := browser.Install(ctx); err != nil {
		return step.fail(err)
	}
	path, err := browser.Find()
	if err != nil {
		return step.fail(err)
	}
	step.end("%s", path)
	return nil
}

// provideCompiler installs a compiler of C where Go finds none: compiled cells and the race
// detector need it.
func provideCompiler(ctx context.Context, c *console) error {
	if runtime.GOOS != "linux" || raceable(ctx) == nil {
		return nil
	}
	step := c.begin("Installing a C compiler for compiled cells")
	err := debian.Install(ctx, "gcc", "libc6-dev")
	if errors.Is(err, debian.ErrNotHere) {
		err = fmt.Errorf("compiled cells need gcc; install it (on Debian: apt-get install gcc libc6-dev): %w", err)
	}
	if err != nil {
		return step.fail(err)
	}
	step.end("installed")
	return raceable(ctx)
}

func provideSlurm(ctx context.Context, c *console) error {
	if slurm.Find() == nil {
		return nil
	}
	step := c.begin("Installing Slurm for the tests on a cluster")
	if err := slurm.Install(ctx); err != nil {
		return step.fail(err)
	}
	if err := slurm.Find(); err != nil {
		return step.fail(err)
	}
	step.end("installed")
	return nil
}

// provideProgram builds the program that all tests run, and the kit that compiles cells for it.
// Otherwise each package would build both again.
func provideProgram(ctx context.Context, c *console, root, dir string, race bool) error {
	name, flags := "Preparing the program and compiled cells for the tests", []string(nil)
	if race {
		name, flags = name+" with the race detector", []string{"-race"}
		dir = filepath.Join(dir, "race")
	}
	step := c.begin(name)
	program := filepath.Join(dir, programName())
	progress := func(what string) { step.progress(0, 0, what) }
	if err := buildProgram(ctx, root, program, progress, "", flags...); err != nil {
		return step.fail(err)
	}
	if err := os.Setenv(testprogram.Variable(race), program); err != nil {
		return step.fail(err)
	}
	if _, err := toolchain.Open(ctx, toolchain.Settings{Program: program, Root: root, Progress: progress}); err != nil {
		return step.fail(err)
	}
	step.end("ready")
	return nil
}
