//go:build !linux

package pages

// advise does nothing: only Linux takes the wish.
func advise([]byte) {}
