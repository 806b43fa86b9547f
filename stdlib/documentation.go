package stdlib

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hierml/notebook/stdlib/internal/gonum"
	"github.com/hierml/notebook/stdlib/internal/hierml"
	"github.com/hierml/notebook/stdlib/internal/std"
)

// A documentation holds the comments of the packages, unpacked as they are asked for.
type documentation struct {
	mu       sync.Mutex
	files    map[string]*zip.File
	packages map[string]map[string]string
}

// of returns the comments of a package by the names of what they are about.
func (d *documentation) of(path string) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if docs, ok := d.packages[path]; ok {
		return docs, nil
	}
	if d.files == nil {
		files, err := openArchives(std.Docs, gonum.Docs, hierml.Docs)
		if err != nil {
			return nil, err
		}
		d.files, d.packages = files, map[string]map[string]string{}
	}
	file := d.files[path]
	if file == nil {
		return nil, fmt.Errorf("there is no documentation of %s", path)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("documentation of %s: %w", path, err)
	}
	defer r.Close() // it cannot fail: the archive is in memory
	var docs map[string]string
	if err := json.NewDecoder(r).Decode(&docs); err != nil {
		return nil, fmt.Errorf("documentation of %s: %w; run go generate ./stdlib", path, err)
	}
	d.packages[path] = docs
	return docs, nil
}

// Paths returns the import paths of all packages, sorted.
func (imp *archiveImporter) Paths() []string { return Paths() }

// Doc returns the documentation of what a package exports: of "Name", of a method or field
// "Type.Name", or of the package itself, if the name is empty. Package builtin is that of the
// predeclared names; "append()" and the like are the declarations of its functions. The result is
// empty where nothing is documented.
func (imp *archiveImporter) Doc(path, name string) string {
	docs, err := imp.docs.of(path)
	if err != nil {
		return "" // of a package that is not there; TestGeneratedFilesAreCurrent reads all others
	}
	return docs[name]
}
