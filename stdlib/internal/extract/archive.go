package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/types"
	"io"
	"maps"
	"slices"

	"golang.org/x/tools/go/gcexportdata"
)

// Export returns a zip archive of the packages' export data, an entry a package, in a form that
// does not depend on the Go release. Positions are left out: they would name files of the machine
// that generated the archive.
func Export(pkgs []*types.Package) ([]byte, error) {
	entries := map[string][]byte{}
	for _, pkg := range pkgs {
		var data bytes.Buffer
		if err := gcexportdata.Write(&data, nil, pkg); err != nil {
			return nil, fmt.Errorf("write the export data of %s: %w", pkg.Path(), err)
		}
		entries[pkg.Path()] = data.Bytes()
	}
	return pack(entries, "")
}

// pack returns a zip archive of the entries, sorted by name.
func pack(entries map[string][]byte, comment string) ([]byte, error) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	if err := z.SetComment(comment); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
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
