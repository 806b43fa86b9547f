// Package gonum holds the symbol tables, export data and documentation of gonum and gonum/plot.
package gonum

import _ "embed"

// Export is the archive of export data.
//
//go:embed export.zip
var Export string

// Docs is the archive of documentation.
//
//go:embed docs.zip
var Docs string
