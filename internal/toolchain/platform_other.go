//go:build !linux

package toolchain

import "errors"

// Open refuses these systems before anything here is called.

func trust(string) error { return errors.ErrUnsupported }

func usableForCode(string, uint64) bool { return false }
