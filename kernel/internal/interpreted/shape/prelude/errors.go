//go:build ignore

// Package errors is what the engine runs in place of the generic functions of
// the standard package of this name.
package errors

import "errors"

func AsType[E error](err error) (E, bool) {
	var target E
	ok := errors.As(err, &target)
	return target, ok
}
