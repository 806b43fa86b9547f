// Package carry takes the values of variables from older compiled cells to newer ones, and from one
// process to another.
//
// # In place
//
// When a cell gives a type of an earlier cell another method, the type is compiled again. A value
// of the new type has the same form in memory as one of the old type. So values stay where they are
// and are read as the new type from then on: pointers, cycles, shared slices and maps are kept, and
// a large slice of numbers costs nothing. Only the contents of interfaces, and the keys of maps
// that hash differently, are changed in place.
//
// # What is not carried
//
// A value in an interface becomes nil if its new type does not implement the interface. Each
// variable with such a part is named, once.
//
// Some values cannot be found: those in variables that a compiled function has captured, values
// behind unsafe.Pointer, and those of goroutines. Goroutines that still run keep their old values,
// and must not write to maps meanwhile.
//
// # How values become those of a newer type
//
// Variables works in these steps:
//
//  1. naturalize (foreign.go) handles types left over from earlier calls, see below.
//  2. find sets the pointer that the newer unit has to a variable of the older one. So both
//     units use the same variable.
//  3. The mover (walk.go) goes through all memory that a variable leads to, and changes what
//     must change.
//  4. If a type was compiled again, the mover goes through the variables of all units: an
//     interface anywhere may hold a value of that type.
//  5. At last it goes through the values that cells have shown, Out[n].
//
// At each place the mover has an address and a pair of types: the one with which the memory was
// written, and the one with which it is read from now on. Two questions about a pair decide what it
// does.
//
// Do both have the same form (form.go)? They do if kind, size, alignment and the offsets of fields
// are the same, and the forms of all parts. A pair that leads back to itself is assumed to be
// alike; if that turns out wrong, all conclusions from it are dropped. If the forms differ, the
// variable is lost and becomes zero.
//
// Can anything inside have to change (needs.go)? Only interfaces, the keys of maps, and values of
// reflection can. A pair without those inside is left alone, so a large []float64 is never read.
// Nor are structs of packages such as os and net, which the run time or other goroutines may be
// using (opaque).
//
// Otherwise the kind of the newer type decides:
//
//   - A pointer, a slice and a map lead to other memory. That becomes a job in a list, not a
//     call, so that a long chain does not overflow the stack. The mover records address, type and
//     number of elements, and skips memory that it has seen: cycles end, and shared memory is
//     visited once. Of a slice, the elements up to its capacity are visited.
//   - A struct and an array are visited part by part.
//   - A map keeps its identity. If its keys are structs or arrays of another type now, they may
//     hash differently, so the map is cleared and filled again. The same happens if a key changed.
//   - A channel is emptied, and its buffered values are sent again.
//   - An interface that holds a value of an older type gets a copy of the newer type. If that
//     does not implement the interface, the interface becomes nil, and the variable is reported as
//     lost in part.
//   - sync.Map, atomic.Pointer and reflect.Value are known by name, because their memory does not
//     show what they hold.
//
// TestRecompiled has a case of most of these.
//
// The newer type of a value in an interface is found by current (types.go). A declared type has a
// key, the name and version that the session gives it, and the last unit with that key has the
// newest type. A composite type, such as []T, is made of the newer types of its parts by
// reflection, and then replaced by the compiled type that is identical (compiledLike). This
// matters: the run time unifies the types of a plugin with those of the program, but not with types
// that reflection has made before, and a type switch in a cell asks for the compiled one. If there
// is no such type yet, the value gets the one of reflection, which is recorded as foreign. When a
// later unit brings the compiled type, naturalize replaces the foreign one.
//
// # What Save writes
//
// Save first collects (collect.go) all regions of memory that variables lead to: an address, a type
// and a number of values. Regions that overlap, as slices of one array do, become one object
// (merge). A pointer is then the number of an object and an offset in it, which is valid in the
// other process because values of one type have the same layout in all processes of a program.
// Pointers into the program's own variables, such as io.EOF, are written as offsets in its static
// memory (static.go).
//
//	magic "hierml variables 1\n"
//	identity of the program: Go version, system, sections with addresses and sizes
//	types: number of types, and for each
//		description, such as "session point__1", "named time time.Time" or "slice"
//		size and kind
//		the numbers of its parts, which stand before it
//		variables that hold values of it in interfaces, to be named if the type is not found
//	objects: number of objects, and for each
//		0 memory, 1 map, or 2 variable with its name
//		the number of its type and, except for maps, the number of values
//	contents: for each object, pieces, each after its length, and the length 0
//	"end"
//
// Numbers are varints, and texts have their length in front. Memory without pointers is written as
// it is. Other values are written by kind (save.go): a string as its text, a pointer as a
// reference, a slice as a reference with length and capacity, a map as the number of its object,
// and an interface as the number of a type, the length of the value, and the value. References 0, 1
// and 2 are nil, static memory, and a value without a size; larger ones are objects, from 3 on.
//
// Load finds each type by its description (typenames.go), makes the memory of all objects, and then
// reads their contents, so that pointers can lead anywhere. An object whose type this process does
// not have is passed over, and pointers to it are nil. Load asks for no more memory than the rest
// of the file can fill. It refuses a file of another program, and anything that does not fit, as
// broken.
//
// The file is for one program and one moment: it is removed when it has been read, and there is no
// older version to read.
package carry
