//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/internal/testrun"
)

// A world has an installation of hierml, in prefix, and beside it files that uninstalling must
// leave alone.
type world struct {
	t              *testing.T
	dir            string
	prefix, others string
	program        string // of others
	before         string // others as they were
}

// newWorld makes a home with files, an empty folder and an environment of the user's own, and
// another installation of hierml.
func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir()}
	w.prefix, w.others = filepath.Join(w.dir, "prefix"), filepath.Join(w.dir, "others")
	home := filepath.Join(w.others, "home")
	t.Setenv("HOME", home)
	for _, name := range []string{"notes.txt", "course.tar.gz", "hierml.1", "tour.ipynb", "tour.html", "python/pyvenv.cfg", "python/lib/mine.py", "environments/1/mine", ".ipynb_checkpoints/tour-checkpoint.ipynb", "install.json", "hierml.new"} {
		path := filepath.Join(home, name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644))
	}
	w.must(os.Mkdir(filepath.Join(home, "empty"), 0o755))
	places, _ := installed(t, filepath.Join(w.others, "prefix"))
	w.program = filepath.Join(places.Bin, programName())
	// A kernel that starts the other program and has another name.
	dir := kernelspec.Dir(places.Jupyter, "second")
	spec := kernelspec.Spec{Name: "second", DisplayName: "Go", Program: w.program}
	w.must(os.Mkdir(dir, 0o755), spec.Write(dir))
	w.before = w.tree()
	return w
}

func (w *world) must(errs ...error) {
	w.t.Helper()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

// tree describes all that is in others.
func (w *world) tree() string {
	var b strings.Builder
	w.must(filepath.WalkDir(w.others, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprint(&b, path, info.Mode())
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			fmt.Fprintln(&b, target)
			return err
		}
		if info.Mode().IsRegular() && path != w.program { // which is large
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%x\n", sha256.Sum256(content))
			return err
		}
		fmt.Fprintln(&b, info.Size())
		return nil
	}))
	return b.String()
}

// install puts the installation in place again.
func (w *world) install() place.Places {
	w.t.Helper()
	w.must(os.RemoveAll(w.prefix))
	places, err := place.Prefix(w.prefix)
	w.must(err)
	kernel := kernelspec.Dir(places.Jupyter, "hierml")
	for _, dir := range []string{places.Data, places.Bin, places.Man, kernel} {
		w.must(os.MkdirAll(dir, 0o755))
	}
	program := filepath.Join(places.Bin, programName())
	w.must(os.Link(w.program, program), kernelspec.Spec{Name: "hierml", DisplayName: "Go", Program: program}.Write(kernel))
	for _, path := range []string{filepath.Join(places.Data, "course.tar.gz"), filepath.Join(places.Man, "hierml.1"), tour{places: places}.notebook(), tour{places: places}.html()} {
		w.must(os.WriteFile(path, nil, 0o644))
	}
	environment(w.t, filepath.Join(places.Data, "python"))
	return places
}

// unharmed fails the test unless all others are as they were.
func (w *world) unharmed(format string, args ...any) {
	w.t.Helper()
	before, after := strings.Split(w.before, "\n"), strings.Split(w.tree(), "\n")
	for _, line := range before {
		if !slices.Contains(after, line) {
			w.t.Errorf("gone or changed: %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			w.t.Errorf("new or changed: %s", line)
		}
	}
	if w.t.Failed() {
		w.t.Fatalf(format, args...)
	}
}

// paths are what a hostile receipt may name.
func (w *world) paths(places place.Places) []string {
	list := []string{"", ".", "..", "/", "~", "*", "\x1b[2J", os.Getenv("HOME"), w.dir, w.prefix, w.prefix + "/..", w.prefix + "/../others/home"}
	for _, root := range []string{w.others, w.prefix} {
		w.must(filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			relative, relErr := filepath.Rel(places.Data, path)
			list = append(list, path, path+"/", places.Data+"/"+relative, relative, filepath.Join(places.Bin, "link", filepath.Base(path)))
			return errors.Join(err, relErr)
		}))
	}
	return list
}

// TestHostileReceipt is the attack supply_uninstall: receipts of any paths, with links planted in
// the installation, and damaged ones. Uninstalling removes nothing outside of the installation.
func TestHostileReceipt(t *testing.T) {
	n := 300
	if testrun.Long() {
		n = 3_000
	}
	w := newWorld(t)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 41))
		places := w.install()
		w.must(os.Symlink(w.others, filepath.Join(places.Bin, "link")))
		python := filepath.Join(places.Data, "python")
		mine := []string{python + "-environments/4/mine"} // of the user's, among hierml's own
		if r.IntN(4) == 0 {
			w.must(os.Remove(python))
			mine = append(mine, python+"/pyvenv.cfg")
		}
		for _, path := range mine {
			w.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644))
		}
		list := append(w.paths(places), slices.Repeat([]string{w.program}, 100)...)
		some := func(own ...string) (chosen []string) {
			for range r.IntN(4) {
				if r.IntN(3) == 0 {
					chosen = append(chosen, own...)
				} else {
					chosen = append(chosen, list[r.IntN(len(list))])
				}
			}
			return chosen
		}
		one := func(own string) string { return append(some(own), "", own)[0] }
		written := func(own string) file {
			f, err := record(one(own))
			if err != nil { // a folder, or nothing
				f.Sum = ""
			}
			return f
		}
		content, err := json.Marshal(&receipt{
			Programs: some(filepath.Join(places.Bin, programName())), Program: one(""), Kernels: some(kernelspec.Dir(places.Jupyter, "hierml")),
			Python: one(python), Files: some(filepath.Join(places.Data, "course.tar.gz"), filepath.Join(places.Man, "hierml.1")),
			Folders: some(places.Data, places.Bin, w.prefix), Tour: &tourRecord{Notebook: written(tour{places: places}.notebook()), HTML: written(tour{places: places}.html())},
		})
		w.must(err)
		if r.IntN(4) == 0 { // damaged
			for range 1 + r.IntN(20) {
				content[r.IntN(len(content))] = byte(r.IntN(256))
			}
		}
		w.must(os.WriteFile(filepath.Join(places.Data, "install.json"), content, 0o644))
		planted := w.plant(r, places)
		var out bytes.Buffer
		err = uninstall(&out, places)
		w.unharmed("seed %d, links %v: %v\n%s\n%s", seed, planted, err, content, &out)
		for _, path := range mine {
			if _, err := os.Stat(path); err != nil && len(planted) == 0 {
				t.Errorf("seed %d: %v\n%s", seed, err, content)
			}
		}
		if strings.ContainsFunc(out.String(), func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("seed %d: it says %q", seed, out.String())
		}
		// The next installation repairs what is left, and moves files of the tour that were changed
		// aside.
		if rest, err := openReceipt(places); err == nil && rest.Tour != nil && rest.Tour.of(places) {
			_, err = putAside(rest.Tour)
			w.unharmed("seed %d, the next installation: %v\n%s", seed, err, content)
		}
	}
}

// plant replaces some of the installation by links to others, and returns them.
func (w *world) plant(r *rand.Rand, places place.Places) (planted []string) {
	home, other := filepath.Join(w.others, "home"), filepath.Join(w.others, "prefix")
	python := filepath.Join(places.Data, "python")
	links := map[string]string{
		python:                                           filepath.Join(home, "python"),
		python + "-environments":                         filepath.Join(home, "environments"),
		python + "-environments/1":                       filepath.Join(other, "share/hierml/python-environments/1"),
		python + "-environments/2":                       filepath.Join(home, "python"),
		python + "-environments/link":                    home,
		kernelspec.Dir(places.Jupyter, "hierml"):         kernelspec.Dir(filepath.Join(other, "share", "jupyter"), "hierml"),
		filepath.Join(places.Jupyter, "kernels"):         filepath.Join(other, "share", "jupyter", "kernels"),
		places.Bin:                                       filepath.Join(other, "bin"),
		filepath.Join(places.Bin, programName()):         w.program,
		filepath.Join(places.Data, ".ipynb_checkpoints"): filepath.Join(home, ".ipynb_checkpoints"),
		filepath.Join(places.Data, "tour.ipynb"):         filepath.Join(home, "tour.ipynb"),
		filepath.Join(places.Data, "install.json.new"):   filepath.Join(home, "notes.txt"),
		filepath.Join(places.Data, "course.tar.gz"):      filepath.Join(home, "course.tar.gz"),
		places.Man:                home,
		places.Data:               filepath.Join(other, "share", "hierml"),
		filepath.Dir(places.Data): filepath.Join(other, "share"),
	}
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(links))) { // none through another
		if r.IntN(12) > 0 {
			continue
		}
		if os.RemoveAll(path) == nil && os.Symlink(links[path], path) == nil {
			planted = append(planted, path)
		}
	}
	return planted
}
