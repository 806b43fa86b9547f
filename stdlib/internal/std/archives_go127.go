//go:build !js && go1.27

package std

import _ "embed"

// Export is the archive of export data.
//
//go:embed export-go1.27.zip
var Export string

// Docs is the archive of documentation.
//
//go:embed docs-go1.27.zip
var Docs string
