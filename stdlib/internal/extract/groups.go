// Package extract reads the export data that the Go compiler has written for the packages that a
// cell may import. From it, it writes the symbol tables and the archives of export data for package
// stdlib.
//
// It runs when stdlib is generated, and in the test that the generated files are current; the
// kernel does not contain it.
package extract

import (
	"path"
	"slices"
	"strings"
)

// A Group is a set of packages whose tables are generated together, into one Go package, so that a
// change to one group does not recompile the others.
type Group struct {
	// Name names the group and its folder under stdlib/internal.
	Name string
	// Patterns are the arguments of go list.
	Patterns []string
	// Prefixes are removed from import paths to form identifiers.
	Prefixes []string
	// Exclude lists import paths that are not available to cells; one that ends in /... means a
	// tree.
	Exclude []string
	// Platform lists packages whose exported symbols differ between systems. They are available
	// only on the system on which the tables were generated.
	Platform []string
	// Replace maps a symbol, as "path.Name", to the identifier in the group's package that replaces
	// it.
	Replace map[string]string
}

// Groups are all groups, in the order of their dependencies.
var Groups = []Group{
	{
		Name:     "std",
		Patterns: []string{"std"},
		Exclude: []string{
			// Package stdlib gives the reason for each (unavailable.go).
			"unsafe", "plugin", "runtime/cgo", "runtime/race", "runtime/coverage",
			"testing/cryptotest", "crypto/mlkem/mlkemtest",
			"time/tzdata", "net/http/pprof", "expvar",
		},
		Platform: []string{"syscall", "log/syslog"},
		Replace: map[string]string{
			"os.Exit":        "exit",
			"syscall.Exit":   "exit",
			"os.FindProcess": "findProcess",
			"log.Fatal":      "logFatal",
			"log.Fatalf":     "logFatalf",
			"log.Fatalln":    "logFatalln",
			"fmt.Fprint":     "fmtFprint",
			"fmt.Fprintf":    "fmtFprintf",
			"fmt.Fprintln":   "fmtFprintln",
			"io.WriteString": "ioWriteString",
		},
	},
	{
		Name:     "gonum",
		Patterns: []string{"gonum.org/v1/gonum/...", "gonum.org/v1/plot/..."},
		Prefixes: []string{"gonum.org/v1/gonum/", "gonum.org/v1/"},
		Exclude: []string{
			"gonum.org/v1/gonum/blas/testblas/...", "gonum.org/v1/gonum/lapack/testlapack",
			"gonum.org/v1/gonum/graph/testgraph", "gonum.org/v1/gonum/integrate/testquad",
			"gonum.org/v1/plot/cmpimg", "gonum.org/v1/plot/gob",
		},
	},
	{
		Name:     "hierml",
		Patterns: []string{"github.com/hierml/notebook/hierml/...", "github.com/hierml/notebook/stdlib/nb", "github.com/hierml/notebook/stdlib/cache", "github.com/hierml/notebook/stdlib/magic"},
		Prefixes: []string{"github.com/hierml/notebook/hierml/", "github.com/hierml/notebook/stdlib/"},
		Exclude:  []string{"github.com/hierml/notebook/hierml"}, // the front page, which has no code
	},
}

// Lookup returns the group of the given name.
func Lookup(name string) (Group, bool) {
	i := slices.IndexFunc(Groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		return Group{}, false
	}
	return Groups[i], true
}

func (g *Group) excludes(importPath string) bool {
	for _, part := range strings.Split(importPath, "/") {
		if part == "internal" || part == "vendor" || part == "testdata" {
			return true
		}
	}
	return slices.ContainsFunc(g.Exclude, func(x string) bool {
		tree, isTree := strings.CutSuffix(x, "/...")
		return importPath == tree || isTree && strings.HasPrefix(importPath, tree+"/")
	})
}

// base returns the import path without the group's prefix.
func (g *Group) base(importPath string) string {
	for _, p := range g.Prefixes {
		if s, ok := strings.CutPrefix(importPath, p); ok {
			return s
		}
	}
	return importPath
}

// identifier returns a lower-case Go identifier for a package's table.
func (g *Group) identifier(importPath string) string {
	var b strings.Builder
	for i, part := range strings.FieldsFunc(g.base(importPath), func(r rune) bool { return strings.ContainsRune("/.-_", r) }) {
		if i > 0 {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String() + "Package"
}

// file returns the name of the file that holds a package's table. Because of the prefix, names such
// as os_linux or x_test have no meaning to go build.
func (g *Group) file(importPath string) string {
	return "z_" + g.underscored(importPath) + "_table.go"
}

func (g *Group) underscored(importPath string) string {
	return strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(g.base(importPath))
}

// Archive is the name of the file, in the group's folder, that holds the export data.
const Archive = "export.zip"

// DocsArchive is the name of the file, in the group's folder, that holds the documentation.
const DocsArchive = "docs.zip"

// Dir returns the group's folder, relative to the folder of package stdlib.
func (g *Group) Dir() string { return path.Join("internal", g.Name) }
