package lite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// Parts are files that a site is made of.
type Parts struct {
	// Kernel is the command kernel/page, built for js and wasm and compressed by gzip, and Support is
	// wasm_exec.js of the Go that has built it.
	Kernel, Support string
	// Documentation is that of Go, for the page's collection.GoDoc, as package collection reads it
	// where there is no Go tree.
	Documentation string
	// Core and Widgets are the wheels of jupyterlite-core and jupyterlab-widgets.
	Core, Widgets string
	// Licences has the texts of the licences of the kernel.
	Licences string
	// Logos are the kernel's, by name.
	Logos map[string][]byte
}

// Folder returns the folder of the user's cache in which the command install keeps the parts.
func Folder() string { return filepath.Join(xdg.CacheHome, "hierml", "lite") }

// The names of parts that are kept.
const (
	kernelName        = "hierml.wasm.gz"
	supportName       = "wasm_exec.js"
	documentationName = "godoc.jsonl.gz"
	coreName          = "jupyterlite-core.whl"
	widgetsName       = "jupyterlab-widgets.whl"
	licencesName      = "licences.txt"
	logos             = "logo-*"
)

// files returns where the parts are, by the names under which they are kept.
func (p *Parts) files() map[string]*string {
	return map[string]*string{
		kernelName: &p.Kernel, supportName: &p.Support, documentationName: &p.Documentation, coreName: &p.Core, widgetsName: &p.Widgets, licencesName: &p.Licences,
	}
}

// Keep puts the parts into a folder for Kept. The kernel is left where it is if it is there.
func (p Parts) Keep(folder string) error {
	for name, path := range p.files() {
		kept := filepath.Join(folder, name)
		if kept == *path {
			continue
		}
		content, err := os.ReadFile(*path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(kept, content, 0o644); err != nil {
			return err
		}
	}
	for name, content := range p.Logos {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Kept returns the parts in a folder.
func Kept(folder string) (Parts, error) {
	p := Parts{Logos: map[string][]byte{}}
	for name, path := range p.files() {
		*path = filepath.Join(folder, name)
		if _, err := os.Stat(*path); errors.Is(err, fs.ErrNotExist) {
			return Parts{}, fmt.Errorf("what sites are made of is not there (%s is missing): run `go run ./install lite` in a clone of hierml, which builds it by Go and keeps it", *path)
		} else if err != nil {
			return Parts{}, err
		}
	}
	found, err := filepath.Glob(filepath.Join(folder, logos))
	if err != nil {
		return Parts{}, err
	}
	for _, path := range found {
		content, err := os.ReadFile(path)
		if err != nil {
			return Parts{}, err
		}
		p.Logos[strings.TrimPrefix(path, folder+string(filepath.Separator))] = content
	}
	return p, nil
}
