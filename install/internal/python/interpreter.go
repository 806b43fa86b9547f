// Package python finds Python and Jupyter on this machine, makes private environments from lock
// files with hashes, and runs notebooks through Jupyter. Which of them an installation uses, and
// where, is left to its callers.
package python

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/temporary"
)

//go:embed probe.py
var probeScript string

// Interpreter is a Python 3 that answered.
type Interpreter struct {
	// Path is what to start.
	Path string `json:"executable"`
	// Version has three parts: major, minor, micro.
	Version [3]int `json:"version"`
	// Packages maps the names of the Jupyter packages that are installed to their versions.
	Packages map[string]string `json:"packages"`
	// Environments says whether the modules that make environments are there.
	Environments bool `json:"environments"`
}

// jupyterPackages are the parts of Jupyter that the installation uses.
var jupyterPackages = []string{"jupyterlab", "nbclient", "nbconvert"}

// Missing returns the Jupyter packages that the interpreter lacks.
func (i Interpreter) Missing() []string {
	var missing []string
	for _, name := range jupyterPackages {
		if i.Packages[name] == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// CanMakeEnvironment returns nil if a private environment can be made with this interpreter, and
// otherwise what to do.
func (i Interpreter) CanMakeEnvironment() error {
	switch {
	case i.Version[0] != 3 || i.Version[1] < oldest:
		return fmt.Errorf("%s is Python %s; Python 3.%d or newer is needed", i.Path, i.version(), oldest)
	case !i.Environments:
		return fmt.Errorf("%s has no modules venv and ensurepip; on Debian and Ubuntu: apt-get install python3-venv", i.Path)
	}
	return nil
}

func (i Interpreter) version() string {
	return fmt.Sprintf("%d.%d.%d", i.Version[0], i.Version[1], i.Version[2])
}

// Command returns a command for Python code given as text. It starts in dir; see
// [Interpreter.command].
func (i Interpreter) Command(ctx context.Context, dir, script string, args ...string) *exec.Cmd {
	cmd := i.command(ctx, dir, append([]string{"-c", script}, args...)...)
	// Python on Windows would write the console's code page.
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	return cmd
}

// command returns a command of the interpreter that starts in dir. Python searches dir for modules
// before its own folders, so only the user may be able to write to dir. The options that forbid
// that do not help: they are new, or ignore the user's own packages. Package process starts the
// command.
func (i Interpreter) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := process.Bind(exec.CommandContext(ctx, i.Path, args...))
	cmd.Dir = dir
	return cmd
}

// apart calls run with an empty folder, which only the user can write to and which is removed
// afterwards. It is also for temporary files, so that those of a killed program are removed, too.
func apart(run func(dir string) error) error {
	dir, err := temporary.Folder("", "python")
	if err != nil {
		return err
	}
	return errors.Join(run(dir), temporary.Remove(dir))
}

// answer returns the output of Python code given as text, run apart and with the additional
// variables env. Its standard error is part of the error.
func (i Interpreter) answer(ctx context.Context, env []string, script string, args ...string) (out []byte, err error) {
	err = apart(func(dir string) error {
		cmd := i.Command(ctx, dir, script, args...)
		cmd.Env = append(append(cmd.Env, "TMPDIR="+dir), env...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := process.Run(cmd); err != nil {
			return fmt.Errorf("%w\n%s", err, tail(stderr.String(), 15))
		}
		out = stdout.Bytes()
		return nil
	})
	return out, err
}

// Probe asks the Python at path for its properties.
func Probe(ctx context.Context, path string) (Interpreter, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := Interpreter{Path: path}.answer(ctx, nil, probeScript, jupyterPackages...)
	if err != nil {
		return Interpreter{}, fmt.Errorf("%s does not work: %w", path, err)
	}
	var found Interpreter
	if err := json.Unmarshal(out, &found); err != nil {
		return Interpreter{}, fmt.Errorf("%s: expected one line of JSON, got %q: %w", path, out, err)
	}
	return found, nil
}

// Find returns the interpreters on PATH that answer, that of the jupyter command first. Several
// names of one interpreter give one answer.
func Find(ctx context.Context) []Interpreter {
	var found []Interpreter
	seen := make(map[string]bool)
	for _, path := range candidates() {
		interpreter, err := Probe(ctx, path)
		if err != nil || seen[interpreter.Path] {
			continue // a shim, a shop's front or a broken installation is no Python
		}
		seen[interpreter.Path] = true
		found = append(found, interpreter)
	}
	return found
}

// candidates are the paths at which a Python may be.
func candidates() []string {
	var paths []string
	if jupyter, err := exec.LookPath("jupyter"); err == nil {
		// Virtual environments, conda and pipx keep Python beside jupyter.
		if target, err := filepath.EvalSymlinks(jupyter); err == nil {
			jupyter = target
		}
		dir := filepath.Dir(jupyter)
		for _, beside := range []string{"python3", "python", "python.exe", "../python.exe"} {
			path := filepath.Join(dir, filepath.FromSlash(beside))
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				paths = append(paths, path)
			}
		}
	}
	names := []string{"python3", "python"}
	for minor := oldest + 10; minor >= oldest; minor-- {
		names = append(names, fmt.Sprintf("python3.%d", minor))
	}
	if runtime.GOOS == "windows" {
		names = append(names, "py")
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && !opensDialog(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// opensDialog reports whether path is macOS' stand-in for Python, which does nothing but offer to
// install the developer tools.
func opensDialog(path string) bool {
	return runtime.GOOS == "darwin" && strings.HasPrefix(path, "/usr/bin/") && exec.Command("xcode-select", "-p").Run() != nil
}

// Choose returns the first of the interpreters that has all of Jupyter, and whether there is one.
func Choose(found []Interpreter) (Interpreter, bool) {
	for _, i := range found {
		if len(i.Missing()) == 0 {
			return i, true
		}
	}
	return Interpreter{}, false
}

// ErrNoPython says that no command on PATH answered as a Python 3 of these years.
var ErrNoPython = fmt.Errorf("no Python 3.%d or newer on PATH", oldest)

// Base returns the first of the interpreters with which a private environment can be made. The
// error says what each of them lacks, or is ErrNoPython.
func Base(found []Interpreter) (Interpreter, error) {
	err := ErrNoPython
	var unfit []error
	for _, i := range found {
		fault := i.CanMakeEnvironment()
		if fault == nil {
			return i, nil
		}
		unfit = append(unfit, fault)
	}
	if len(unfit) > 0 {
		err = errors.Join(unfit...)
	}
	return Interpreter{}, err
}

// tail returns the last n lines of text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
