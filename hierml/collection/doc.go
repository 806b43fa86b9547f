// Package collection finds data sets by name. Open searches the folders listed in the environment
// variable HIERML_DATA, then the user's cache, and downloads data sets of the Catalogue with a
// published checksum; Verify compares files with these checksums. Data sets in the folders need not
// be in the catalogue: any data set in the format of OpenContext can be opened by the name of its
// files.
//
// GoDoc reads a corpus that every machine with Go has: the documentation of Go's standard library.
//
// It stands above files and features: they read and weigh, and this package knows which files a
// name stands for and how they are put together.
package collection
