// Package forest has predictive clustering trees for hierarchies of labels, as Clus-HMC grows them
// [VSSDB08], alone and in ensembles: bagging and random forests [SVSKDB10]. They predict for every
// node how likely a label is at or below it, on trees, forests and graphs without cycles; an
// instance has any number of labels, leaves or inner nodes.
//
//   - [Tree] is a single tree.
//   - [Forest] is a number of trees, each of a bootstrap sample of the instances.
//
// A node S of a tree is a set of instances. With p_v the share of them that have a label at or
// below node v of the taxonomy, and w_v the weight of v,
//
//	SS(S) = sum_v w_v |S| p_v (1 - p_v)
//
// and S is divided by the test x_j > a, where a is a value that an instance of S has there, for
// which SS(S) - SS(S1) - SS(S2) is largest. A leaf of the tree predicts the p_v of its instances.
// They never rise from a node to a child, so that the nodes above a threshold always are a set that
// is closed under ancestors.
//
// Features may have any scale. What a sparse matrix does not store has the value 0, as everywhere
// in this library. Missing values are put in before: files.ARFF{Missing: "mean"} takes the mean of
// the column, as Clus does, and so does features.Number of tables.
//
// Which sets of nodes a model predicts, and how package metric evaluates it, is as of svm.NodeSets.
package forest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
)

// Tree is a predictive clustering tree: Clus-HMC of [VSSDB08]. The zero value is ready to use.
type Tree struct {
	// W0 is what the weight of a node is, times that of its parents: in (0, 1]. At the top it is W0
	// itself. The default value is 0.75, and with 1 all nodes weigh the same.
	W0 float64
	// Parents says what the weight of a node with several parents is a multiple of. The default is
	// the mean of theirs.
	Parents Aggregate
	// Significance is the level of an F-test below which a division must be to be made, which stops
	// the growth; 1 is for no test. The default value is 0.01 of a tree, and 1 of those of a
	// Forest.
	Significance float64
	// MinLeaf is the number of instances that a leaf has at least. The default value is 5.
	MinLeaf int
	// MEstimate lets a leaf of n instances, P of them with the node, predict (P+p)/(n+1) and not
	// P/n, where p is the share of all instances with the node.
	MEstimate bool
	// Progress is told what part of the instances is in leaves. An error it returns ends Fit.
	Progress func(done float64, state string) error
}

// Forest is an ensemble of predictive clustering trees, each of as many instances as there are,
// drawn with replacement: Clus-HMC-Ens of [SVSKDB10]. What it predicts is the mean over the trees.
// With Features All it is bagging, otherwise a random forest. The zero value is ready to use.
//
// The same seed gives the same forest, whatever the number of workers.
type Forest struct {
	// Trees is the number of trees. The default value is 100.
	Trees int
	// Features says how many features are tried for a division, drawn among those that are not zero
	// for all of its instances. The default is SquareRoot.
	Features Subset
	// Tree has how each tree grows. Its Progress is not called.
	Tree Tree
	// Seed determines the samples and the features.
	Seed uint64
	// Workers is the number of trees that grow at a time. The default value is one a processor.
	Workers int
	// Time bounds the training: after it no tree is begun, but for the first. The default value is
	// no bound.
	Time time.Duration
	// Progress is told what part of the trees has grown. An error it returns ends Fit.
	Progress func(done float64, state string) error
}

// Aggregate says what the weight of a node with several parents is a multiple of.
type Aggregate int

const (
	Mean    Aggregate = iota // of the weights of the parents
	Sum                      // of them
	Minimum                  // of them
	Maximum                  // of them
)

var aggregates = []string{"Mean", "Sum", "Minimum", "Maximum"}

// String returns the name of the constant.
func (a Aggregate) String() string { return word(a, "Aggregate", aggregates) }

// MarshalText returns the name of the constant.
func (a Aggregate) MarshalText() ([]byte, error) { return enum.Marshal(a, aggregates) }

// UnmarshalText reads the name of a constant, in whatever case.
func (a *Aggregate) UnmarshalText(text []byte) error { return enum.Unmarshal(a, aggregates, text) }

// Subset says how many of the features are tried for a division.
type Subset int

const (
	SquareRoot Subset = iota // of the number of features, rounded up
	Logarithm                // 1 and the logarithm to base 2 of their number, rounded down
	All                      // all of them
)

var subsets = []string{"SquareRoot", "Logarithm", "All"}

// String returns the name of the constant.
func (s Subset) String() string { return word(s, "Subset", subsets) }

// MarshalText returns the name of the constant.
func (s Subset) MarshalText() ([]byte, error) { return enum.Marshal(s, subsets) }

// UnmarshalText reads the name of a constant, in whatever case.
func (s *Subset) UnmarshalText(text []byte) error { return enum.Unmarshal(s, subsets, text) }

// of returns the number of features tried of n.
func (s Subset) of(n int) int {
	switch s {
	case SquareRoot:
		return max(1, int(math.Ceil(math.Sqrt(float64(n)))))
	case Logarithm:
		return 1 + int(math.Log2(float64(max(1, n))))
	}
	return n
}

func word[E ~int](value E, name string, words []string) string {
	if value < 0 || int(value) >= len(words) {
		return fmt.Sprintf("%s(%d)", name, int(value))
	}
	return words[value]
}

// settled returns the tree's settings with their defaults, of which the level of the test is given.
func (s Tree) settled(significance float64) (Tree, error) {
	if s.W0 == 0 {
		s.W0 = 0.75
	}
	if !(s.W0 > 0 && s.W0 <= 1) {
		return s, fmt.Errorf("forest: W0 is %v; weights of nodes fall by a factor above 0 and at most 1", s.W0)
	}
	if s.Parents < Mean || s.Parents > Maximum {
		return s, fmt.Errorf("forest: Parents is %d; expected forest.Mean, Sum, Minimum or Maximum", int(s.Parents))
	}
	if s.Significance == 0 {
		s.Significance = significance
	}
	if !(s.Significance > 0 && s.Significance <= 1) {
		return s, fmt.Errorf("forest: Significance is %v; the level of a test is above 0 and at most 1, which is no test", s.Significance)
	}
	if s.MinLeaf == 0 {
		s.MinLeaf = 5
	}
	if s.MinLeaf < 1 {
		return s, fmt.Errorf("forest: MinLeaf is %d; a leaf has 1 instance at least", s.MinLeaf)
	}
	return s, nil
}

// Fit grows the tree. It ends with ctx.
func (s Tree) Fit(ctx context.Context, d *dataset.Dataset) (*Model, error) {
	begin := time.Now()
	s, err := s.settled(0.01)
	if err != nil {
		return nil, err
	}
	if d, err = unweighted(d); err != nil {
		return nil, err
	}
	p, err := newProblem(s, d)
	if err != nil {
		return nil, err
	}
	ctx, report, end := progress.Follow(ctx, "tree", s.Progress)
	defer end()
	g := newGrower(p)
	g.all(report)
	t, err := g.grow(ctx, p.features)
	if err != nil {
		return nil, err
	}
	m := p.model("predictive clustering tree", d, []*tree{t})
	if m.Level, m.HeldOut, err = p.level(ctx, m, make([][]uint64, 1)); err != nil {
		return nil, err
	}
	m.HeldOut = math.NaN() // it is not
	m.seconds = time.Since(begin).Seconds()
	return m, nil
}

// Fit grows the trees and, from the instances that are not in the sample of a tree, learns the
// Level of the model. It ends with ctx.
func (s Forest) Fit(ctx context.Context, d *dataset.Dataset) (*Model, error) {
	begin := time.Now()
	var err error
	if s.Tree, err = s.Tree.settled(1); err != nil {
		return nil, err
	}
	if s.Trees == 0 {
		s.Trees = 100
	}
	if s.Trees < 1 || s.Trees > maxTrees {
		return nil, fmt.Errorf("forest: %d trees; take 1 to %d", s.Trees, maxTrees)
	}
	if s.Features < SquareRoot || s.Features > All {
		return nil, fmt.Errorf("forest: Features is %d; expected forest.SquareRoot, Logarithm or All", int(s.Features))
	}
	if s.Time < 0 {
		return nil, fmt.Errorf("forest: Time is %v; give a positive duration, or 0 for no bound", s.Time)
	}
	if d, err = unweighted(d); err != nil {
		return nil, err
	}
	p, err := newProblem(s.Tree, d)
	if err != nil {
		return nil, err
	}
	ctx, report, end := progress.Follow(ctx, "forest", s.Progress)
	defer end()
	trees, err := s.growAll(ctx, p, begin, report)
	if err != nil {
		return nil, err
	}
	name := "random forest of predictive clustering trees"
	if s.Features == All {
		name = "bagged predictive clustering trees"
	}
	m := p.model(name, d, trees)
	if m.Level, m.HeldOut, err = p.level(ctx, m, s.without(p, len(trees))); err != nil {
		return nil, err
	}
	m.seconds = time.Since(begin).Seconds()
	return m, nil
}

// maxTrees bounds the trees of a forest.
const maxTrees = 1 << 20

// unweighted returns the instances whose weights are 1, or an error if there are others but 0.
func unweighted(d *dataset.Dataset) (*dataset.Dataset, error) {
	d, err := d.Weighted()
	if err == nil {
		err = classifier.CheckUnweighted(d, "a tree", "the F-test that ends its growth, and the samples of a forest, count whole instances")
	}
	if err != nil {
		return nil, fmt.Errorf("forest: %w", err)
	}
	return d, nil
}

// check returns an error unless the data can be learned from.
func check(d *dataset.Dataset) error {
	if err := classifier.CheckData(d); err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return fmt.Errorf("forest: dataset %q: %w", d.Name, err)
	}
	return nil
}
