//go:build !unix

package wire

// Exposed returns nothing where files have no permissions.
func Exposed(string) string { return "" }
