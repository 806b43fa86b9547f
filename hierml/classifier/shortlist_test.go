package classifier_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// Models of thousands of classes predict and rank many rows together as they score each alone.
func TestManyClassesArePredictedByTheirScores(t *testing.T) {
	d := example.Texts(example.Tree(91, 91), 300, 400, 12, 1)
	// A matrix of few entries for its columns, of which weights are kept of those that occur.
	wide := *d
	x := *d.X
	x.Cols, x.Indices = 1<<20, slices.Clone(x.Indices)
	for k, f := range x.Indices {
		x.Indices[k] = 1000*f + 7
	}
	wide.X = &x
	for name, c := range map[string]struct {
		fit  func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error)
		data *dataset.Dataset
	}{
		"flat":         {svm.Flat{}.Fit, d},
		"hierarchical": {svm.Hierarchical{}.Fit, d},
		"occurring":    {svm.Flat{}.Fit, &wide},
	} {
		m, err := c.fit(context.Background(), c.data)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Training.Certificate.Weights.Many() {
			t.Fatalf("%s: %v", name, m.Training.Certificate.Weights)
		}
		var some []int
		for i := range 70 {
			some = append(some, i)
		}
		x := c.data.X.Subset(some)
		x.Rows, x.Indptr = x.Rows+1, append(x.Indptr, len(x.Indices)) // an empty row
		leaves := m.Attributes().Candidates()
		want := make([][]classifier.Ranked, x.Rows)
		for i := range want {
			for y, score := range m.Scores(x, i).Leaves {
				if m.Unseen(leaves[y]) {
					continue
				}
				want[i] = append(want[i], classifier.Ranked{Node: leaves[y], Name: m.Taxonomy.Name(leaves[y]), Score: score})
			}
			slices.SortStableFunc(want[i], func(a, b classifier.Ranked) int { return cmp.Compare(b.Score, a.Score) })
		}
		for _, c := range []struct{ k, workers int }{{0, 1}, {1, 3}, {7, 1}, {len(leaves) + 1, 3}} {
			m.Workers = c.workers
			for i, got := range m.Rank(x, c.k) {
				if want := want[i][:min(c.k, len(want[i]))]; !slices.Equal(got, want) {
					t.Errorf("%s, row %d: the best %d are %v, want %v", name, i, c.k, got, want)
				}
			}
			for i, got := range m.Predict(x) {
				if want := want[i][0].Node; got != want {
					t.Errorf("%s, row %d: leaf %d, want %d", name, i, got, want)
				}
			}
		}
	}
}
