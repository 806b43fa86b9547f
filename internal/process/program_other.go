//go:build !linux

package process

import "os"

// Program returns the file name of the running program.
func Program() (string, error) { return os.Executable() }
