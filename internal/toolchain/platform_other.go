//go:build !linux

package toolchain

import (
	"errors"
	"io/fs"
	"os"
)

// Open refuses these systems before anything here is called.

func trust(string) error { return errors.ErrUnsupported }

func trustPath(string) error { return errors.ErrUnsupported }

// TrustProgram trusts every program.
func TrustProgram(string) error { return nil }

func trustworthy(string, fs.FileInfo, bool) error { return errors.ErrUnsupported }

func freeIn(string) (uint64, bool) { return 0, false }

func loadable(*os.File) error { return errors.ErrUnsupported }
