package experiment

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun"
)

// shapes are kinds of data that users have and methods do not expect.
var shapes = []struct {
	name string
	make func(r *rand.Rand) *dataset.Dataset
}{
	{"no rows", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Tree(2, 2), 0, 3) }},
	{"one row", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Tree(2, 2), 1, 3) }},
	{"rows without features", func(r *rand.Rand) *dataset.Dataset { return scaled(drawn(r, example.Tree(2, 2), 12, 3), 0) }},
	{"no columns", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Tree(2, 2), 12, 0) }},
	{"one column", func(r *rand.Rand) *dataset.Dataset { return drawn(r, someTree(r), 20, 1) }},
	{"equal columns", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 20, 4)
		for i := range d.X.Rows {
			_, values := d.X.Row(i)
			for f := range values {
				values[f] = values[0]
			}
		}
		return d
	}},
	{"rows without features in a subtree", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, example.Tree(3, 3), 30, 4)
		return kept(d, func(i int, _ int32) bool { return !below(d.Taxonomy, 2, d.Labels[i]) })
	}},
	{"subtrees without rows", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, example.Tree(3, 3), 40, 4)
		var rows []int
		for i, set := range d.Labels {
			if !below(d.Taxonomy, 1, set) {
				rows = append(rows, i)
			}
		}
		return d.Subset(rows)
	}},
	{"one class", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 15, 3)
		for i := range d.Labels {
			d.Labels[i] = d.Labels[0]
		}
		return d
	}},
	{"chain", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Tree(1, 1, 2, 1), 20, 3) }},
	{"graph", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Graph(8+r.IntN(8), r.Uint64()), 25, 4) }},
	{"one node", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Tree(), 8, 2) }},
	{"roots alone", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Random(r, 4, 4, 1), 20, 3) }},
	{"forest", func(r *rand.Rand) *dataset.Dataset { return drawn(r, example.Random(r, 12, 3, 1), 25, 4) }},
	{"equal rows of several classes", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 20, 3)
		for i := range d.X.Rows {
			_, first := d.X.Row(i % 2)
			_, values := d.X.Row(i)
			copy(values, first)
		}
		return d
	}},
	{"values of any size", func(r *rand.Rand) *dataset.Dataset {
		return scaled(drawn(r, someTree(r), 25, 4), math.Pow(10, 60*r.Float64()-30))
	}},
	{"columns of any size", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 25, 4)
		for f := range d.X.Cols {
			by := math.Pow(10, 60*r.Float64()-30)
			for k := f; k < len(d.X.Values); k += d.X.Cols {
				d.X.Values[k] *= float32(by)
			}
		}
		return d
	}},
	{"values near the largest", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 20, 3)
		for k, v := range d.X.Values {
			d.X.Values[k] = float32(math.Copysign(math.MaxFloat32, float64(v)))
		}
		return d
	}},
	{"a large feature index", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 20, 3)
		d.X.Cols = math.MaxInt32
		for i := range d.X.Rows {
			d.X.Indices[3*i+2] = math.MaxInt32 - 1
		}
		return d
	}},
	{"several labels", func(r *rand.Rand) *dataset.Dataset { return relabelled(r, drawn(r, someTree(r), 25, 4), true, 0) }},
	{"labels of a graph", func(r *rand.Rand) *dataset.Dataset {
		return relabelled(r, drawn(r, example.Graph(12, r.Uint64()), 25, 4), false, 0)
	}},
	{"labels at inner nodes", func(r *rand.Rand) *dataset.Dataset { return relabelled(r, drawn(r, someTree(r), 25, 4), false, 0) }},
	{"rows without labels", func(r *rand.Rand) *dataset.Dataset { return relabelled(r, drawn(r, someTree(r), 25, 4), true, 0.5) }},
	{"no labels", func(r *rand.Rand) *dataset.Dataset { return relabelled(r, drawn(r, someTree(r), 10, 3), true, 1) }},
	{"weights", func(r *rand.Rand) *dataset.Dataset {
		d := drawn(r, someTree(r), 25, 4)
		d.Weights = make([]float64, d.Len())
		for i := range d.Weights {
			d.Weights[i] = float64(r.IntN(4)) * math.Pow(10, 12*r.Float64()-6)
		}
		return d
	}},
	{"sparse", func(r *rand.Rand) *dataset.Dataset {
		return kept(drawn(r, someTree(r), 30, 12), func(int, int32) bool { return r.IntN(5) == 0 })
	}},
	{"counts", func(r *rand.Rand) *dataset.Dataset { return counts(r, someTree(r), 1) }},
	{"counts of a graph", func(r *rand.Rand) *dataset.Dataset { return counts(r, example.Graph(12, r.Uint64()), 1) }},
	{"large counts", func(r *rand.Rand) *dataset.Dataset { return counts(r, someTree(r), math.Pow(10, 30*r.Float64())) }},
	{"counts without rows in a subtree", func(r *rand.Rand) *dataset.Dataset {
		d := counts(r, example.Tree(3, 2), 1)
		return kept(d, func(i int, _ int32) bool { return !below(d.Taxonomy, 3, d.Labels[i]) })
	}},
}

func someTree(r *rand.Rand) *taxonomy.Taxonomy {
	return []*taxonomy.Taxonomy{example.Tree(2), example.Tree(2, 2), example.Tree(2, 3), example.Tree(1, 3), example.Random(r, 10, 1, 1)}[r.IntN(5)]
}

// drawn returns rows around a place for each leaf.
func drawn(r *rand.Rand, g *taxonomy.Taxonomy, rows, cols int) *dataset.Dataset {
	x := &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}
	leaves := g.Leaves()
	d := &dataset.Dataset{Name: "drawn", Taxonomy: g, X: x, Labels: make([][]int, rows)}
	for i := range rows {
		y := r.IntN(len(leaves))
		d.Labels[i] = []int{leaves[y]}
		for f := range cols {
			x.Indices = append(x.Indices, int32(f))
			x.Values = append(x.Values, float32(r.NormFloat64()+float64((y>>(f%3))&1)+0.01))
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	return d
}

func scaled(d *dataset.Dataset, by float64) *dataset.Dataset {
	for k := range d.X.Values {
		d.X.Values[k] = float32(float64(d.X.Values[k]) * by)
	}
	return d
}

// kept returns the data with some of the values alone.
func kept(d *dataset.Dataset, keep func(i int, f int32) bool) *dataset.Dataset {
	x := &dataset.Matrix{Rows: d.X.Rows, Cols: d.X.Cols, Indptr: []int{0}}
	for i := range d.X.Rows {
		columns, values := d.X.Row(i)
		for k, f := range columns {
			if keep(i, f) {
				x.Indices, x.Values = append(x.Indices, f), append(x.Values, values[k])
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	d.X = x
	return d
}

// counts returns a few words of ten a row.
func counts(r *rand.Rand, g *taxonomy.Taxonomy, by float64) *dataset.Dataset {
	d := kept(drawn(r, g, 30, 10), func(int, int32) bool { return r.IntN(3) == 0 })
	for k, v := range d.X.Values {
		d.X.Values[k] = float32(math.Ceil(math.Abs(float64(v))) * by)
	}
	return d
}

// below reports whether a label is at or below a node.
func below(g *taxonomy.Taxonomy, n int, set []int) bool { return slices.Contains(g.Closure(set), n) }

// relabelled draws sets of labels, of leaves alone or of any nodes, with a share that is empty.
func relabelled(r *rand.Rand, d *dataset.Dataset, leaves bool, empty float64) *dataset.Dataset {
	nodes := d.Taxonomy.Topological()
	if leaves {
		nodes = d.Taxonomy.Leaves()
	}
	for i := range d.Labels {
		set := []int{}
		if r.Float64() >= empty {
			for range 1 + r.IntN(3) {
				set = append(set, nodes[r.IntN(len(nodes))])
			}
		}
		slices.Sort(set)
		d.Labels[i] = slices.Compact(set)
	}
	return d
}

// briefly returns an estimator of the type that trains for a short time.
func briefly(kind reflect.Type, intercept float64) fitter {
	v := reflect.New(kind).Elem()
	if f := v.FieldByName("Estimator"); f.IsValid() {
		f.Set(reflect.ValueOf(svm.Hierarchical{}))
		if kind == reflect.TypeFor[svm.LogitAdjusted]() || kind == reflect.TypeFor[decision.By]() {
			f.Set(reflect.ValueOf(svm.HierarchicalSoftmax{Intercept: intercept}))
		}
	}
	if f := v.FieldByName("Intercept"); f.IsValid() {
		f.SetFloat(intercept)
	}
	setWhere(v, "MaxEpochs", reflect.ValueOf(20), true)
	setWhere(v, "Trees", reflect.ValueOf(4), true)
	fit, err := fitterOf(v.Interface())
	if err != nil {
		panic(err)
	}
	return fit
}

// leafNames calls the first features as the leaves are called, as words of texts may be.
func leafNames(d *dataset.Dataset) []string {
	names := make([]string, d.X.Cols)
	leaves := d.Taxonomy.Leaves()
	for f := range names {
		if names[f] = fmt.Sprint("word", f); f < len(leaves) {
			names[f] = strings.ToLower(d.Taxonomy.LabelName(leaves[f]))
		}
	}
	return names
}

// TestRandomData trains every estimator that a study can name on random data of all shapes. It may
// refuse them by an error. A model has scores that are numbers, a certificate that is true, a file
// that gives the same model, and one answer to the question what it predicts. The long form has 30
// data sets of each shape.
func TestRandomData(t *testing.T) {
	each := 2
	if testrun.Long() {
		each = 30
	}
	trained := make(map[string]int)
	for k, shape := range shapes {
		for seed := range each {
			for _, name := range slices.Sorted(maps.Keys(estimatorTypes())) {
				d := shape.make(rand.New(rand.NewPCG(uint64(k), uint64(seed))))
				if name == "svm.Described" && d.X.Cols < 1000 { // names of all columns take memory
					d.Vocabulary = leafNames(d)
				}
				c := &checks{t: t, what: fmt.Sprintf("%s, %s, seed %d", name, shape.name, seed), d: d}
				if c.train(briefly(estimatorTypes()[name], float64(seed%2))) {
					trained[name]++
				}
			}
		}
	}
	for name := range estimatorTypes() {
		if trained[name] < 3*each {
			t.Errorf("%s trains on %d data sets of %d", name, trained[name], len(shapes)*each)
		}
	}
}

// checks are those of a training.
type checks struct {
	t    *testing.T
	what string
	d    *dataset.Dataset
}

func (c *checks) errorf(format string, values ...any) {
	c.t.Errorf("%s: %s", c.what, fmt.Sprintf(format, values...))
}

// train trains and checks the model, if there is one.
func (c *checks) train(fit fitter) bool {
	defer func() {
		if e := recover(); e != nil {
			c.errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	m, err := fit(progress.Silent(context.Background()), c.d)
	if err != nil {
		return false
	}
	c.scorer(m)
	switch m := m.(type) {
	case *classifier.Model:
		c.model(m)
	case *svm.NodeSetModel:
		c.nodes(m.Taxonomy, m.NodeProbabilities(c.d.X), m.Predict(c.d.X))
		c.certificate(m.Model)
	case *forest.Model:
		c.nodes(m.Taxonomy, m.NodeProbabilities(c.d.X), m.Predict(c.d.X))
	case *decision.Model:
		c.decisions(m)
	case *clustering.Translated:
		own, ok := m.Model.(*classifier.Model)
		if !ok {
			c.errorf("a %T is translated", m.Model)
			break
		}
		c.certificate(own)
		predicted, err := m.Predict(c.d.X)
		if err != nil {
			c.errorf("%v", err)
		}
		for i, n := range own.Predict(c.d.X) {
			if got, want := m.To.LabelName(predicted[i]), own.Taxonomy.LabelName(n); got != want {
				c.errorf("row %d is %q, and %q for the model itself", i, got, want)
			}
		}
	default:
		c.errorf("a model of type %T is not checked", m)
	}
	return true
}

// scorer checks what package metric asks of any model.
func (c *checks) scorer(m metric.Scorer) {
	c.numbers("scores of leaves", m.LeafScores(c.d.X))
	decider := m.(interface {
		Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error)
	})
	first, err := decider.Decide(c.d.X, nil)
	if err != nil {
		c.errorf("%v", err)
	}
	second, err := decider.Decide(c.d.X, m.LeafScores(c.d.X))
	if err != nil || !reflect.DeepEqual(first, second) {
		c.errorf("decides for %v without scores, for %v with them, %v", first, second, err)
	}
}

func (c *checks) numbers(what string, scores *mat.Dense) {
	if scores.IsEmpty() {
		return
	}
	if at := slices.IndexFunc(scores.RawMatrix().Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 1) }); at >= 0 {
		c.errorf("%s: %v", what, scores.RawMatrix().Data[at])
	}
}

// nodes checks probabilities of nodes and what is predicted by them.
func (c *checks) nodes(g *taxonomy.Taxonomy, p *mat.Dense, sets [][]int) {
	for i := range sets {
		for n := range g.Len() {
			v := p.At(i, n)
			if !(v >= 0 && v <= 1+1e-12) {
				c.errorf("row %d has node %d with probability %v", i, n, v)
			}
			for _, child := range g.Children(n) {
				if p.At(i, child) > v {
					c.errorf("row %d: probability %v of node %d below %v", i, p.At(i, child), child, v)
				}
			}
		}
		if len(sets[i]) == 0 || !slices.Equal(sets[i], g.MostSpecific(slices.Clone(sets[i]))) {
			c.errorf("row %d has the set %v", i, sets[i])
		}
	}
}

// decisions checks what a rule decides for: one node, with a loss that a path of the taxonomy can
// have.
func (c *checks) decisions(m *decision.Model) {
	sets, values, err := m.Sets(context.Background(), c.d.X)
	if err != nil {
		c.errorf("%v", err)
	}
	for i, set := range sets {
		if len(set) != 1 || !(values[i] >= 0 && values[i] <= float64(2*c.d.Taxonomy.Len())) {
			c.errorf("row %d: %v is decided for, with %v", i, set, values[i])
		}
	}
}

// certificate checks that no training ends above zero weights or below its bound.
func (c *checks) certificate(m *classifier.Model) {
	r := m.Training.Certificate
	if r == nil {
		return
	}
	if !(r.Dual <= r.Primal*(1+1e-9)) || math.IsInf(r.Primal, 0) || r.Dual < 0 {
		c.errorf("primal %v, dual %v", r.Primal, r.Dual)
	}
	if r.Origin > 0 && !(r.Primal <= r.Origin*(1+1e-9)) {
		c.errorf("primal %v, and %v at zero weights", r.Primal, r.Origin)
	}
}

// model checks a model of scores.
func (c *checks) model(m *classifier.Model) {
	x := c.d.X
	c.certificate(m)
	c.numbers("scores of nodes", m.NodeScores(x))
	if m.Link() != classifier.NoLink && m.Link() != classifier.Margin {
		p, err := m.LeafProbabilities(x)
		if err != nil {
			c.errorf("%v", err)
		} else if slices.ContainsFunc(p.RawMatrix().Data, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
			c.errorf("probabilities %v", p.RawMatrix().Data)
		}
	}
	predicted, ranked := m.Predict(x), m.Rank(x, 3)
	for i, r := range ranked {
		if r[0].Node != predicted[i] {
			c.errorf("row %d is predicted as %d and ranked as %v", i, predicted[i], r)
		}
	}
	if m.Rule == classifier.Highest || m.Rule == classifier.Descend {
		decided, err := m.Decide(x, nil)
		if err != nil {
			c.errorf("%v", err)
		}
		for i, set := range decided {
			if !slices.Equal(set, predicted[i:i+1]) {
				c.errorf("row %d is predicted as %d and decided for as %v", i, predicted[i], set)
			}
		}
	}
	var file bytes.Buffer
	if err := m.Write(&file, classifier.Format{}); err != nil {
		c.errorf("%v", err)
	} else if loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil {
		c.errorf("the file cannot be read: %v", err)
	} else if !slices.Equal(loaded.Predict(x), predicted) || !mat.Equal(loaded.LeafScores(x), m.LeafScores(x)) || !reflect.DeepEqual(loaded.Rank(x, 3), ranked) {
		c.errorf("the model of the file is another")
	}
	if beam, err := m.NewBeam(m.Taxonomy.Len()); err == nil {
		for i, r := range beam.Rank(x, 3) {
			if len(r) != len(ranked[i]) || slices.ContainsFunc(r, func(r classifier.Ranked) bool { return math.IsNaN(r.Score) }) {
				c.errorf("row %d: a beam ranks %v, and the model %v", i, r, ranked[i])
			}
		}
	}
	c.selected(m)
	if m.Weights(0) != nil || m.Features() > 1<<20 {
		c.explained(m, predicted, ranked)
	}
}

// selected checks the scores of some labels, in any order.
func (c *checks) selected(m *classifier.Model) {
	all := m.Attributes().Candidates()
	labels := []int{all[len(all)-1], all[0], all[len(all)/2]}
	some, err := m.ScoresOf(c.d.X, labels...)
	if err != nil {
		return // where Check says why
	}
	want := m.LeafScores(c.d.X)
	for i := range c.d.X.Rows {
		for k, n := range labels {
			got, want := some.At(i, k), want.At(i, m.Attributes().Candidate(n))
			size := 0.0
			for _, v := range m.Scores(c.d.X, i).Nodes {
				size = max(size, math.Abs(v))
			}
			if got != want && !(math.Abs(got-want) <= 1e-9*max(size, math.Abs(want))) {
				c.errorf("row %d has the score %v of label %d among some, %v among all", i, got, n, want)
			}
		}
	}
	if _, err := m.ScoresOf(c.d.X, m.Taxonomy.Len()); err == nil {
		c.errorf("scores of a node that there is not")
	}
}

// explained checks explanations against the scores.
func (c *checks) explained(m *classifier.Model, predicted []int, ranked [][]classifier.Ranked) {
	scores := m.LeafScores(c.d.X)
	for i := range c.d.X.Rows {
		e, err := m.Explain(c.d.X, i)
		if err != nil {
			continue // a kernel
		}
		sum, size := 0.0, 0.0
		for _, p := range e.Path {
			sum, size = sum+p.Score, size+math.Abs(p.Score)
			if m.Link() != classifier.NoLink {
				continue
			}
			part, of := 0.0, 0.0
			for _, f := range p.Features {
				part, of = part+f.Contribution, of+math.Abs(f.Contribution)
			}
			if !(math.Abs(part-p.Score) <= 1e-5*of) {
				c.errorf("row %d: features of node %d add up to %v, and its score is %v", i, p.Node, part, p.Score)
			}
		}
		if e.Predicted != predicted[i] || !(math.Abs(sum-e.Score) <= 1e-9*size || sum == e.Score) {
			c.errorf("row %d: %d is explained with %v, of which the parts add up to %v, and %d is predicted", i, e.Predicted, e.Score, sum, predicted[i])
		}
		if got := scores.At(i, m.Attributes().Candidate(e.Predicted)); !(math.Abs(got-e.Score) <= 1e-9*size || got == e.Score) && m.Rule != classifier.Descend {
			c.errorf("row %d: score %v is explained, of %v", i, e.Score, got)
		}
		if e.RunnerUp >= 0 && (e.RunnerUp != ranked[i][1].Node || e.RunnerUpScore != ranked[i][1].Score) {
			c.errorf("row %d: runner-up %d with %v, ranked as %v", i, e.RunnerUp, e.RunnerUpScore, ranked[i][1])
		}
	}
}
