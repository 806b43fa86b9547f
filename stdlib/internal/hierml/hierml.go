// Package hierml holds the symbol tables and export data of hierml and of package nb.
package hierml

import _ "embed"

// Export is the archive of export data.
//
//go:embed export.zip
var Export string
