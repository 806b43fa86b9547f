//go:build !js

package stdlib

import (
	"github.com/hierml/notebook/stdlib/internal/gonum"
	"github.com/hierml/notebook/stdlib/internal/hierml"
	"github.com/hierml/notebook/stdlib/internal/std"
)

// exports has export data, docs has documentation.
var (
	exports = archives{std: embedded(std.Export), gonum: embedded(gonum.Export), hierml: embedded(hierml.Export)}
	docs    = archives{std: embedded(std.Docs), gonum: embedded(gonum.Docs), hierml: embedded(hierml.Docs)}
)

func embedded(content string) archive {
	return archive{read: func() (string, error) { return content, nil }}
}
