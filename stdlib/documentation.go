package stdlib

import (
	"encoding/json"
	"fmt"
	"sync"
)

// A documentation holds the comments of the packages, which it unpacks on demand.
type documentation struct {
	mu       sync.Mutex
	packages map[string]map[string]string
}

// of returns the comments of a package by the names that they document.
func (d *documentation) of(path string) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if comments, ok := d.packages[path]; ok {
		return comments, nil
	}
	file, err := docs.file(path)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, fmt.Errorf("there is no documentation of %s", path)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("documentation of %s: %w", path, err)
	}
	defer r.Close() // it cannot fail: the archive is in memory
	var comments map[string]string
	if err := json.NewDecoder(r).Decode(&comments); err != nil {
		return nil, fmt.Errorf("documentation of %s: %w; run go generate ./stdlib", path, err)
	}
	if d.packages == nil {
		d.packages = map[string]map[string]string{}
	}
	d.packages[path] = comments
	return comments, nil
}

// Paths returns the import paths of all packages, sorted.
func (imp *archiveImporter) Paths() []string { return Paths() }

// Doc returns the documentation of an exported name of a package: of "Name", of a method or field
// "Type.Name", or of the package itself, if the name is empty. Package builtin documents the
// predeclared names; "append()" and similar names give the declarations of its functions. The
// result is empty for undocumented names.
func (imp *archiveImporter) Doc(path, name string) string {
	comments, err := imp.docs.of(path)
	if err != nil {
		// This happens for an unknown package, or in a page that cannot fetch the archive now;
		// TestGeneratedFilesAreCurrent reads all others.
		return ""
	}
	return comments[name]
}
