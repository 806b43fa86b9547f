package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/types"
	"io"

	"golang.org/x/tools/go/gcexportdata"
)

// Export returns a zip archive of the packages' export data, an entry a
// package, in a form that does not depend on the Go release. Positions are
// left out: they would name files of the machine that generated the archive.
func Export(pkgs []*types.Package) ([]byte, error) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, pkg := range pkgs {
		w, err := z.CreateHeader(&zip.FileHeader{Name: pkg.Path(), Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if err := gcexportdata.Write(w, nil, pkg); err != nil {
			return nil, fmt.Errorf("write the export data of %s: %w", pkg.Path(), err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
