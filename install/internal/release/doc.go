// Package release makes installable files for users without a clone or Go: the tree of files below
// a prefix (tree.go), and its packaging: wheels for pip, archives, Debian packages. It also makes
// the other files of a release: checksums, a bill of materials, notes.
//
// Everything is made from one commit (source.go), and the same commit gives the same bytes: files
// are sorted, times are that of the commit, and the program does not contain the paths of its
// build. The caller builds the program.
package release
