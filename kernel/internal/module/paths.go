package module

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manyFolders bounds how many folders of a module are searched.
const manyFolders = 500

// Paths implements program.Modules.
func (s *Session) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for path := range s.found {
		paths = append(paths, path)
	}
	for module, dir := range s.roots {
		paths = append(paths, packagesIn(module, dir)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// packagesIn returns the import paths of the importable packages of a module in a folder.
func packagesIn(module, root string) []string {
	var paths []string
	folders := 0
	// Unreadable folders have no packages.
	_ = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if folders++; folders > manyFolders {
			return filepath.SkipAll
		}
		if dir != root {
			name := d.Name()
			_, err := os.Stat(filepath.Join(dir, "go.mod"))
			if err == nil || name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor" || name == "internal" {
				return filepath.SkipDir
			}
		}
		if rel, err := filepath.Rel(root, dir); err == nil && isImportable(dir) {
			paths = append(paths, strings.TrimSuffix(module+"/"+filepath.ToSlash(rel), "/."))
		}
		return nil
	})
	return paths
}

// isImportable reports whether a folder contains a package that is not a program.
func isImportable(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || e.IsDir() {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.PackageClauseOnly)
		if err == nil {
			return f.Name.Name != "main"
		}
	}
	return false
}
