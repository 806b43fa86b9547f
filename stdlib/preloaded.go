package stdlib

import (
	"github.com/hierml/notebook/stdlib/internal/gonum"
	"github.com/hierml/notebook/stdlib/internal/hierml"
	"github.com/hierml/notebook/stdlib/internal/std"
	"github.com/hierml/notebook/stdlib/internal/table"
)

// Preloaded maps the package names that a cell can use without an import to import paths. A name
// stands for the package of hierml that has it, else for the one in the standard library, else for
// the one in gonum or gonum/plot. Where several packages of the same library share a name, it
// stands for the one that preferred names, or for none.
var Preloaded = preload()

// preferred decides between packages of the same name.
var preferred = map[string]string{
	"json":     "encoding/json",
	"rand":     "math/rand/v2",
	"template": "text/template",
	"draw":     "gonum.org/v1/plot/vg/draw",
	"scanner":  "text/scanner",
	"pprof":    "runtime/pprof",
	"text":     "gonum.org/v1/plot/text",
	"dot":      "gonum.org/v1/gonum/graph/encoding/dot",
}

func preload() map[string]string {
	names := map[string]string{}
	for _, group := range [][]*table.Package{hierml.Packages, std.All(), gonum.Packages} {
		count, paths := map[string]int{}, map[string]bool{}
		for _, p := range group {
			if !paths[p.Path] {
				paths[p.Path] = true
				count[p.Name]++
			}
		}
		for _, p := range group {
			if _, taken := names[p.Name]; !taken && count[p.Name] == 1 && preferred[p.Name] == "" {
				names[p.Name] = p.Path
			}
		}
	}
	for name, path := range preferred {
		names[name] = path
	}
	return names
}
