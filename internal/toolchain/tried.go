package toolchain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// triedFile is in the folder of a kit whose trial its program has loaded.
const triedFile = "tried"

// Tried reports whether the program has loaded a trial of the kit.
func (k *Kit) Tried() bool {
	_, err := os.Stat(filepath.Join(k.dir, triedFile))
	return err == nil
}

// SetTried notes for all processes that the program has loaded a trial of the kit. Where the kit
// cannot be written to, they try it each.
func (k *Kit) SetTried() error {
	err := os.WriteFile(filepath.Join(k.dir, triedFile), nil, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}
