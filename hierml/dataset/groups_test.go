package dataset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// randomGroups returns a data set whose instances have groups of very different sizes, some none,
// and up to three labels or none. The value of row i is i+1.
func randomGroups(t *testing.T, rng *rand.Rand, n, groups, classes int) *dataset.Dataset {
	t.Helper()
	var names []string
	for c := range classes {
		names = append(names, fmt.Sprint("class ", c))
	}
	tax, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "random", Taxonomy: tax, X: &dataset.Matrix{Rows: n, Cols: 1, Indptr: []int{0}}}
	labels := []int{1, 1, 1, 0, 2, 3}[:1+rng.IntN(6)]
	for i := range n {
		d.X.Indices, d.X.Values, d.X.Indptr = append(d.X.Indices, 0), append(d.X.Values, float32(i+1)), append(d.X.Indptr, i+1)
		group := int(float64(groups) * math.Pow(rng.Float64(), 3))
		name := fmt.Sprint("group ", group)
		if rng.IntN(10) == 0 {
			name = ""
		}
		d.Groups = append(d.Groups, name)
		var set []int
		for range labels[rng.IntN(len(labels))] {
			set = append(set, (rng.IntN(classes)*rng.IntN(2)+group)%classes)
		}
		slices.Sort(set)
		d.Labels = append(d.Labels, slices.Compact(set))
	}
	return d
}

// apart fails if a group is on both sides.
func apart(t *testing.T, groups []string, train, test []int) {
	t.Helper()
	for _, a := range train {
		for _, b := range test {
			if groups[a] != "" && groups[a] == groups[b] {
				t.Fatalf("%q is trained on in row %d and tested on in row %d", groups[a], a, b)
			}
		}
	}
}

// rowsOf returns the rows of d that a part of it has.
func rowsOf(part *dataset.Dataset) []int {
	var rows []int
	for _, v := range part.X.Values {
		rows = append(rows, int(v)-1)
	}
	return rows
}

// numberOfGroups counts rows without a group as one each.
func numberOfGroups(groups []string) int {
	seen := make(map[string]bool)
	n := 0
	for _, name := range groups {
		if name == "" || !seen[name] {
			n++
		}
		seen[name] = true
	}
	return n
}

func TestGroupsAreNeverDivided(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		n := 2 + rng.IntN(150)
		d := randomGroups(t, rng, n, 1+rng.IntN(n), 1+rng.IntN(8))
		seed, there := rng.Uint64(), numberOfGroups(d.Groups)
		largest := 0
		for _, name := range d.Groups {
			if name != "" {
				largest = max(largest, len(slices.DeleteFunc(slices.Clone(d.Groups), func(g string) bool { return g != name })))
			}
		}

		k := 2 + rng.IntN(6)
		divisions, err := d.Folds(k, seed)
		if (err != nil) != (there < k) {
			t.Fatalf("%d folds of %d groups: %v", k, there, err)
		}
		tested := make([]int, n)
		for _, by := range divisions {
			checkDivision(t, by, n)
			apart(t, d.Groups, by.Train, by.Test)
			for _, r := range by.Test {
				tested[r]++
			}
			if len(by.Test) == 0 || len(by.Test) > 2*(n/k+1)+largest {
				t.Errorf("%v, of %d rows whose largest group has %d", by, n, largest)
			}
		}
		if err == nil && slices.ContainsFunc(tested, func(times int) bool { return times != 1 }) {
			t.Fatalf("rows are tested on %v times", tested)
		}
		if again, _ := d.Folds(k, seed); !reflect.DeepEqual(again, divisions) {
			t.Fatal("the same seed gives other folds")
		}

		share := 0.05 + 0.9*rng.Float64()
		train, test, err := d.Split(share, seed)
		if (err != nil) != (there < 2) {
			t.Fatalf("a split of %d groups: %v", there, err)
		}
		if err == nil {
			by := dataset.Division{Train: rowsOf(train), Test: rowsOf(test)}
			checkDivision(t, by, n)
			apart(t, d.Groups, by.Train, by.Test)
			if train.Len() == 0 || test.Len() == 0 {
				t.Errorf("parts of %d and %d", train.Len(), test.Len())
			}
			for i, r := range by.Test {
				if test.Groups[i] != d.Groups[r] {
					t.Fatalf("row %d has the group %q", r, test.Groups[i])
				}
			}
		}

		chosen, others := d.SplitPerClass(1+rng.IntN(5), seed)
		apart(t, d.Groups, rowsOf(chosen), rowsOf(others))
		for r := range n {
			if slices.Contains(rowsOf(chosen), r) || slices.Contains(rowsOf(others), r) {
				continue
			}
			if !slices.Contains(chosen.Groups, d.Groups[r]) || d.Groups[r] == "" {
				t.Fatalf("row %d is in no part, and its group %q not among the chosen", r, d.Groups[r])
			}
		}
		if rounds, err := d.PerClassRounds(2, 1, seed); err == nil {
			for _, by := range rounds {
				apart(t, d.Groups, by.Train, by.Test)
			}
		}
	}
}

// With many small groups, sizes and classes come out as the shares say.
func TestGroupsAreStratified(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		d := randomGroups(t, rng, 1200, 0, 4)
		for i := range d.Groups { // of one to four rows
			d.Groups[i] = fmt.Sprint(i / (1 + i%4))
		}
		share := 0.2 + 0.6*rng.Float64()
		_, test, err := d.Split(share, rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		all, held := map[int]float64{}, map[int]float64{}
		for _, set := range d.Labels {
			for _, y := range append(set, -1) {
				all[y]++
			}
		}
		for _, set := range test.Labels {
			for _, y := range append(set, -1) {
				held[y]++
			}
		}
		for y, n := range all {
			if math.Abs(held[y]-share*n) > 0.02*n+2 {
				t.Errorf("%v of %v rows of class %d, want the share %.3f", held[y], n, y, share)
			}
		}
	}
}

// The size of a division of few groups is close to the closest, by trying all: that their large and
// small ones are on both sides counts, too.
func TestGroupsOfFewAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	best, total := 0, 200
	for range total {
		groups := 2 + rng.IntN(7)
		d := &dataset.Dataset{Taxonomy: example.Fruit(), X: &dataset.Matrix{Indptr: []int{0}}}
		for g := range groups {
			for range 1 + rng.IntN(9) {
				d.Labels, d.Groups = append(d.Labels, []int{0}), append(d.Groups, fmt.Sprint(g))
				d.X.Rows, d.X.Indptr = d.X.Rows+1, append(d.X.Indptr, 0)
			}
		}
		share := 0.1 + 0.8*rng.Float64()
		_, test, err := d.Split(share, rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for set := 1; set < 1<<groups-1; set++ {
			rows := 0
			for _, g := range d.Groups {
				if set&(1<<(g[0]-'0')) != 0 {
					rows++
				}
			}
			least = min(least, math.Abs(float64(rows)-share*float64(d.Len())))
		}
		miss := math.Abs(float64(test.Len()) - share*float64(d.Len()))
		if miss <= least+1e-9 {
			best++
		}
		if miss > least+4 {
			t.Errorf("%d rows are tested on of %d, a share of %.2f; the closest misses it by %.1f", test.Len(), d.Len(), share, least)
		}
	}
	if best < total*2/5 {
		t.Errorf("%d of %d are the closest there are", best, total)
	}
}

// Groups that are all different are no groups, and rows without one are free.
func TestGroupsOfOne(t *testing.T) {
	d := byClass(t, 10, 20, 5, 3)
	want, err := d.Folds(4, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []func(i int) string{func(int) string { return "" }, func(i int) string { return fmt.Sprint(i) }} {
		d.Groups = make([]string, d.Len())
		for i := range d.Groups {
			d.Groups[i] = group(i)
		}
		if got, err := d.Folds(4, 2); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("other folds: %v", err)
		}
	}
}

func TestGroupErrors(t *testing.T) {
	d := byClass(t, 3, 3, 0, 0)
	d.Groups = []string{"a", "a", "b", "b", "b", "a"}
	short := *d
	short.Groups = d.Groups[:4]
	for want, fails := range map[string]func() error{
		`to 2 groups, which cannot be divided into 3 parts`: func() error { _, err := d.Folds(3, 1); return err },
		`has 4 Groups for 6 instances`:                      func() error { _, _, err := short.Split(0.5, 1); return err },
		`the group "a" is divided`:                          func() error { _, err := d.LeaveOut("x", []int{0, 1}); return err },
		`nothing is left to test on`:                        func() error { _, err := d.PerClassRounds(1, 2, 1); return err },
		`sizes has 4 Groups`:                                short.Check,
	} {
		if err := fails(); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `"sizes"`, "sizes"), strings.ReplaceAll(want, `"sizes"`, "sizes")) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if by, err := d.LeaveOut("x", []int{0, 5, 1}); err != nil || !slices.Equal(by.Train, []int{2, 3, 4}) {
		t.Errorf("%v (%v)", by, err)
	}
}

// Groups go where rows go.
func TestGroupsAreCarried(t *testing.T) {
	table, err := dataset.NewTable("t", dataset.Words("author", "a", "b", "a", ""), dataset.Texts("text", "w", "x", "y", "z"), dataset.Words("label", "p", "q", "p", "q"))
	if err != nil {
		t.Fatal(err)
	}
	if table, err = table.WithLabels("label", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := table.WithGroups("label"); err == nil {
		t.Error("labels are groups")
	}
	if table.Groups() != nil {
		t.Error("a table without such a column has groups")
	}
	if table, err = table.WithGroups("author"); err != nil {
		t.Fatal(err)
	}
	corpus, err := table.Corpus("text")
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: table.Taxonomy, Labels: table.Labels, Groups: corpus.Groups(), X: &dataset.Matrix{Rows: 4, Indptr: make([]int, 5)}}
	collected, err := dataset.Collect("c", d.Taxonomy, 0, d.Subset([]int{3, 0, 1, 2}).Instances())
	if err != nil {
		t.Fatal(err)
	}
	plain := *d
	plain.Groups = nil
	beside, err := dataset.Beside(&plain, d)
	if err != nil {
		t.Fatal(err)
	}
	other := *d
	other.Groups = []string{"a", "b", "b", "a"}
	if _, err := dataset.Beside(d, &other); err == nil {
		t.Error("parts of other groups stand beside each other")
	}
	file := t.TempDir() + "/map"
	if err := dataset.SaveMap(t.Context(), file, "m", d.Taxonomy, nil, collected.Instances()); err != nil {
		t.Fatal(err)
	}
	mapped, err := dataset.Map(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	for name, part := range map[string]struct {
		got, want []string
	}{
		"corpus":     {corpus.Groups(), []string{"a", "b", "a", ""}},
		"table":      {table.Subset([]int{1, 3}).Groups(), []string{"b", ""}},
		"documents":  {corpus.Subset([]int{2, 1}).Groups(), []string{"a", "b"}},
		"collected":  {collected.Groups, []string{"", "a", "b", "a"}},
		"mapped":     {mapped.Groups, []string{"", "a", "b", "a"}},
		"beside":     {beside.Groups, []string{"a", "b", "a", ""}},
		"no trailer": {mapped.Subset([]int{0}).Groups, []string{""}},
	} {
		if !slices.Equal(part.got, part.want) {
			t.Errorf("%s: %q, want %q", name, part.got, part.want)
		}
	}
	if moved, err := table.WithGroups("text"); err != nil || moved.Columns[0].Role != dataset.Unused || moved.Groups()[0] != "w" {
		t.Errorf("%v (%v)", moved, err)
	}
}
