package toolchain

import (
	"os"

	"github.com/hierml/notebook/internal/temporary"
)

// folder is a private folder.
type folder struct{ path string }

// room is what a folder needs to be chosen. A plugin has 1 to 20 MB.
const room = 256 << 20

// newFolder makes a folder: in memory where that can be, else where temporary files belong.
func newFolder() (*folder, error) {
	parent := os.TempDir()
	if usableForCode(temporary.Memory, room) {
		parent = temporary.Memory
	}
	path, err := temporary.Folder(parent, "cells")
	if err != nil {
		return nil, plainly(err, parent, "TMPDIR")
	}
	return &folder{path}, nil
}

func (f *folder) remove() error { return temporary.Remove(f.path) }
