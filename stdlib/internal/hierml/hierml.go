// Package hierml holds the symbol tables, export data and documentation of hierml and of package
// nb.
package hierml

import _ "embed"

// Export is the archive of export data.
//
//go:embed export.zip
var Export string

// Docs is the archive of documentation.
//
//go:embed docs.zip
var Docs string
