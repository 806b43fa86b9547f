//go:build unix

package folder

import (
	"os"
	"syscall"
)

// names returns how many names a file has.
func names(f *os.File) (int, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1, nil
	}
	return int(stat.Nlink), nil
}
