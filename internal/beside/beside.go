// Package beside finds the files that come with a program built on another machine:
// PREFIX/share/hierml for PREFIX/bin/hierml. They are the source code of the program, for the
// compiler of cells, the documentation of Go, for machines without a Go tree, and the course. A
// program built in a clone has none. Package install/internal/release puts them there.
package beside

import (
	"os"
	"path/filepath"
)

// The names of the files.
const (
	// Source is the module of the program, as a compressed tar archive: everything that its package
	// ./kernel needs, with packages of other modules in a folder vendor.
	Source = "source.tar.gz"
	// SourceID identifies the source of the program, in the form of package internal/toolchain.
	SourceID = "source.id"
	// Documentation is that of Go's standard library, in the form of package hierml/collection.
	Documentation = "godoc.jsonl.gz"
	// Course is the folder notebooks of the repository, as a compressed tar archive.
	Course = "course.tar.gz"
)

// Folder is the folder of the files below the prefix, with slashes.
const Folder = "share/hierml"

// File returns the path of a file that came with the program at a path, or with this program if
// program is empty. The error wraps fs.ErrNotExist if there is none.
func File(program, name string) (string, error) {
	prefix, err := Prefix(program)
	if err != nil {
		return "", err
	}
	path := filepath.Join(prefix, filepath.FromSlash(Folder), name)
	_, err = os.Stat(path)
	return path, err
}

// Prefix returns the folder above that of the program at a path, or of this program if that is
// empty.
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
