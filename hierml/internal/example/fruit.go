package example

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Fruit is a small taxonomy: food > fruit > apple, pear; food > bread; tool.
func Fruit() *taxonomy.Taxonomy {
	const edges = "food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\ntool\n"
	return must(taxonomy.Read(strings.NewReader(edges), "fruit"))
}

// Fruits returns a corpus of the texts, whose labels are apple and pear of Fruit in turn.
func Fruits(texts ...string) *dataset.Corpus {
	c := &dataset.Corpus{Name: "texts", Taxonomy: Fruit()}
	for i, text := range texts {
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint(i), Text: text, Labels: []int{c.Taxonomy.Leaves()[i%2]}})
	}
	return c
}

// Rows returns the text of rows in the format SVMLight with the given number of entries, and texts
// as long, as a file of ng15's kind has them, with labels of Fruit.
func Rows(rows, entries int) (svmlight string, corpus *dataset.Corpus) {
	rng := rand.New(rand.NewPCG(1, 2))
	tax := Fruit()
	corpus = &dataset.Corpus{Name: "generated", Taxonomy: tax}
	var b strings.Builder
	for i := range rows {
		leaf := tax.Leaves()[rng.IntN(len(tax.Leaves()))]
		b.WriteString(tax.Name(leaf))
		var text strings.Builder
		column := 0
		for range entries {
			column += 1 + rng.IntN(400)
			fmt.Fprintf(&b, " %d:.%05d", column, rng.IntN(100000))
			fmt.Fprintf(&text, "Word%d, ", int(rng.ExpFloat64()*3000))
		}
		b.WriteByte('\n')
		corpus.Documents = append(corpus.Documents, dataset.Document{ID: fmt.Sprint(i), Text: text.String(), Labels: []int{leaf}})
	}
	return b.String(), corpus
}

// Printed prints the instances, a line each: sorted names of labels, then columns and values.
func Printed(d *dataset.Dataset) string {
	var b strings.Builder
	for i, nodes := range d.Labels {
		var names []string
		for _, n := range nodes {
			names = append(names, d.Taxonomy.Name(n)+" ")
		}
		slices.Sort(names)
		b.WriteString(strings.Join(names, ""))
		columns, values := d.X.Row(i)
		fmt.Fprintln(&b, columns, values)
	}
	return b.String()
}

// Node returns the id of a name that is there.
func Node(t testing.TB, tax *taxonomy.Taxonomy, name string) int {
	t.Helper()
	n, ok := tax.Node(name)
	if !ok {
		t.Fatalf("no node %q", name)
	}
	return n
}

// CheckSame fails if two data sets have different instances.
func CheckSame(t testing.TB, got, want *dataset.Dataset) {
	t.Helper()
	if g, w := Printed(got), Printed(want); g != w {
		t.Fatalf("got\n%swant\n%s", g, w)
	}
}

// CheckMatrix fails if the matrix is not what the comment on dataset.Matrix says, or stores what is
// zero or not finite.
func CheckMatrix(t testing.TB, m *dataset.Matrix) {
	t.Helper()
	if len(m.Indptr) != m.Rows+1 || m.Indptr[0] != 0 || m.Indptr[m.Rows] != len(m.Values) || len(m.Values) != len(m.Indices) {
		t.Fatalf("%d rows with %d offsets, %d indices and %d values", m.Rows, len(m.Indptr), len(m.Indices), len(m.Values))
	}
	for i := range m.Rows {
		indices, values := m.Row(i)
		for k, j := range indices {
			if j < 0 || int(j) >= m.Cols || k > 0 && j <= indices[k-1] || values[k] == 0 || math.IsNaN(float64(values[k])) || math.IsInf(float64(values[k]), 0) {
				t.Fatalf("row %d has %v at %d", i, values[k], j)
			}
		}
	}
}
