package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// uninstall removes the files in the receipt of these places and reports that. It keeps and names
// files that are not hierml's, or were changed since, and also names the program's data elsewhere.
// If something cannot be removed, it continues with the rest: the receipt then lists only the
// remaining files, for the next time.
func uninstall(out io.Writer, places place.Places) (err error) {
	if link := linkTo(places.Data, places.Root); link != "" {
		return fmt.Errorf("%s is a link, and uninstall does not follow links; give the --prefix of the folder itself", link)
	}
	r, err := openReceipt(places)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is installed there: %s is missing; if you installed hierml elsewhere, give the --prefix", r.path)
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
	u := &remover{out: out, places: places, programs: r.Programs}
	r.Kernels = slices.DeleteFunc(r.Kernels, u.removeKernel)
	r.Programs = slices.DeleteFunc(r.Programs, u.removeProgram)
	if r.Python != "" && u.removePython(r.Python) {
		r.Python = ""
	}
	r.Files = slices.DeleteFunc(r.Files, u.removeFile)
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
		u.removeMade(dir)
	}
	u.keepFiles(place.Cache(), "it has data sets and files for tests, and other installations may use it")
	u.keepFiles(place.State(), "it has the history of the cells that you ran")
	return u.err
}

// remover removes things, says so, and remembers what could not be removed.
type remover struct {
	out      io.Writer
	places   place.Places
	programs []string // that the receipt lists
	err      error
	kept     []string
}

// known returns the path of a file or folder in the receipt, if it is in hierml's folder for such
// things. Otherwise, or behind a link, it stays and is named.
func (u *remover) known(path, folder string) (known string, ok bool) {
	if link := linkTo(folder, u.places.Root); link != "" {
		u.keep(path, link+" is a link, and uninstall does not follow links; remove it yourself if it is hierml's")
		return "", false
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || filepath.Dir(path) != folder && !sameFolder(filepath.Dir(path), folder) {
		u.keep(path, "it is not in "+folder+"; remove it yourself if it is hierml's")
		return "", false
	}
	return filepath.Join(folder, filepath.Base(path)), true
}

// linkTo returns the link on the way from the root to a folder, empty if there is none. For a
// folder that is not below the root it checks only the last step.
func linkTo(folder, root string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if isLink(dir) {
			return dir
		}
		if below, err := filepath.Rel(root, filepath.Dir(dir)); err != nil || below == "." || !filepath.IsLocal(below) {
			return ""
		}
	}
}

// isLink reports whether there is a link at a path, which hierml makes none of.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
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
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		path = strconv.Quote(path)
	}
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

// removeKernel removes the folder of a kernel that starts a program of this installation.
func (u *remover) removeKernel(listed string) (done bool) {
	dir, ok := u.known(listed, u.kernels())
	if !ok {
		return true
	}
	program, err := kernelspec.Program(dir)
	foreign := new(kernelspec.ForeignError)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true // nothing is there, or a folder alone
	case errors.As(err, &foreign), isLink(dir), err == nil && filepath.Dir(program) != u.places.Bin && !slices.Contains(u.programs, program):
		u.keep(dir, "it is another kernel now")
		return true
	case err == nil:
		err = kernelspec.Remove(dir)
	}
	u.note(dir, err)
	return err == nil
}

// kernels is the folder of the kernels' folders.
func (u *remover) kernels() string { return filepath.Dir(kernelspec.Dir(u.places.Jupyter, "any")) }

// removeProgram removes a program with what compiles its cells.
func (u *remover) removeProgram(listed string) (done bool) {
	path, ok := u.known(listed, u.places.Bin)
	if !ok {
		return true
	}
	if filepath.Base(path) != programName() {
		u.keep(path, "it is another program")
		return true
	}
	done = u.remove(path + newSuffix)
	if info, err := os.Lstat(path); err == nil && (!info.Mode().IsRegular() || !isOurs(path)) {
		u.keep(path, "it is another program")
		return done
	}
	kits, err := toolchain.Remove(path)
	for _, dir := range kits.Folders {
		u.note(dir, nil)
	}
	for _, dir := range kits.InUse {
		u.keep(dir, "a running kernel uses it; remove it when the kernel has ended")
	}
	if err != nil {
		// Without the program they would not be found the next time.
		u.err = errors.Join(u.err, err)
		return false
	}
	return u.remove(path) && done
}

// removePython removes the private environment, and other folders that are known to be such
// environments.
func (u *remover) removePython(listed string) (done bool) {
	dir, ok := u.known(listed, u.places.Data)
	if !ok {
		return true
	}
	if filepath.Base(dir) != pythonFolder {
		u.keep(dir, "hierml has put no Python there")
		return true
	}
	removed, kept, err := python.Environment{Dir: dir}.Remove()
	for _, path := range removed {
		u.note(path, nil)
	}
	for _, path := range kept {
		u.keep(path, "it is not a Python environment of hierml")
	}
	u.err = errors.Join(u.err, err)
	return err == nil
}

// removeFile removes one of the files placed beside the program.
func (u *remover) removeFile(listed string) (done bool) {
	for _, file := range []string{filepath.Join(u.places.Data, beside.Course), filepath.Join(u.places.Man, manualPage)} {
		if filepath.Base(listed) != filepath.Base(file) {
			continue
		}
		path, ok := u.known(listed, filepath.Dir(file))
		return !ok || u.remove(path+newSuffix) && u.remove(path)
	}
	u.keep(listed, "hierml has made no such file")
	return true
}

// removeTour removes the tour unless it was changed, and JupyterLab's copy of an opened notebook.
func (u *remover) removeTour(t *tourRecord) (done bool) {
	done = true
	written := tour{places: u.places}
	for _, f := range []struct {
		listed file
		path   string
	}{{t.Notebook, written.notebook()}, {t.HTML, written.html()}} {
		path, ok := u.known(f.listed.Path, u.places.Data)
		if !ok {
			continue
		}
		if path != f.path {
			u.keep(path, "hierml has made no such file")
			continue
		}
		done = u.removeUnchanged(file{path, f.listed.Sum}) && u.remove(path+newSuffix) && done
	}
	dir := filepath.Join(u.places.Data, ".ipynb_checkpoints")
	if !isLink(dir) {
		done = u.remove(filepath.Join(dir, "tour-checkpoint.ipynb")) && done
		u.removeFolder(dir)
	}
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

// removeMade removes a folder that the installation has made for its files, if nothing is left in
// it: one of theirs, or one above those.
func (u *remover) removeMade(listed string) {
	home, _ := os.UserHomeDir() // without one there is none to keep
	kernels := u.kernels()
	for _, folder := range []string{filepath.Join(kernels, filepath.Base(listed)), u.places.Data, u.places.Bin, u.places.Man} {
		for dir := folder; dir != filepath.Dir(dir) && dir != home; dir = filepath.Dir(dir) {
			if !isLink(dir) && (listed == dir || filepath.IsAbs(listed) && sameFolder(listed, dir)) {
				u.removeFolder(dir)
				return
			}
		}
	}
	if there(listed) {
		u.keep(listed, "hierml puts nothing there; remove it yourself if you do not need it")
	}
}

// there reports whether there is something at a path.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
