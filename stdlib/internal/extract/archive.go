package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Export returns a zip archive of the packages' export data, one entry per package, in a form that
// does not depend on the Go release. It omits positions, which would name files of the machine that
// generated the archive.
//
// Export data describe the parts of other packages that they mention. So the comment of an entry
// names the packages of the standard library that its data mention, to be read first: a program
// built with a later release of Go has more in them.
func Export(pkgs []*types.Package) ([]byte, error) {
	entries, comments := map[string][]byte{}, map[string]string{}
	for _, pkg := range pkgs {
		var data bytes.Buffer
		if err := gcexportdata.Write(&data, nil, pkg); err != nil {
			return nil, fmt.Errorf("write the export data of %s: %w", pkg.Path(), err)
		}
		entries[pkg.Path()] = data.Bytes()
		if !strings.Contains(pkg.Path(), ".") {
			continue
		}
		mentioned := map[string]*types.Package{}
		if _, err := gcexportdata.Read(&data, token.NewFileSet(), mentioned, pkg.Path()); err != nil {
			return nil, fmt.Errorf("read the export data of %s: %w", pkg.Path(), err)
		}
		maps.DeleteFunc(mentioned, func(path string, _ *types.Package) bool {
			return strings.Contains(path, ".") || path == "unsafe" || strings.Contains("/"+path+"/", "/internal/")
		})
		comments[pkg.Path()] = strings.Join(slices.Sorted(maps.Keys(mentioned)), " ")
	}
	return pack(entries, comments, "")
}

// pack returns a zip archive of the entries, sorted by name, with their comments and that of the
// archive.
func pack(entries map[string][]byte, comments map[string]string, comment string) ([]byte, error) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	if err := z.SetComment(comment); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Comment: comments[name], Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(entries[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
