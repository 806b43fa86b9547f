package release

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// Course returns the notebooks of a clone and the files that they need, as a compressed tar
// archive.
func Course(root string, at time.Time) ([]byte, error) {
	var names []string
	folder := os.DirFS(root)
	err := fs.WalkDir(folder, "notebooks", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), "."): // the checkpoints of JupyterLab
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return packBelow(root, "notebooks", names, at)
}

// packBelow is pack with names from a folder on.
func packBelow(root, folder string, names []string, at time.Time) ([]byte, error) {
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, folder+"/")
	}
	return pack(path.Join(root, folder), names, at)
}
