// Package beside finds the files that come with a program which was not built on the machine that
// it is on: where it is PREFIX/bin/hierml, they are in PREFIX/share/hierml. They are the sources
// that it was built from, for the compiler of cells, the documentation of Go, where there is no Go
// tree, and the course. A program that was built in a clone has none. Package
// install/internal/release puts them there.
package beside

import (
	"os"
	"path/filepath"
)

// The names of the files.
const (
	// Source is the module that the program was built from, as a compressed tar archive: what its
	// package ./kernel needs, its own packages and those of other modules, in a folder vendor.
	Source = "source.tar.gz"
	// SourceID says what the program was built from, as package internal/toolchain has it.
	SourceID = "source.id"
	// Documentation is that of Go's standard library, as package hierml/collection packs it.
	Documentation = "godoc.jsonl.gz"
	// Course is the folder notebooks of the repository, as a compressed tar archive.
	Course = "course.tar.gz"
)

// Folder is where the files are below the prefix, with slashes.
const Folder = "share/hierml"

// File returns the path of a file that came with the program at a path, or with this one if that is
// empty. The error wraps fs.ErrNotExist if there is none.
func File(program, name string) (string, error) {
	prefix, err := Prefix(program)
	if err != nil {
		return "", err
	}
	path := filepath.Join(prefix, filepath.FromSlash(Folder), name)
	_, err = os.Stat(path)
	return path, err
}

// Prefix returns the folder above that of the program at a path, or of this one if that is empty.
func Prefix(program string) (string, error) {
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		program = self
	}
	// Tools that install programs link to them.
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", err
	}
	return filepath.Dir(filepath.Dir(program)), nil
}
