//go:build !linux

package machine

// Memory is not known here.
func Memory() int64 { return memoryOfJob() }
