package perceptron

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// random returns a taxonomy of some kind and instances of small whole numbers with several labels
// each, or with one.
func random(t *testing.T, seed uint64, single bool) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	n := 4 + r.IntN(8)
	ids := r.Perm(n)
	var edges [][2]int
	for k := 1; k < n; k++ {
		switch seed % 4 {
		case 0: // a tree
			edges = append(edges, [2]int{ids[r.IntN(k)], ids[k]})
		case 1: // a forest
			if r.IntN(3) > 0 {
				edges = append(edges, [2]int{ids[r.IntN(k)], ids[k]})
			}
		case 2: // a DAG
			for _, parent := range r.Perm(k)[:1+r.IntN(min(2, k))] {
				edges = append(edges, [2]int{ids[parent], ids[k]})
			}
		case 3: // chains
			if k%3 != 1 {
				edges = append(edges, [2]int{ids[k-1], ids[k]})
			} else {
				edges = append(edges, [2]int{ids[0], ids[k]})
			}
		}
	}
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	leaves := g.Leaves()
	x := &dataset.Matrix{Rows: 8 + r.IntN(8), Cols: 4, Indptr: []int{0}}
	labels := make([][]int, x.Rows)
	for i := range labels {
		for f := range x.Cols {
			if v := r.IntN(7) - 3; v != 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
		count := 1
		if !single {
			count = r.IntN(len(leaves) + 1)
		}
		for _, k := range r.Perm(len(leaves))[:count] {
			labels[i] = append(labels[i], leaves[k])
		}
		slices.Sort(labels[i])
	}
	return &dataset.Dataset{Name: "random " + strconv.Itoa(int(seed)), Taxonomy: g, X: x, Labels: labels}
}

// tolerance is how far numbers are apart at least in these tests that are not equal by definition.
const tolerance = 1e-9

// naive is a method written down as in [Cai08], with a weight vector for every node, in order of
// their ids.
type naive struct {
	d       *dataset.Dataset
	loss    loss.Loss
	flat    bool
	hieron  bool
	w       [][]float64
	average [][]float64 // of w after every step
	updates []string

	converged bool
}

func newNaive(d *dataset.Dataset, l loss.Loss) *naive {
	m := &naive{d: d, loss: l}
	for range d.Taxonomy.Len() {
		m.w, m.average = append(m.w, make([]float64, d.X.Cols)), append(m.average, make([]float64, d.X.Cols))
	}
	return m
}

func (m *naive) nodes(leaf int) []int {
	if m.flat {
		return []int{leaf}
	}
	return m.d.Taxonomy.Ancestors(leaf)
}

func (m *naive) score(i, leaf int) (sum float64) {
	indices, values := m.d.X.Row(i)
	for _, n := range m.nodes(leaf) {
		for k, f := range indices {
			sum += m.w[n][f] * float64(values[k])
		}
	}
	return sum
}

// worst returns the pair of the least margin.
func (m *naive) worst(i int) (y, z int, margin float64) {
	y, z, margin = -1, -1, math.Inf(1)
	for _, a := range m.d.Labels[i] {
		for _, b := range m.d.Taxonomy.Leaves() {
			if slices.Contains(m.d.Labels[i], b) {
				continue
			}
			if v := m.score(i, a) - m.score(i, b); v < margin-tolerance {
				y, z, margin = a, b, v
			}
		}
	}
	return y, z, margin
}

func (m *naive) add(step, i, y, z int, size float64) {
	m.updates = append(m.updates, fmt.Sprint(step, i, y, z, " ", strconv.FormatFloat(size, 'g', 9, 64)))
	indices, values := m.d.X.Row(i)
	for k, f := range indices {
		for _, n := range m.nodes(y) {
			m.w[n][f] += size * float64(values[k])
		}
		for _, n := range m.nodes(z) {
			m.w[n][f] -= size * float64(values[k])
		}
	}
}

// epochs runs [Cai08, Algorithm 6], whose last w is that of Algorithm 4, or the averaged or online
// Hieron.
func (m *naive) epochs(n int, averaged bool) {
	steps := 0
	for range n {
		before := len(m.updates)
		for i := range m.d.Labels {
			steps++
			if m.hieron {
				m.project(steps, i, averaged)
			} else if y, z, margin := m.worst(i); margin <= tolerance {
				m.add(steps, i, y, z, m.loss.Cost(y, z))
			}
			for k, row := range m.w {
				for f, v := range row {
					m.average[k][f] += v
				}
			}
		}
		if m.converged = len(m.updates) == before; m.converged {
			break
		}
	}
	for _, row := range m.average {
		for f := range row {
			row[f] /= float64(steps)
		}
	}
}

func (m *naive) project(step, i int, averaged bool) {
	y := m.d.Labels[i][0]
	best, at := math.Inf(-1), -1
	for _, z := range m.d.Taxonomy.Leaves() {
		v := m.score(i, z)
		if averaged {
			v += math.Sqrt(m.loss.Cost(y, z))
		}
		if v > best+tolerance {
			best, at = v, z
		}
	}
	var square float64
	_, values := m.d.X.Row(i)
	for _, v := range values {
		square += float64(v) * float64(v)
	}
	if at == y || square == 0 {
		return
	}
	differ := 0
	for n := range m.w {
		if slices.Contains(m.nodes(y), n) != slices.Contains(m.nodes(at), n) {
			differ++
		}
	}
	size := (math.Sqrt(m.loss.Cost(y, at)) - m.score(i, y) + m.score(i, at)) / (float64(differ) * square)
	if size > tolerance {
		m.add(step, i, y, at, size)
	}
}

// minover runs [Cai08, Algorithm 7].
func (m *naive) minover(epochs int) {
	for step := range epochs * m.d.X.Rows {
		least, at := math.Inf(1), -1
		for i := range m.d.Labels {
			if _, _, margin := m.worst(i); margin < least-tolerance {
				least, at = margin, i
			}
		}
		if at < 0 || least > tolerance {
			m.converged = true
			return
		}
		y, z, _ := m.worst(at)
		m.add(step+1, at, y, z, m.loss.Cost(y, z))
	}
}

// scores are those of all leaves.
func scoresOf(m *naive, w [][]float64) [][]float64 {
	m.w = w
	scores := make([][]float64, m.d.X.Rows)
	for i := range scores {
		for _, leaf := range m.d.Taxonomy.Leaves() {
			scores[i] = append(scores[i], m.score(i, leaf))
		}
	}
	return scores
}

// TestNaive compares every method with the naive one: updates, and what the model scores.
func TestNaive(t *testing.T) {
	const epochs = 6
	for seed := range uint64(60) {
		for name, form := range map[string]struct {
			single bool
			run    func(m *naive)
			want   func(m *naive) [][]float64
			make   func(l loss.Loss, s Settings) estimator
		}{
			"flat": {
				run:  func(m *naive) { m.flat, m.loss = true, loss.ZeroOne(); m.epochs(epochs, false) },
				make: func(l loss.Loss, s Settings) estimator { return Flat{Settings: s} },
			},
			"online": {
				run:  func(m *naive) { m.epochs(epochs, false) },
				make: func(l loss.Loss, s Settings) estimator { return Hierarchical{Loss: l, Settings: s} },
			},
			"dual": {
				run: func(m *naive) { m.epochs(epochs, false) },
				make: func(l loss.Loss, s Settings) estimator {
					return Hierarchical{Loss: l, Kernel: gram.Linear{}, Settings: s}
				},
			},
			"averaged": {
				run:  func(m *naive) { m.epochs(epochs, true) },
				want: func(m *naive) [][]float64 { return m.average },
				make: func(l loss.Loss, s Settings) estimator { return Hierarchical{Loss: l, Averaged: true, Settings: s} },
			},
			"averaged dual": {
				run:  func(m *naive) { m.epochs(epochs, true) },
				want: func(m *naive) [][]float64 { return m.average },
				make: func(l loss.Loss, s Settings) estimator {
					return Hierarchical{Loss: l, Averaged: true, Kernel: gram.Polynomial{Degree: 1}, Settings: s}
				},
			},
			"minover": {
				run:  func(m *naive) { m.minover(epochs) },
				make: func(l loss.Loss, s Settings) estimator { return Hierarchical{Loss: l, Minover: true, Settings: s} },
			},
			"dual minover": {
				run: func(m *naive) { m.minover(epochs) },
				make: func(l loss.Loss, s Settings) estimator {
					return Hierarchical{Loss: l, Minover: true, Kernel: gram.Linear{}, Settings: s}
				},
			},
			"Hieron": {
				single: true,
				run:    func(m *naive) { m.hieron = true; m.epochs(epochs, false) },
				make:   func(l loss.Loss, s Settings) estimator { return Hieron{Loss: l, Settings: s} },
			},
			"flat Hieron": {
				single: true,
				run:    func(m *naive) { m.hieron, m.flat, m.loss = true, true, loss.ZeroOne(); m.epochs(epochs, false) },
				make:   func(l loss.Loss, s Settings) estimator { return Hieron{Flat: true, Settings: s} },
			},
			"averaged Hieron": {
				single: true,
				run:    func(m *naive) { m.hieron = true; m.epochs(epochs, true) },
				want:   func(m *naive) [][]float64 { return m.average },
				make:   func(l loss.Loss, s Settings) estimator { return Hieron{Loss: l, Averaged: true, Settings: s} },
			},
			"averaged dual Hieron": {
				single: true,
				run:    func(m *naive) { m.hieron = true; m.epochs(epochs, true) },
				want:   func(m *naive) [][]float64 { return m.average },
				make: func(l loss.Loss, s Settings) estimator {
					return Hieron{Loss: l, Averaged: true, Kernel: gram.Linear{}, Settings: s}
				},
			},
		} {
			d := random(t, seed, form.single)
			l := []loss.Loss{loss.Symdiff(d.Taxonomy), loss.Half(d.Taxonomy), loss.HalfGraph(d.Taxonomy)}[seed%3]
			want := newNaive(d, l)
			form.run(want)
			w := want.w
			if form.want != nil {
				w = form.want(want)
			}
			var updates []string
			s := Settings{Epochs: epochs, Observe: func(u Update) {
				updates = append(updates, fmt.Sprint(u.Step, u.Instance, u.Label, u.Other, " ", strconv.FormatFloat(u.Size, 'g', 9, 64)))
			}}
			o, err := fit(t.Context(), form.make(l, s), d)
			if err != nil {
				t.Fatalf("%s, %s: %v", d.Name, name, err)
			}
			if !slices.Equal(updates, want.updates) {
				t.Fatalf("%s, %s: updates\n%q, want\n%q", d.Name, name, updates, want.updates)
			}
			if converged := o.model.Training.Status == solver.Converged; converged != want.converged {
				t.Errorf("%s, %s: converged is %v, want %v", d.Name, name, converged, want.converged)
			}
			scores := o.model.LeafScores(d.X)
			for i, row := range scoresOf(want, w) {
				for k, v := range row {
					if o.model.Unseen(d.Taxonomy.Leaves()[k]) && math.IsInf(scores.At(i, k), -1) {
						continue // it is not predicted, whatever its score
					}
					if math.Abs(scores.At(i, k)-v) > 1e-9*math.Max(1, math.Abs(v)) {
						t.Fatalf("%s, %s: row %d, leaf %d scores %v, want %v", d.Name, name, i, k, scores.At(i, k), v)
					}
				}
			}
		}
	}
}

// TestThirds has losses whose sums are rounded in binary: margins that are zero by definition have
// to be zero.
func TestThirds(t *testing.T) {
	for seed := range uint64(40) {
		d := random(t, 4*seed, false)
		thirds := loss.Symdiff(d.Taxonomy)
		want, got := []Update{}, []Update{}
		for _, run := range []struct {
			to   *[]Update
			loss loss.Loss
		}{{&want, thirds}, {&got, scaled{thirds, 1.0 / 21}}} {
			s := Settings{Epochs: 10, Observe: func(u Update) { u.Size, u.Margin = 0, 0; *run.to = append(*run.to, u) }}
			if _, err := fit(t.Context(), Hierarchical{Loss: run.loss, Settings: s}, d); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: a loss 21 times smaller makes other updates: %v, want %v", d.Name, got, want)
		}
	}
}

// scaled is a loss times a factor.
type scaled struct {
	loss.Loss
	factor float64
}

func (s scaled) Cost(truth, predicted int) float64 { return s.factor * s.Loss.Cost(truth, predicted) }

// TestHalfLoss: half of the loss makes the same updates of a Hieron, and weights 1/sqrt(2) times as
// long.
func TestHalfLoss(t *testing.T) {
	for seed := range uint64(20) {
		for _, averaged := range []bool{false, true} {
			d := random(t, seed, true)
			var pairs [2][][3]int
			var models [2]*outcome
			for k, l := range []loss.Loss{loss.Symdiff(d.Taxonomy), loss.Half(d.Taxonomy)} {
				s := Settings{Observe: func(u Update) { pairs[k] = append(pairs[k], [3]int{u.Step, u.Label, u.Other}) }}
				var err error
				if models[k], err = fit(t.Context(), Hieron{Loss: l, Averaged: averaged, Settings: s}, d); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(pairs[0], pairs[1]) {
				t.Fatalf("%s, averaged %v: half of the loss makes other updates", d.Name, averaged)
			}
			for n := range d.Taxonomy.Len() {
				whole, half := models[0].model.Weights(n), models[1].model.Weights(n)
				for f, v := range whole {
					if math.Abs(half[f]-v/math.Sqrt2) > 1e-9 {
						t.Fatalf("%s, averaged %v: weight of node %d is %v and for half of the loss %v", d.Name, averaged, n, v, half[f])
					}
				}
			}
		}
	}
}

// TestStorage: weights in float32, all or those that are not zero, make the updates of those in
// float64 where they are small whole numbers.
func TestStorage(t *testing.T) {
	for seed := range uint64(24) {
		for _, averaged := range []bool{false, true} {
			d := random(t, seed, false)
			m, err := prepare(Hierarchical{Loss: loss.Symdiff(d.Taxonomy), Averaged: averaged}, d)
			if err != nil {
				t.Fatal(err)
			}
			labels, err := m.positions(d)
			if err != nil {
				t.Fatal(err)
			}
			var wide *classifier.Model
			for _, w := range []primal{
				newLinear(m.attributes, d.X.Cols, true, averaged), newLinear(m.attributes, d.X.Cols, false, averaged), newSparse(m.attributes, d.X.Cols, averaged),
			} {
				c := &core{rule: newRule(m), weights: w}
				for range 5 {
					for i, set := range labels {
						if _, err := c.visit(&instance{Vector: gram.Row(d.X, i), number: i, labels: set}); err != nil {
							t.Fatal(err)
						}
					}
				}
				for _, keep := range []bool{true, false} {
					got := w.model(classifier.Training{}, d, averaged, c.steps, keep)
					if wide == nil {
						wide = got
					}
					for n := range d.Taxonomy.Len() {
						for f, v := range wide.Weights(n) {
							if u := got.Weights(n)[f]; math.Abs(u-v) > 1e-5*math.Max(1, math.Abs(v)) {
								t.Fatalf("%s, %T: weight of node %d, feature %d is %v, want %v", d.Name, w, n, f, u, v)
							}
						}
					}
				}
			}
		}
	}
}

// TestSparseRow adds to a row in random places and compares with a row of all.
func TestSparseRow(t *testing.T) {
	const all = 400
	rng := rand.New(rand.NewPCG(1, 1))
	row, want := &sparseRow{columns: []int32{}}, make([]float32, all)
	full := 0
	for n := range 200 {
		columns := make([]int32, 0, 5)
		for _, c := range rng.Perm(all)[:1+n%5] {
			columns = append(columns, int32(c))
		}
		slices.Sort(columns)
		row.reserve(columns, true, all)
		for _, c := range columns {
			at := int(c)
			if row.columns != nil {
				var ok bool
				if at, ok = slices.BinarySearch(row.columns, c); !ok {
					t.Fatalf("no place for column %d", c)
				}
			} else {
				full++
			}
			v := rng.Float32()
			row.w[at] += v
			row.delay[at] = -row.w[at]
			want[c] += v
		}
		for c, v := range want {
			at, ok := c, true
			if row.columns != nil {
				at, ok = slices.BinarySearch(row.columns, int32(c))
			}
			if !ok && v != 0 || ok && (row.w[at] != v || row.delay[at] != -v) {
				t.Fatalf("after %d additions column %d is wrong, want %v", n+1, c, v)
			}
		}
	}
	if full == 0 {
		t.Error("the row was never full")
	}
}
