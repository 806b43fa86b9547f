// Package export writes the cells of a notebook as a program for the go command. It runs nothing:
// it checks cells one after the other, as if they had run, and writes the user's text, renaming
// names that mean several things.
//
// Wrong when the program prints something else than the notebook shows.
package export
