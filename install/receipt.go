package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hierml/notebook/install/internal/place"
)

// receipt lists the results of installations in one place; each entry is written before its file.
// The next installation repairs them, and uninstall removes those that are known to be hierml's.
// The receipt may be damaged, or written by others: a path is never touched only because it is
// listed.
type receipt struct {
	path string

	// Programs are the built programs: there are several where GOBIN has changed.
	Programs []string `json:"programs,omitempty"`
	// Program is the one of an earlier version.
	Program string `json:"program,omitempty"`
	// Kernels are the folders of the registered kernels.
	Kernels []string `json:"kernels,omitempty"`
	// Python is the path of the private environment.
	Python string `json:"python,omitempty"`
	// Tour is the executed tour.
	Tour *tourRecord `json:"tour,omitempty"`
	// Files are others that are hierml's alone.
	Files []string `json:"files,omitempty"`
	// Folders were made for the above, outer ones first.
	Folders []string `json:"folders,omitempty"`
}

// tourRecord is one successful run of the tour.
type tourRecord struct {
	Notebook file `json:"notebook"`
	HTML     file `json:"html"`
	// Inputs is the sum over everything that the outputs follow from.
	Inputs string `json:"inputs"`
	// Runner names what ran it.
	Runner string `json:"runner"`
}

// file is a written file with its state at that time.
type file struct {
	Path string `json:"path"`
	Sum  string `json:"sha256"`
}

// record reads the file that was just written to path.
func record(path string) (file, error) {
	sum, err := sumFile(path)
	return file{path, sum}, err
}

// state says what became of the file since.
type state int

const (
	unchanged state = iota
	changed
	gone
)

func (f file) state() (state, error) {
	sum, err := sumFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone, nil
	case err != nil:
		return 0, err
	case sum != f.Sum:
		return changed, nil
	}
	return unchanged, nil
}

func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// openReceipt reads the receipt of the installation in these places. If there is none it returns an
// empty one and an error that wraps fs.ErrNotExist.
func openReceipt(places place.Places) (*receipt, error) {
	r := &receipt{path: filepath.Join(places.Data, "install.json")}
	content, err := os.ReadFile(r.path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove it and install again", r.path, err)
	}
	if r.Program != "" {
		r.addProgram(r.Program)
		r.Program = ""
	}
	return r, nil
}

func (r *receipt) save() error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(r.path, append(content, '\n'))
}

// writeFile writes a file completely, or not at all. It replaces what is at the path, and follows
// no link.
func writeFile(path string, content []byte) error {
	if err := os.Remove(path + newSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path+newSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+newSuffix, path)
}

// writeFile records and then writes a file that belongs to hierml alone.
func (r *receipt) writeFile(path string, content []byte) error {
	if !slices.Contains(r.Files, path) {
		r.Files = append(r.Files, path)
		if err := r.save(); err != nil {
			return err
		}
	}
	return writeFile(path, content)
}

// makeFolder creates a folder and those above it, and records which were missing.
func (r *receipt) makeFolder(dir string) error {
	missing, err := missingFolders(dir)
	if err != nil {
		return err
	}
	r.addFolders(missing)
	return os.MkdirAll(dir, 0o755)
}

// missingFolders returns which of a folder and those above it are missing, outer ones first.
func missingFolders(dir string) (missing []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	return missing, nil
}

func (r *receipt) addFolders(dirs []string) {
	for _, d := range dirs {
		if !slices.Contains(r.Folders, d) {
			r.Folders = append(r.Folders, d)
		}
	}
}

// addProgram records a program.
func (r *receipt) addProgram(path string) {
	if !slices.Contains(r.Programs, path) {
		r.Programs = append(r.Programs, path)
	}
}

// addKernel records a kernelspec's folder.
func (r *receipt) addKernel(dir string) {
	if !slices.Contains(r.Kernels, dir) {
		r.Kernels = append(r.Kernels, dir)
	}
}
