package stdlib

import (
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/hierml/notebook/stdlib/internal/std"
)

// Importer imports the packages that cells may import, from the export data in the program. It is
// safe for concurrent use, and a type is the same object whichever package it is reached through.
// Positions are unknown. It also has the methods Paths and Doc, which return the paths of the
// packages and their documentation.
var Importer types.Importer = &archiveImporter{packages: predeclared()}

// An ImportError says that a cell cannot import a package.
type ImportError struct {
	Path string
	// Meant is an import path the user may have had in mind, or empty.
	Meant string
	// Reason is why a package of the standard library is not available, or empty.
	Reason string
}

func (e *ImportError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("package %s is not available: %s", e.Path, e.Reason)
	}
	msg := fmt.Sprintf("package %s is not available: cells import the standard library, gonum, gonum/plot and hierml", e.Path)
	if e.Meant != "" {
		msg += fmt.Sprintf("; did you mean %q?", e.Meant)
	}
	return msg
}

type archiveImporter struct {
	mu       sync.Mutex
	packages map[string]*types.Package

	docs documentation
}

func (imp *archiveImporter) Import(path string) (*types.Package, error) {
	imp.mu.Lock()
	defer imp.mu.Unlock()
	return imp.load(path)
}

// load is Import while imp.mu is held.
func (imp *archiveImporter) load(path string) (*types.Package, error) {
	file, err := exports.file(path)
	if err != nil {
		return nil, err
	}
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case unavailable[path] != "":
		return nil, &ImportError{Path: path, Reason: unavailable[path]}
	case strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal/") || strings.HasPrefix(path, "vendor/"):
		return nil, &ImportError{Path: path, Reason: "it is internal to the packages around it"}
	case imp.Later(path, "") != "":
		return nil, &ImportError{Path: path, Reason: imp.Later(path, "")}
	case file == nil:
		return nil, &ImportError{Path: path, Meant: Preloaded[path[strings.LastIndex(path, "/")+1:]]}
	}
	if pkg := imp.packages[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	// The export data of gonum and hierml describe the standard library of go.mod's release.
	// Packages of a later release must be read first, so that they take precedence. Otherwise a
	// browser page would fetch the archive of the standard library for its first cell.
	for _, mentioned := range strings.Fields(file.Comment) {
		if !std.Extended() || unavailable[mentioned] != "" {
			continue
		}
		if _, err := imp.load(mentioned); err != nil {
			return nil, err
		}
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", path, err)
	}
	defer r.Close() // it cannot fail: the archive is in memory
	pkg, err := gcexportdata.Read(r, token.NewFileSet(), imp.packages, path)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w; run go generate ./stdlib", path, err)
	}
	return pkg, nil
}

// ReadExport reads the export data of a package of another module, which may mention packages that
// Importer knows: their types are those of Importer. It keeps the packages for whose paths own
// returns true in known, and looks them up there when export data mentions them.
func ReadExport(r io.Reader, path string, own func(path string) bool, known map[string]*types.Package) (*types.Package, error) {
	imp := Importer.(*archiveImporter)
	imp.mu.Lock()
	defer imp.mu.Unlock()
	all := maps.Clone(imp.packages)
	maps.Copy(all, known)
	pkg, err := gcexportdata.Read(r, token.NewFileSet(), all, path)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", path, err)
	}
	for path, pkg := range all {
		if own(path) {
			known[path] = pkg
		} else {
			imp.packages[path] = pkg
		}
	}
	return pkg, nil
}
