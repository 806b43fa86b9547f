package clustering

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
)

// classes are the leaves of a taxonomy that have instances.
type classes struct {
	x       *dataset.Matrix
	names   []string
	empty   []string  // names of the leaves without instances
	members [][]int32 // instances of each class, ascending
	of      [][]int32 // classes of each instance, ascending
}

func (s *classes) len() int { return len(s.names) }

// newClasses checks the data, and its features if they are needed.
func newClasses(d *dataset.Dataset, features bool) (*classes, error) {
	if d == nil || d.Taxonomy == nil || features && d.X == nil {
		return nil, errors.New("clustering: the dataset is nil, or has no matrix or no taxonomy; set X and Taxonomy")
	}
	d, err := d.Weighted()
	if err == nil {
		err = classifier.CheckUnweighted(d, "clustering", "it counts each instance once; learn the hierarchy without weights, then move the weighted dataset to it with Dataset.Under and train")
	}
	if err != nil {
		return nil, fmt.Errorf("clustering: %w", err)
	}
	if features {
		if d.X.Rows != len(d.Labels) {
			return nil, fmt.Errorf("clustering: dataset %q has %d instances and labels for %d; give every instance its labels", d.Name, d.X.Rows, len(d.Labels))
		}
		if err := structured.CheckMatrix(d.X); err != nil {
			return nil, fmt.Errorf("clustering: dataset %q: %w", d.Name, err)
		}
	}
	t := d.Taxonomy
	size := make([]int, t.Len())
	for i, set := range d.Labels {
		for k, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("clustering: instance %d of dataset %q has label %d; the taxonomy has nodes 0..%d", i, d.Name, n, t.Len()-1)
			}
			if k > 0 && set[k-1] >= n {
				return nil, fmt.Errorf("clustering: the labels %v of instance %d of dataset %q are not ascending", set, i, d.Name)
			}
			if !t.IsLeaf(n) {
				return nil, fmt.Errorf("clustering: instance %d of dataset %q is labelled with the inner node %q; move such labels to added leaves with Dataset.Leafed, or with Collection.Leafed for both parts", i, d.Name, t.Name(n))
			}
			size[n]++
		}
	}
	s := &classes{x: d.X, of: make([][]int32, len(d.Labels))}
	if features {
		s.x, _ = d.X.Occurring() // distances are the same
	}
	class := make([]int32, t.Len())
	for _, leaf := range t.Leaves() {
		if size[leaf] == 0 {
			s.empty = append(s.empty, t.LabelName(leaf))
			continue
		}
		class[leaf] = int32(len(s.names))
		s.names = append(s.names, t.LabelName(leaf))
		s.members = append(s.members, make([]int32, 0, size[leaf]))
	}
	if len(s.names) == 0 {
		return nil, fmt.Errorf("clustering: dataset %q has no labelled instances; there is nothing to cluster", d.Name)
	}
	for i, set := range d.Labels {
		for _, n := range set {
			k := class[n]
			s.members[k] = append(s.members[k], int32(i))
			s.of[i] = append(s.of[i], k)
		}
		slices.Sort(s.of[i])
	}
	return s, nil
}

// jaccard returns the Jaccard distances of the classes' sets of instances.
func jaccard(ctx context.Context, s *classes, progress *counter) (*condensed, error) {
	c := newCondensed(s.len())
	for i, set := range s.of {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for k, a := range set {
			for _, b := range set[k+1:] {
				c.values[c.border[a]+int(b)]++
			}
		}
	}
	for a := range c.n {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		row := c.row(a)
		for k, both := range row {
			either := float64(len(s.members[a])+len(s.members[a+1+k])) - both
			row[k] = (either - both) / either
		}
		if err := progress.at(a + 1); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// eachRow calls the functions that newWorker returns with 0 to n-1, from several goroutines, and
// progress with how many are done.
func eachRow(ctx context.Context, n, workers int, progress *counter, newWorker func() func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	next, done := 0, 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	finish := func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		if ctx.Err() == nil {
			if err := progress.at(done); err != nil {
				cancel(err)
			}
		}
	}
	var wait guarded.Group
	for range min(workers, n) {
		wait.Go(func() {
			work := newWorker()
			for i := take(); i < n && ctx.Err() == nil; i = take() {
				if err := work(ctx, i); err != nil {
					cancel(err)
					return
				}
				finish()
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
