package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// severalNodes are instances of a few features with one to three labels at any nodes, which the
// features say something about.
func severalNodes(t *testing.T, tax *taxonomy.Taxonomy, rows int, seed uint64) *dataset.Dataset {
	t.Helper()
	const width = 6
	rng := rand.New(rand.NewPCG(seed, 1))
	shared := rand.New(rand.NewPCG(7, 7)) // by all data of this kind
	direction := mat.NewDense(tax.Len(), width, nil)
	for n := range tax.Len() {
		for f := range width {
			direction.Set(n, f, shared.NormFloat64())
		}
	}
	x, labels := mat.NewDense(rows, width, nil), make([][]int, rows)
	for i := range rows {
		for range 1 + rng.IntN(3) {
			labels[i] = append(labels[i], rng.IntN(tax.Len()))
		}
		labels[i] = tax.MostSpecific(labels[i])
		for f := range width {
			v := rng.NormFloat64()
			for _, n := range tax.Closure(labels[i]) {
				v += direction.At(n, f)
			}
			x.Set(i, f, v)
		}
	}
	d, err := dataset.FromDense("nodes", tax, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// directScores solves the regression of one node by gonum, and returns its scores for the rows of
// z.
func directScores(t *testing.T, r Ridge, d *dataset.Dataset, node int, z *dataset.Matrix) []float64 {
	t.Helper()
	n := d.X.Rows
	k, y := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range n {
			k.Set(i, j, r.Kernel.Value(gram.Row(d.X, i), gram.Row(d.X, j))+1)
		}
		k.Set(i, i, k.At(i, i)+1/r.C)
		for _, m := range d.Taxonomy.Closure(d.Labels[i]) {
			if m == node {
				y.SetVec(i, 1)
			}
		}
	}
	var a mat.VecDense
	if err := a.SolveVec(k, y); err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, z.Rows)
	for i := range scores {
		for j := range n {
			scores[i] += a.AtVec(j) * (r.Kernel.Value(gram.Row(z, i), gram.Row(d.X, j)) + 1)
		}
	}
	return scores
}

// TestRidgeAgainstDefinition solves each node on its own, and really leaves folds out.
func TestRidgeAgainstDefinition(t *testing.T) {
	for name, tax := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(2, 3), "graph": example.Graph(12, 3)} {
		d, test := severalNodes(t, tax, 30, 1), severalNodes(t, tax, 7, 2)
		for _, r := range []Ridge{
			{C: 0.5, Kernel: gram.Exponential{Gamma: 0.2}},
			{C: 7, Kernel: gram.RBF{Gamma: 0.05}, Workers: 1, folds: 30}, // leave one out
			{C: 0.01, Kernel: gram.Linear{}},
		} {
			f, err := r.fit(t.Context(), d, true)
			if err != nil {
				t.Fatal(err)
			}
			m, err := f.model(d)
			if err != nil {
				t.Fatal(err)
			}
			scores := m.NodeScores(test.X)
			for c, node := range f.nodes {
				for i, want := range directScores(t, r, d, int(node), test.X) {
					if got := scores.At(i, int(node)); math.Abs(got-want) > 1e-9 {
						t.Fatalf("%s, %v: node %d, row %d has score %v, not %v", name, r.Kernel, node, i, got, want)
					}
				}
				for fold, from := range f.border[:len(f.border)-1] {
					own := f.rows[from:f.border[fold+1]]
					others := slices.Concat(f.rows[:from], f.rows[f.border[fold+1]:])
					for k, want := range directScores(t, r, d.Subset(others), int(node), d.X.Subset(own)) {
						if got := f.held.At(from+k, c); math.Abs(got-want) > 1e-9 {
							t.Fatalf("%s, %v: node %d has score %v for row %d held out, not %v", name, r.Kernel, node, got, own[k], want)
						}
					}
				}
			}
			// The certificate has the objective at the scores of the training instances.
			result := m.Training.Certificate
			if !(math.Abs(result.Gap) < 1e-9) || m.C != r.C {
				t.Errorf("%s, %v: %v, C = %v", name, r.Kernel, result, m.C)
			}
			trained := m.NodeScores(f.x)
			var value float64
			for i := range d.Len() {
				for c, node := range f.nodes {
					e := f.y.At(i, c) - trained.At(i, int(node))
					value += r.C/2*e*e + f.a.At(i, c)*trained.At(i, int(node))/2
				}
			}
			if math.Abs(value-result.Primal) > 1e-9*value {
				t.Errorf("%s, %v: objective %v, certified %v", name, r.Kernel, value, result.Primal)
			}
		}
	}
}

// TestRidgeChooses compares what is chosen with the best of all by the squared error of instances
// held out: of all kernels at a C of 1, and of all C with the best of them.
func TestRidgeChooses(t *testing.T) {
	d := severalNodes(t, example.Tree(2, 3), 60, 3)
	f, err := Ridge{}.fit(t.Context(), d, true)
	if err != nil {
		t.Fatal(err)
	}
	free := regression{x: f.x}
	kernels, err := free.kernels()
	if err != nil {
		t.Fatal(err)
	}
	atMiddle := func(k gram.Kernel) float64 { return errorOf(t, Ridge{C: middle, Kernel: k}, d) }
	for _, k := range kernels {
		if atMiddle(k) < atMiddle(f.Kernel) {
			t.Errorf("%v has the error %v; chosen was %v with %v", k, atMiddle(k), f.Kernel, atMiddle(f.Kernel))
		}
	}
	for _, c := range ridges {
		if e := errorOf(t, Ridge{C: c, Kernel: f.Kernel}, d); e < f.squaredError() {
			t.Errorf("C = %v has the error %v; chosen was %v with %v", c, e, f.C, f.squaredError())
		}
	}
	// Features of another scale are as good.
	scaled := *d
	x := *d.X
	x.Values = make([]float32, len(d.X.Values))
	for k, v := range d.X.Values {
		x.Values[k] = 1024 * v
	}
	scaled.X = &x
	g, err := Ridge{}.fit(t.Context(), &scaled, true)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(g.squaredError()-f.squaredError()) > 1e-6*f.squaredError() {
		t.Errorf("error %v of features 1024 times as large, %v of the others", g.squaredError(), f.squaredError())
	}
}

// errorOf returns the squared error of instances held out.
func errorOf(t *testing.T, r Ridge, d *dataset.Dataset) float64 {
	t.Helper()
	f, err := r.fit(t.Context(), d, true)
	if err != nil {
		t.Fatal(err)
	}
	return f.squaredError()
}

// TestRidgeOfSample chooses by some of the instances and learns from all.
func TestRidgeOfSample(t *testing.T) {
	if testing.Short() {
		t.Skip("factors of 1500 rows")
	}
	d := severalNodes(t, example.Tree(2, 3), chosenBy+20, 3)
	m, err := Ridge{C: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if m.Instances != d.Len() || m.C != 1 || len(m.Taxonomy.Leaves()) != 6 {
		t.Errorf("%v", m)
	}
}

// TestRidgeInTime trains in a bubble in which only factors and scores held out take time: those of
// 60 instances half a second each, others as the cube of the instances. With less time, fewer
// kernels and values of C are tried, and fewer instances learned from, and a note says so.
func TestRidgeInTime(t *testing.T) {
	given := Ridge{C: 1, Kernel: gram.RBF{Gamma: 1}}
	for _, test := range []struct {
		rows    int
		seconds float64
		ridge   Ridge
		note    string // what is left out
	}{
		{90, 0, Ridge{}, ""},
		{90, 12, Ridge{}, ""}, // 7 choices, and 1.7 s for all
		{90, 5, Ridge{}, "only 2 of 7 kernels and values of C were tried"},
		{90, 2.5, Ridge{}, "only 75 of 90 instances were used, and only 1 of 7 kernels and values of C were tried"},
		{240, 80, Ridge{}, ""}, // 32 s for all
		{240, 30, Ridge{}, "only 187 of 240 instances were used"},
		{240, 1.2, Ridge{}, "only 60 of 240 instances were used, and only 1 of 7 kernels and values of C were tried"},
		{240, 0, given, ""}, {240, 60, given, ""},
		{240, 20, given, "only 176 of 240 instances were used"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := severalNodes(t, example.Tree(2, 3), test.rows, 3)
			r := test.ridge
			r.sample, r.Workers, r.Time = 60, 1, time.Duration(test.seconds*1e9)
			most := 0.0
			r.Progress = func(done float64, state string) error {
				var rows float64
				if _, err := fmt.Sscanf(state, "%f instances", &rows); err != nil || done < most {
					return fmt.Errorf("%v after %v, %q: %w", done, most, state, err)
				}
				most = done
				time.Sleep(time.Duration(1e9 / 2 * math.Pow(rows/60, 3)))
				return nil
			}
			var noted example.Watcher
			began := time.Now()
			m, err := r.Fit(progress.With(t.Context(), &noted), d)
			if err != nil {
				t.Fatal(err)
			}
			want := []string(nil)
			if test.note != "" {
				want = []string{fmt.Sprintf("kernel ridge regression: in %v %s. Give more time, or use svm.OneVsRest.", r.Time, test.note)}
			}
			took := time.Since(began)
			if !slices.Equal(noted.Notes, want) || r.Time > 0 && took > r.Time || (m.Training.Status == solver.TimeLimit) != strings.Contains(test.note, "instances were used") {
				t.Errorf("%d rows in %v: took %v, %v, notes %q, want %q", test.rows, r.Time, took, m.Training.Status, noted.Notes, want)
			}
			if c := m.Training.Certificate; !(math.Abs(c.Gap) < 1e-9) || c.Primal > c.Origin || r.Time == 0 && most != 1 {
				t.Errorf("%d rows in %v: %v, %v done", test.rows, r.Time, c, most)
			}
		})
	}
}

func TestRidgeErrors(t *testing.T) {
	d := severalNodes(t, example.Tree(2, 3), 30, 1)
	enough := errors.New("enough")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	unlabelled := *d
	unlabelled.Labels = make([][]int, d.Len())
	huge := *d
	huge.X = &dataset.Matrix{Rows: 30, Cols: 1, Indptr: make([]int, 31)}
	for i := range 30 {
		huge.X.Indptr[i+1] = i + 1
		huge.X.Indices, huge.X.Values = append(huge.X.Indices, 0), append(huge.X.Values, float32(math.Inf(1)))
	}
	for _, test := range []struct {
		name  string
		ctx   context.Context
		ridge Ridge
		d     *dataset.Dataset
		words string
	}{
		{"no data", t.Context(), Ridge{}, nil, "the dataset is nil"},
		{"no labels", t.Context(), Ridge{}, &unlabelled, "has a label"},
		{"C", t.Context(), Ridge{C: -1}, d, "C is -1"},
		{"time", t.Context(), Ridge{Time: -time.Second}, d, "Time is -1s"},
		{"workers", t.Context(), Ridge{Workers: -1}, d, "Workers is -1"},
		{"kernel", t.Context(), Ridge{Kernel: gram.RBF{Gamma: -1}}, d, "Gamma of the RBF kernel"},
		{"infinite", t.Context(), Ridge{}, &huge, "row 0"},
		{"no kernel", t.Context(), Ridge{C: 1e12, Kernel: gram.Func(func(a, b gram.Vector) float64 { return -a.Dot(b) })}, d, "not positive definite"},
		{"time over", t.Context(), Ridge{Time: 1}, d, "Time is up before"},
		{"stopped", t.Context(), Ridge{Progress: func(float64, string) error { return enough }}, d, "enough"},
		{"cancelled", cancelled, Ridge{}, d, "context canceled"},
	} {
		if m, err := test.ridge.Fit(test.ctx, test.d); err == nil || m != nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v, %v", test.name, m, err)
		}
	}
}

// TestRidgeIsRegularized chooses C by held-out instances, from the leaves alone.
func TestRidgeIsRegularized(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 80, 50, 10, 1)
	choice, err := Search{Grid: []float64{0.1, 1}}.ChooseC(t.Context(), Ridge{Kernel: gram.Linear{}}, d)
	if err != nil {
		t.Fatal(err)
	}
	if len(choice.Tried) != 2 || choice.Model.C != choice.C || choice.Model.Rule != classifier.Highest {
		t.Errorf("%v", choice)
	}
}

func TestRidgeHoldsOutWholeGroups(t *testing.T) {
	d := &dataset.Dataset{Taxonomy: example.Fruit(), X: &dataset.Matrix{Rows: 50, Indptr: make([]int, 51)}}
	for i := range 50 {
		d.Labels, d.Groups = append(d.Labels, []int{i % 2}), append(d.Groups, fmt.Sprint(i*i%11))
	}
	for _, some := range [][]int{nil, {40, 3, 4, 18, 29, 7, 30, 15, 8, 49, 1}} {
		f := &regression{nodes: occurringNodes(d)}
		if err := f.trainOn(d, some); err != nil {
			t.Fatal(err)
		}
		fold := make(map[string]int)
		for k, r := range f.rows {
			in := 0
			for f.border[in+1] <= k {
				in++
			}
			if before, ok := fold[d.Groups[r]]; ok && before != in {
				t.Errorf("group %s is in the folds %d and %d", d.Groups[r], before, in)
			}
			fold[d.Groups[r]] = in
		}
		want := some
		if some == nil {
			want = make([]int, 50)
			for i := range want {
				want[i] = i
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(f.rows)), slices.Sorted(slices.Values(want))) || len(f.border) < 4 {
			t.Errorf("rows %v in folds that begin at %v", f.rows, f.border)
		}
	}
}
