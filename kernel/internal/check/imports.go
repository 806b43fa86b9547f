package check

import (
	"go/ast"
	"go/types"
	"regexp"
	"strconv"
)

var editionSuffix = regexp.MustCompile(`~\d+$`)

// PlainPath returns the path that users import a package by, given the one that cells are compiled
// with.
func PlainPath(path string) string { return editionSuffix.ReplaceAllString(path, "") }

// Foreign reports whether an imported package is not part of the program.
func (c *Checker) Foreign(path string) bool {
	o, ok := c.Importer.(interface{ Foreign(path string) bool })
	return ok && o.Foreign(path)
}

// ImportedBy returns the path with which cells are compiled for an import. It is available once the
// import was checked.
func (c *Checker) ImportedBy(spec *ast.ImportSpec) (path string, ok bool) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", false
	}
	pkg, err := c.Importer.Import(path)
	if err != nil {
		return "", false
	}
	return pkg.Path(), true
}

// isNewerForm reports whether an object is the import of a package before that changed.
func isNewerForm(old types.Object, pkg *types.Package) bool {
	was, ok := old.(*types.PkgName)
	return ok && was.Imported() != pkg && PlainPath(was.Imported().Path()) == PlainPath(pkg.Path())
}
