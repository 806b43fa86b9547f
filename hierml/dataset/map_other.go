//go:build !unix

package dataset

import (
	"io"
	"os"
	"unsafe"
)

// mapFile returns the content of the file, in memory that begins at a multiple of eight.
func mapFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := statMap(file)
	var content []byte
	if err == nil {
		words := make([]uint64, (size+7)/8)
		content = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
		_, err = io.ReadFull(file, content)
	}
	if closed := file.Close(); err == nil && closed != nil {
		return nil, closed
	}
	return content, err
}

func unmapFile([]byte) error { return nil }
