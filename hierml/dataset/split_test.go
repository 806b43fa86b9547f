package dataset_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// byClass returns a data set of which class k has sizes[k] instances, spread over the rows; row i
// has the one feature i.
func byClass(t *testing.T, sizes ...int) *dataset.Dataset {
	t.Helper()
	tax := example.Fruit()
	d := &dataset.Dataset{Name: "sizes", Taxonomy: tax, X: &dataset.Matrix{Indptr: []int{0}}}
	left := slices.Clone(sizes)
	for more := true; more; {
		more = false
		for class := range left {
			if left[class] == 0 {
				continue
			}
			left[class]--
			more = true
			d.X.Indices = append(d.X.Indices, int32(d.X.Rows))
			d.X.Values = append(d.X.Values, 1)
			d.X.Rows++
			d.X.Indptr = append(d.X.Indptr, d.X.Rows)
			d.Labels = append(d.Labels, []int{tax.Leaves()[class]})
		}
	}
	d.X.Cols = d.X.Rows
	return d
}

func sizes(d *dataset.Dataset) []int {
	sizes := make([]int, len(d.Taxonomy.Leaves()))
	for _, set := range d.Labels {
		sizes[d.Taxonomy.LeafIndex(set[0])]++
	}
	return sizes
}

func TestSplit(t *testing.T) {
	tests := []struct {
		sizes    []int
		fraction float64
		test     []int
	}{
		{[]int{10, 20, 1, 2}, 0.3, []int{3, 6, 0, 1}},
		{[]int{10, 5, 3, 0}, 0.5, []int{5, 3, 2, 0}},
		{[]int{100, 4, 2, 1}, 0.01, []int{1, 1, 1, 0}},
		{[]int{100, 4, 2, 1}, 0.99, []int{99, 3, 1, 0}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.sizes, test.fraction), func(t *testing.T) {
			d := byClass(t, test.sizes...)
			train, held, err := d.Split(test.fraction, 7)
			if err != nil {
				t.Fatal(err)
			}
			if got := sizes(held); !slices.Equal(got, test.test) {
				t.Errorf("test part has %v, want %v", got, test.test)
			}
			// Each row is in one part, with its own feature and label, and the rows of a part
			// ascend.
			all := slices.Concat(train.X.Indices, held.X.Indices)
			slices.Sort(all)
			for i, j := range all {
				if int(j) != i {
					t.Fatalf("rows %v", all)
				}
			}
			for _, part := range []*dataset.Dataset{train, held} {
				example.CheckMatrix(t, part.X)
				if !slices.IsSorted(part.X.Indices) {
					t.Errorf("the rows of a part are out of order: %v", part.X.Indices)
				}
				for i, j := range part.X.Indices {
					if part.Labels[i][0] != d.Labels[j][0] {
						t.Errorf("row %d has another label", j)
					}
				}
			}
			again, _, err := d.Split(test.fraction, 7)
			if err != nil || !slices.Equal(again.X.Indices, train.X.Indices) {
				t.Error("the same seed gives another split")
			}
		})
	}
	d := byClass(t, 20, 20, 20, 20)
	a, _, err := d.Split(0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if b, _, err := d.Split(0.5, 2); err != nil || slices.Equal(a.X.Indices, b.X.Indices) {
		t.Error("another seed gives the same split")
	}
}

func TestSplitErrors(t *testing.T) {
	d := byClass(t, 4, 4, 0, 0)
	for _, fraction := range []float64{0, 1, -0.1, 30, math.NaN()} {
		if _, _, err := d.Split(fraction, 1); err == nil {
			t.Errorf("splits by %v", fraction)
		}
	}
	if _, _, err := byClass(t, 1, 0, 0, 0).Split(0.5, 1); err == nil {
		t.Error("splits a single instance")
	}
}

// An instance with several labels stands with the rarest of them.
func TestSplitSeveralLabels(t *testing.T) {
	tax := example.Fruit()
	apple, pear, bread := tax.Leaves()[0], tax.Leaves()[1], tax.Leaves()[2]
	var labels [][]int
	for range 8 {
		labels = append(labels, []int{apple, bread})
	}
	labels = append(labels, []int{apple, pear}, []int{apple, pear, bread}, nil, nil)
	c := &dataset.Corpus{Name: "several", Taxonomy: tax}
	for i, set := range labels {
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint(i), Labels: set})
	}
	train, test, err := c.Split(0.5, 3)
	if err != nil {
		t.Fatal(err)
	}
	count := func(part *dataset.Corpus, from, to int) (n int) {
		for _, d := range c.Documents[from:to] {
			if slices.ContainsFunc(part.Documents, func(e dataset.Document) bool { return e.ID == d.ID }) {
				n++
			}
		}
		return n
	}
	for _, group := range [][2]int{{0, 8}, {8, 10}, {10, 12}} {
		if a, b := count(train, group[0], group[1]), count(test, group[0], group[1]); a != b {
			t.Errorf("rows %v: %d for training, %d for the test", group, a, b)
		}
	}
}

func TestPerClass(t *testing.T) {
	d := byClass(t, 10, 20, 1, 0)
	var before []int32
	for _, most := range []int{0, 1, 5, 15, 100} {
		sub := d.PerClass(most, 9)
		want := []int{min(most, 10), min(most, 20), min(most, 1), 0}
		if got := sizes(sub); !slices.Equal(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
		for _, row := range before {
			if !slices.Contains(sub.X.Indices, row) {
				t.Errorf("row %d is in a smaller sample but not in that of %d", row, most)
			}
		}
		before = sub.X.Indices
	}
	if d.PerClass(-3, 9).Len() != 0 {
		t.Error("a negative number of instances is not none")
	}
	if slices.Equal(d.PerClass(5, 1).X.Indices, d.PerClass(5, 2).X.Indices) {
		t.Error("another seed gives the same sample")
	}
}

func TestLeafed(t *testing.T) {
	tax := example.Fruit()
	food, apple, kind, tool := example.Node(t, tax, "food"), example.Node(t, tax, "apple"), example.Node(t, tax, "fruit"), example.Node(t, tax, "tool")
	c := &dataset.Corpus{Name: "c", Taxonomy: tax, Documents: []dataset.Document{
		{ID: "1", Labels: []int{apple}}, {ID: "2", Labels: []int{food}}, {ID: "3", Labels: []int{kind, tool}}, {ID: "4"},
	}}
	leafed, err := c.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range leafed.Documents {
		if !slices.IsSorted(d.Labels) {
			t.Errorf("labels %v are not ascending", d.Labels)
		}
		for _, n := range d.Labels {
			if !leafed.Taxonomy.IsLeaf(n) {
				t.Errorf("%s is labelled with the inner node %s", d.ID, leafed.Taxonomy.Name(n))
			}
			got = append(got, d.ID+" "+leafed.Taxonomy.Name(n))
		}
	}
	if want := "[1 apple 2 food (misc) 3 tool 3 fruit (misc)]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if c.Documents[1].Labels[0] != food {
		t.Error("the corpus itself was changed")
	}
	same, err := leafed.Leafed()
	if err != nil || same != leafed {
		t.Error("a corpus with leaves only is not returned as it is")
	}
	if text := leafed.String(); strings.Contains(text, "misc") {
		t.Errorf("the labels are shown as\n%s", text)
	}
	// New data have the labels of the leaves by name, whether they are Leafed or not.
	sets, err := dataset.LabelSets(leafed.Taxonomy, [][]string{{"apple"}, {"food"}, {"tool", "fruit"}, {"fruit", "apple"}})
	if want := append(leafed.LabelSets()[:3:3], []int{apple}); err != nil || !slices.EqualFunc(sets, want, slices.Equal) {
		t.Errorf("labels %v, want %v (%v)", sets, want, err)
	}
	plain := &dataset.Dataset{Name: "new", Taxonomy: tax, Labels: c.LabelSets()}
	if moved, err := plain.Under(leafed.Taxonomy); err != nil || !slices.EqualFunc(moved.Labels, leafed.LabelSets(), slices.Equal) {
		t.Errorf("under the taxonomy with leaves: %v (%v)", moved, err)
	}
	again := &dataset.Dataset{Name: "again", Taxonomy: leafed.Taxonomy, X: &dataset.Matrix{Rows: 1, Indptr: []int{0, 0}}, Labels: [][]int{{kind}}}
	if moved, err := again.Leafed(); err != nil || moved.Taxonomy != leafed.Taxonomy || moved.Labels[0][0] != leafed.Documents[2].Labels[1] {
		t.Errorf("a taxonomy with leaves gets others: %v (%v)", moved, err)
	}
}

func TestSplitPerClass(t *testing.T) {
	d := &dataset.Dataset{Taxonomy: example.Fruit(), X: &dataset.Matrix{Cols: 100, Indptr: []int{0}}}
	for i := range 100 {
		d.Labels = append(d.Labels, []int{i % 7 % 3})
		d.X.Indices, d.X.Values = append(d.X.Indices, int32(i)), append(d.X.Values, 1)
		d.X.Rows, d.X.Indptr = i+1, append(d.X.Indptr, i+1)
	}
	chosen, others := d.SplitPerClass(5, 3)
	if want := d.PerClass(5, 3); !reflect.DeepEqual(chosen, want) || chosen.Len() != 15 {
		t.Errorf("chosen %v, want %v", chosen.X.Indices, want.X.Indices)
	}
	all := slices.Sorted(slices.Values(slices.Concat(chosen.X.Indices, others.X.Indices)))
	if others.Len() != 85 || len(slices.Compact(all)) != 100 || !slices.IsSorted(others.X.Indices) {
		t.Errorf("others %v", others.X.Indices)
	}
}
