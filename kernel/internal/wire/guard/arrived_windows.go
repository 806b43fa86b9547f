package guard

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// toRead returns how many bytes of a socket can be read without blocking.
func toRead(socket uintptr) (int, error) {
	const bytesToRead = 0x4004667f // FIONREAD
	var n, size uint32
	err := windows.WSAIoctl(windows.Handle(socket), bytesToRead, nil, 0, (*byte)(unsafe.Pointer(&n)), uint32(unsafe.Sizeof(n)), &size, nil, 0)
	return int(n), err
}
