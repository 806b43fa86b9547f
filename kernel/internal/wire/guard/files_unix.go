//go:build unix

package guard

import (
	"math"

	"golang.org/x/sys/unix"
)

// maxFiles is how many files the process may open, including connections.
func maxFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
