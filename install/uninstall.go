package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/internal/toolchain"
)

// uninstall removes what the receipt in these places lists and tells what it did. What is not
// hierml's, or was changed since, stays and is named.
func uninstall(out io.Writer, places place.Places) error {
	r, err := openReceipt(places)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is installed there: %s is missing; after an installation elsewhere, give its --prefix", r.path)
	}
	if err != nil {
		return err
	}
	u := &remover{out: out}
	for _, dir := range r.Kernels {
		err := kernelspec.Remove(dir)
		if foreign := new(kernelspec.ForeignError); errors.As(err, &foreign) {
			u.keep(dir, "it is another kernel now")
			continue
		}
		u.note(dir, err)
	}
	if r.Program != "" {
		if _, err := os.Stat(r.Program); err == nil && !isOurs(r.Program) {
			u.keep(r.Program, "it is another program")
		} else {
			_, err := toolchain.Remove(r.Program)
			u.err = errors.Join(u.err, err)
			u.remove(r.Program)
		}
	}
	if r.Python != "" {
		u.note(r.Python, os.RemoveAll(r.Python))
	}
	if r.Tour != nil {
		for _, f := range []file{r.Tour.Notebook, r.Tour.HTML} {
			u.removeUnchanged(f)
		}
		u.removeCheckpoint(r.Tour.Notebook.Path)
	}
	if u.err != nil {
		return u.err
	}
	u.remove(r.path)
	for _, dir := range slices.Backward(r.Folders) {
		u.removeEmpty(dir)
	}
	return u.err
}

// remover removes things, says so, and remembers what could not be removed.
type remover struct {
	out io.Writer
	err error
}

func (u *remover) note(path string, err error) {
	if err != nil {
		u.err = errors.Join(u.err, err)
		return
	}
	fmt.Fprintln(u.out, "removed", path)
}

func (u *remover) keep(path, why string) {
	fmt.Fprintf(u.out, "kept    %s: %s\n", path, why)
}

func (u *remover) remove(path string) {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		u.note(path, err)
	}
}

func (u *remover) removeUnchanged(f file) {
	switch s, err := f.state(); {
	case err != nil:
		u.note(f.Path, err)
	case s == changed:
		u.keep(f.Path, "you have changed it")
	case s == unchanged:
		u.remove(f.Path)
	}
}

// removeCheckpoint removes the copy that JupyterLab keeps of a notebook that was opened.
func (u *remover) removeCheckpoint(notebook string) {
	dir := filepath.Join(filepath.Dir(notebook), ".ipynb_checkpoints")
	base := filepath.Base(notebook)
	base = base[:len(base)-len(filepath.Ext(base))]
	u.remove(filepath.Join(dir, base+"-checkpoint.ipynb"))
	u.removeEmpty(dir)
}

// removeEmpty removes a folder in which nothing is left.
func (u *remover) removeEmpty(dir string) {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 0 {
		u.note(dir, os.Remove(dir))
	}
}
