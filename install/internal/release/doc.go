// Package release makes what people install who have neither a clone nor Go: the tree of files that
// goes below a prefix (tree.go), and what carries it there: wheels for pip, archives, packages of
// Debian. With them come what a release has besides: sums, a bill of materials, notes.
//
// All of it is made from one commit (source.go), and the same commit makes the same bytes: files
// are in order, times are that of the commit, and the program is built where its paths do not show.
// Building the program is left to the caller.
package release
