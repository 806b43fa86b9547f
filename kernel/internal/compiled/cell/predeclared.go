package cell

// The predeclared types under other names, for text where the user has redeclared theirs.
type (
	Any        = any
	Bool       = bool
	Byte       = byte
	Comparable = comparable
	Complex128 = complex128
	Complex64  = complex64
	Error      = error
	Float32    = float32
	Float64    = float64
	Int        = int
	Int16      = int16
	Int32      = int32
	Int64      = int64
	Int8       = int8
	Rune       = rune
	String     = string
	Uint       = uint
	Uint16     = uint16
	Uint32     = uint32
	Uint64     = uint64
	Uint8      = uint8
	Uintptr    = uintptr
)

// Strings returns its arguments.
func Strings(list ...string) []string { return list }
