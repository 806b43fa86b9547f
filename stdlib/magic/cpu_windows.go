package magic

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTimes returns the processor time of this process. That of its child processes is not known
// here.
func cpuTimes() (user, system time.Duration) {
	var creation, exit, inKernel, inUser windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &inKernel, &inUser); err != nil {
		return 0, 0
	}
	return elapsed(inUser), elapsed(inKernel)
}

// elapsed converts a duration from the system's unit of 100 nanoseconds.
func elapsed(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
