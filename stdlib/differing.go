package stdlib

import (
	"go/constant"
	"go/types"
	"os"
	gopath "path"
	"path/filepath"
	"runtime"
)

// differing are constants that cells can import and whose values differ between systems. The values
// are those of this program, not those of the system on which the export data was made.
var differing = map[string]map[string]*constantOf{
	"os": {
		"DevNull":           {types.UntypedString, constant.MakeString(os.DevNull)},
		"PathListSeparator": {types.UntypedRune, constant.MakeInt64(os.PathListSeparator)},
		"PathSeparator":     {types.UntypedRune, constant.MakeInt64(os.PathSeparator)},
		"O_APPEND":          {types.Int, constant.MakeInt64(int64(os.O_APPEND))},
		"O_CREATE":          {types.Int, constant.MakeInt64(int64(os.O_CREATE))},
		"O_EXCL":            {types.Int, constant.MakeInt64(int64(os.O_EXCL))},
		"O_SYNC":            {types.Int, constant.MakeInt64(int64(os.O_SYNC))},
		"O_TRUNC":           {types.Int, constant.MakeInt64(int64(os.O_TRUNC))},
	},
	"path/filepath": {
		"ListSeparator": {types.UntypedRune, constant.MakeInt64(filepath.ListSeparator)},
		"Separator":     {types.UntypedRune, constant.MakeInt64(filepath.Separator)},
	},
	"runtime": {
		"GOARCH": {types.String, constant.MakeString(runtime.GOARCH)},
		"GOOS":   {types.String, constant.MakeString(runtime.GOOS)},
	},
}

type constantOf struct {
	kind  types.BasicKind
	value constant.Value
}

// predeclared returns packages with only the constants of this system. Reading export data adds the
// rest.
func predeclared() map[string]*types.Package {
	packages := map[string]*types.Package{}
	for path, constants := range differing {
		pkg := types.NewPackage(path, gopath.Base(path))
		for name, c := range constants {
			pkg.Scope().Insert(types.NewConst(0, pkg, name, types.Typ[c.kind], c.value))
		}
		packages[path] = pkg
	}
	return packages
}
