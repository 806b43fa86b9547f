package acceptance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/testrun"
)

// madeWheel is the wheel of the last commit.
var madeWheel = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "wheel")
	if err := distribute("wheel", "-o", dir); err != nil {
		return "", err
	}
	return single(filepath.Join(dir, "hierml-*.whl"))
})

// madeRelease is the folder with the release of the last commit for this processor.
var madeRelease = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "release")
	return dir, distribute("release", "-o", dir, "--system", runtime.GOOS+"/"+runtime.GOARCH)
})

// distribute runs a command of the installer.
func distribute(args ...string) error {
	cmd := exec.Command("go", append([]string{"run", "./install"}, args...)...)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go run ./install %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// single returns the one file that a pattern matches.
func single(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%s matches %q", pattern, found)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// TestRelease holds that a release has the sums of its files, and that the same commit makes the
// same bytes: its wheel is that of another run.
func TestRelease(t *testing.T) {
	testrun.LeaveToLong(t, "the program is built for all systems")
	dir, err := madeRelease()
	if err != nil {
		t.Fatal(err)
	}
	wheel, err := madeWheel()
	if err != nil {
		t.Fatal(err)
	}
	one, oneErr := os.ReadFile(wheel)
	two, twoErr := os.ReadFile(filepath.Join(dir, filepath.Base(wheel)))
	if oneErr != nil || twoErr != nil || !bytes.Equal(one, two) {
		t.Errorf("two runs made %s with %d bytes, %v, and with %d bytes, %v", filepath.Base(wheel), len(one), oneErr, len(two), twoErr)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(dir, name))
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || got != sum {
			t.Errorf("%s has the sum %s, %v, want %s", name, got, err, sum)
		}
		named = append(named, name)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(named)+1 {
		t.Errorf("%d files have sums, of %v, %v", len(named), entries, err)
	}
	for _, ending := range []string{".whl", "-linux-" + runtime.GOARCH + ".tar.gz", "_" + runtime.GOARCH + ".deb", ".cdx.json", "LICENCES.txt", "NOTES.md"} {
		if !slices.ContainsFunc(named, func(name string) bool { return strings.HasSuffix(name, ending) }) {
			t.Errorf("the release has no %s: %q", ending, named)
		}
	}
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

// list lists the files of the environment, but for what Python compiles as it runs. pip leaves
// those folders of Jupyter empty that it has made.
func (e environment) list() []string {
	e.t.Helper()
	return slices.DeleteFunc(files(e.t, e.dir), func(name string) bool {
		info, err := os.Lstat(name)
		return strings.Contains(name, "__pycache__") || err != nil || info.IsDir()
	})
}

// pip runs pip of the environment, without a network.
func (e environment) pip(args ...string) {
	e.t.Helper()
	e.run(append([]string{e.bin("python"), "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"}, args...)...)
}

// TestWheel holds that pip installs the wheel into an empty environment: the kernel is in its
// Jupyter, where the tour runs without Go, and the program says what compiled cells need; with Go,
// cells are compiled. Estimators for scikit-learn train. pip leaves nothing behind.
func TestWheel(t *testing.T) {
	testrun.LeaveToLong(t, "the program is built for all systems")
	e := newEnvironment(t)
	wheel, err := madeWheel()
	if err != nil {
		t.Fatal(err)
	}
	withGo := os.Getenv("PATH")
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(gocache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", withoutGo(filepath.Join(e.dir, "bin")))

	before := e.list()
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
	// The templates of pages are in the Jupyter of the tests.
	t.Setenv("JUPYTER_PATH", filepath.Join(filepath.Dir(filepath.Dir(jupyter(t).Path)), "share", "jupyter"))
	if err := tour.Run(t.Context(), i, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	checkExecuted(t, tour.Output, 0)

	// So are the estimators for scikit-learn, which find the program by what pip has recorded.
	fit := "from hierml.sklearn import FlatSVC; print(FlatSVC().fit([[0, 1], [1, 0]], ['apple', 'pear']).predict([[0, 1]])[0])"
	if said := e.run(e.bin("python"), "-c", fit); !strings.Contains(said, "apple") {
		t.Errorf("an estimator of the wheel predicts %s", said)
	}

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
	if after := e.list(); !slices.Equal(before, after) {
		t.Errorf("pip uninstall leaves %q", slices.DeleteFunc(after, func(name string) bool { return slices.Contains(before, name) }))
	}
}
