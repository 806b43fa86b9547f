package python

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment is a private virtual environment.
type Environment struct {
	// Dir is its folder.
	Dir string
	// Lock is what it holds.
	Lock Lock
}

// TestEnvironment returns the environment of the tests in a cache folder.
func TestEnvironment(cache string) Environment {
	return Environment{Dir: filepath.Join(cache, "python-test"), Lock: Tests()}
}

// Python returns the path of the environment's interpreter.
func (e Environment) Python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(e.Dir, "Scripts", "python.exe")
	}
	return filepath.Join(e.Dir, "bin", "python")
}

// stamp is written when everything else is done, and holds the lock's sum.
func (e Environment) stamp() string { return filepath.Join(e.Dir, "hierml-lock") }

// Open returns the environment's interpreter if the environment was made completely, from this very
// lock, and still works. The error wraps fs.ErrNotExist where there is none.
func (e Environment) Open(ctx context.Context) (Interpreter, error) {
	sum, err := os.ReadFile(e.stamp())
	if err != nil {
		return Interpreter{}, err
	}
	if string(sum) != e.Lock.Sum() {
		return Interpreter{}, fmt.Errorf("%s was made from another lock file", e.Dir)
	}
	found, err := Probe(ctx, e.Python())
	if err != nil {
		return Interpreter{}, err
	}
	if missing := found.Missing(); len(missing) > 0 {
		return Interpreter{}, fmt.Errorf("%s lacks %s", e.Dir, strings.Join(missing, ", "))
	}
	return found, nil
}

// Make makes the environment anew with base, in place of whatever is in Dir. Each of the lock's
// packages is reported to progress, from 1 to Lock.Len(). Only files whose hash is in the lock are
// installed, and none is built here.
func (e Environment) Make(ctx context.Context, base Interpreter, progress func(done int, what string)) (Interpreter, error) {
	if err := base.CanMakeEnvironment(); err != nil {
		return Interpreter{}, err
	}
	if err := os.RemoveAll(e.Dir); err != nil {
		return Interpreter{}, err
	}
	if err := apart(func(dir string) error {
		out, err := base.command(ctx, dir, "-m", "venv", e.Dir).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s -m venv %s: %w\n%s", base.Path, e.Dir, err, tail(string(out), 15))
		}
		return e.install(ctx, dir, progress)
	}); err != nil {
		return Interpreter{}, err
	}
	if err := os.WriteFile(e.stamp(), []byte(e.Lock.Sum()), 0o644); err != nil {
		return Interpreter{}, err
	}
	return e.Open(ctx)
}

// install fills the new environment, working in an empty folder.
func (e Environment) install(ctx context.Context, dir string, progress func(done int, what string)) error {
	lock := filepath.Join(e.Dir, "requirements.txt")
	if err := os.WriteFile(lock, e.Lock.content, 0o644); err != nil {
		return err
	}
	cmd := Interpreter{Path: e.Python()}.command(ctx, dir, "-m", "pip", "install",
		"--require-hashes", "--only-binary", ":all:", "--no-user", "--no-input",
		"--disable-pip-version-check", "--progress-bar", "off", "-r", lock)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { writer.CloseWithError(cmd.Wait()) }() // a nil error is io.EOF to the reader
	var last []string
	done := 0
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		last = append(last, line)
		last = last[max(0, len(last)-15):]
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "Collecting", "Ignoring", "Requirement":
			rest = strings.TrimPrefix(rest, "already satisfied: ")
			done++
			progress(min(done, e.Lock.Len()), rest[:strings.IndexAny(rest+"=", "=: ")])
		case "Installing":
			progress(e.Lock.Len(), "unpacking")
		}
	}
	if err := lines.Err(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("pip could not install the packages of the lock file: %w\n%s\n"+
			"check the network and pip's index, or do without Jupyter: --no-jupyter", err, strings.Join(last, "\n"))
	}
	return nil
}
