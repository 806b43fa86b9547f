package collection

import (
	"errors"
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
