package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// part is what a cell trains on and tests on.
type part struct {
	train, test *dataset.Dataset

	tested []int // rows of the data
	all    int   // how many there are
	given  int   // of them, those to train on, where the test part is given
	equals equals
}

// rounds returns the number of divisions that the split makes in a repeat, of one number per class.
// It is 0 for a single division without a number.
func (s Split) rounds() int {
	switch {
	case s.Folds != 0:
		return s.Folds
	case s.Forward != 0:
		return s.Forward
	case len(s.Rounds) > 0:
		return len(s.Rounds)
	}
	return 0
}

// numbers returns the first and the last number of a division within a repeat.
func (s Split) numbers() (first, last int) {
	last = s.rounds()
	return min(last, 1), last
}

// perClass returns PerClass, or 0 for none.
func (s Split) perClass() []int {
	if len(s.PerClass) == 0 {
		return []int{0}
	}
	return s.PerClass
}

// division returns a division of the data: fold counts from 1 where the split makes several, and
// perClass is one of PerClass.
func (in *instances) division(s Split, perClass, fold int, seed uint64) (dataset.Division, error) {
	n := in.len()
	switch {
	case s.Folds != 0:
		return pick(in.divider().Folds(s.Folds, seed))(fold - 1)
	case s.Forward != 0 && s.Time != "":
		if in.table == nil {
			return dataset.Division{}, fmt.Errorf("experiment: Time names the column %q, but the data are not a table; leave Time empty if the instances are in the order of time", s.Time)
		}
		return pick(in.table.Forward(s.Time, s.Forward))(fold - 1)
	case s.Forward != 0:
		return pick(in.divider().Forward(s.Forward))(fold - 1)
	case len(s.Rounds) > 0:
		d := s.Rounds[fold-1]
		if err := checkRound(d, n); err != nil {
			return d, fmt.Errorf("experiment: Split.Rounds, at position %d: %w", fold-1, err)
		}
		return d, d.CheckGroups(in.divider().Groups)
	case s.GivenTest:
		if in.given == 0 {
			return dataset.Division{}, errors.New("experiment: Split.GivenTest needs data that come with a training part and a test part, and these do not; choose another split, such as PerClass")
		}
		train, err := pick(in.trainDivider().PerClassRounds(1, perClass, seed))(0)
		if err != nil {
			return train, err
		}
		return dataset.Division{Name: train.Name, Train: train.Train, Test: sequence(in.given, n)}, nil
	case perClass != 0:
		return pick(in.divider().PerClassRounds(1, perClass, seed))(0)
	case s.HeldOut != 0:
		return pick(in.divider().Rounds(1, s.HeldOut, seed))(0)
	case in.given != 0:
		return dataset.Division{Name: "as given", Train: sequence(0, in.given), Test: sequence(in.given, n)}, nil
	}
	return pick(in.divider().Rounds(1, normalHeldOut, seed))(0)
}

// checkRound says what is wrong with a division of n rows.
func checkRound(d dataset.Division, n int) error {
	tested := make(map[int]bool, len(d.Test))
	for _, r := range d.Test {
		tested[r] = true
	}
	for _, rows := range [][]int{d.Train, d.Test} {
		if len(rows) == 0 {
			return errors.New("there is nothing to train on or nothing to test on")
		}
		for i, r := range rows {
			if r < 0 || r >= n {
				return fmt.Errorf("there is no row %d; rows are 0 to %d", r, n-1)
			}
			if i > 0 && rows[i-1] >= r {
				return fmt.Errorf("row %d comes after row %d; rows must ascend", r, rows[i-1])
			}
		}
	}
	for _, r := range d.Train {
		if tested[r] {
			return fmt.Errorf("row %d is both for training and for testing", r)
		}
	}
	return nil
}

// divideWithin returns a division of what another trains on.
func (in *instances) divideWithin(outer dataset.Division, s Split, fold int, seed uint64) (dataset.Division, error) {
	all := in.divider()
	d := &dataset.Dataset{Name: all.Name, Labels: make([][]int, len(outer.Train))}
	if all.Groups != nil {
		d.Groups = make([]string, len(outer.Train))
	}
	for i, r := range outer.Train {
		d.Labels[i] = all.Labels[r]
		if all.Groups != nil {
			d.Groups[i] = all.Groups[r]
		}
	}
	trained := &instances{vectors: d}
	if s.Time != "" && in.table != nil {
		trained = &instances{table: in.table.Subset(outer.Train)}
	}
	inner, err := trained.division(s, 0, fold, seed)
	if err != nil {
		return inner, err
	}
	for _, rows := range [][]int{inner.Train, inner.Test} {
		for i, r := range rows {
			rows[i] = outer.Train[r]
		}
	}
	return inner, nil
}

// pick returns a function that picks one of divisions.
func pick(divisions []dataset.Division, err error) func(i int) (dataset.Division, error) {
	return func(i int) (dataset.Division, error) {
		if err != nil {
			return dataset.Division{}, err
		}
		return divisions[i], nil
	}
}

// divider draws divisions. It is a data set that has labels and groups alone, as nothing else
// decides.
func (in *instances) divider() *dataset.Dataset {
	d := &dataset.Dataset{}
	switch {
	case in.parts != nil:
		d.Name = in.parts.Name
		d.Labels = slices.Concat(in.parts.Train.Labels, in.parts.Test.Labels)
		d.Groups = joinedGroups(in.parts.Train, in.parts.Test)
	case in.texts != nil:
		d.Name = in.texts.Name
		for i := range in.texts.Documents {
			d.Labels = append(d.Labels, in.texts.Documents[i].Labels)
		}
		d.Groups = in.texts.Groups()
	case in.table != nil:
		d.Name, d.Labels, d.Groups = in.table.Name, in.table.Labels, in.table.Groups()
	default:
		d.Name, d.Labels, d.Groups = in.vectors.Name, in.vectors.Labels, in.vectors.Groups
	}
	return d
}

func (in *instances) trainDivider() *dataset.Dataset {
	d := in.divider()
	if d.Labels = d.Labels[:in.given]; d.Groups != nil {
		d.Groups = d.Groups[:in.given]
	}
	return d
}

// joinedGroups returns the groups of two data sets, one behind the other, nil if neither has any.
func joinedGroups(a, b *dataset.Dataset) []string {
	if a.Groups == nil && b.Groups == nil {
		return nil
	}
	groups := make([]string, a.Len()+b.Len())
	copy(groups, a.Groups)
	copy(groups[a.Len():], b.Groups)
	return groups
}

func sequence(from, to int) []int {
	rows := make([]int, to-from)
	for i := range rows {
		rows[i] = from + i
	}
	return rows
}

// divided returns the instances of the division as vectors, by what can be learned from those
// trained on.
func (in *instances) divided(ctx context.Context, d *Data, by dataset.Division) (part, error) {
	var p part
	switch {
	case in.texts != nil:
		var err error
		if p, err = d.vectorize(in.texts.Divide(by)); err != nil {
			return part{}, err
		}
	case in.table != nil:
		train, test := in.table.Divide(by)
		var err error
		if p, err = d.encode(ctx, train, test); err != nil {
			return part{}, err
		}
	case in.parts != nil && len(by.Train) == in.given && len(by.Train)+len(by.Test) == in.len() && by.Train[in.given-1] == in.given-1:
		p = part{train: in.parts.Train, test: in.parts.Test} // as given
	case in.parts != nil:
		p = part{train: in.subset(by.Train), test: in.subset(by.Test)}
	default:
		p.train, p.test = in.vectors.Divide(by)
	}
	return d.prepare(p)
}

// subset returns rows of a collection, counted through both parts.
func (in *instances) subset(rows []int) *dataset.Dataset {
	k, _ := slices.BinarySearch(rows, in.given)
	if k == len(rows) {
		return in.parts.Train.Subset(rows)
	}
	later := make([]int, len(rows)-k)
	for i, r := range rows[k:] {
		later[i] = r - in.given
	}
	b := in.parts.Test.Subset(later)
	if k == 0 {
		return b
	}
	a := in.parts.Train.Subset(rows[:k])
	joined := *a
	joined.Name = in.parts.Name
	joined.Labels = slices.Concat(a.Labels, b.Labels)
	joined.Groups = joinedGroups(a, b)
	if a.Weights != nil || b.Weights != nil {
		joined.Weights = nil
		for _, part := range []*dataset.Dataset{a, b} {
			for i := range part.Len() {
				joined.Weights = append(joined.Weights, part.Weight(i))
			}
		}
	}
	x := &dataset.Matrix{
		Rows: len(rows), Cols: max(a.X.Cols, b.X.Cols),
		Indptr:  make([]int, 0, len(rows)+1),
		Indices: slices.Concat(a.X.Indices, b.X.Indices),
		Values:  slices.Concat(a.X.Values, b.X.Values),

		Vocabulary: a.X.Vocabulary,
	}
	x.Indptr = append(x.Indptr, a.X.Indptr...)
	for _, end := range b.X.Indptr[1:] {
		x.Indptr = append(x.Indptr, len(a.X.Values)+end)
	}
	joined.X = x
	return &joined
}

func (d *Data) vectorize(train, test *dataset.Corpus) (part, error) {
	if d.Vectors != nil {
		transform, err := d.Vectors(train)
		if err != nil {
			return part{}, err
		}
		return apply(transform, train, test)
	}
	v, err := d.Text.Fit(train)
	if err != nil {
		return part{}, err
	}
	return part{train: v.Transform(train), test: v.Transform(test)}, nil
}

func (d *Data) prepare(p part) (part, error) {
	for _, s := range d.Steps {
		fit, err := stepOf(s)
		if err != nil {
			return part{}, err
		}
		transform, err := fit(p.train)
		if err != nil {
			return part{}, err
		}
		if p, err = apply(transform, p.train, p.test); err != nil {
			return part{}, err
		}
	}
	if d.Prepare == nil {
		return p, nil
	}
	transform, err := d.Prepare(p.train)
	if err != nil {
		return part{}, err
	}
	return apply(transform, p.train, p.test)
}

func apply[T any](transform func(T) (*dataset.Dataset, error), train, test T) (p part, err error) {
	if transform == nil {
		return part{}, errors.New("experiment: Vectors or Prepare returned no function")
	}
	if p.train, err = transform(train); err == nil {
		p.test, err = transform(test)
	}
	if err == nil && (p.train == nil || p.test == nil) {
		err = errors.New("experiment: the function of Vectors or Prepare returned no data set")
	}
	return p, err
}
