package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/python"
)

// madeWheel is the wheel of the last commit.
var madeWheel = sync.OnceValues(func() (string, error) { return makeWheel(filepath.Join(scratch, "wheel")) })

// makeWheel makes the wheel in a folder, and returns its path.
func makeWheel(dir string) (string, error) {
	cmd := exec.Command("go", "run", "./install", "wheel", "-o", dir)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go run ./install wheel: %w\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "hierml-*.whl"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("there are %q", found)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// withoutGo returns PATH without the folders in which Go is, and with one before it.
func withoutGo(first string) string {
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "go"))
		return err == nil
	})
	return strings.Join(append([]string{first}, folders...), string(os.PathListSeparator))
}

// An environment is a virtual one of Python, with the Jupyter of the tests beside it.
type environment struct {
	t   *testing.T
	dir string
}

func newEnvironment(t *testing.T) environment {
	t.Helper()
	base := jupyter(t)
	e := environment{t, filepath.Join(t.TempDir(), "a venv")}
	e.run(base.Path, "-m", "venv", e.dir)
	beside := e.run(base.Path, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	into := strings.TrimSpace(e.run(e.bin("python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
	if err := os.WriteFile(filepath.Join(into, "jupyter.pth"), []byte(beside), 0o644); err != nil {
		t.Fatal(err)
	}
	return e
}

// bin returns the path of a program of the environment.
func (e environment) bin(name string) string { return filepath.Join(e.dir, "bin", name) }

// run runs a program and returns what it prints.
func (e environment) run(words ...string) string {
	e.t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		e.t.Fatalf("%q: %v\n%s", words, err, out)
	}
	return string(out)
}

// pip runs pip of the environment, without a network.
func (e environment) pip(args ...string) {
	e.t.Helper()
	e.run(append([]string{e.bin("python"), "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"}, args...)...)
}

// TestWheel holds that the same commit makes the same wheel, which pip installs into an empty
// environment: the kernel is in its Jupyter, where the tour runs without Go, and the program says what
// compiled cells need; with Go, cells are compiled. pip leaves nothing behind.
func TestWheel(t *testing.T) {
	e := newEnvironment(t)
	wheel, err := madeWheel()
	if err != nil {
		t.Fatal(err)
	}
	again, err := makeWheel(filepath.Join(t.TempDir(), "again"))
	if err != nil {
		t.Fatal(err)
	}
	one, oneErr := os.ReadFile(wheel)
	two, twoErr := os.ReadFile(again)
	if oneErr != nil || twoErr != nil || filepath.Base(wheel) != filepath.Base(again) || !bytes.Equal(one, two) {
		t.Errorf("%s (%d bytes, %v) and %s (%d bytes, %v) differ", wheel, len(one), oneErr, again, len(two), twoErr)
	}
	withGo := os.Getenv("PATH")
	t.Setenv("PATH", withoutGo(filepath.Join(e.dir, "bin")))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())

	before := files(t, e.dir)
	e.pip("install", "--no-index", wheel)
	version := strings.TrimSpace(e.run(e.bin("python"), "-c", "import hierml; print(hierml.__version__)"))
	if name := "hierml-" + version + "-"; !strings.HasPrefix(filepath.Base(wheel), name) {
		t.Errorf("the Python package is %s, of %s", version, wheel)
	}
	commit, err := exec.Command("git", "-C", root(), "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	if said := e.run("hierml", "version"); !strings.Contains(said, strings.TrimSpace(string(commit))) {
		t.Errorf("hierml version prints %s, without the commit %s", said, commit)
	}
	if said := e.run("hierml", "licences"); !strings.Contains(said, "Redistribution") {
		t.Errorf("hierml licences prints %d bytes without a licence", len(said))
	}
	i := python.Interpreter{Path: e.bin("python")}
	kernels, err := python.Kernels(t.Context(), i, "")
	if want := kernelspec.Dir(filepath.Join(e.dir, "share", "jupyter"), "hierml"); err != nil || kernels["hierml"] != want {
		t.Errorf("jupyter kernelspec list shows %q, %v, want %s", kernels, err, want)
	}
	// Jupyter is started from elsewhere: the program is not on its PATH.
	out := t.TempDir()
	tour := python.Notebook{
		Source: filepath.Join(root(), "notebooks", "01-tour.ipynb"), Kernel: kernelspec.DefaultName, DisplayName: kernelspec.DefaultDisplayName,
		Data: filepath.Join(e.dir, "share", "jupyter"), Output: filepath.Join(out, "tour.ipynb"), HTML: filepath.Join(out, "tour.html"),
	}
	t.Setenv("PATH", withoutGo(out))
	if err := tour.Run(t.Context(), i, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	checkExecuted(t, tour.Output)

	cell := filepath.Join(out, "cell.go")
	if err := os.WriteFile(cell, []byte("import \"runtime/debug\"\n\n_, built := debug.ReadBuildInfo()\nfmt.Println(\"built\", built)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(e.bin("hierml"), "run", "--engine", "compiled", cell).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "install Go 1.") {
		t.Errorf("without Go, compiled cells print %v\n%s", err, said)
	}
	t.Setenv("PATH", withGo)
	if said := e.run(e.bin("hierml"), "run", "--engine", "compiled", cell); !strings.Contains(said, "built true") {
		t.Errorf("with Go, compiled cells print\n%s", said)
	}
	e.pip("uninstall", "-y", "hierml")
	if after := files(t, e.dir); !slices.Equal(before, after) {
		t.Errorf("pip uninstall leaves\n%q, before there was\n%q", after, before)
	}
}
