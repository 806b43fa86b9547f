package forest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// random returns instances with few different values, many of them zero and some stored as such,
// and labels that may be none or inner nodes.
func random(rng *rand.Rand, t *taxonomy.Taxonomy, rows, cols int) *dataset.Dataset {
	x := &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}
	labels := make([][]int, rows)
	for i := range rows {
		for f := range cols {
			if rng.IntN(2) > 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(rng.IntN(7)-3)/2)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
		var set []int
		for range rng.IntN(4) {
			set = append(set, rng.IntN(t.Len()))
		}
		slices.Sort(set)
		labels[i] = t.MostSpecific(slices.Compact(set))
	}
	labels[0] = []int{0}
	return &dataset.Dataset{Name: "random", Taxonomy: t, X: x, Labels: labels}
}

// squares is SS of the rows, each as often as told, by its definition.
func (p *problem) squares(rows []int, times []int32) (ss, n float64) {
	for _, i := range rows {
		n += float64(times[i])
	}
	for v, w := range p.weights {
		var with float64
		for _, i := range rows {
			if slices.Contains(p.labels[i], v) {
				with += float64(times[i])
			}
		}
		ss += w * n * (with / n) * (1 - with/n)
	}
	return ss, n
}

// TestDivisionsAreTheBest compares the division that is found, of all instances or a sample, with
// all there are.
func TestDivisionsAreTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	none, some := 0, 0
	for trial := range 300 {
		tax := example.Random(rng, 2+rng.IntN(9), 2, 1+trial%2)
		d := random(rng, tax, 2+rng.IntN(14), 1+rng.IntN(4))
		s, err := Tree{MinLeaf: 1 + rng.IntN(3), W0: 0.6}.settled(1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newProblem(s, d)
		if err != nil {
			t.Fatal(err)
		}
		g := newGrower(p)
		if trial%3 == 0 {
			g.all(nil)
		} else {
			g.sample(1, trial)
		}
		var rows []int
		var sample []int32
		for i, k := range g.times {
			if k > 0 {
				rows, sample = append(rows, i), append(sample, int32(i))
			}
		}
		g.measure(sample)
		got, err := g.best(t.Context(), sample, p.features)
		if err != nil {
			t.Fatal(err)
		}
		gain := func(f int32, threshold float32) (float64, bool) {
			var yes, no []int
			for _, i := range rows {
				if features, values := d.X.Row(i); valueOf(features, values, f) > threshold {
					yes = append(yes, i)
				} else {
					no = append(no, i)
				}
			}
			all, _ := p.squares(rows, g.times)
			one, n := p.squares(yes, g.times)
			two, m := p.squares(no, g.times)
			return all - one - two, n >= float64(s.MinLeaf) && m >= float64(s.MinLeaf)
		}
		best := 0.0
		for f := range int32(d.X.Cols) {
			for _, i := range rows {
				features, values := d.X.Row(i)
				if v, ok := gain(f, valueOf(features, values, f)); ok && v > best {
					best = v
				}
			}
		}
		if math.Abs(got.gain-best) > 1e-9 {
			t.Fatalf("trial %d: gain %v, the best is %v", trial, got.gain, best)
		}
		if got.gain == 0 {
			none++
			continue
		}
		some++
		if v, ok := gain(got.feature, got.threshold); !ok || math.Abs(v-got.gain) > 1e-9 {
			t.Fatalf("trial %d: the division %+v has the gain %v, allowed: %v", trial, got, v, ok)
		}
	}
	if none < 10 || some < 100 {
		t.Errorf("%d parts without a division, %d with one", none, some)
	}
}

// TestLeavesAreMeans follows every row through the trees of a forest to the shares in its leaf.
func TestLeavesAreMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	tax := example.Graph(12, 3)
	d := random(rng, tax, 60, 5)
	const trees = 7
	m, err := Forest{Trees: trees, Tree: Tree{MinLeaf: 3}, Seed: 5}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	test := random(rng, tax, 30, 5)
	got := m.NodeProbabilities(test.X)
	times := make([]int32, d.Len())
	want := make([][]float64, test.Len())
	for i := range want {
		want[i] = make([]float64, tax.Len())
	}
	for k, tr := range m.trees {
		draw(rand.New(rand.NewPCG(5, uint64(k))), times)
		for i := range want {
			leaf := tr.leaf(test.X.Row(i))
			var n float64
			with := make([]float64, tax.Len())
			for j, k := range times {
				if tr.leaf(d.X.Row(j)) == leaf {
					n += float64(k)
					for _, v := range tax.Closure(d.Labels[j]) {
						with[v] += float64(k)
					}
				}
			}
			if n < 3 {
				t.Fatalf("a leaf of %v instances", n)
			}
			for v, c := range with {
				want[i][v] += c / n / trees
			}
		}
	}
	for i, row := range want {
		for v, p := range row {
			near(t, "probability", got.At(i, v), p)
			for _, child := range tax.Children(v) {
				if got.At(i, child) > got.At(i, v) {
					t.Errorf("row %d: node %d has %v, its child %v", i, v, got.At(i, v), got.At(i, child))
				}
			}
		}
	}
	// Sets are closed: the nodes from the level on, and never none.
	for i, set := range m.Predict(test.X) {
		closed := tax.Closure(set)
		for v := range tax.Len() {
			if above := got.At(i, v) >= m.Level; above != slices.Contains(closed, v) && (above || len(set) != 1) {
				t.Errorf("row %d: node %d has %v, the set is %v", i, v, got.At(i, v), closed)
			}
		}
		if len(set) == 0 {
			t.Errorf("row %d has no label", i)
		}
	}
}

// TestWorkersGrowTheSameForest has the same forest of the same seed, however many goroutines grow
// it and whether the features are few of many or not, and another of another seed.
func TestWorkersGrowTheSameForest(t *testing.T) {
	d := random(rand.New(rand.NewPCG(7, 8)), example.Tree(3, 3), 80, 6)
	fit := func(f Forest, d *dataset.Dataset) *Model {
		m, err := f.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		m.seconds = 0
		return m
	}
	f := Forest{Trees: 9, Seed: 1, Workers: 1}
	one := fit(f, d)
	f.Workers = 4
	if four := fit(f, d); !reflect.DeepEqual(one, four) {
		t.Error("the number of workers changes the forest")
	}
	f.Seed = 2
	if other := fit(f, d); reflect.DeepEqual(one.trees, other.trees) {
		t.Error("another seed gives the same trees")
	}
	// A tree is the same whatever other features there are that no instance has.
	wide := *d
	x := *d.X
	x.Cols, x.Indices = 1<<20, slices.Clone(x.Indices)
	for k := range x.Indices {
		x.Indices[k] *= 1 << 16
	}
	wide.X = &x
	narrow, err := Tree{Significance: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Tree{Significance: 1}.Fit(t.Context(), &wide)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := narrow.NodeProbabilities(d.X), same.NodeProbabilities(wide.X); !reflect.DeepEqual(a, b) || narrow.Leaves() < 3 {
		t.Error("the numbers of the features change the tree")
	}
}

// TestSignificance compares the test with the quantile of its distribution.
func TestSignificance(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		g := &grower{problem: &problem{settings: Tree{Significance: 0.001 + 0.2*rng.Float64()}}, n: float64(3 + rng.IntN(50)), ss: 1}
		gain := 0.4 * rng.Float64()
		f := (g.n - 2) * gain / (1 - gain)
		want := f > distuv.F{D1: 1, D2: g.n - 2}.Quantile(1-g.settings.Significance)
		if got := g.significant(gain); got != want {
			t.Errorf("F = %v of %v instances at %v: %v, want %v", f, g.n, g.settings.Significance, got, want)
		}
	}
	two := &grower{problem: &problem{settings: Tree{Significance: 0.5}}, n: 2, ss: 1}
	if two.significant(1) {
		t.Error("two instances are significant")
	}
	all := &grower{problem: &problem{settings: Tree{Significance: 0.5}}, n: 3, ss: 1}
	if !all.significant(1) {
		t.Error("all of the variance is not significant")
	}
}

// TestDenseAndSparse has the same tree for zeros that are stored.
func TestDenseAndSparse(t *testing.T) {
	d := random(rand.New(rand.NewPCG(11, 12)), example.Tree(2, 2), 50, 4)
	full := make([][]float64, d.Len())
	for i := range full {
		full[i] = make([]float64, d.X.Cols)
		features, values := d.X.Row(i)
		for k, f := range features {
			full[i][f] = float64(values[k])
		}
	}
	x := &dataset.Matrix{Rows: d.Len(), Cols: d.X.Cols, Indptr: []int{0}}
	for _, row := range full {
		for f, v := range row {
			x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	dense := *d
	dense.X = x
	a, err := Tree{Significance: 1, MinLeaf: 2}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Tree{Significance: 1, MinLeaf: 2}.Fit(t.Context(), &dense)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.trees, b.trees) || a.Leaves() < 4 {
		t.Errorf("%d leaves of sparse instances, %d of the same ones with zeros", a.Leaves(), b.Leaves())
	}
}

// TestEvaluation evaluates a forest as package metric does others.
func TestEvaluation(t *testing.T) {
	d := example.Texts(example.Tree(3, 3), 600, 900, 60, 1)
	train, test, err := d.Split(0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Forest{}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Evaluate(m, test)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := metric.NodeScores(m.NodeProbabilities(test.X), test.Labels, test.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	f, err := metric.LabelSets(test.Labels, m.Predict(test.X), test.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	if r.Nodes == nil || r.Nodes.Pooled != nodes.Pooled || !(nodes.Pooled > 0.8) || !(r.Accuracy > 0.4) {
		t.Errorf("AU(PRC) %v, accuracy %v in\n%v", nodes.Pooled, r.Accuracy, r)
	}
	if math.Abs(f.Hierarchical-m.HeldOut) > 0.08 || !(m.HeldOut > 0.6) {
		t.Errorf("F1 %v, held out %v", f.Hierarchical, m.HeldOut)
	}
	for _, text := range []string{m.String(), m.HTML()} {
		if !strings.Contains(text, "random forest") || !strings.Contains(text, "held out") || m.Trees() != 100 {
			t.Errorf("shown as %s", text)
		}
	}
	other := example.Texts(example.Tree(3, 4), 3, 900, 5, 1)
	if _, err := metric.Evaluate(m, other); err == nil || !strings.Contains(err.Error(), "another taxonomy") {
		t.Errorf("another taxonomy: %v", err)
	}
	narrow := example.Texts(test.Taxonomy, 3, 899, 5, 1)
	if _, err := metric.Evaluate(m, narrow); err == nil || !strings.Contains(err.Error(), "the matrix has 899 columns, but the model was trained on 900") {
		t.Errorf("other features: %v", err)
	}
	none := &dataset.Matrix{Cols: 900, Indptr: []int{0}}
	if m.Predict(none) == nil || len(m.Predict(none)) != 0 || !m.LeafScores(none).IsEmpty() {
		t.Error("no rows have predictions")
	}
}

func TestProgress(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 60, 30, 5, 1)
	var told []float64
	tell := func(done float64, _ string) error { told = append(told, done); return nil }
	if _, err := (Forest{Trees: 5, Progress: tell}).Fit(t.Context(), d); err != nil || len(told) != 5 || told[4] != 1 {
		t.Errorf("told %v, %v", told, err)
	}
	told = nil
	if _, err := (Tree{Significance: 1, Progress: tell}).Fit(t.Context(), d); err != nil || len(told) < 2 || told[len(told)-1] != 1 || !slices.IsSorted(told) {
		t.Errorf("told %v, %v", told, err)
	}
	// Of a time that is over, one tree is left.
	m, err := Forest{Trees: 1000, Time: time.Nanosecond}.Fit(t.Context(), d)
	if err != nil || m.Trees() < 1 || m.Trees() > 100 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestErrors(t *testing.T) {
	tax := example.Tree(2)
	good := random(rand.New(rand.NewPCG(1, 1)), tax, 20, 3)
	with := func(change func(*dataset.Dataset)) *dataset.Dataset {
		d := *good
		d.Labels = slices.Clone(d.Labels)
		x := *d.X
		x.Values = slices.Clone(x.Values)
		d.X = &x
		change(&d)
		return &d
	}
	stop := errors.New("enough")
	halt := func(float64, string) error { return stop }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	type fitter interface {
		Fit(ctx context.Context, d *dataset.Dataset) (*Model, error)
	}
	for _, test := range []struct {
		name  string
		ctx   context.Context
		fit   fitter
		d     *dataset.Dataset
		words string
	}{
		{"no data", t.Context(), Tree{}, nil, "the dataset is nil"},
		{"no data", t.Context(), Forest{}, nil, "the dataset is nil"},
		{"no rows", t.Context(), Tree{}, with(func(d *dataset.Dataset) { *d = *d.Subset(nil) }), "has no instances"},
		{"few labels", t.Context(), Tree{}, with(func(d *dataset.Dataset) { d.Labels = d.Labels[1:] }), "labels for 19"},
		{"no labels", t.Context(), Tree{}, with(func(d *dataset.Dataset) { clear(d.Labels) }), "no instance"},
		{"a label", t.Context(), Tree{}, with(func(d *dataset.Dataset) { d.Labels[3] = []int{3} }), "row 3 of dataset \"random\" has label 3"},
		{"order", t.Context(), Tree{}, with(func(d *dataset.Dataset) { d.Labels[3] = []int{2, 1} }), "not ascending"},
		{"NaN", t.Context(), Tree{}, with(func(d *dataset.Dataset) { d.X.Values[0] = float32(math.NaN()) }), "is not finite"},
		{"W0", t.Context(), Tree{W0: 1.5}, good, "W0 is 1.5"},
		{"Parents", t.Context(), Tree{Parents: 4}, good, "Parents is 4"},
		{"Significance", t.Context(), Tree{Significance: -1}, good, "Significance is -1"},
		{"MinLeaf", t.Context(), Tree{MinLeaf: -1}, good, "MinLeaf is -1"},
		{"MinLeaf", t.Context(), Forest{Tree: Tree{MinLeaf: -1}}, good, "MinLeaf is -1"},
		{"Trees", t.Context(), Forest{Trees: -1}, good, "-1 trees"},
		{"Features", t.Context(), Forest{Features: 3}, good, "Features is 3"},
		{"Time", t.Context(), Forest{Time: -1}, good, "Time is -1ns"},
		{"stopped", t.Context(), Tree{Progress: halt}, good, "enough"},
		{"stopped", t.Context(), Forest{Progress: halt}, good, "enough"},
		{"cancelled", cancelled, Tree{}, good, "context canceled"},
		{"cancelled", cancelled, Forest{}, good, "context canceled"},
	} {
		if m, err := test.fit.Fit(test.ctx, test.d); err == nil || m != nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: error %v; want one that says %q", test.name, err, test.words)
		}
	}
}

// TestOneInstance has leaves alone.
func TestOneInstance(t *testing.T) {
	d := random(rand.New(rand.NewPCG(1, 1)), example.Tree(2), 1, 3)
	for _, f := range []interface {
		Fit(ctx context.Context, d *dataset.Dataset) (*Model, error)
	}{Tree{}, Forest{Trees: 2}, Forest{Features: All}} {
		m, err := f.Fit(t.Context(), d)
		if err != nil || m.Leaves() != m.Trees() || !slices.Equal(m.Predict(d.X)[0], []int{0}) {
			t.Errorf("%v, %v", m, err)
		}
	}
}

func TestNames(t *testing.T) {
	text, err := json.Marshal(struct {
		A Aggregate
		S Subset
	}{Minimum, Logarithm})
	if err != nil || string(text) != `{"A":"Minimum","S":"Logarithm"}` {
		t.Errorf("%s, %v", text, err)
	}
	var s Subset
	if err := s.UnmarshalText([]byte("all")); err != nil || s != All || s.String() != "All" || Subset(7).String() != "Subset(7)" || Maximum.String() != "Maximum" {
		t.Errorf("%v, %v", s, err)
	}
	for n, want := range map[int][3]int{1: {1, 1, 1}, 173: {14, 8, 173}, 0: {1, 1, 0}} {
		if got := [3]int{SquareRoot.of(n), Logarithm.of(n), All.of(n)}; got != want {
			t.Errorf("of %d features %v are tried, want %v", n, got, want)
		}
	}
}

// TestExtremeNumbers divides at numbers of all sizes, and takes more features than memory has room
// for.
func TestExtremeNumbers(t *testing.T) {
	values := []float32{-math.MaxFloat32, -1, -math.SmallestNonzeroFloat32, 0, math.SmallestNonzeroFloat32, 1, math.MaxFloat32}
	const last = math.MaxInt32 - 1
	tax := example.Tree(len(values))
	d := &dataset.Dataset{Taxonomy: tax, X: &dataset.Matrix{Rows: len(values), Cols: math.MaxInt32, Indptr: []int{0}}}
	for i, v := range values {
		d.X.Indices, d.X.Values, d.X.Indptr = append(d.X.Indices, last), append(d.X.Values, v), append(d.X.Indptr, i+1)
		d.Labels = append(d.Labels, []int{tax.Leaves()[i]})
	}
	m, err := Tree{MinLeaf: 1, Significance: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range m.Predict(d.X) {
		if !slices.Equal(set, d.Labels[i]) {
			t.Errorf("%v is predicted to be %v, not %v", values[i], set, d.Labels[i])
		}
	}
	if err := m.Check(d.X); err != nil {
		t.Error(err)
	}
	if got := m.Predict(&dataset.Matrix{Rows: 1, Cols: d.X.Cols, Indptr: []int{0, 0}})[0]; !slices.Equal(got, d.Labels[3]) {
		t.Errorf("without features %v", got)
	}
}

// TestOtherVocabulariesAreRefused gives a forest a matrix whose columns have other names.
func TestOtherVocabulariesAreRefused(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 40, 10, 5, 1)
	d.Vocabulary = strings.Split("abcdefghij", "")
	m, err := Tree{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	x := *d.X
	x.Vocabulary = strings.Split("abcxefghij", "")
	const want = `column 3 of the matrix is "x", but column 3 of the training data is "d"`
	for name, call := range map[string]func() error{
		"Check":  func() error { return m.Check(&x) },
		"Decide": func() error { _, err := m.Decide(&x, nil); return err },
		"Predict": func() (err error) {
			defer func() { err = recover().(error) }()
			m.Predict(&x)
			return nil
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
