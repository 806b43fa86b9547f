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

// checkDivision fails unless each row is in one part and the rows of a part ascend.
func checkDivision(t *testing.T, d dataset.Division, n int) {
	t.Helper()
	if !slices.IsSorted(d.Train) || !slices.IsSorted(d.Test) {
		t.Errorf("%s: rows are out of order: %v, %v", d.Name, d.Train, d.Test)
	}
	all := slices.Sorted(slices.Values(slices.Concat(d.Train, d.Test)))
	if len(all) != n {
		t.Fatalf("%s: %d rows, want %d", d.Name, len(all), n)
	}
	for i, r := range all {
		if i != r {
			t.Fatalf("%s: row %d is not in one part", d.Name, i)
		}
	}
}

func TestFolds(t *testing.T) {
	for _, test := range []struct {
		sizes []int
		k     int
	}{
		{[]int{10, 20, 5, 5}, 5},
		{[]int{7, 3, 1, 9}, 4},
		{[]int{1, 1, 1, 1}, 2},
		{[]int{2, 2, 2, 0}, 6},
		{[]int{1, 1, 0, 0}, 2},
	} {
		t.Run(fmt.Sprint(test.sizes, test.k), func(t *testing.T) {
			d := byClass(t, test.sizes...)
			divisions, err := d.Folds(test.k, 3)
			if err != nil {
				t.Fatal(err)
			}
			if len(divisions) != test.k {
				t.Fatalf("%d folds", len(divisions))
			}
			tested := make([]int, d.Len())
			var fewest, most []int
			for i, division := range divisions {
				checkDivision(t, division, d.Len())
				for _, r := range division.Test {
					tested[r]++
				}
				_, part := d.Divide(division)
				counts := append(sizes(part), part.Len())
				if i == 0 {
					fewest, most = slices.Clone(counts), slices.Clone(counts)
				}
				for class, n := range counts {
					fewest[class], most[class] = min(fewest[class], n), max(most[class], n)
				}
			}
			for r, n := range tested {
				if n != 1 {
					t.Errorf("row %d is tested on %d times", r, n)
				}
			}
			for class := range fewest { // the last is the size of the fold
				if most[class]-fewest[class] > 1 {
					t.Errorf("class %d: from %d to %d in a fold", class, fewest[class], most[class])
				}
			}
			again, err := d.Folds(test.k, 3)
			if err != nil || !reflect.DeepEqual(again, divisions) {
				t.Error("the same seed gives other folds")
			}
		})
	}
	d := byClass(t, 20, 20, 20, 20)
	a, err := d.Folds(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := d.Folds(4, 2); err != nil || reflect.DeepEqual(a, b) {
		t.Error("another seed gives the same folds")
	}
	if a[1].String() != "fold 2 of 4: 60 to train on, 20 to test on" {
		t.Error(a[1])
	}
}

// An instance with several labels stands with the rarest of them, and those without labels are a
// class.
func TestFoldsSeveralLabels(t *testing.T) {
	tax := example.Fruit()
	apple, pear := tax.Leaves()[0], tax.Leaves()[1]
	c := &dataset.Corpus{Name: "several", Taxonomy: tax}
	for i := range 40 {
		labels := [][]int{{apple}, {apple}, {apple, pear}, nil}[i%4]
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint(i), Labels: labels})
	}
	divisions, err := c.Folds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, division := range divisions {
		checkDivision(t, division, c.Len())
		train, test := c.Divide(division)
		counts := make(map[int]int)
		for _, document := range test.Documents {
			counts[len(document.Labels)]++
		}
		if train.Len() != 32 || counts[0] != 2 || counts[1] != 4 || counts[2] != 2 {
			t.Errorf("%v: %v", division, counts)
		}
	}
}

func TestRounds(t *testing.T) {
	d := byClass(t, 10, 20, 1, 5)
	five, err := d.Rounds(5, 0.4, 1)
	if err != nil {
		t.Fatal(err)
	}
	next, err := d.Rounds(5, 0.4, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, division := range five {
		checkDivision(t, division, d.Len())
		_, test := d.Divide(division)
		if got := sizes(test); !slices.Equal(got, []int{4, 8, 0, 2}) {
			t.Errorf("%s tests on %v", division.Name, got)
		}
		if division.Name != fmt.Sprint("round ", i+1) {
			t.Error(division.Name)
		}
		for _, other := range slices.Concat(five[i+1:], next) {
			if slices.Equal(other.Test, division.Test) {
				t.Error("two rounds are the same")
			}
		}
	}
	if two, err := d.Rounds(2, 0.4, 1); err != nil || !reflect.DeepEqual(two, five[:2]) {
		t.Error("fewer rounds are not the first of more")
	}
}

func TestPerClassRounds(t *testing.T) {
	d := byClass(t, 10, 20, 1, 5)
	var before []dataset.Division
	for _, k := range []int{1, 3, 8} {
		divisions, err := d.PerClassRounds(4, k, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, division := range divisions {
			checkDivision(t, division, d.Len())
			train, _ := d.Divide(division)
			if got, want := sizes(train), []int{min(k, 10), min(k, 20), 1, min(k, 5)}; !slices.Equal(got, want) {
				t.Errorf("%s trains on %v, want %v", division.Name, got, want)
			}
			if before != nil {
				for _, r := range before[i].Train {
					if !slices.Contains(division.Train, r) {
						t.Errorf("%s: row %d is trained on for fewer of each class and not for %d", division.Name, r, k)
					}
				}
			}
		}
		if slices.Equal(divisions[0].Train, divisions[1].Train) && k == 8 {
			t.Error("two rounds are the same")
		}
		before = divisions
	}
}

func TestLeaveOut(t *testing.T) {
	d := byClass(t, 2, 2, 1, 0)
	given := []int{4, 0}
	division, err := d.LeaveOut("mine", given)
	if err != nil {
		t.Fatal(err)
	}
	checkDivision(t, division, 5)
	if !slices.Equal(division.Test, []int{0, 4}) || given[0] != 4 || division.Name != "mine" {
		t.Error(division, given)
	}
}

func TestDivisionErrors(t *testing.T) {
	d := byClass(t, 3, 2, 0, 0)
	for want, fails := range map[string]func() error{
		"1 folds; at least two":                 func() error { _, err := d.Folds(1, 1); return err },
		"-1 folds":                              func() error { _, err := d.Folds(-1, 1); return err },
		"has 5 instances; 6 folds need":         func() error { _, err := d.Folds(6, 1); return err },
		"0 rounds":                              func() error { _, err := d.Rounds(0, 0.5, 1); return err },
		"test fraction is NaN":                  func() error { _, err := d.Rounds(2, math.NaN(), 1); return err },
		"-2 rounds":                             func() error { _, err := d.PerClassRounds(-2, 1, 1); return err },
		"0 instances of every class":            func() error { _, err := d.PerClassRounds(2, 0, 1); return err },
		"no class of \"sizes\" has more than 3": func() error { _, err := d.PerClassRounds(2, 3, 1); return err },
		"rows are 0 to 4":                       func() error { _, err := d.LeaveOut("", []int{1, 5}); return err },
		"row -1 to test on":                     func() error { _, err := d.LeaveOut("", []int{-1}); return err },
		"row 1 to test on is given twice":       func() error { _, err := d.LeaveOut("", []int{1, 0, 1}); return err },
		"no rows to test on":                    func() error { _, err := d.LeaveOut("", nil); return err },
		"nothing is left to train on":           func() error { _, err := d.LeaveOut("", []int{0, 1, 2, 3, 4}); return err },
	} {
		if err := fails(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
