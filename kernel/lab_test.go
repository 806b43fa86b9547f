package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/internal/notebook"
)

// course writes the archive of a course of these files, which alternate with their texts.
func course(t *testing.T, path string, files ...string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	archive := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))})
		if _, write := archive.Write([]byte(files[i+1])); errors.Join(err, write) != nil {
			t.Fatal(err, write)
		}
	}
	if err := errors.Join(archive.Close(), z.Close(), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestLab copies a course, and newer ones over it, and starts a program that stands in for jupyter.
func TestLab(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for jupyter is a script of sh")
	}
	dir, bin, data := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("DISPLAY", ":0")
	asRoot, told := "", ""
	if os.Geteuid() == 0 {
		asRoot, told = " --allow-root", "You are root, so JupyterLab starts with --allow-root: anyone who has the token in its address is root here.\n"
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	is := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v; want %q", name, got, err, want)
		}
	}
	says := func(status int, want string, args ...string) {
		t.Helper()
		got := hierml(t, dir, "", append([]string{"lab"}, args...)...)
		if got.status != status || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("lab %s: %+v, want %d and %s", args, got, status, want)
		}
	}
	t.Setenv("PATH", bin)
	says(1, "hierml: there is no command jupyter on PATH or beside hierml; run `go run ./install`")
	jupyter := "#!/bin/sh\necho started \"$@\" in \"${PWD##*/}\"\nexit ${JUPYTER_FAILS:-0}\n"
	if err := os.WriteFile(filepath.Join(bin, "jupyter"), []byte(jupyter), 0o755); err != nil {
		t.Fatal(err)
	}
	says(1, "hierml: this program was installed without the course. Run `go run ./install`")

	archive := filepath.Join(data, "hierml", "course.tar.gz")
	course(t, archive, "00-course.ipynb", "first", "05-svm.ipynb", "svm", "pictures/a.png", "picture", "solutions/05-svm.ipynb", "solution")
	says(0, "hierml-course: the course, 4 files\n"+told+"started lab 00-course.ipynb"+asRoot+" in hierml-course\n")
	is("hierml-course/solutions/05-svm.ipynb", "solution")
	says(0, "hierml-course: the course, which is there already\n"+told+"started lab")

	// What has been changed stays, whatever comes; what has not been does not, nor what is missing.
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hierml-course/05-svm.ipynb", "svm of mine")
	write("hierml-course/06-normalize.ipynb", "mine, too")
	if err := os.Remove(filepath.Join(dir, "hierml-course/pictures/a.png")); err != nil {
		t.Fatal(err)
	}
	course(t, archive, "00-course.ipynb", "second", "05-svm.ipynb", "svm, better", "06-normalize.ipynb", "norms", "pictures/a.png", "picture", "solutions/05-svm.ipynb", "solution")
	for range 2 {
		says(0, "  05-svm.ipynb stays as you edited it\n  06-normalize.ipynb stays as you edited it\n"+told+"started lab")
		is("hierml-course/00-course.ipynb", "second")
		is("hierml-course/05-svm.ipynb", "svm of mine")
		is("hierml-course/06-normalize.ipynb", "mine, too")
		is("hierml-course/pictures/a.png", "picture")
	}

	says(0, "started lab 00-course.ipynb"+asRoot+" --port 9999 --no-browser in hierml-course\n", "--", "--port", "9999", "--no-browser")
	says(0, "started lab 00-course.ipynb"+asRoot+" --port=9999 in lessons\n", "lessons", "--", "--port=9999")
	says(0, "started lab 00-course.ipynb"+asRoot+" in lessons\n", "lessons", "--")
	says(2, "unknown flag: --port; put options of JupyterLab after --, as in hierml lab -- --port 9999\n", "--port", "9999")
	says(2, "lab takes FOLDER; remove \"more\"\n", "lessons", "more", "--", "--port", "9999")
	says(2, "--port is an option for JupyterLab, which --copy-only does not start\n", "--copy-only", "--", "--port", "9999")
	says(0, "other/place: the course, 5 files\n", "--copy-only", "other/place")
	is("other/place/05-svm.ipynb", "svm, better")
	t.Setenv("JUPYTER_FAILS", "3")
	says(1, "jupyter lab: exit status 3. Run `hierml doctor` to check Jupyter", "other/place")
	write("file", "")
	says(1, "the course cannot be copied to file: file is not a folder. Choose a folder of yours: hierml lab FOLDER\n", "file")
	course(t, archive, "../outside", "evil")
	says(1, `the file "../outside" is outside of the course`)
	write("damaged.json", "")
	if err := os.Rename(filepath.Join(dir, "damaged.json"), filepath.Join(dir, "hierml-course", ".hierml-course.json")); err != nil {
		t.Fatal(err)
	}
	says(1, ".hierml-course.json is damaged")
	if err := os.WriteFile(archive, []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	says(1, "course.tar.gz: gzip: invalid header", "third")
}

// TestCopyCourse tests which notebooks a newer course replaces: those whose cells the owner has not
// edited, and not for the sake of outputs alone.
func TestCopyCourse(t *testing.T) {
	const (
		first  = `print(1)`
		second = `print(2)`
	)
	of := func(more string, sources ...string) string {
		nb := &notebook.Notebook{Metadata: map[string]any{"more": more}}
		for _, source := range sources {
			nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Code, Source: source, Outputs: []*notebook.Output{{Kind: notebook.Stream, Name: "stdout", Text: more}}})
		}
		var text bytes.Buffer
		if err := nb.Write(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	copied := of("", first)
	for _, c := range []struct{ what, owner, next, want string }{
		{"nobody opened it, and the course has other outputs", copied, of("new", first), of("new", first)},
		{"the owner ran it, and the course has other outputs", of("run", first), of("new", first), of("run", first)},
		{"the owner ran it, and the course has another cell", of("run", first, ""), of("new", second), of("new", second)},
		{"the owner edited a cell", of("", first+" "), of("", second), of("", first+" ")},
		{"the owner added a cell", of("", first, second), of("", second), of("", first, second)},
		{"the owner damaged the file", "{", of("", second), "{"},
	} {
		dir := t.TempDir()
		archive, folder := filepath.Join(dir, "course.tar.gz"), filepath.Join(dir, "copy")
		path := filepath.Join(folder, "a.ipynb")
		course(t, archive, "a.ipynb", copied)
		if _, err := copyCourse(archive, folder); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.owner), 0o644); err != nil {
			t.Fatal(err)
		}
		course(t, archive, "a.ipynb", c.next)
		for range 2 {
			if _, err := copyCourse(archive, folder); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != c.want {
				t.Errorf("%s: the file is %s, %v; want %s", c.what, got, err, c.want)
			}
		}
	}
}

// TestPlanLab holds what JupyterLab is given by who starts it and where, and that the user's own
// options come last, and win.
func TestPlanLab(t *testing.T) {
	data, bin := t.TempDir(), t.TempDir()
	t.Cleanup(xdg.Reload) // when the variable is what it was
	t.Setenv("XDG_DATA_HOME", data)
	xdg.Reload()
	t.Setenv("PATH", bin)
	if err := os.WriteFile(filepath.Join(bin, "jupyter"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	course(t, filepath.Join(data, "hierml", "course.tar.gz"), "00-course.ipynb", "first")
	for _, c := range []struct {
		user    labUser
		options string
		want    string // of the arguments
		notes   string // how each begins
	}{
		{labUser{false, true}, "", "", ""},
		{labUser{false, true}, "--port 9999", "--port 9999", ""},
		{labUser{false, false}, "", "--no-browser", "There is no display"},
		{labUser{false, false}, "--port 9999", "--no-browser --port 9999", "There is no display"},
		{labUser{false, false}, "--no-browser", "--no-browser", ""},
		{labUser{false, false}, "--browser=lynx", "--browser=lynx", ""},
		{labUser{true, true}, "", "--allow-root", "You are root"},
		{labUser{true, false}, "--ip 0.0.0.0", "--no-browser --allow-root --ip 0.0.0.0", "There is no display|You are root"},
		{labUser{true, true}, "--allow-root", "--allow-root", "You are root"},
	} {
		plan, err := planLab(filepath.Join(t.TempDir(), "course"), strings.Fields(c.options), c.user)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(plan.arguments, " "); got != strings.TrimSpace("lab 00-course.ipynb "+c.want) {
			t.Errorf("%+v with %q: jupyter %s, want %s", c.user, c.options, got, c.want)
		}
		var begins []string
		for _, note := range plan.notes {
			begins = append(begins, note[:strings.IndexByte(note, ',')])
		}
		if got := strings.Join(begins, "|"); got != c.notes {
			t.Errorf("%+v with %q: notes %q, want %q", c.user, c.options, got, c.notes)
		}
	}
}
