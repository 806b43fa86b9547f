//go:build unix

package magic

import (
	"syscall"
	"time"
)

// cpuTimes returns the processor time of this process and of the child processes that it has waited
// for.
func cpuTimes() (user, system time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			return 0, 0
		}
		user += time.Duration(usage.Utime.Nano())
		system += time.Duration(usage.Stime.Nano())
	}
	return user, system
}
