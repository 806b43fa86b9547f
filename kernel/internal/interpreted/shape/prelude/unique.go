//go:build ignore

// Package unique is what the engine runs in place of the generic functions
// and types of the standard package of this name.
package unique

// Two handles are equal if what they were made of is.
type Handle[T comparable] struct {
	value T
	made  bool
}

func (h Handle[T]) Value() T {
	if !h.made {
		var p *T
		return *p
	}
	return h.value
}

func Make[T comparable](value T) Handle[T] { return Handle[T]{value, true} }
