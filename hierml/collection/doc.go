// Package collection finds data sets by their names. Open looks in the folders that the environment
// variable HIERML_DATA names, then in the user's cache, and downloads those of the Catalogue that
// have a published check sum; Verify compares files with these sums. What is in the folders need
// not be in the catalogue: any data set in the format of OpenContext is opened by the name of its
// files.
//
// GoDoc reads a corpus that every machine with Go has: the documentation of Go's standard library.
//
// It stands above files and features: they read and weigh, and this package knows which files a
// name stands for and how they are put together.
package collection
