package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/install/internal/browser"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/toolchain"
)

// acceptance is the package whose tests need Jupyter and a browser.
const acceptance = module + "/install/acceptance"

// underRace are the packages in which goroutines of ours meet and whose tests do
// not compute for long. The tests in which yaegi alone races leave themselves out
// and say why.
var underRace = []string{
	"./hierml/clustering/...", "./hierml/experiment/...", "./hierml/metric/...", "./hierml/perceptron/...",
	"./hierml/solver/...", "./hierml/structured/...", "./hierml/svm/...",
	"./kernel/...",
}

// check is one part of the test run.
type check struct {
	name string
	run  func(context.Context) error
}

// errSkipped is what a check returns whose needs are missing. It is said above
// what they are.
var errSkipped = errors.New("skipped")

// test provides what the tests need and runs every check, whatever became of the
// ones before, so that one run shows all that is wrong. What is missing is an
// error if ci is set, and elsewhere a line that says what to install; the tests
// that need it skip themselves.
func test(ctx context.Context, c *console, ci bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	begun := time.Now()
	var failed, skipped []string
	for _, need := range []check{
		{"Python environment of the tests", func(ctx context.Context) error { return providePython(ctx, c) }},
		{"Chromium", func(ctx context.Context) error { return provideBrowser(ctx, c) }},
		{"compiled cells", func(ctx context.Context) error { return provideKit(ctx, c, root) }},
	} {
		if err := need.run(ctx); err != nil {
			if ci || ctx.Err() != nil {
				failed = append(failed, need.name)
			}
			c.printf("missing: %s: %s", need.name, err)
		}
	}
	packages, err := packages(ctx)
	if err != nil {
		return err
	}
	for _, check := range []check{
		{"gofmt", gofmt},
		{"go vet", tool("go", "vet", "./...")},
		{"staticcheck", tool("go", "tool", "staticcheck", "./...")},
		{"go test", tool("go", append([]string{"test", "-count=1", "-timeout=15m"}, packages...)...)},
		{"race detector", race},
		{"installation", acceptanceTest("Installation|Readme")},
		{"protocol suite", acceptanceTest("Protocol")},
		{"drivers", acceptanceTest("Drivers")},
		{"front ends", acceptanceTest("FrontEnds")},
		{"browser test", acceptanceTest("Browser")},
		{"comparison with ipykernel", acceptanceTest("Comparison")},
	} {
		if ctx.Err() != nil {
			break
		}
		c.printf("\n== %s", check.name)
		start := time.Now()
		verdict := "passed"
		switch err := check.run(ctx); {
		case errors.Is(err, errSkipped):
			verdict = "skipped"
			skipped = append(skipped, check.name)
		case err != nil:
			verdict = "FAILED: " + err.Error()
			failed = append(failed, check.name)
		}
		c.printf("== %s %s (%s)", check.name, verdict, seconds(time.Since(start)))
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s (after %s)", strings.Join(failed, ", "), seconds(time.Since(begun)))
	}
	if len(skipped) > 0 {
		c.printf("\nskipped: %s", strings.Join(skipped, ", "))
	}
	c.printf("\nno check failed (%s)", seconds(time.Since(begun)))
	return nil
}

// tool returns a check that runs a command with its output shown.
func tool(name string, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
}

// acceptanceTest returns a check that runs the acceptance tests whose names match
// the pattern.
func acceptanceTest(pattern string) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=15m", "-parallel=8", "-v", "-run", pattern, acceptance)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &said), os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		if !bytes.Contains(said.Bytes(), []byte("--- PASS")) {
			return errSkipped
		}
		return nil
	}
}

// packages returns the packages of this module but the one that is checked on
// its own.
func packages(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./...: %w", err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool { return p == acceptance }), nil
}

func gofmt(ctx context.Context) error {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	program := filepath.Join(string(bytes.TrimSpace(goroot)), "bin", "gofmt")
	out, err := exec.CommandContext(ctx, program, "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("run gofmt -w on %s", strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

func race(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		return fmt.Errorf("go env CGO_ENABLED: %w", err)
	}
	if string(bytes.TrimSpace(out)) != "1" {
		if os.Getenv("CI") == "true" {
			return errors.New("the race detector needs a C compiler; install gcc")
		}
		fmt.Println("the race detector needs a C compiler; install gcc or clang")
		return errSkipped
	}
	return tool("go", append([]string{"test", "-race", "-count=1", "-timeout=20m"}, underRace...)...)(ctx)
}

func providePython(ctx context.Context, c *console) error {
	env := python.TestEnvironment(place.Cache())
	if _, err := env.Open(ctx); err == nil {
		return nil
	}
	base, err := python.Base(python.Find(ctx))
	if err != nil {
		return err
	}
	step := c.begin("Installing JupyterLab and jupyter_kernel_test for the tests")
	total := env.Lock.Len()
	if _, err = env.Make(ctx, base, func(done int, what string) { step.progress(done, total, what) }); err != nil {
		return step.fail(err)
	}
	step.end("%s", env.Dir)
	return nil
}

// provideKit makes what the tests need to compile cells for the program as they
// build it. They would make it themselves, but while their time runs.
func provideKit(ctx context.Context, c *console, root string) (err error) {
	dir, err := os.MkdirTemp("", "hierml-program-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	step := c.begin("Preparing compiled cells for the tests")
	program := filepath.Join(dir, programName())
	if err := buildProgram(ctx, root, program, func(what string) { step.progress(0, 0, what) }); err != nil {
		return step.fail(err)
	}
	_, err = toolchain.Open(ctx, toolchain.Settings{Program: program, Root: root, Progress: func(what string) { step.progress(0, 0, what) }})
	if err != nil {
		return step.fail(err)
	}
	step.end("ready")
	return nil
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
