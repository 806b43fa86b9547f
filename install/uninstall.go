package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// uninstall removes what the receipt in these places lists and tells what it did. What is not
// hierml's, or was changed since, stays and is named, and so is what the program has kept elsewhere.
// What cannot be removed does not keep the rest from it: the receipt then lists that alone, for the
// next time.
func uninstall(out io.Writer, places place.Places) (err error) {
	r, err := openReceipt(places)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is installed there: %s is missing; after an installation elsewhere, give its --prefix", r.path)
	}
	if err != nil {
		return err
	}
	held, err := lockPlaces(places)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if r, err = openReceipt(places); err != nil {
		return err
	}
	u := &remover{out: out}
	r.Kernels = slices.DeleteFunc(r.Kernels, u.removeKernel)
	r.Programs = slices.DeleteFunc(r.Programs, u.removeProgram)
	if r.Python != "" && u.removePython(r.Python) {
		r.Python = ""
	}
	r.Files = slices.DeleteFunc(r.Files, func(path string) bool { return u.remove(path+newSuffix) && u.remove(path) })
	if r.Tour != nil && u.removeTour(r.Tour) {
		r.Tour = nil
	}
	temporary.Clear()
	if u.err != nil {
		return errors.Join(u.err, r.save())
	}
	u.remove(r.path)
	u.remove(filepath.Join(places.Data, lockFile))
	for _, dir := range slices.Backward(r.Folders) {
		u.removeFolder(dir)
	}
	u.keepFiles(place.Cache(), "it has data sets and what tests need, and may be used by other installations")
	u.keepFiles(place.State(), "it has the history of what you have run")
	return u.err
}

// remover removes things, says so, and remembers what could not be removed.
type remover struct {
	out  io.Writer
	err  error
	kept []string
}

func (u *remover) note(path string, err error) {
	if err != nil {
		u.err = errors.Join(u.err, err)
		return
	}
	fmt.Fprintln(u.out, "removed", path)
}

func (u *remover) keep(path, why string) {
	u.kept = append(u.kept, path)
	fmt.Fprintf(u.out, "kept    %s: %s\n", path, why)
}

// remove removes a file, and reports whether it is gone.
func (u *remover) remove(path string) bool {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	u.note(path, err)
	return err == nil
}

// removeAll removes a folder with all that is in it, and reports whether it is gone.
func (u *remover) removeAll(path string) bool {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	err := os.RemoveAll(path)
	u.note(path, err)
	return err == nil
}

func (u *remover) removeKernel(dir string) (done bool) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	err := kernelspec.Remove(dir)
	if foreign := new(kernelspec.ForeignError); errors.As(err, &foreign) {
		u.keep(dir, "it is another kernel now")
		return true
	}
	u.note(dir, err)
	return err == nil
}

// removeProgram removes a program with what compiles its cells.
func (u *remover) removeProgram(path string) (done bool) {
	done = u.remove(path + newSuffix)
	if _, err := os.Stat(path); err == nil && !isOurs(path) {
		u.keep(path, "it is another program")
		return done
	}
	kits, err := toolchain.Remove(path)
	for _, dir := range kits.Folders {
		u.note(dir, nil)
	}
	for _, dir := range kits.InUse {
		u.keep(dir, "a kernel uses it, which has not ended; remove it then")
	}
	if err != nil {
		// Without the program they would not be found the next time.
		u.err = errors.Join(u.err, err)
		return false
	}
	return u.remove(path) && done
}

func (u *remover) removePython(dir string) (done bool) {
	return u.removeAll(dir) && u.removeAll(python.Environment{Dir: dir}.Folders())
}

// removeTour removes the tour as it was written, with the copy that JupyterLab keeps of a notebook
// that was opened.
func (u *remover) removeTour(t *tourRecord) (done bool) {
	done = true
	for _, f := range []file{t.Notebook, t.HTML} {
		done = u.removeUnchanged(f) && u.remove(f.Path+newSuffix) && done
	}
	dir := filepath.Join(filepath.Dir(t.Notebook.Path), ".ipynb_checkpoints")
	base := filepath.Base(t.Notebook.Path)
	base = base[:len(base)-len(filepath.Ext(base))]
	done = u.remove(filepath.Join(dir, base+"-checkpoint.ipynb")) && done
	u.removeFolder(dir)
	return done
}

func (u *remover) removeUnchanged(f file) (done bool) {
	switch s, err := f.state(); {
	case err != nil:
		u.note(f.Path, err)
		return false
	case s == changed:
		u.keep(f.Path, "you have changed it")
	case s == unchanged:
		return u.remove(f.Path)
	}
	return true
}

// removeFolder removes a folder if nothing is left in it. One that stays is named, unless something
// in it was.
func (u *remover) removeFolder(dir string) {
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		u.note(dir, err)
	case len(entries) > 0:
		if !slices.ContainsFunc(u.kept, func(path string) bool { return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)) }) {
			u.keep(dir, "there are other files in it")
		}
	default:
		u.note(dir, os.Remove(dir))
	}
}

// keepFiles names a folder that stays, if there are files in it.
func (u *remover) keepFiles(dir, why string) {
	switch entries, err := os.ReadDir(dir); {
	case err != nil: // there is none
	case len(entries) > 0:
		u.keep(dir, why)
	default:
		u.note(dir, os.Remove(dir))
	}
}
