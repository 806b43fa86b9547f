// Package safetensors reads and writes files in the safetensors layout: eight bytes, the length of
// a header as a little-endian number; the header, a JSON object that maps the name of each tensor
// to its type, its shape and where its bytes begin and end in what follows, and "__metadata__" to
// an object of strings; then the bytes of the tensors, little-endian, the last index of a shape the
// fastest, one after the other without holes or overlaps.
//
// Python reads such a file with safetensors.numpy.load_file.
//
// The metadata may have a check sum, crc32c, of everything else in the file. Write adds it and
// Open, which trusts nothing that it reads, verifies it where it is there; other programs leave it
// out.
package safetensors

import (
	"fmt"
	"math"
)

// Type is the type of a tensor's elements, by its name in the header.
type Type string

// The types that this package knows.
const (
	Bool Type = "BOOL"
	U8   Type = "U8"
	U16  Type = "U16"
	U32  Type = "U32"
	U64  Type = "U64"
	I8   Type = "I8"
	I16  Type = "I16"
	I32  Type = "I32"
	I64  Type = "I64"
	F16  Type = "F16"
	BF16 Type = "BF16"
	F32  Type = "F32"
	F64  Type = "F64"
)

// Size returns the number of bytes of an element, 0 for an unknown type.
func (t Type) Size() int {
	switch t {
	case Bool, U8, I8:
		return 1
	case U16, I16, F16, BF16:
		return 2
	case U32, I32, F32:
		return 4
	case U64, I64, F64:
		return 8
	}
	return 0
}

// Value is what an element of a tensor can be in memory.
type Value interface {
	uint8 | uint16 | uint32 | uint64 | int32 | int64 | float32 | float64
}

// typeOf returns the type whose elements are T.
func typeOf[T Value]() Type {
	switch any(*new(T)).(type) {
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case int32:
		return I32
	case int64:
		return I64
	case float32:
		return F32
	}
	return F64
}

// Info describes a tensor of a file.
type Info struct {
	Type  Type  `json:"dtype"`
	Shape []int `json:"shape"`
	// Offsets are where the bytes begin and end, from the end of the header.
	Offsets [2]int64 `json:"data_offsets"`
}

// Len returns the number of elements.
func (i Info) Len() int {
	n := 1
	for _, d := range i.Shape {
		n *= d
	}
	return n
}

// bytes returns the number of bytes that the type and the shape ask for.
func (i Info) bytes() (int64, error) {
	size := int64(i.Type.Size())
	if size == 0 {
		return 0, fmt.Errorf("its type is %q; types must be BOOL, U8 to U64, I8 to I64, F16, BF16, F32 and F64", i.Type)
	}
	empty := false
	for _, d := range i.Shape {
		if d < 0 {
			return 0, fmt.Errorf("its shape is %v; sizes must not be negative", i.Shape)
		}
		empty = empty || d == 0
	}
	if empty {
		return 0, nil
	}
	for _, d := range i.Shape {
		if int64(d) > math.MaxInt64/size {
			return 0, fmt.Errorf("its shape %v is too large", i.Shape)
		}
		size *= int64(d)
	}
	return size, nil
}

const (
	metadataKey = "__metadata__"
	checkKey    = "crc32c"
	noCheck     = "00000000" // in the place of the check sum while it is computed

	// maxHeader is the largest header that the reference implementation reads.
	maxHeader = 100_000_000
)
