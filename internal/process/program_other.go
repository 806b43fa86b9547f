//go:build !linux

package process

import "os"

// Program returns the file name of the program that runs.
func Program() (string, error) { return os.Executable() }
