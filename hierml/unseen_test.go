package hierml_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// notes collects what a training tells.
type notes struct{ texts []string }

func (n *notes) Begin(string) progress.Task { return nil }
func (n *notes) Note(text string)           { n.texts = append(n.texts, text) }

// withoutSome returns counts of words, among them texts that lack the words of training, and the
// training part, in which some leaves, and all leaves of a node, have no instance.
func withoutSome(t *testing.T, g *taxonomy.Taxonomy, seed uint64) (train, all *dataset.Dataset, unseen map[int]bool) {
	t.Helper()
	d := example.Texts(g, 150, 60, 10, seed)
	unseen = make(map[int]bool)
	leaves := g.Leaves()
	unseen[leaves[0]] = true // which ties would go to
	for _, leaf := range g.Children(g.Parents(leaves[len(leaves)-1])[0]) {
		if g.IsLeaf(leaf) {
			unseen[leaf] = true
		}
	}
	var rows []int
	for i, set := range d.Labels {
		if !slices.ContainsFunc(set, func(n int) bool { return unseen[n] }) {
			rows = append(rows, i)
		}
	}
	x := *d.X
	rng := rand.New(rand.NewPCG(seed, 9))
	for k := range 40 { // no features, and values of both signs, large ones too
		for range k % 4 {
			x.Indices, x.Values = append(x.Indices, int32(k%4)), append(x.Values, float32(rng.NormFloat64()*math.Pow(10, float64(k%5))))
			break
		}
		x.Rows, x.Indptr = x.Rows+1, append(slices.Clone(x.Indptr), len(x.Indices))
	}
	return d.Subset(rows), &dataset.Dataset{Taxonomy: g, X: &x, Labels: make([][]int, x.Rows)}, unseen
}

// TestUnseenLabelsAreNeverPredicted trains every method without instances of some leaves, and asks
// for labels in every way that there is.
func TestUnseenLabelsAreNeverPredicted(t *testing.T) {
	_, methods := briefly()
	for name, e := range map[string]classifier.Estimator{
		"HR": svm.HR{}, "softmax": svm.HierarchicalSoftmax{}, "label tree": svm.PLT{}, "label tree, exclusive": svm.PLT{Policy: svm.Exclusive, Link: classifier.CubedHinge},
		"transfer": svm.Transfer{}, "HM3": svm.HM3{}, "max constraint": svm.MaxConstraint{}, "sets": svm.Hierarchical{Sets: true}, "global margin": svm.GlobalMargin{}, "ridge": svm.Ridge{}, "H-RLS": perceptron.HRLS{},
		"kernel": svm.Flat{Kernel: gram.RBF{Gamma: 0.1}}, "kernel perceptron": perceptron.Hierarchical{Kernel: gram.Polynomial{Degree: 2}},
		"naive Bayes": bayes.Multinomial{}, "shrinkage": bayes.Shrinkage{},
	} {
		methods[name] = e
	}
	for shape, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(3, 3), "forest": example.Random(rand.New(rand.NewPCG(2, 2)), 14, 3, 1), "graph": example.Graph(15, 3)} {
		train, all, unseen := withoutSome(t, g, 1)
		for name, e := range methods {
			if !g.IsTree() && slices.Contains([]string{"softmax", "label tree", "label tree, exclusive", "shrinkage", "H-RLS"}, name) {
				continue // which need a tree
			}
			told := new(notes)
			m, err := e.Fit(progress.With(t.Context(), told), train)
			if err != nil {
				t.Fatalf("%s, %s: %v", shape, name, err)
			}
			if without := slices.DeleteFunc(told.texts, func(s string) bool { return !strings.Contains(s, "no instance to learn from") }); len(without) != 1 || !strings.Contains(without[0], fmt.Sprintf("%d labels of %d have", len(unseen), len(g.Leaves()))) {
				t.Errorf("%s, %s: told %q", shape, name, told.texts)
			}
			path := filepath.Join(t.TempDir(), "model")
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			loaded, err := classifier.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*classifier.Model{m, loaded} {
				checkUnseen(t, shape+", "+name, m, all, unseen)
				if name != "H-RLS" && m.Rule == classifier.Highest && m.Link() == classifier.NoLink && g.IsTree() {
					m.Rule = classifier.Descend
					checkUnseen(t, shape+", "+name+", descending", m, all, unseen)
				}
			}
		}
	}
}

func checkUnseen(t *testing.T, name string, m *classifier.Model, d *dataset.Dataset, unseen map[int]bool) {
	t.Helper()
	bad := func(what string, i, n int) {
		if unseen[n] {
			t.Errorf("%s: %s gives row %d the label %d, which has no instance", name, what, i, n)
		}
	}
	for n := range m.Taxonomy.Leaves() {
		if leaf := m.Taxonomy.Leaves()[n]; m.Unseen(leaf) != unseen[leaf] {
			t.Errorf("%s: leaf %d is unseen: %v", name, leaf, m.Unseen(leaf))
		}
	}
	sets := func(what string, sets [][]int, err error) {
		if err != nil {
			t.Errorf("%s: %s: %v", name, what, err)
		}
		for i, set := range sets {
			for _, n := range set {
				bad(what, i, n)
				if m.Unseen(n) {
					t.Errorf("%s: %s gives row %d the node %d, which no instance belongs to", name, what, i, n)
				}
			}
		}
	}
	for i, n := range m.Predict(d.X) {
		bad("Predict", i, n)
	}
	scores := m.LeafScores(d.X)
	for _, s := range []*mat.Dense{nil, scores} {
		decided, err := m.Decide(d.X, s)
		sets("Decide", decided, err)
	}
	for i, ranked := range m.Rank(d.X, d.Taxonomy.Len()) {
		if len(ranked) != len(m.Attributes().Candidates())-len(unseen) && m.Link() == classifier.NoLink {
			t.Errorf("%s: %d labels are ranked for row %d", name, len(ranked), i)
		}
		for _, r := range ranked {
			bad("Rank", i, r.Node)
		}
	}
	for i := range d.X.Rows {
		for y, leaf := range m.Taxonomy.Leaves() {
			if math.IsNaN(scores.At(i, y)) || unseen[leaf] && !math.IsInf(scores.At(i, y), -1) {
				t.Fatalf("%s: row %d scores %v for leaf %d", name, i, scores.At(i, y), leaf)
			}
		}
	}
	sets("PredictSets", m.PredictSets(d.X, calibration.Above(-1e30)), nil)
	if m.Link() != classifier.NoLink {
		p, err := m.LeafProbabilities(d.X)
		if err != nil {
			t.Fatal(err)
		}
		checkProbabilities(t, name, p, m.Taxonomy.Leaves(), unseen, m.Link() == classifier.Softmax)
	} else if _, err := m.Attributes().NodeValues(); err == nil {
		found, err := m.LabelSets(d.X)
		sets("LabelSets", found, err)
		found, err = m.ClosedSets(d.X)
		sets("ClosedSets", found, err)
	}
	if beam, err := m.NewBeam(3); err == nil {
		for i, n := range beam.Predict(d.X) {
			bad("Beam", i, n)
		}
	}
	if !strings.Contains(name, "kernel") && !strings.Contains(name, "ridge") {
		for i := range d.X.Rows {
			e, err := m.Explain(d.X, i)
			if err != nil {
				t.Fatal(name, err)
			}
			bad("Explain", i, e.Predicted)
			bad("Explain, second,", i, e.RunnerUp)
		}
	}
}

// checkProbabilities checks that unseen leaves have none.
func checkProbabilities(t *testing.T, name string, p *mat.Dense, leaves []int, unseen map[int]bool, one bool) {
	t.Helper()
	rows, _ := p.Dims()
	for i := range rows {
		sum := 0.0
		for y, v := range p.RawRowView(i) {
			sum += v
			if unseen[leaves[y]] && v != 0 || !(v >= 0 && v <= 1) {
				t.Fatalf("%s: row %d has leaf %d with probability %v", name, i, leaves[y], v)
			}
		}
		if one && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%s: the probabilities of row %d add up to %v", name, i, sum)
		}
	}
}

// TestUnseenLabelsHaveNoProbability calibrates, and learns sets of nodes.
func TestUnseenLabelsHaveNoProbability(t *testing.T) {
	g := example.Tree(3, 3)
	train, all, unseen := withoutSome(t, g, 2)
	for name, e := range map[string]classifier.Estimator{"flat": svm.Flat{}, "recursive": svm.Recursive{}, "label tree": svm.PLT{}} {
		for _, by := range []svm.Calibration{
			{}, {Form: svm.Isotonic}, {Levels: true}, {Form: svm.Beta, Levels: true}, {Form: svm.VennABERS}, {Form: svm.Temperature}, {Form: svm.Temperature, Levels: true},
		} {
			told := new(notes)
			by.Folds = 3
			c, err := by.Fit(progress.With(t.Context(), told), e, train)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(slices.DeleteFunc(told.texts, func(s string) bool { return !strings.Contains(s, "no instance to learn from") })); n != 1 {
				t.Errorf("%s: %d notes", name, n)
			}
			checkProbabilities(t, name, c.LeafProbabilities(all.X), g.Leaves(), unseen, true)
			nodes := c.NodeProbabilities(all.X)
			for i := range all.X.Rows {
				for n := range unseen {
					if nodes.At(i, n) != 0 {
						t.Fatalf("%s: row %d has node %d with probability %v", name, i, n, nodes.At(i, n))
					}
				}
			}
		}
	}
	type sets interface {
		Predict(x *dataset.Matrix) [][]int
		LeafScores(x *dataset.Matrix) *mat.Dense
	}
	for name, fit := range map[string]func(ctx context.Context) (sets, error){
		"node sets":         func(ctx context.Context) (sets, error) { return svm.NodeSets{}.Fit(ctx, train) },
		"node sets of flat": func(ctx context.Context) (sets, error) { return svm.NodeSets{Method: svm.Flat{}}.Fit(ctx, train) },
		"forest": func(ctx context.Context) (sets, error) {
			f, err := forest.Forest{Trees: 5}.Fit(ctx, train)
			return asSets{f}, err
		},
	} {
		m, err := fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		checkProbabilities(t, name, m.LeafScores(all.X), g.Leaves(), unseen, false)
		for i, set := range m.Predict(all.X) {
			if slices.ContainsFunc(set, func(n int) bool { return unseen[n] }) {
				t.Errorf("%s: row %d has %v", name, i, set)
			}
		}
	}
}

type asSets struct{ *forest.Model }

// TestLearnersPredictWhatTheySaw has all labels as candidates before the first instance, and then
// those that came.
func TestLearnersPredictWhatTheySaw(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 60, 40, 8, 5)
	l, err := perceptron.Hieron{}.Learner(g, d.X.Cols)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(g.Leaves(), m.Unseen) || len(m.Rank(d.X, 99)[0]) != len(g.Leaves()) {
		t.Error("a learner without instances has no candidates")
	}
	seen := make(map[int]bool)
	for i, set := range d.Labels {
		columns, values := d.X.Row(i)
		if _, err := l.Update(columns, values, set); err != nil {
			t.Fatal(err)
		}
		seen[set[0]] = true
		if m, err = l.Model(); err != nil {
			t.Fatal(err)
		}
		for _, leaf := range g.Leaves() {
			if m.Unseen(leaf) == seen[leaf] {
				t.Fatalf("after %d instances leaf %d is unseen: %v", i+1, leaf, m.Unseen(leaf))
			}
		}
		for _, y := range m.Predict(d.X) {
			if !seen[y] {
				t.Fatalf("after %d instances leaf %d is predicted", i+1, y)
			}
		}
	}
}
