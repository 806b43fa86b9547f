//go:build ignore

// Package cmp is what the engine runs in place of the generic functions of
// the standard package of this name.
package cmp

import "cmp"

func Less[T cmp.Ordered](x, y T) bool { return (x != x && y == y) || x < y }

func Compare[T cmp.Ordered](x, y T) int {
	if x < y {
		return -1
	}
	if x > y {
		return +1
	}
	if x == y {
		return 0
	}
	if x == x {
		return +1
	}
	if y == y {
		return -1
	}
	return 0
}

func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
