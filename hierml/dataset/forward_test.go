package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

// What TimeSeriesSplit of scikit-learn 1.7 gives for n rows and k splits: the first row tested on,
// and how many.
func TestForwardAsScikitLearn(t *testing.T) {
	for _, test := range []struct {
		n, k   int
		starts []int
		size   int
	}{
		{6, 5, []int{1, 2, 3, 4, 5}, 1},
		{12, 3, []int{3, 6, 9}, 3},
		{11, 3, []int{5, 7, 9}, 2},
		{100, 7, []int{16, 28, 40, 52, 64, 76, 88}, 12},
	} {
		d := byClass(t, test.n, 0, 0, 0)
		divisions, err := d.Forward(test.k)
		if err != nil {
			t.Fatal(err)
		}
		for i, by := range divisions {
			start := test.starts[i]
			if !slices.Equal(by.Train, span(0, start)) || !slices.Equal(by.Test, span(start, start+test.size)) {
				t.Errorf("%d rows, %v: %v, %v", test.n, by, by.Train, by.Test)
			}
		}
	}
}

func span(from, to int) []int {
	var rows []int
	for r := from; r < to; r++ {
		rows = append(rows, r)
	}
	return rows
}

// Every row trained on is earlier than all that are tested on, also where times are equal, and of
// another group.
func TestForwardInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	made := 0
	for range 300 {
		n := 2 + rng.IntN(80)
		days, groups := make([]float64, n), make([]string, n)
		dates := make([]string, n)
		for i := range n {
			days[i] = float64(rng.IntN(1 + rng.IntN(100)))
			dates[i] = fmt.Sprintf("%04d-01-%02d", 2000+int(days[i])/28, 1+int(days[i])%28)
			groups[i] = fmt.Sprint(rng.IntN(60))
		}
		table, err := dataset.NewTable("t", dataset.Numbers("day", days...), dataset.Words("date", dates...), dataset.Words("of", groups...))
		if err != nil {
			t.Fatal(err)
		}
		withGroups := rng.IntN(2) == 0
		if withGroups {
			if table, err = table.WithGroups("of"); err != nil {
				t.Fatal(err)
			}
		}
		k := 1 + rng.IntN(5)
		divisions, err := table.Forward("day", k)
		if other, failed := table.Forward("date", k); fmt.Sprint(other) != fmt.Sprint(divisions) || (failed != nil) != (err != nil) {
			t.Fatalf("by numbers %v (%v), by dates %v (%v)", divisions, err, other, failed)
		}
		if err != nil {
			continue
		}
		made++
		for _, by := range divisions {
			if len(by.Train) == 0 || len(by.Test) == 0 {
				t.Fatal(by)
			}
			first := days[by.Test[0]]
			for _, r := range by.Test {
				first = min(first, days[r])
			}
			for _, r := range by.Train {
				if days[r] >= first {
					t.Fatalf("row %d of day %v is trained on, and day %v is tested on", r, days[r], first)
				}
			}
			if withGroups {
				apart(t, groups, by.Train, by.Test)
			}
			for r := range n { // what is earlier, and of no such group, is trained on
				known := slices.ContainsFunc(by.Test, func(o int) bool { return withGroups && groups[o] == groups[r] })
				if days[r] < first && !known && !slices.Contains(by.Train, r) {
					t.Fatalf("row %d is not trained on", r)
				}
			}
		}
	}
	if made < 150 {
		t.Errorf("%d of 300 tables were divided", made)
	}
}

func TestForwardErrors(t *testing.T) {
	d := byClass(t, 4, 0, 0, 0)
	table, err := dataset.NewTable("t", dataset.Words("odd", "2020-01-02", "3/4/2020", "x"), dataset.Words("empty", "2020", "", "2021"), dataset.Numbers("same", 1, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	of := func(column string) func() error {
		return func() error { _, err := table.Forward(column, 2); return err }
	}
	d.Groups = []string{"a", "a", "a", "a"}
	for want, fails := range map[string]func() error{
		"0 divisions forward in time":                 func() error { _, err := d.Forward(0); return err },
		"4 divisions forward in time need at least 5": func() error { _, err := d.Forward(4); return err },
		"nothing is left to train on":                 func() error { _, err := d.Forward(1); return err },
		"all instances of \"sizes\" are of one group": func() error { _, err := d.LeaveGroupsOut(); return err },
		"have no groups to leave out":                 func() error { _, err := table.LeaveGroupsOut(); return err },
		`row 1 has "3/4/2020" in column "odd"`:        of("odd"),
		`the time of row 1 is missing`:                of("empty"),
		"too many instances of the same time":         of("same"),
		`has no column "none"`:                        of("none"),
	} {
		if err := fails(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestLeaveGroupsOut(t *testing.T) {
	d := byClass(t, 4, 2, 0, 0)
	d.Groups = []string{"b", "a", "b", "", "a", "c"}
	divisions, err := d.LeaveGroupsOut()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, by := range divisions {
		checkDivision(t, by, 6)
		got = append(got, fmt.Sprint(by.Name, by.Test))
	}
	if want := "b[0 2] a[1 4] row 3[3] c[5]"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	// As many folds as groups leave out one each.
	folds, err := d.Folds(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range divisions {
		if !slices.ContainsFunc(folds, func(f dataset.Division) bool { return slices.Equal(f.Test, by.Test) }) {
			t.Errorf("no fold tests on %v", by.Test)
		}
	}
}
