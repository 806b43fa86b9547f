// Package forest provides predictive clustering trees for hierarchies of labels, as in Clus-HMC
// [VSSDB08], alone and in ensembles: bagging and random forests [SVSKDB10]. They predict the
// probability of a label at or below every node, on trees, forests and graphs without cycles. An
// instance may have any number of labels, at leaves or inner nodes.
//
//   - [Tree] is a single tree.
//   - [Forest] is an ensemble of trees, each grown from a bootstrap sample of the instances.
//
// A node S of a tree is a set of instances. With p_v the share of them that have a label at or
// below node v of the taxonomy, and w_v the weight of v,
//
//	SS(S) = sum_v w_v |S| p_v (1 - p_v)
//
// S is split by the test x_j > a, where a is a value of feature j in S, with the largest SS(S) -
// SS(S1) - SS(S2). A leaf of the tree predicts the p_v of its instances. No child has a larger p_v
// than its parent, so the nodes above a threshold are always closed under ancestors.
//
// Features may have any scale. Entries that a sparse matrix does not store have the value 0, as
// everywhere in this library. Replace missing values first: files.ARFF{Missing: "mean"} uses the
// mean of the column, as Clus does, and features.Number can do the same for tables.
//
// The predicted sets of nodes, and their evaluation with package metric, are as for svm.NodeSets.
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
	// W0 is the factor between the weight of a node and that of its parents, in (0, 1]. The weight
	// at the top is W0. The default value is 0.75; with 1 all nodes have the same weight.
	W0 float64
	// Parents says how the weights of several parents are combined. The default is their mean.
	Parents Aggregate
	// Significance is the level of an F-test that a split must pass; otherwise growth stops. 1
	// means no test. The default value is 0.01 for a tree, and 1 for the trees of a Forest.
	Significance float64
	// MinLeaf is the minimum number of instances of a leaf. The default value is 5.
	MinLeaf int
	// MEstimate makes a leaf with n instances, P of them with the node, predict (P+p)/(n+1) instead
	// of P/n, where p is the share of all instances with the node.
	MEstimate bool
	// Progress is called with the share of the instances in leaves. If it returns an error, Fit
	// stops.
	Progress func(done float64, state string) error
}

// Forest is an ensemble of predictive clustering trees, each grown from a bootstrap sample of the
// size of the data: Clus-HMC-Ens of [SVSKDB10]. It predicts the mean over the trees. With Features
// All it is bagging, otherwise a random forest. The zero value is ready to use.
//
// The same seed gives the same forest, whatever the number of workers.
type Forest struct {
	// Trees is the number of trees. The default value is 100.
	Trees int
	// Features is the number of features tried for a split, drawn from those that are not zero for
	// all of its instances. The default is SquareRoot.
	Features Subset
	// Tree has the settings of each tree. Its Progress is not called.
	Tree Tree
	// Seed determines the samples and the features.
	Seed uint64
	// Workers is the number of trees that grow concurrently. The default value is one per CPU.
	Workers int
	// Time bounds the training: after it no further tree is started, except the first. The default
	// is no bound.
	Time time.Duration
	// Progress is called with the share of the trees that have grown. If it returns an error, Fit
	// stops.
	Progress func(done float64, state string) error
}

// Aggregate says how the weights of several parents are combined.
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

// Subset is the number of features tried for a split.
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
		return s, fmt.Errorf("forest: W0 is %v; it must be above 0 and at most 1", s.W0)
	}
	if s.Parents < Mean || s.Parents > Maximum {
		return s, fmt.Errorf("forest: Parents is %d; expected forest.Mean, Sum, Minimum or Maximum", int(s.Parents))
	}
	if s.Significance == 0 {
		s.Significance = significance
	}
	if !(s.Significance > 0 && s.Significance <= 1) {
		return s, fmt.Errorf("forest: Significance is %v; it must be above 0 and at most 1, where 1 means no test", s.Significance)
	}
	if s.MinLeaf == 0 {
		s.MinLeaf = 5
	}
	if s.MinLeaf < 1 {
		return s, fmt.Errorf("forest: MinLeaf is %d; it must be at least 1", s.MinLeaf)
	}
	return s, nil
}

// Fit grows the tree. It stops if ctx is cancelled.
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

// Fit grows the trees and learns the Level of the model from the out-of-bag instances of each tree.
// It stops if ctx is cancelled.
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
