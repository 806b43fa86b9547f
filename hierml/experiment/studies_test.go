package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/synthetic"
)

// gateOfTest names a pipe that an estimator that is held reads first.
const gateOfTest = "HIERML_TEST_GATE"

// fits counts the trainings of Centroids.
var fits atomic.Int64

// Centroids is an estimator of this test's own: the mean of every leaf, with noise from its seed.
type Centroids struct {
	Noise float64
	Fail  string // how to
	Seed  uint64
}

func (c Centroids) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	fits.Add(1)
	switch c.Fail {
	case "error":
		return nil, errors.New("no convergence")
	case "panic":
		var none []int
		_ = none[len(c.Fail)]
	case "nothing":
		return nil, nil
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "killed":
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		return nil, errors.Join(err, errors.New("the process was not killed"))
	case "held": // until the test lets it go
		if _, err := os.ReadFile(os.Getenv(gateOfTest)); err != nil {
			return nil, err
		}
	}
	a := structured.Flat(d.Taxonomy)
	w := structured.NewWeights(a.Columns(), d.X.Cols)
	for i := range d.X.Rows {
		leaf := a.Column(d.Labels[i][0])
		columns, values := d.X.Row(i)
		for k, f := range columns {
			w.Set(int(f), leaf, w.At(int(f), leaf)+float64(values[k]))
		}
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	for f := range d.X.Cols {
		for leaf := range a.Columns() {
			w.Set(f, leaf, w.At(f, leaf)+c.Noise*r.NormFloat64())
		}
	}
	return classifier.New(a, w, classifier.Training{Status: solver.Converged}, d), nil
}

func linearTree(t testing.TB, instances int) *dataset.Dataset {
	t.Helper()
	d, err := synthetic.LinearTree{Name: "tree", Depth: 2, Features: 6, Instances: instances, Seed: 3}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// study has cells of all kinds: two data sets, one of them drawn anew for every repeat, a method
// with a grid, one without, and one that fails for some points.
func study(t testing.TB) *Study {
	return &Study{
		Name: "all kinds",
		Data: []Data{
			{Name: "one", Set: linearTree(t, 60)},
			{Name: "drawn", Generator: synthetic.LinearTree{Depth: 2, Features: 4, Instances: 40}},
		},
		Methods: []Method{
			{Name: "plain", Estimator: Centroids{}},
			{Name: "noisy", Estimator: &Centroids{}, Grid: Grid{"Noise": {0.5, 4, 20}}},
			{Name: "frail", Estimator: Centroids{Noise: 1}, Grid: Grid{"Fail": {"panic", "", "error"}}},
			{Name: "closure", Fit: func(ctx context.Context, d *dataset.Dataset, p Params) (metric.Scorer, error) {
				return Centroids{Noise: p.Float("noise"), Seed: p.Seed}.Fit(ctx, d)
			}, Grid: Grid{"noise": {1, 2}}},
			{Name: "broken", Estimator: Centroids{Fail: "nothing"}},
		},
		Split:    Split{Folds: 2},
		Inner:    Split{HeldOut: 0.4},
		Repeats:  2,
		Seed:     7,
		Measures: []string{"accuracy", "tree loss"},
		Baseline: "plain",
	}
}

// everything is all that is shown of results.
func everything(r *Results) string {
	s := r.Summary()
	return fmt.Sprint(r, "\n", r.CSV(), r.JSONLines(), r.HTML(), r.LaTeX(), s.CSV())
}

// complete runs a study to its end.
func complete(t testing.TB, s *Study) *Results {
	t.Helper()
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != 0 {
		t.Fatalf("%d cells are missing", r.Missing)
	}
	return r
}

// cutFile drops all of a directory's cells behind the first n bytes.
func cutFile(t testing.TB, directory string, n int64) {
	t.Helper()
	if err := os.Truncate(filepath.Join(directory, cellsFile), n); err != nil {
		t.Fatal(err)
	}
}
