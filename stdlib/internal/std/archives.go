//go:build !js && !go1.27

package std

import _ "embed"

// Export is the archive of export data.
//
//go:embed export.zip
var Export string

// Docs is the archive of documentation.
//
//go:embed docs.zip
var Docs string
