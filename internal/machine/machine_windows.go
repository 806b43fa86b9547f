package machine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memoryStatus is MEMORYSTATUSEX of sysinfoapi.h.
type memoryStatus struct {
	size, load                                       uint32
	total, free                                      uint64
	totalPageFile, freePageFile                      uint64
	totalAddresses, freeAddresses, freeMoreAddresses uint64
}

// Memory returns how many bytes of the machine's memory the job of this process allows; 0 if
// unknown.
func Memory() int64 {
	var s memoryStatus
	s.size = uint32(unsafe.Sizeof(s))
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return memoryOfJob()
	}
	return lower(int64(s.total), memoryOfJob())
}
