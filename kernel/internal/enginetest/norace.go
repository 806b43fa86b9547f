//go:build !race

package enginetest

// Raced says whether the tests run with the race detector.
const Raced = false
