package example

import (
	"archive/tar"
	"bytes"
	"io"
)

// Tar returns an archive of files, which are known by their names, in the order.
func Tar(files map[string]string, order ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range order {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(files[name]))}); err != nil {
			panic("example: " + err.Error())
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			panic("example: " + err.Error())
		}
	}
	if err := w.Close(); err != nil {
		panic("example: " + err.Error())
	}
	return b.Bytes()
}
