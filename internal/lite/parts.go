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

// Parts are the files of which a site is made.
type Parts struct {
	// Kernel is the command kernel/page, built for js and wasm and compressed with xz, and Support
	// is wasm_exec.js of the same Go version.
	Kernel, Support string
	// Beside are files that the kernel reads on demand, by name: documentation, export data, fonts.
	Beside map[string]string
	// Core and Widgets are the wheels of jupyterlite-core and jupyterlab-widgets.
	Core, Widgets string
	// Licences has the texts of the licences of the kernel.
	Licences string
	// Logos are the kernel's logos, by name.
	Logos map[string][]byte
}

// Folder returns the folder in the user's cache in which the command install stores the parts.
func Folder() string { return filepath.Join(xdg.CacheHome, "hierml", "lite") }

// The names of stored parts.
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

// version identifies the scripts in this program, which stored parts must match.
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

// files returns the paths of the parts, by the names under which they are stored.
func (p *Parts) files() map[string]*string {
	return map[string]*string{kernelName: &p.Kernel, supportName: &p.Support, coreName: &p.Core, widgetsName: &p.Widgets, licencesName: &p.Licences}
}

// Keep stores the parts in a folder for Kept. It keeps existing files.
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
			return Parts{}, fmt.Errorf("the parts of sites are missing (%s). Run `go run ./install lite` in a clone of hierml to build them with Go", *path)
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
		return Parts{}, fmt.Errorf("the parts of sites in %s are of another version of hierml than this program. Run `go run ./install` and `go run ./install lite` in one clone", folder)
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
