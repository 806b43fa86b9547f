//go:build !linux

package compiled

import (
	"errors"
	"unsafe"
)

// runtimeVariables returns where variables of other packages are.
func runtimeVariables(...string) ([]unsafe.Pointer, error) {
	return nil, errors.New("the symbols of the program are not known")
}
