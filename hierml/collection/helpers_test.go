package collection

import (
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
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
