package stdlib

import (
	"encoding/json"
	"fmt"
	"sync"
)

// A documentation holds the comments of the packages, unpacked as they are asked for.
type documentation struct {
	mu       sync.Mutex
	packages map[string]map[string]string
}

// of returns the comments of a package by the names of what they are about.
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

// Doc returns the documentation of what a package exports: of "Name", of a method or field
// "Type.Name", or of the package itself, if the name is empty. Package builtin is that of the
// predeclared names; "append()" and the like are the declarations of its functions. The result is
// empty where nothing is documented.
func (imp *archiveImporter) Doc(path, name string) string {
	comments, err := imp.docs.of(path)
	if err != nil {
		// Of a package that is not there, or in a page that cannot fetch it now;
		// TestGeneratedFilesAreCurrent reads all others.
		return ""
	}
	return comments[name]
}
