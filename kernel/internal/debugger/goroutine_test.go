package debugger

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutineOf returns the number of the calling goroutine.
func goroutineOf() uintptr {
	var buffer [64]byte
	fields := bytes.Fields(buffer[:runtime.Stack(buffer[:], false)])
	n, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return uintptr(n)
}
