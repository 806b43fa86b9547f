//go:build !go1.27

package std

import _ "embed"

// Later lists what Go 1.27 has and the Go that builds this program has not: a package by its path,
// a name of a package, or a method or field of a type of it, behind the path and a space.
//
//go:embed later-go1.27.txt
var Later string

// LaterRelease is the release that has it.
const LaterRelease = "Go 1.27"
