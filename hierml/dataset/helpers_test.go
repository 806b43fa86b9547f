package dataset

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// fruit is a small taxonomy: food > fruit > apple, pear; food > bread; tool.
func fruit(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	const edges = "food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\ntool\n"
	tax, err := taxonomy.Read(strings.NewReader(edges), "fruit")
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

// node returns the id of a name that is there.
func node(t testing.TB, tax *taxonomy.Taxonomy, name string) int {
	t.Helper()
	n, ok := tax.Node(name)
	if !ok {
		t.Fatalf("no node %q", name)
	}
	return n
}

// wantPlace checks that the error is a *SyntaxError at the place, and says the words.
func wantPlace(t *testing.T, err error, line, column int, words string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("got %v, want a *SyntaxError", err)
	}
	if syntax.Line != line || syntax.Column != column || !strings.Contains(syntax.Msg, words) {
		t.Errorf("got %v, want line %d, column %d and %q", err, line, column, words)
	}
}

// needData skips the test where the data sets are not.
func needData(t testing.TB) {
	t.Helper()
	if os.Getenv(Environment) == "" {
		t.Skip("set HIERML_DATA to the folder of the data sets to run this test; the same is tested on generated files")
	}
}
