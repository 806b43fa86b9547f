package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/toolchain"
)

// installed puts into dir what an installation leaves there, by its own means, with this test's
// executable as the program.
func installed(t *testing.T, dir string) (place.Places, *receipt) {
	t.Helper()
	ownFolders(t)
	places, err := place.Prefix(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openReceipt(places)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	spec := kernelspec.Spec{Name: "hierml", DisplayName: "Go", Program: filepath.Join(places.Bin, programName())}
	kernel := kernelspec.Dir(places.Jupyter, spec.Name)
	for _, dir := range []string{places.Data, places.Bin, places.Man, kernel} {
		if err := r.makeFolder(dir); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	tr := tour{places: places}
	for path, content := range map[string][]byte{
		spec.Program:  program,
		tr.notebook(): []byte("{}"),
		tr.html():     []byte("<html>"),
	} {
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := spec.Write(kernel); err != nil {
		t.Fatal(err)
	}
	r.addProgram(spec.Program)
	r.addKernel(kernel)
	for _, path := range []string{filepath.Join(places.Data, beside.Course), filepath.Join(places.Man, "hierml.1")} {
		if err := r.writeFile(path, []byte(path)); err != nil {
			t.Fatal(err)
		}
	}
	r.Python = filepath.Join(places.Data, "python")
	environment(t, r.Python)
	r.Tour = &tourRecord{Inputs: "inputs", Runner: "Jupyter"}
	for path, f := range map[string]*file{tr.notebook(): &r.Tour.Notebook, tr.html(): &r.Tour.HTML} {
		if *f, err = record(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	return places, r
}

// environment puts a private environment in place, as package python makes one.
func environment(t *testing.T, dir string) {
	t.Helper()
	made := filepath.Join(python.Environment{Dir: dir}.Folders(), "1")
	for _, name := range []string{"hierml-environment", "hierml-lock", "pyvenv.cfg", "lib/module.py"} {
		path := filepath.Join(made, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	target, err := filepath.Rel(filepath.Dir(dir), made)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}

// ownFolders gives the test a cache, a history and temporary files of its own, of which there is
// nothing yet.
func ownFolders(t *testing.T) {
	t.Helper()
	t.Cleanup(xdg.Reload) // before Setenv, so that it runs after the variables are back
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	t.Setenv("TMPDIR", dir)
	xdg.Reload()
}

// tree lists the files and folders under dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestInstallingTwiceRecordsOnce(t *testing.T) {
	dir := t.TempDir()
	_, first := installed(t, dir)
	before := tree(t, dir)
	_, second := installed(t, dir)
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("after the second time there is %q, after the first %q", after, before)
	}
	if !slices.Equal(first.Kernels, second.Kernels) || !slices.Equal(first.Folders, second.Folders) {
		t.Errorf("recorded %+v, then %+v", first, second)
	}
}

func TestUninstallRemovesAllAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "share", "jupyter", "kernels", "python3")
	if err := os.MkdirAll(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	places, _ := installed(t, dir)
	checkpoints := filepath.Join(places.Data, ".ipynb_checkpoints")
	if err := os.Mkdir(checkpoints, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(checkpoints, "tour-checkpoint.ipynb"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := uninstall(t.Output(), places); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("left %q, want %q", after, before)
	}
	if err := uninstall(t.Output(), places); err == nil || !strings.Contains(err.Error(), "nothing is installed") {
		t.Errorf("uninstall of nothing: %v", err)
	}
}

func TestUninstallKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	places, r := installed(t, dir)
	kept := map[string]string{
		r.Programs[0]:        "#!/bin/sh\n",
		r.Tour.Notebook.Path: `{"mine": true}`,
		filepath.Join(r.Kernels[0], "kernel.json"): `{"argv": ["other"]}`,
	}
	for path, content := range kept {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := uninstall(&out, places); err != nil {
		t.Fatal(err)
	}
	for path, content := range kept {
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if got := strings.Count(out.String(), "kept "); got != len(kept) {
		t.Errorf("said of %d things that they were kept, want %d:\n%s", got, len(kept), &out)
	}
	if _, err := os.Stat(r.Tour.HTML.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unchanged page is still there: %v", err)
	}
}

func TestTourIsKeptOnlyIfNothingChanged(t *testing.T) {
	_, r := installed(t, t.TempDir())
	check := func(what, inputs string, want bool) {
		t.Helper()
		got, err := r.Tour.current(inputs)
		if err != nil || got != want {
			t.Errorf("%s: current = %v, %v, want %v", what, got, err, want)
		}
	}
	check("as it was", "inputs", true)
	check("another program", "other inputs", false)
	if err := os.WriteFile(r.Tour.Notebook.Path, []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("edited by its reader", "inputs", true)
	if err := os.Remove(r.Tour.HTML.Path); err != nil {
		t.Fatal(err)
	}
	check("without its page", "inputs", false)

	aside, err := putAside(r.Tour)
	if err != nil || len(aside) != 1 {
		t.Fatalf("the edited notebook went to %q, %v", aside, err)
	}
	if got, err := os.ReadFile(aside[0]); err != nil || string(got) != "edited" {
		t.Errorf("put aside: %q, %v", got, err)
	}
}

func TestTourInputs(t *testing.T) {
	places, r := installed(t, t.TempDir())
	source := filepath.Join(t.TempDir(), "tour.ipynb")
	if err := os.WriteFile(source, []byte("cells"), 0o644); err != nil {
		t.Fatal(err)
	}
	base := tour{source: source, places: places, spec: kernelspec.Spec{Name: "hierml", DisplayName: "Go", Program: r.Programs[0]}}
	sum := func(tr tour) string {
		t.Helper()
		s, err := tr.inputs()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	seen := map[string]bool{sum(base): true}
	if !seen[sum(base)] {
		t.Error("the same inputs have two sums")
	}
	named, jupyter := base, base
	named.spec.Name = "other"
	jupyter.jupyter = &python.Interpreter{Packages: map[string]string{"nbclient": "0.10"}}
	for _, tr := range []tour{named, jupyter} {
		seen[sum(tr)] = true
	}
	if err := os.WriteFile(source, []byte("other cells"), 0o644); err != nil {
		t.Fatal(err)
	}
	seen[sum(base)] = true
	if len(seen) != 4 {
		t.Errorf("%d sums of 4 different inputs", len(seen))
	}
}

func TestDamagedReceipt(t *testing.T) {
	places, r := installed(t, t.TempDir())
	if err := os.WriteFile(r.path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openReceipt(places); err == nil || !strings.Contains(err.Error(), r.path) {
		t.Errorf("openReceipt: %v, want the path", err)
	}
}

func TestSummaryHasAtMostTenLines(t *testing.T) {
	places, r := installed(t, t.TempDir())
	for _, jupyter := range []*python.Interpreter{nil, {Path: "/env/bin/python", Packages: map[string]string{"jupyterlab": "4.6"}}} {
		o := outcome{
			spec:      kernelspec.Spec{Name: "hierml", DisplayName: "Go (hierml)", Program: r.Programs[0]},
			kernelDir: r.Kernels[0], places: places, tour: r.Tour, jupyter: jupyter,
			withoutJupyter: "no Python\nand none\nat all", searchPath: "/p/share/jupyter",
		}
		text := o.summary()
		if lines := strings.Count(text, "\n"); lines > 10 {
			t.Errorf("%d lines:\n%s", lines, text)
		}
		for _, want := range []string{r.Programs[0], r.Kernels[0], r.Tour.Notebook.Path, r.Tour.HTML.Path} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		}
	}
}

func TestShellCommand(t *testing.T) {
	tests := []struct {
		goos, searchPath string
		file, want       string
	}{
		{"linux", "", "/d/tour.ipynb", "jupyter lab /d/tour.ipynb"},
		{"darwin", "/p/share/jupyter", "/my data/tour.ipynb", "JUPYTER_PATH=/p/share/jupyter jupyter lab '/my data/tour.ipynb'"},
		{"linux", "/p/it's", "/d/tour.ipynb", `JUPYTER_PATH='/p/it'\''s' jupyter lab /d/tour.ipynb`},
		{"windows", `C:\a b`, `C:\tour.ipynb`, `$env:JUPYTER_PATH='C:\a b'; & jupyter lab 'C:\tour.ipynb'`},
	}
	for _, test := range tests {
		if got := shellCommand(test.goos, test.searchPath, []string{"jupyter", "lab"}, test.file); got != test.want {
			t.Errorf("shellCommand = %s\nwant           %s", got, test.want)
		}
	}
}

func TestConsoleWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	c := &console{out: &out}
	s := c.begin("Baking")
	s.progress(1, 3, "dough") // too soon after the beginning to be worth a line
	s.said = s.said.Add(-quiet)
	s.progress(2, 3, "oven")
	if err := s.fail(errors.New("burnt")); err.Error() != "baking: burnt" {
		t.Errorf("fail = %v", err)
	}
	want := "Baking ...\n  Baking: oven (2 of 3)\nBaking: failed (0.0 s)\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", &out, want)
	}
}

// TestChooseGo holds that the installer builds with the Go that is there, or, if cells cannot be
// compiled with it, with the one that is fetched, and that it says so, and what helps if there is
// none.
func TestChooseGo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("cells are compiled on Linux only")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOTOOLCHAIN", toolchain.Newest())
	goroot, err := goEnv(t.Context(), ".", "GOROOT")
	testrun.Need(t, "network", err)
	answer := func(root, version string) string {
		return fmt.Sprintf(`echo '{"GOROOT": "%s", "GOVERSION": "%s"}'`, root, version)
	}
	const misfit = "Go 1.99.0 cannot be adapted to cells: it has no source of the compiler"
	for _, test := range []struct {
		name, own, newest string
		want              []string
		set               string // GOTOOLCHAIN
	}{
		{name: "the own", own: "exec " + real + ` "$@"`, newest: "exit 1"},
		{name: "fetched", own: answer(t.TempDir(), "go1.99.0"), newest: answer(goroot, toolchain.Newest()),
			want: []string{misfit, "so program and cells are built with " + toolchain.Newest() + ", which the go command has fetched"}, set: toolchain.Newest()},
		{name: "without a network", own: answer(t.TempDir(), "go1.99.0"), newest: "echo no route to host >&2; exit 1",
			want: []string{misfit, "no route to host; cells will be interpreted; run `go run ./install` again with a network"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			script := fmt.Sprintf("#!/bin/sh\nif [ \"$GOTOOLCHAIN\" = %s ]; then\n%s\nelse\n%s\nfi\n", toolchain.Newest(), test.newest, test.own)
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			t.Setenv("GOTOOLCHAIN", "")
			var out bytes.Buffer
			if err := (&outcome{}).chooseGo(t.Context(), &console{out: &out}, nil, "."); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("said %q, without %q", out.String(), want)
				}
			}
			if got := os.Getenv("GOTOOLCHAIN"); got != test.set {
				t.Errorf("GOTOOLCHAIN is %q, want %q", got, test.set)
			}
		})
	}
}

// TestJupyterMaking holds that a Jupyter which cannot be made ends the installation where its step
// is, and that an installation which ends before waits for it.
func TestJupyterMaking(t *testing.T) {
	folder := t.TempDir()
	make := func() *jupyterMaking {
		o := outcome{env: python.Environment{Dir: filepath.Join(folder, "python"), Lock: python.Jupyter()}}
		o.base = &python.Interpreter{Path: filepath.Join(folder, "none")}
		return o.makeJupyter(t.Context())
	}
	var out bytes.Buffer
	if err := make().await(t.Context(), &console{out: &out}, nil, ""); err == nil || !strings.HasPrefix(err.Error(), "installing JupyterLab: ") {
		t.Errorf("got %v", err)
	}
	if said := out.String(); !strings.Contains(said, "Installing JupyterLab: failed") {
		t.Errorf("it says\n%s", said)
	}
	m := make()
	m.end()
	if m.err == nil {
		t.Error("it ended before the environment was given up")
	}
	if none := (&outcome{}).makeJupyter(t.Context()); none.await(t.Context(), nil, nil, "") != nil {
		t.Error("without a Python, there is something to wait for")
	} else {
		none.end()
	}
}
