package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Division has the training rows and the test rows of a split. Both are ascending, and no row is in
// both.
type Division struct {
	Name        string // such as "fold 2 of 5"
	Train, Test []int
}

func (d Division) String() string {
	return fmt.Sprintf("%s: %d to train on, %d to test on", d.Name, len(d.Train), len(d.Test))
}

// Divide returns the two parts of a division of this data set, or of the corpus that it was made
// from. It panics for a row outside 0..Len()-1.
func (d *Dataset) Divide(by Division) (train, test *Dataset) {
	return d.Subset(by.Train), d.Subset(by.Test)
}

// Folds splits the instances at random into k parts of about equal size, and returns k divisions.
// Each tests on one of the parts and trains on all others, so every instance is tested once. If
// each instance has one label, the numbers of a class in two parts differ by at most one, and so do
// the sizes of the parts. A class with fewer than k instances is missing in some test parts, and
// one with a single instance is not in the training part when it is tested.
//
// Where there are Groups, each is in one part; then, and where instances have several labels, sizes
// and classes are as equal as a search finds them; see Corpus.Split. With as many folds as groups,
// each division leaves out one group, as in LeaveGroupsOut.
//
// The same seed gives the same folds. It returns an error if k is below 2 or above the number of
// instances, or of groups.
func (d *Dataset) Folds(k int, seed uint64) ([]Division, error) {
	if d == nil {
		return nil, noData{}
	}
	return d.divider().folds(k, seed)
}

// Rounds returns n divisions drawn independently of each other by the rules of Corpus.Split, whose
// errors it has. It is an error if n is below 1.
//
// The same seed gives the same rounds, and fewer rounds are the first of more.
func (d *Dataset) Rounds(n int, testFraction float64, seed uint64) ([]Division, error) {
	if d == nil {
		return nil, noData{}
	}
	return d.divider().rounds(n, testFraction, seed)
}

// PerClassRounds returns n divisions drawn independently of each other, each of which trains on t
// instances of every class, drawn by the rules of Corpus.PerClass, and tests on all others, without
// those whose group is trained on. A class of at most t instances is trained on and not tested on.
// It is an error if n or t is below 1, or if nothing is left to test on.
//
// The same seed gives the same rounds, and fewer rounds are the first of more; in each, what is
// trained on for a smaller t is part of what is trained on for a larger one.
func (d *Dataset) PerClassRounds(n, t int, seed uint64) ([]Division, error) {
	if d == nil {
		return nil, noData{}
	}
	return d.divider().perClassRounds(n, t, seed)
}

// LeaveOut returns the division of that name which tests on the given rows, in whatever order they
// are given, and trains on all others. It is an error if a row is outside 0..Len()-1 or given
// twice, if either part has no rows, or if both have rows of one group.
func (d *Dataset) LeaveOut(name string, test []int) (Division, error) {
	if d == nil {
		return Division{}, noData{}
	}
	return d.divider().leaveOut(name, test)
}

// HoldOut returns the division that Split makes, such as one of Study.Split.Rounds.
func (d *Dataset) HoldOut(testFraction float64, seed uint64) (Division, error) {
	if d == nil {
		return Division{}, noData{}
	}
	return d.divider().holdOut(testFraction, seed)
}

// LeaveGroupsOut returns a division for each group, in the order in which they occur, with its
// name: it tests on the instances of the group and trains on all others. An instance without a
// group is one by itself. It is an error if there are fewer than two groups.
func (d *Dataset) LeaveGroupsOut() ([]Division, error) {
	if d == nil {
		return nil, noData{}
	}
	return d.divider().leaveGroupsOut()
}

// Divide returns the two parts of a division, as Dataset.Divide does.
func (c *Corpus) Divide(by Division) (train, test *Corpus) {
	return c.Subset(by.Train), c.Subset(by.Test)
}

// HoldOut returns the division that Split makes.
func (c *Corpus) HoldOut(testFraction float64, seed uint64) (Division, error) {
	return c.divider().holdOut(testFraction, seed)
}

// LeaveGroupsOut returns a division for each group of the documents, by the rules of
// Dataset.LeaveGroupsOut.
func (c *Corpus) LeaveGroupsOut() ([]Division, error) { return c.divider().leaveGroupsOut() }

// Folds divides the documents into k parts by the rules of Dataset.Folds.
func (c *Corpus) Folds(k int, seed uint64) ([]Division, error) {
	return c.divider().folds(k, seed)
}

// Rounds returns n independent divisions by the rules of Dataset.Rounds.
func (c *Corpus) Rounds(n int, testFraction float64, seed uint64) ([]Division, error) {
	return c.divider().rounds(n, testFraction, seed)
}

// PerClassRounds returns n divisions with t documents of every class to train on, by the rules of
// Dataset.PerClassRounds.
func (c *Corpus) PerClassRounds(n, t int, seed uint64) ([]Division, error) {
	return c.divider().perClassRounds(n, t, seed)
}

// LeaveOut returns the division that tests on the given documents, by the rules of
// Dataset.LeaveOut.
func (c *Corpus) LeaveOut(name string, test []int) (Division, error) {
	return c.divider().leaveOut(name, test)
}

func (d *divider) folds(k int, seed uint64) ([]Division, error) {
	if k < 2 {
		return nil, fmt.Errorf("dataset: %d folds; at least two are needed, one to train on and one to test on", k)
	}
	if k > len(d.labels) {
		return nil, fmt.Errorf("dataset: %q has %d instances; %d folds need at least one each", d.name, len(d.labels), k)
	}
	shares := make([]float64, k)
	for i := range shares {
		shares[i] = 1 / float64(k)
	}
	tests, err := d.parts(shares, seed)
	if err != nil {
		return nil, err
	}
	if tests == nil {
		tests = make([][]int, k)
		next := 0 // each class goes on where the one before it ended, which keeps the sizes of the folds equal
		for _, rows := range shuffledClasses(d.labels, seed) {
			for _, r := range rows {
				tests[next] = append(tests[next], r)
				next = (next + 1) % k
			}
		}
	}
	divisions := make([]Division, k)
	for i, test := range tests {
		slices.Sort(test)
		divisions[i] = Division{fmt.Sprintf("fold %d of %d", i+1, k), without(len(d.labels), test), test}
	}
	return divisions, nil
}

func (d *divider) rounds(n int, testFraction float64, seed uint64) ([]Division, error) {
	if err := checkRounds(n); err != nil {
		return nil, err
	}
	divisions := make([]Division, n)
	for i := range divisions {
		by, err := d.holdOut(testFraction, roundSeed(seed, i))
		if err != nil {
			return nil, err
		}
		by.Name = fmt.Sprintf("round %d", i+1)
		divisions[i] = by
	}
	return divisions, nil
}

func (d *divider) perClassRounds(n, t int, seed uint64) ([]Division, error) {
	if err := checkRounds(n); err != nil {
		return nil, err
	}
	if d.wrong != nil {
		return nil, d.wrong
	}
	if t < 1 {
		return nil, fmt.Errorf("dataset: %d instances of every class to train on; it has to be at least one", t)
	}
	divisions := make([]Division, n)
	for i := range divisions {
		train := d.perClass(t, roundSeed(seed, i))
		test := d.apart(train)
		if len(train) == len(d.labels) {
			return nil, fmt.Errorf("dataset: no class of %q has more than %d instances: nothing is left to test on; train on fewer of every class", d.name, t)
		}
		if len(test) == 0 {
			return nil, fmt.Errorf("dataset: the training instances, %d of every class of %q, include every group: nothing is left to test on; train on fewer of every class", t, d.name)
		}
		divisions[i] = Division{fmt.Sprintf("round %d", i+1), train, test}
	}
	return divisions, nil
}

func (d *divider) leaveOut(name string, test []int) (Division, error) {
	if d.wrong != nil {
		return Division{}, d.wrong
	}
	n := len(d.labels)
	test = slices.Sorted(slices.Values(test))
	for i, r := range test {
		if r < 0 || r >= n {
			return Division{}, fmt.Errorf("dataset: there is no row %d to test on; rows are 0 to %d", r, n-1)
		}
		if i > 0 && test[i-1] == r {
			return Division{}, fmt.Errorf("dataset: row %d to test on is given twice", r)
		}
	}
	if len(test) == 0 {
		return Division{}, fmt.Errorf("dataset: no rows to test on")
	}
	if len(test) == n {
		return Division{}, fmt.Errorf("dataset: all %d rows are for testing: nothing is left to train on", n)
	}
	by := Division{name, without(n, test), test}
	return by, by.CheckGroups(d.groups)
}

func (d *divider) leaveGroupsOut() ([]Division, error) {
	if d.wrong != nil {
		return nil, d.wrong
	}
	if d.groups == nil {
		return nil, fmt.Errorf("dataset: the instances of %q have no groups to leave out; set Groups, or give a column the role Group", d.name)
	}
	groups, _ := d.grouped()
	if groups == nil {
		for row := range d.labels {
			groups = append(groups, []int{row})
		}
	}
	if len(groups) < 2 {
		return nil, fmt.Errorf("dataset: all instances of %q are of one group: nothing is left to train on", d.name)
	}
	divisions := make([]Division, len(groups))
	for k, test := range groups {
		name := d.groups[test[0]]
		if name == "" {
			name = fmt.Sprint("row ", test[0])
		}
		divisions[k] = Division{name, without(len(d.labels), test), test}
	}
	return divisions, nil
}

func checkRounds(n int) error {
	if n < 1 {
		return fmt.Errorf("dataset: %d rounds; it has to be at least one", n)
	}
	return nil
}

// roundSeed returns the seed of a round, counted from 0: other seeds, and other rounds, have other
// ones.
func roundSeed(seed uint64, round int) uint64 {
	return rand.NewPCG(seed, uint64(round)).Uint64()
}

// without returns the rows 0..n-1 that are not among the given ones, which ascend.
func without(n int, rows []int) []int {
	rest := make([]int, 0, n-len(rows))
	for r := range n {
		if len(rows) > 0 && rows[0] == r {
			rows = rows[1:]
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}
