//go:build !linux && !windows

package machine

// Memory is not known here.
func Memory() int64 { return memoryOfJob() }
