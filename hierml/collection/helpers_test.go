package collection

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun"
)

// node returns the id of a name that is there.
func node(t testing.TB, tax *taxonomy.Taxonomy, name string) int {
	t.Helper()
	n, ok := tax.Node(name)
	if !ok {
		t.Fatalf("no node %q", name)
	}
	return n
}

// checkMatrix fails if the matrix is not what Matrix promises.
func checkMatrix(t testing.TB, m *dataset.Matrix) {
	t.Helper()
	if err := example.CheckMatrix(m); err != nil {
		t.Fatal(err)
	}
}

// needData skips the test where the data sets are not.
func needData(t testing.TB) {
	t.Helper()
	if os.Getenv(Environment) == "" {
		testrun.Need(t, "data", errors.New("HIERML_DATA names no folder of data sets; the same is tested on generated files"))
	}
}

// tarOf returns an archive of the files, in the order.
func tarOf(t testing.TB, files map[string]string, order ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range order {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
