package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func shop(t *testing.T) *Table {
	t.Helper()
	labels := Words("label", "food/tea", "food/tea", "food", "tools", "")
	labels.Kind = Path
	table, err := NewTable("shop", Numbers("price", 3, math.NaN(), 5, 10, 1), Words("country", "IN", "CN", "", "DE", "CN"),
		Sets("tags", []string{"hot", "green"}, nil, []string{"hot"}, []string{"steel"}, nil), labels)
	if err == nil {
		table, err = table.WithLabels("label", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTable(t *testing.T) {
	table := shop(t)
	if got, want := table.labelNames(), [][]string{{"food/tea"}, {"food/tea"}, {"food"}, {"tools"}, nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
	if n := table.Labelled().Len(); n != 4 {
		t.Errorf("%d rows are labelled", n)
	}
	sorted, err := table.Sort("price")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sorted.Columns[1].Words, []string{"CN", "IN", "", "DE", "CN"}; !slices.Equal(got, want) {
		t.Errorf("sorted by price, the countries are %q, want %q", got, want)
	}
	counts, err := table.CountBy("tags")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(counts.Columns[0].Words, counts.Columns[1].Numbers), "[hot green steel] [2 1 1]"; got != want {
		t.Errorf("by tags %s, want %s", got, want)
	}
	cheap := table.Filter(func(r Row) bool { return r.Number("price") < 4 && !r.Missing("tags") })
	if cheap.Len() != 1 || cheap.Labels[0][0] != table.Labels[0][0] {
		t.Errorf("%d rows are cheap", cheap.Len())
	}
	texts, err := table.Corpus("country", "price")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts.Documents[3].Text, "DE\n10"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if shown := table.String(); !strings.Contains(shown, "shop: 4 columns, 5 rows, 1 without a label") || !strings.Contains(shown, "IN       hot|green  food/tea") {
		t.Errorf("a small table is shown as\n%s", shown)
	}
	shown := table.Subset(slices.Repeat([]int{0, 1, 2, 3, 4}, 5)).String()
	for _, want := range []string{"25 rows", "number   feature", "1 to 10, median 4", "CN (10), DE (5), IN (5)", "hot (10), green (5), steel (5)", "… 19 more"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
}

// labelNames returns the names of the labels.
func (t *Table) labelNames() [][]string {
	names := make([][]string, t.Len())
	for i, set := range t.Labels {
		for _, n := range set {
			names[i] = append(names[i], t.Taxonomy.Name(n))
		}
	}
	return names
}

func TestTableRefuses(t *testing.T) {
	table := shop(t)
	for name, f := range map[string]func() error{
		`"shop" has no column "colour"; it has price, country, tags, label`: func() error { _, err := table.Column("colour"); return err },
		"two columns are named":   func() error { _, err := NewTable("", Words("a"), Words("a")); return err },
		`column "b" has 1 values`: func() error { _, err := NewTable("", Words("a", "x", "y"), Numbers("b", 1)); return err },
		"expected finite numbers": func() error { _, err := NewTable("", Numbers("b", math.Inf(1))); return err },
		"at least one column":     func() error { _, err := NewTable("empty"); return err },
		"a key must be different in each row": func() error {
			_, err := table.Join(&Table{Columns: []Column{Words("country", "CN", "CN")}}, "country")
			return err
		},
		"joined by single values": func() error { _, err := table.Join(table, "tags"); return err },
		"at least one column of":  func() error { _, err := table.Corpus(); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

// TestJoinIsALoop joins drawn tables, and compares with a loop over all pairs of rows.
func TestJoinIsALoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		left, right := Column{Name: "k"}, Column{Name: "k"}
		value := Column{Name: "v", Kind: Number}
		for range rng.IntN(12) + 1 {
			left.Words = append(left.Words, []string{"", "a", "b", "c", "d"}[rng.IntN(5)])
		}
		for _, k := range rng.Perm(5)[:rng.IntN(5)+1] {
			right.Words, value.Numbers = append(right.Words, []string{"", "a", "b", "c", "e"}[k]), append(value.Numbers, float64(k))
		}
		joined, err := (&Table{Columns: []Column{left}}).Join(&Table{Columns: []Column{right, value}}, "k")
		if err != nil {
			t.Fatal(err)
		}
		for i, key := range left.Words {
			want := math.NaN()
			for j := range right.Words {
				if key != "" && right.Words[j] == key {
					want = value.Numbers[j]
				}
			}
			if got := joined.Columns[1].Numbers[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("row %d of %q joined with %q has %v, want %v", i, left.Words, right.Words, got, want)
			}
		}
	}
}

// TestTableSplitsAsADataset holds that a table is divided as the data set of its rows is.
func TestTableSplitsAsADataset(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers, labels := Column{Name: "row", Kind: Number}, Column{Name: "label"}
	for i := range 60 {
		numbers.Numbers = append(numbers.Numbers, float64(i+1))
		labels.Words = append(labels.Words, string(rune('a'+rng.IntN(7))))
	}
	table, err := (&Table{Columns: []Column{numbers, labels}}).WithLabels("label", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b Builder
	for i, set := range table.Labels {
		b.Add(Instance{Labels: set, Columns: []int32{0}, Values: []float32{float32(i + 1)}})
	}
	d := b.Dataset("", table.Taxonomy, 1)
	for seed := range uint64(20) {
		train, test, err := table.Split(0.3, seed)
		trainSet, testSet, err2 := d.Split(0.3, seed)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for _, pair := range []struct {
			t *Table
			d *Dataset
		}{{train, trainSet}, {test, testSet}} {
			var want []float64
			for _, v := range pair.d.X.Values {
				want = append(want, float64(v))
			}
			if !slices.Equal(pair.t.Columns[0].Numbers, want) || !reflect.DeepEqual(pair.t.Labels, pair.d.Labels) {
				t.Fatalf("seed %d: rows %v, want %v", seed, pair.t.Columns[0].Numbers, want)
			}
		}
	}
}

// TestDescribe compares with sums that are made in another way.
func TestDescribe(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		c := Column{Kind: Number}
		var present []float64
		for range rng.IntN(20) {
			v := math.Round(rng.NormFloat64()*100) * 1000
			if rng.IntN(4) == 0 {
				v = math.NaN()
			} else {
				present = append(present, v)
			}
			c.Numbers = append(c.Numbers, v)
		}
		d := c.Describe()
		if d.Count != len(present) || d.Missing != len(c.Numbers)-len(present) {
			t.Fatalf("%v: %+v", c.Numbers, d)
		}
		if len(present) == 0 {
			continue
		}
		sum, squares := 0.0, 0.0
		for _, v := range present {
			sum, squares = sum+v, squares+v*v
		}
		n := float64(len(present))
		deviation := math.Sqrt(max(0, squares/n-sum/n*sum/n))
		slices.Sort(present)
		if math.Abs(d.Mean-sum/n) > 1e-6 || math.Abs(d.Deviation-deviation) > 1e-3 || d.Least != present[0] || d.Largest != present[len(present)-1] {
			t.Fatalf("%v: %+v, want mean %v, deviation %v", c.Numbers, d, sum/n, deviation)
		}
		below, above := 0, 0
		for _, v := range present {
			if v < d.Median {
				below++
			}
			if v > d.Median {
				above++
			}
		}
		if 2*below > len(present) || 2*above > len(present) {
			t.Fatalf("%v: median %v", present, d.Median)
		}
	}
}
