package stdlib

import "os"

// exports has export data, docs has documentation. A browser page fetches them when they are
// needed.
var (
	exports = archives{std: beside("std-export.zip"), gonum: beside("gonum-export.zip"), hierml: beside("hierml-export.zip")}
	docs    = archives{std: beside("std-docs.zip"), gonum: beside("gonum-docs.zip"), hierml: beside("hierml-docs.zip")}
)

func beside(name string) archive {
	return archive{read: func() (string, error) {
		content, err := os.ReadFile("/hierml/" + name)
		return string(content), err
	}}
}
