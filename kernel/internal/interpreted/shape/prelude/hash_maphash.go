//go:build ignore

// Package maphash is what the engine runs in place of the generic functions
// of the standard package of this name.
package maphash

import "hash/maphash"

func hashOf(seed maphash.Seed, v any) uint64

func writeHash(h *maphash.Hash, v any)

func Comparable[T comparable](seed maphash.Seed, v T) uint64 { return hashOf(seed, v) }

func WriteComparable[T comparable](h *maphash.Hash, x T) { writeHash(h, x) }
