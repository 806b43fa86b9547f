//go:build unix

package temporary

import (
	"os"
	"syscall"
)

// mine reports whether path is a folder of this user, not a link, in which nobody else can have put
// anything.
func mine(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Geteuid()
}
