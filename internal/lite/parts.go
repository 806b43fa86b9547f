package lite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Parts are files that a site is made of.
type Parts struct {
	// Kernel is the command kernel/page, built for js and wasm and compressed as xz, and Support is
	// wasm_exec.js of the Go that has built it.
	Kernel, Support string
	// Beside are files that the kernel reads when it needs them, by the names by which it asks for
	// them: documentation, export data, fonts.
	Beside map[string]string
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
	kernelName   = "hierml.wasm.xz"
	supportName  = "wasm_exec.js"
	coreName     = "jupyterlite-core.whl"
	widgetsName  = "jupyterlab-widgets.whl"
	licencesName = "licences.txt"
	logos        = "logo-*"
	beside       = "beside" // a folder
	versionName  = "version"
)

// version tells whether parts fit the scripts that are in this program: it is that of the scripts.
func version() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(extension, "extension", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := extension.ReadFile(name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}

// files returns where the parts are, by the names under which they are kept.
func (p *Parts) files() map[string]*string {
	return map[string]*string{kernelName: &p.Kernel, supportName: &p.Support, coreName: &p.Core, widgetsName: &p.Widgets, licencesName: &p.Licences}
}

// Keep puts the parts into a folder for Kept. What is there already is left where it is.
func (p Parts) Keep(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, beside), 0o755); err != nil {
		return err
	}
	of, err := version()
	if err != nil {
		return err
	}
	paths := map[string]string{}
	for name, path := range p.files() {
		paths[name] = *path
	}
	for name, path := range p.Beside {
		paths[filepath.Join(beside, name)] = path
	}
	for name, path := range paths {
		kept := filepath.Join(folder, name)
		if kept == path {
			continue
		}
		content, err := os.ReadFile(path)
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
	return os.WriteFile(filepath.Join(folder, versionName), []byte(of), 0o644)
}

// Kept returns the parts in a folder.
func Kept(folder string) (Parts, error) {
	p := Parts{Logos: map[string][]byte{}, Beside: map[string]string{}}
	for name, path := range p.files() {
		*path = filepath.Join(folder, name)
		if _, err := os.Stat(*path); errors.Is(err, fs.ErrNotExist) {
			return Parts{}, fmt.Errorf("what sites are made of is not there (%s is missing): run `go run ./install lite` in a clone of hierml, which builds it by Go and keeps it", *path)
		} else if err != nil {
			return Parts{}, err
		}
	}
	ours, err := version()
	if err != nil {
		return Parts{}, err
	}
	if theirs, err := os.ReadFile(filepath.Join(folder, versionName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Parts{}, err
	} else if string(theirs) != ours {
		return Parts{}, fmt.Errorf("what sites are made of, in %s, is of another version of hierml than this program: run `go run ./install` and `go run ./install lite` in one clone", folder)
	}
	asked, err := filepath.Glob(filepath.Join(folder, beside, "*"))
	if err != nil {
		return Parts{}, err
	}
	for _, path := range asked {
		p.Beside[filepath.Base(path)] = path
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
		p.Logos[filepath.Base(path)] = content
	}
	return p, nil
}
