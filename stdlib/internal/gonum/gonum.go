// Package gonum holds the symbol tables and export data of gonum and gonum/plot.
package gonum

import _ "embed"

// Export is the archive of export data.
//
//go:embed export.zip
var Export string
