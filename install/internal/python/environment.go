package python

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/process"
)

// Environment is a private virtual environment. It contains absolute paths, and cannot be moved. So
// each one is made in a separate folder, and Dir is a link to the current one: while a new one is
// made, the old one still works.
type Environment struct {
	// Dir is the path by which it is used: of the link, or of the environment itself where an
	// earlier version has made it.
	Dir string
	// Lock lists its packages.
	Lock Lock
}

// Folders is where the environments are.
func (e Environment) Folders() string { return e.Dir + "-environments" }

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

// stamp is the file that is written last, with the lock's checksum.
func (e Environment) stamp() string { return filepath.Join(e.Dir, "hierml-lock") }

// Open returns the environment's interpreter if the environment is complete, was made from this
// lock, and still works. The error wraps fs.ErrNotExist if there is none.
func (e Environment) Open(ctx context.Context) (Interpreter, error) {
	sum, err := os.ReadFile(e.stamp())
	if err != nil {
		return Interpreter{}, err
	}
	if string(sum) != e.Lock.Sum() {
		return Interpreter{}, fmt.Errorf("%s was made from another lock file", e.Dir)
	}
	return e.Works(ctx)
}

// Works returns the environment's interpreter if it has all of Jupyter, from any lock.
func (e Environment) Works(ctx context.Context) (Interpreter, error) {
	found, err := Probe(ctx, e.Python())
	if err != nil {
		return Interpreter{}, err
	}
	if missing := found.Missing(); len(missing) > 0 {
		return Interpreter{}, fmt.Errorf("%s lacks %s", e.Dir, strings.Join(missing, ", "))
	}
	return found, nil
}

// Make makes an environment with base, and then replaces the current one. The old one stays until
// the next call of [Environment.Tidy], since a JupyterLab may be using it. If Make fails, the old
// one is still in use, and nothing is left of the new one. Make reports each of the lock's packages
// to progress, from 1 to Lock.Len(). It installs only files whose hash is in the lock, and builds
// none.
func (e Environment) Make(ctx context.Context, base Interpreter, progress func(done int, what string)) (made Interpreter, err error) {
	if err := base.CanMakeEnvironment(); err != nil {
		return Interpreter{}, err
	}
	if err := os.MkdirAll(e.Folders(), 0o755); err != nil {
		return Interpreter{}, err
	}
	making, err := lock.Alone(filepath.Join(e.Folders(), "lock"))
	if err != nil {
		return Interpreter{}, err
	}
	if making == nil {
		return Interpreter{}, fmt.Errorf("another process makes an environment in %s; wait until it has ended", e.Folders())
	}
	defer func() { err = errors.Join(err, making.Release()) }()
	folder, err := e.newFolder()
	if err != nil {
		return Interpreter{}, err
	}
	if err := (Environment{folder, e.Lock}).fill(ctx, base, progress); err != nil {
		return Interpreter{}, errors.Join(err, os.RemoveAll(folder))
	}
	if err := e.use(folder); err != nil {
		return Interpreter{}, errors.Join(err, os.RemoveAll(folder))
	}
	return e.Open(ctx)
}

// newFolder makes a folder for an environment, which is known by it from now on.
func (e Environment) newFolder() (string, error) {
	for n := 1; ; n++ {
		folder := filepath.Join(e.Folders(), strconv.Itoa(n))
		err := os.Mkdir(folder, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, mark), nil, 0o644)
		}
		return folder, err
	}
}

// mark is the name of a file in each environment that was begun here.
const mark = "hierml-environment"

// ours reports whether a folder, no link to one, is an environment that was made here, or begun, or
// has nothing in it.
func ours(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() {
		return false
	}
	if entries, err := os.ReadDir(folder); err == nil && len(entries) == 0 {
		return true
	}
	is := func(name string) bool {
		info, err := os.Lstat(filepath.Join(folder, name))
		return err == nil && info.Mode().IsRegular()
	}
	// Earlier versions have left a stamp alone.
	return is(mark) || is(filepath.Base(Environment{}.stamp())) && is("pyvenv.cfg")
}

// create makes an environment without packages but pip. It keeps temporary files in dir.
func (e Environment) create(ctx context.Context, base Interpreter, dir string) error {
	var out bytes.Buffer
	cmd := base.command(ctx, dir, "-m", "venv", e.Dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("%s -m venv %s: %w\n%s", base.Path, e.Dir, err, tail(out.String(), 15))
	}
	return nil
}

// fill makes the environment in its empty folder, and tries it.
func (e Environment) fill(ctx context.Context, base Interpreter, progress func(done int, what string)) error {
	err := apart(func(dir string) error {
		if err := e.create(ctx, base, dir); err != nil {
			return err
		}
		return e.install(ctx, dir, progress)
	})
	if err == nil {
		err = e.configure()
	}
	if err == nil {
		_, err = e.Works(ctx)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(e.stamp(), []byte(e.Lock.Sum()), 0o644)
}

// settings are the files by which JupyterLab in a private environment asks no question before a
// notebook runs: neither about news nor for a kernel. Each is read before the user's own settings.
var settings = map[string]string{
	"share/jupyter/lab/settings/overrides.d/hierml.json": `{
  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false},
  "@jupyterlab/notebook-extension:tracker": {"autoStartDefaultKernel": true}
}
`,
	"etc/jupyter/jupyter_server_config.json": `{"MultiKernelManager": {"default_kernel_name": "hierml"}}
`,
}

// configure writes the settings.
func (e Environment) configure() error {
	for name, content := range settings {
		file := filepath.Join(e.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// use makes Dir a link to an environment. It replaces another link, or an environment, which it
// moves to the other folders.
func (e Environment) use(folder string) error {
	link := filepath.Join(e.Folders(), "link")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target, err := filepath.Rel(filepath.Dir(e.Dir), folder)
	if err != nil {
		return err
	}
	if err := os.Symlink(target, link); err != nil {
		return err
	}
	info, err := os.Lstat(e.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !info.IsDir() {
		return os.Rename(link, e.Dir)
	}
	before, err := e.newFolder()
	if err == nil {
		err = os.RemoveAll(before) // only the name is needed
	}
	if err == nil {
		err = os.Rename(e.Dir, before)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(link, e.Dir); err != nil {
		return errors.Join(err, os.Rename(before, e.Dir))
	}
	return nil
}

// Tidy removes all environments except the current one: replaced ones, and the remains of killed
// processes. It keeps files that were not made here.
func (e Environment) Tidy() (err error) {
	making, err := lock.Existing(filepath.Join(e.Folders(), "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if making == nil {
		return err
	}
	defer func() { err = errors.Join(err, making.Release()) }()
	used, _ := filepath.EvalSymlinks(e.Dir) // empty if none is used
	entries, err := os.ReadDir(e.Folders())
	for _, entry := range entries {
		folder := filepath.Join(e.Folders(), entry.Name())
		if real, resolveErr := filepath.EvalSymlinks(folder); ours(folder) && (resolveErr != nil || real != used) {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	return err
}

// Remove removes the environment and all that it has replaced. It returns which of Dir and Folders
// it has removed, and which it has kept because they were not made here.
func (e Environment) Remove() (removed, kept []string, err error) {
	remove := func(path string, remove func(string) error) {
		if failed := remove(path); failed != nil {
			err = errors.Join(err, failed)
		} else if path == e.Dir || path == e.Folders() {
			removed = append(removed, path)
		}
	}
	target, noLink := os.Readlink(e.Dir)
	switch {
	case noLink == nil && filepath.Join(filepath.Dir(e.Dir), filepath.Dir(target)) == e.Folders():
		remove(e.Dir, os.Remove)
	case ours(e.Dir):
		remove(e.Dir, os.RemoveAll)
	case there(e.Dir):
		kept = append(kept, e.Dir)
	}
	info, missing := os.Lstat(e.Folders())
	if missing != nil {
		return removed, kept, err
	}
	if !info.IsDir() {
		return removed, append(kept, e.Folders()), err
	}
	entries, unread := os.ReadDir(e.Folders())
	err = errors.Join(err, unread)
	for _, entry := range entries {
		switch path := filepath.Join(e.Folders(), entry.Name()); {
		case ours(path):
			remove(path, os.RemoveAll)
		case entry.Name() == "lock" || entry.Name() == "link":
			remove(path, os.Remove)
		default:
			kept = append(kept, path)
		}
	}
	if left, unread := os.ReadDir(e.Folders()); unread == nil && len(left) == 0 {
		remove(e.Folders(), os.Remove)
	}
	return removed, kept, err
}

// there reports whether there is something at a path, be it a link that leads nowhere.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	wait, err := process.Start(cmd)
	if err != nil {
		return err
	}
	go func() { writer.CloseWithError(wait()) }() // a nil error is io.EOF to the reader
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
