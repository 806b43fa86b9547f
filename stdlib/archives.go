package stdlib

import (
	"archive/zip"
	"fmt"
	"strings"
	"sync"
)

// archives are those of the standard library, gonum and hierml: a file for each package, by its
// path.
type archives struct{ std, gonum, hierml archive }

// file returns the file of a package, or nil.
func (a *archives) file(path string) (*zip.File, error) {
	of := &a.std
	switch host, _, _ := strings.Cut(path, "/"); host {
	case "gonum.org":
		of = &a.gonum
	case "github.com":
		of = &a.hierml
	}
	return of.file(path)
}

// An archive is opened at the first request for one of its files. It is safe for concurrent use.
type archive struct {
	read func() (string, error)

	mu    sync.Mutex
	files map[string]*zip.File
}

func (a *archive) file(path string) (*zip.File, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.files == nil {
		content, err := a.read()
		if err != nil {
			return nil, fmt.Errorf("archive of packages: %w", err)
		}
		z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
		if err != nil {
			return nil, fmt.Errorf("archive of packages: %w; run go generate ./stdlib", err)
		}
		a.files = map[string]*zip.File{}
		for _, f := range z.File {
			a.files[f.Name] = f
		}
	}
	return a.files[path], nil
}
