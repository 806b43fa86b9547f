package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/install/internal/debian"
	"github.com/hierml/notebook/install/internal/gotest"
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

// acceptance is the package whose tests need Jupyter and a browser.
const acceptance = module + "/install/acceptance"

// underRace are the packages in which goroutines of ours meet. Their tests run with the race
// detector.
var underRace = []struct {
	packages []string
	// pattern matches the names of the tests that do: those in which the goroutines meet. Where it
	// is empty all do, and none runs once more without the detector.
	pattern string
}{
	{[]string{
		"./kernel/internal/compiled", "./kernel/internal/compiled/cell", "./kernel/internal/history", "./kernel/internal/repl", "./kernel/internal/rerun", "./kernel/internal/script",
		"./kernel/internal/session", "./kernel/internal/wire/...", "./stdlib/nb", "./stdlib/magic",
		"./hierml/internal/guarded", "./hierml/gram",
	}, ""},
	{[]string{
		"./kernel/internal/engine/...", "./kernel/internal/interpreted/...", "./kernel/internal/worker/...",
		"./hierml/clustering", "./hierml/experiment", "./hierml/features", "./hierml/forest", "./hierml/metric", "./hierml/norm", "./hierml/perceptron",
		"./hierml/solver", "./hierml/structured", "./hierml/svm", "./hierml/synthetic", "./hierml/taxonomy", "./hierml/weighting",
	}, `AtTheSameTime|Concurrent|Parallel|Workers|Cancelled|Interrupt|Together|BehavioursInWorker|WorkerSessions|ProgramsAreGo|CentroidDistances|FitEndsEarly`},
}

// testForm is how much is tested.
type testForm struct {
	// quick leaves all out but the tests of packages and of those that import them.
	quick bool
	// given runs only the tests that need folders of data, drivers or programs, and requires the folders.
	given bool
	// long has the tests do all that they can.
	long bool
	// packages are those of the quick form, or the changed ones if there are none.
	packages []string
}

// testRun is one run of the tests.
type testRun struct {
	console *console
	form    testForm
	ci      bool

	mu      sync.Mutex // of what is said and counted
	summary gotest.Summary
	failed  []string
	skipped []string
}

// stage is one part of the test run.
type stage struct {
	name string
	run  func(context.Context) error
}

// errSkipped is what a stage returns whose needs are missing. It is said above what they are.
var errSkipped = errors.New("skipped")

// test provides what the tests need and runs every stage, whatever became of the ones before, so
// that one run shows all that is wrong. What is missing is an error if ci is set, and elsewhere a
// line that says what to install; the tests that need it skip themselves.
func test(ctx context.Context, c *console, form testForm, ci bool) error {
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
	r := &testRun{console: c, form: form, ci: ci}
	begun := time.Now()
	if form.long {
		if err := os.Setenv(testrun.LongVariable, "1"); err != nil {
			return err
		}
	}
	switch {
	case form.quick:
		err = r.quick(ctx, root, dir)
	case form.given:
		err = r.given(ctx, root, dir)
	default:
		err = r.full(ctx, root, dir)
	}
	if err := errors.Join(err, temporary.Remove(dir)); err != nil {
		return err
	}
	return r.conclude(begun)
}

// full runs all stages: those that compute beside those that mostly wait, then those that either
// lane takes when it has done its own, so that none ends long before the other, and the comparison,
// which measures, alone.
func (r *testRun) full(ctx context.Context, root, dir string) error {
	r.provide(ctx, r.needs(root, dir))
	plain, err := packages(ctx)
	if err != nil {
		return err
	}
	outside := filepath.Join(dir, "acceptance.test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", outside, acceptance).CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c %s: %w\n%s", acceptance, err, out)
	}
	acceptance := func(name, pattern string) stage {
		return stage{name, func(ctx context.Context) error { return r.acceptance(ctx, outside, pattern) }}
	}
	computing := []stage{
		{"gofmt", gofmt},
		{"go vet", r.tool("go", "vet", "./...")},
		{"go test", r.goTest(append([]string{"-count=1", "-vet=off", "-timeout=" + r.limit()}, plain...)...)},
	}
	waiting := []stage{
		acceptance("protocol suite", "Protocol"),
		acceptance("front ends", "FrontEnds|Jupytext"),
		acceptance("drivers and habits", "Drivers|Habits"),
		acceptance("browser test", "Browser"),
		acceptance("installation", "Installation|Readme"),
		acceptance("the other Go", "OtherGo"),
		acceptance("cluster", "Cluster"),
	}
	if r.form.long {
		waiting = append(waiting, acceptance("releases", "Wheel|Release|BareSystem|Papermill|Windows|Arm64"), acceptance("both commands on a bare system", "BareClone"))
	}
	either := [][]stage{
		{{"program with the race detector", r.provideRaced(root, dir)}, {"race detector", r.race}},
		{{"staticcheck", r.tool("go", "tool", "staticcheck", "./...")}},
		{{"known faults", r.faults}},
		{{"fuzzing", r.fuzz}},
	}
	r.lanes(ctx, either, computing, waiting)
	r.stages(ctx, acceptance("comparison with ipykernel", "Comparison"))
	return ctx.Err()
}

// limit is how long the tests of a package may take on a busy machine.
func (r *testRun) limit() string {
	if r.form.long {
		return "90m"
	}
	return "60m"
}

// lanes runs lanes side by side, and the stages of each one after the other. A lane that has ended
// takes the next group of stages in either.
func (r *testRun) lanes(ctx context.Context, either [][]stage, lanes ...[]stage) {
	left := make(chan []stage, len(either))
	for _, group := range either {
		left <- group
	}
	close(left)
	var running sync.WaitGroup
	for _, lane := range lanes {
		running.Go(func() {
			r.stages(ctx, lane...)
			for group := range left {
				r.stages(ctx, group...)
			}
		})
	}
	running.Wait()
}

// stages runs stages one after the other.
func (r *testRun) stages(ctx context.Context, stages ...stage) {
	for _, s := range stages {
		if ctx.Err() != nil {
			return
		}
		r.say(fmt.Sprintf("== %s\n", s.name))
		begun := time.Now()
		err := s.run(ctx)
		verdict := "passed"
		r.mu.Lock()
		switch {
		case errors.Is(err, errSkipped):
			verdict = "skipped"
			r.skipped = append(r.skipped, s.name)
		case err != nil:
			verdict = "FAILED: " + err.Error()
			r.failed = append(r.failed, s.name)
		}
		r.mu.Unlock()
		r.say(fmt.Sprintf("== %s %s (%s)\n", s.name, verdict, seconds(time.Since(begun))))
	}
}

// conclude says what became of all tests.
func (r *testRun) conclude(begun time.Time) error {
	if reasons := r.summary.Reasons(); len(reasons) > 0 {
		r.console.printf("\nskipped:\n%s", strings.Join(reasons, "\n"))
	}
	if complaints := r.summary.Complaints(); len(complaints) > 0 {
		r.console.printf("\nfailed:\n%s", strings.Join(complaints, "\n"))
	}
	if len(r.skipped) > 0 {
		r.console.printf("skipped: %s", strings.Join(r.skipped, ", "))
	}
	r.console.printf("\n%s (%s)", r.summary, seconds(time.Since(begun)))
	if len(r.failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(r.failed, ", "))
	}
	r.console.printf("no check failed")
	return nil
}

// say prints a whole piece of what stages say that run side by side.
func (r *testRun) say(piece string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprint(r.console.out, piece)
}

// tool returns a stage that runs a command and shows what it prints.
func (r *testRun) tool(name string, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		var out bytes.Buffer
		cmd := process.Bind(exec.CommandContext(ctx, name, args...))
		cmd.Stdout, cmd.Stderr = &out, &out
		err := process.Run(cmd)
		r.say(out.String())
		return err
	}
}

// goTest returns a stage that runs `go test -v` with these arguments.
func (r *testRun) goTest(args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-v"}, args...)...)
		_, err := r.read(cmd, gotest.Packages)
		return err
	}
}

// acceptance runs those acceptance tests whose names match the pattern.
func (r *testRun) acceptance(ctx context.Context, program, pattern string) error {
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.count=1", "-test.timeout="+r.limit(), "-test.parallel=8", "-test.run="+pattern)
	cmd.Dir = filepath.FromSlash(strings.TrimPrefix(acceptance, module+"/"))
	summary, err := r.read(cmd, gotest.Logs)
	if err == nil && summary.Passed == 0 {
		return errSkipped
	}
	return err
}

// read runs a command that runs tests, shows what is to be seen of them, and counts them.
func (r *testRun) read(cmd *exec.Cmd, show gotest.Verbosity) (gotest.Summary, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return gotest.Summary{}, err
	}
	cmd.Stderr = cmd.Stdout
	wait, err := process.Start(process.Bind(cmd))
	if err != nil {
		return gotest.Summary{}, err
	}
	summary, err := gotest.Read(out, show, r.say)
	r.mu.Lock()
	r.summary.Add(summary)
	r.mu.Unlock()
	return summary, errors.Join(err, wait())
}

// packages returns the packages that are tested without the race detector.
func packages(ctx context.Context) ([]string, error) {
	all, err := list(ctx, "./...")
	if err != nil {
		return nil, err
	}
	elsewhere := []string{acceptance}
	if raceable(ctx) == nil {
		for _, group := range underRace {
			if group.pattern != "" {
				continue
			}
			raced, err := list(ctx, group.packages...)
			if err != nil {
				return nil, err
			}
			elsewhere = append(elsewhere, raced...)
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { return slices.Contains(elsewhere, p) }), nil
}

// list returns the packages that patterns match.
func list(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	return strings.Fields(string(out)), nil
}

func gofmt(ctx context.Context) error {
	goroot, err := goEnv(ctx, "", "GOROOT")
	if err != nil {
		return err
	}
	program := filepath.Join(goroot, "bin", "gofmt")
	out, err := exec.CommandContext(ctx, program, "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("run gofmt -w on %s", strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// raceable returns why tests cannot run with the race detector.
func raceable(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		return fmt.Errorf("go env CGO_ENABLED: %w", err)
	}
	if string(bytes.TrimSpace(out)) != "1" {
		return errors.New("the race detector needs a C compiler; install gcc or clang")
	}
	return nil
}

func (r *testRun) race(ctx context.Context) error {
	if err := raceable(ctx); err != nil {
		if r.ci {
			return err
		}
		r.say(err.Error() + "\n")
		return errSkipped
	}
	var failed error
	for _, group := range underRace {
		args := []string{"-race", "-count=1", "-vet=off", "-timeout=" + r.limit()}
		if group.pattern != "" {
			args = append(args, "-run="+group.pattern)
		}
		failed = errors.Join(failed, r.goTest(append(args, group.packages...)...)(ctx))
	}
	return failed
}

// given runs the tests that need folders which a clone does not have, see package given. One that still
// lacks what it needs is a failure.
func (r *testRun) given(ctx context.Context, root, dir string) error {
	all, err := listAll(ctx)
	if err != nil {
		return err
	}
	args := []string{"-count=1", "-vet=off", "-parallel=8", "-timeout=" + r.limit(), "-run=^" + given.Prefix}
	for _, p := range all {
		if p.tests(given.Package) {
			args = append(args, p.ImportPath)
		}
	}
	needs := r.needs(root, dir)
	r.provide(ctx, append(needs[:1:1], needs[len(needs)-2:]...))
	r.stages(ctx, stage{"tests of given folders", func(ctx context.Context) error {
		return errors.Join(r.goTest(args...)(ctx), complete(r.summary))
	}})
	return ctx.Err()
}

// complete is an error if no test ran, or one lacked what it needs.
func complete(s gotest.Summary) error {
	lacking := 0
	for _, skip := range s.Skipped {
		if strings.HasPrefix(skip.Reason, "needs ") {
			lacking++
		}
	}
	if lacking > 0 || s.Passed == 0 {
		return fmt.Errorf("%d tests passed, and %d lack what they need", s.Passed, lacking)
	}
	return nil
}

// needs returns the stages that make what the tests need: Python first, and the compiler and the program last.
func (r *testRun) needs(root, dir string) []stage {
	return []stage{
		{"Python environment of the tests", func(ctx context.Context) error { return providePython(ctx, r.console) }},
		{"Chromium", func(ctx context.Context) error { return provideBrowser(ctx, r.console) }},
		{"parts of a site for the browser", func(ctx context.Context) error {
			_, err := siteParts(ctx, r.console, root, "")
			return err
		}},
		{"Slurm", func(ctx context.Context) error { return provideSlurm(ctx, r.console) }},
		{"C compiler", func(ctx context.Context) error { return provideCompiler(ctx, r.console) }},
		{"compiled cells", func(ctx context.Context) error { return provideProgram(ctx, r.console, root, dir, false) }},
	}
}

// provide installs and builds what the tests need, and reports what it cannot provide.
func (r *testRun) provide(ctx context.Context, needs []stage) {
	for _, need := range needs {
		if err := need.run(ctx); err != nil {
			if r.ci || ctx.Err() != nil {
				r.failed = append(r.failed, need.name)
			}
			r.console.printf("missing: %s: %s", need.name, err)
		}
	}
}

// provideRaced returns a stage that makes what the tests with the race detector need. It runs beside
// others, which need nothing of it.
func (r *testRun) provideRaced(root, dir string) func(context.Context) error {
	return func(ctx context.Context) error {
		err := raceable(ctx)
		if err == nil {
			err = provideProgram(ctx, &console{out: saying{r}}, root, dir, true)
		}
		if err != nil && !r.ci && ctx.Err() == nil {
			r.say(err.Error() + "\n")
			return errSkipped
		}
		return err
	}
}

// saying is a writer that says what is written to it.
type saying struct{ run *testRun }

func (s saying) Write(p []byte) (int, error) {
	s.run.say(string(p))
	return len(p), nil
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

// provideCompiler installs a compiler of C where Go finds none: compiled cells and the race detector need it.
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

// provideProgram builds the program that all tests run, and makes what compiles cells for it. They
// would do both themselves, each package anew.
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
