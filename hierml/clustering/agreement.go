package clustering

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// A Pair is two classes and their distance.
type Pair struct {
	A, B     string
	Distance float64
}

// Nearest returns the k pairs of classes with the smallest distances, the nearest first, or all
// pairs if there are fewer. distances and classes are those that Agglomerative.Distances returns.
func Nearest(distances mat.Symmetric, classes []string, k int) ([]Pair, error) {
	if distances == nil {
		return nil, errors.New("clustering: there are no distances; Agglomerative.Distances computes them")
	}
	if n := distances.SymmetricDim(); n != len(classes) {
		return nil, fmt.Errorf("clustering: distances of %d classes and %d names; give one name per class", n, len(classes))
	}
	if k < 0 {
		return nil, fmt.Errorf("clustering: %d pairs; ask for 0 or more", k)
	}
	var pairs []Pair
	for i := range classes {
		for j := range i {
			pairs = append(pairs, Pair{classes[j], classes[i], distances.At(i, j)})
		}
	}
	slices.SortStableFunc(pairs, func(p, q Pair) int { return cmp.Compare(p.Distance, q.Distance) })
	return pairs[:min(k, len(pairs))], nil
}

// PairScores say how well the clusters of one hierarchy agree with those of another, by all pairs
// of classes.
type PairScores struct {
	Precision float64 // of the pairs within a cluster that was found, the share within a true one; 0 if there are none
	Recall    float64 // of the pairs within a true cluster, the share within one that was found; 0 if there are none
	F1        float64 // harmonic mean of the two; 0 if both are 0
}

// Agreement compares the clusters of a hierarchy that was found with those of the true one. The
// cluster of a class is the branch at the top that it belongs to: a child of the root if there is
// one root, otherwise a root. It is an error if the hierarchies are not trees or do not have the
// same classes, which are the leaves by their names.
func Agreement(found, truth *taxonomy.Taxonomy) (PairScores, error) {
	if found == nil || truth == nil {
		return PairScores{}, errors.New("clustering: a hierarchy is missing; pass two")
	}
	ofFound, err := topBranches(found)
	if err != nil {
		return PairScores{}, err
	}
	ofTruth, err := topBranches(truth)
	if err != nil {
		return PairScores{}, err
	}
	if len(ofFound) != len(ofTruth) {
		return PairScores{}, fmt.Errorf("clustering: hierarchies of %d and %d classes; compare hierarchies of the same classes", len(ofFound), len(ofTruth))
	}
	pairs := func(count map[[2]int]int) (all int) {
		for _, n := range count {
			all += n * (n - 1) / 2
		}
		return all
	}
	both, inFound, inTruth := make(map[[2]int]int), make(map[[2]int]int), make(map[[2]int]int)
	for name, f := range ofFound {
		t, ok := ofTruth[name]
		if !ok {
			return PairScores{}, fmt.Errorf("clustering: only one of the hierarchies has the class %q; compare hierarchies of the same classes", name)
		}
		both[[2]int{f, t}]++
		inFound[[2]int{f}]++
		inTruth[[2]int{t}]++
	}
	share := func(part, whole int) float64 {
		if whole == 0 {
			return 0
		}
		return float64(part) / float64(whole)
	}
	right, f, t := pairs(both), pairs(inFound), pairs(inTruth)
	return PairScores{share(right, f), share(right, t), share(2*right, f+t)}, nil
}

// topBranches returns the branch of each leaf, by its name.
func topBranches(t *taxonomy.Taxonomy) (map[string]int, error) {
	if !t.IsTree() {
		return nil, errors.New("clustering: the hierarchy is a graph in which a class can belong to several clusters; compare trees")
	}
	top := t.Roots()
	if len(top) == 1 && !t.IsLeaf(top[0]) {
		top = t.Children(top[0])
	}
	branches := make(map[string]int)
	for _, branch := range top {
		for _, n := range t.Descendants(branch) {
			if t.IsLeaf(n) {
				branches[t.LabelName(n)] = branch
			}
		}
	}
	return branches, nil
}
