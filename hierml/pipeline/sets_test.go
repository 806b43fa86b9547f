package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// nodeCorpus returns texts with several labels each, at nodes of all depths.
func nodeCorpus(g *taxonomy.Taxonomy, texts int, seed uint64) *dataset.Corpus {
	c := corpus(g, texts, seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	for i := range c.Documents {
		set := slices.Clone(c.Documents[i].Labels)
		if rng.IntN(2) == 0 {
			set = append(set, rng.IntN(g.Len()))
		}
		if rng.IntN(4) == 0 {
			set = g.Parents(set[0])[:1]
		}
		slices.Sort(set)
		c.Documents[i].Labels = g.MostSpecific(slices.Compact(set))
	}
	return c
}

// builder returns pipelines, and a function that adds one.
func builder(t testing.TB) (all map[string]*pipeline.Pipeline, build func(name string, c *dataset.Corpus, fit func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error)) {
	all = make(map[string]*pipeline.Pipeline)
	return all, func(name string, c *dataset.Corpus, fit func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error) {
		t.Helper()
		words, err := features.Text{MaxFeatures: 80}.Fit(c)
		if err != nil {
			t.Fatal(err)
		}
		p := &pipeline.Pipeline{Vectorizer: words}
		if err := fit(t.Context(), words.Transform(c), p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = p
	}
}

// others are pipelines of models of other types than classifier.Model. They must not be changed.
func others(t testing.TB) map[string]*pipeline.Pipeline {
	t.Helper()
	all, build := builder(t)
	sets := func(s svm.NodeSets) func(context.Context, *dataset.Dataset, *pipeline.Pipeline) error {
		return func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
			p.NodeSets, err = s.Fit(ctx, d)
			return err
		}
	}
	tree, graph := nodeCorpus(example.Tree(3, 3), 90, 1), nodeCorpus(example.Graph(14, 3), 90, 2)
	for name, c := range map[string]*dataset.Corpus{"tree": tree, "graph": graph} {
		build(name+": node sets of ridge", c, sets(svm.NodeSets{}))
		build(name+": node sets of flat SVMs", c, sets(svm.NodeSets{Method: svm.Flat{}, Folds: 2}))
		build(name+": node sets of the max constraint", c, sets(svm.NodeSets{Method: svm.MaxConstraint{}, Folds: 2}))
		build(name+": forest", c, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
			p.Forest, err = forest.Forest{Trees: 7}.Fit(ctx, d)
			return err
		})
		build(name+": a tree of decisions", c, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
			p.Forest, err = forest.Tree{MEstimate: true, Significance: 1}.Fit(ctx, d)
			return err
		})
	}
	build("node sets of the balanced max constraint", graph, sets(svm.NodeSets{Method: svm.Balanced{Estimator: svm.MaxConstraint{}}, Folds: 2}))
	build("node sets of label trees", tree, sets(svm.NodeSets{Method: svm.PLT{}, Folds: 2}))
	one := corpus(example.Tree(3, 3), 120, 3)
	build("translated", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
		p.Translated, err = clustering.Randomized{Estimator: svm.Hierarchical{}}.Fit(ctx, d)
		return err
	})
	build("translated, beam", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
		p.Translated, err = clustering.Randomized{Estimator: svm.PLT{}, Seed: 2}.Fit(ctx, d)
		p.Beam = 2
		return err
	})
	build("translated from a part of the leaves", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error {
		from, err := taxonomy.FromPaths([]string{"x/a", "x/b", "y/c"}, "/")
		if err != nil {
			return err
		}
		to, err := taxonomy.New([]string{"top", "y/c", "other", "x/b", "never", "x/a"}, [][2]int{{0, 1}, {0, 2}, {2, 3}, {2, 4}, {0, 5}})
		if err != nil {
			return err
		}
		own := *d
		own.Taxonomy, own.Labels = from, make([][]int, d.Len())
		for i, set := range d.Labels {
			own.Labels[i] = from.Leaves()[set[0]%3 : set[0]%3+1]
		}
		m, err := svm.Recursive{}.Fit(ctx, &own)
		if err != nil {
			return err
		}
		p.Translated, err = clustering.Translate(m, from, to)
		return err
	})
	build("translated, with probabilities", one, translatedWithProbabilities)
	return all
}

// rules are pipelines that decide by probabilities, of models of all types that have them: the last
// decide under taxonomies whose inner nodes are labels. They must not be changed.
func rules(t testing.TB) map[string]*pipeline.Pipeline {
	t.Helper()
	all, build := builder(t)
	one := corpus(example.Tree(3, 3), 120, 3)
	build("decision: forest", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
		p.Decision = decision.LargestF{}
		p.Forest, err = forest.Forest{Trees: 7}.Fit(ctx, d)
		return err
	})
	build("decision: softmax", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) (err error) {
		p.Decision = decision.LeastLoss{Inner: true}
		p.Model, err = svm.HierarchicalSoftmax{}.Fit(ctx, d)
		return err
	})
	build("decision: translated", one, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error {
		p.Decision = decision.LargestF{Rootless: true}
		return translatedWithProbabilities(ctx, d, p)
	})
	for kind, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(2, 2), "graph": example.Graph(16, 5)} {
		c := corpus(g, 150, 6)
		for i := range c.Documents {
			y := c.Documents[i].Labels[0]
			if i%4 == 0 {
				y = g.Parents(y)[0]
			}
			c.Documents[i].Labels = []int{y}
		}
		losses := map[string]decision.Rule{"F1 of nodes": decision.LargestF{Single: true}, "F1 of sets": decision.LargestF{}, "loss": decision.LeastLoss{}, "loss of nodes": decision.LeastLoss{Inner: true}, "top down": decision.TopDown{}, "node thresholds": decision.NodeThresholds{}}
		for _, name := range []string{"symdiff", "sib", "half_graph"} {
			losses[name] = nil
		}
		for name, rule := range losses {
			if kind == "graph" && name == "sib" {
				continue // which is of trees
			}
			build("decision: "+kind+", "+name, c, func(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error {
				leafed, err := d.Leafed()
				if err != nil {
					return err
				}
				if p.Decision = rule; rule == nil {
					l, err := loss.Named(name, leafed.Taxonomy)
					if err != nil {
						return err
					}
					p.Decision = decision.LeastLoss{Loss: l, Inner: name != "half_graph"}
				}
				if p.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, svm.OneVsRest{}, leafed); err != nil {
					return err
				}
				if learner, ok := rule.(decision.Learner); ok {
					p.Decision, err = learner.Learn(ctx, leafed.Taxonomy, p.Calibrated.LeafProbabilities(leafed.X), leafed.Labels)
				}
				return err
			})
		}
	}
	return all
}

// ofTexts returns a table of texts.
func ofTexts(texts []string) *dataset.Table {
	return &dataset.Table{Name: "texts", Columns: []dataset.Column{{Name: "text", Kind: dataset.Text, Words: texts}}}
}

// TestOtherModelsAreSaved holds loaded pipelines to those saved, and the models' own files to them.
func TestOtherModelsAreSaved(t *testing.T) {
	all := others(t)
	maps.Copy(all, rules(t))
	for name, p := range all {
		b := written(t, p)
		got, err := read(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(written(t, got), b) || got.String() != p.String() {
			t.Errorf("%s: what is loaded is written otherwise", name)
		}
		texts := unseen(p.Taxonomy(), 60, 9)
		want, err := p.PredictTable(t.Context(), ofTexts(texts), 2)
		if err != nil {
			t.Fatal(name, err)
		}
		if again, err := got.PredictTable(t.Context(), ofTexts(texts), 2); err != nil || again.String() != want.String() {
			t.Errorf("%s: loaded\n%v\nsaved\n%v\n%v", name, again, want, err)
		}
		x, err := p.Vectors(texts...)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model")
		switch {
		case p.NodeSets != nil:
			m := saved(t, p.NodeSets.Save, path, svm.LoadNodeSets)
			if !mat.Equal(m.NodeProbabilities(x), p.NodeSets.NodeProbabilities(x)) || m.String() != p.NodeSets.String() {
				t.Errorf("%s: loaded\n%v\nsaved\n%v", name, m, p.NodeSets)
			}
		case p.Decision != nil:
			d := saved(t, p.Save, path, pipeline.Load)
			sets, values, err := p.Decide(t.Context(), ofTexts(texts))
			if err != nil {
				t.Fatal(name, err)
			}
			if again, same, err := d.Decide(t.Context(), ofTexts(texts)); err != nil || !reflect.DeepEqual(again, sets) || !slices.Equal(same, values) {
				t.Errorf("%s: other decisions: %v", name, err)
			}
		case p.Forest != nil:
			m := saved(t, p.Forest.Save, path, forest.Load)
			if !mat.Equal(m.NodeProbabilities(x), p.Forest.NodeProbabilities(x)) || m.String() != p.Forest.String() {
				t.Errorf("%s: loaded\n%v\nsaved\n%v", name, m, p.Forest)
			}
		default:
			m := saved(t, p.Translated.Save, path, clustering.LoadTranslated)
			if !mat.Equal(m.LeafScores(x), p.Translated.LeafScores(x)) {
				t.Errorf("%s: other scores", name)
			}
			labels, err := p.Translated.Predict(x)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				label, err := got.Predict(text)
				if err != nil || p.Beam == 0 && label.Node != labels[i] || p.Taxonomy().LabelName(label.Node) != label.Name || label.Path[len(label.Path)-1] != label.Name {
					t.Errorf("%s: %q has the label %v, want node %d; %v", name, text, label, labels[i], err)
				}
			}
		}
		if p.NodeSets != nil || p.Forest != nil {
			if _, err := got.Predict("a"); err == nil || !strings.Contains(err.Error(), "sets of nodes") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func saved[M any](t *testing.T, save func(path string) error, path string, load func(path string) (M, error)) M {
	t.Helper()
	if err := save(path); err != nil {
		t.Fatal(err)
	}
	m, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCalibratedIsSaved holds a file without a pipeline to what was saved.
func TestCalibratedIsSaved(t *testing.T) {
	for _, form := range []svm.CalibrationForm{svm.Platt, svm.Isotonic, svm.VennABERS} {
		d := example.Dense(example.Tree(2, 3), 60, 3, 1)
		c, err := svm.Calibration{Folds: 2, Form: form}.Fit(t.Context(), svm.Flat{}, d)
		if err != nil {
			t.Fatal(err)
		}
		got := saved(t, c.Save, filepath.Join(t.TempDir(), "model"), svm.LoadCalibrated)
		if !mat.Equal(got.LeafProbabilities(d.X), c.LeafProbabilities(d.X)) {
			t.Error("other probabilities")
		}
	}
}

// TestDamagedOtherModels flips a bit of each byte, and cuts the file after it, with the check sum
// and without.
func TestDamagedOtherModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all := others(t)
	const costs = "decision: tree, sib"
	all[costs] = rules(t)[costs]
	for name, p := range all {
		b := written(t, p)
		sum := bytes.Index(b, []byte("crc32c"))
		for i := 0; i < len(b); i += 1 + i/100 {
			damaged := slices.Clone(b)
			damaged[i] ^= 1
			if _, err := read(damaged); err == nil && (i < sum || i >= sum+6) {
				t.Errorf("%s: no error with byte %d changed", name, i)
			}
			if _, err := read(b[:i]); err == nil {
				t.Errorf("%s: no error with %d bytes", name, i)
			}
		}
		// Without the sum some changes make another model, which predicts.
		unchecked := bytes.Replace(b, []byte(`"crc32c"`), []byte(`"no sum"`), 1)
		for range 300 {
			damaged := slices.Clone(unchecked)
			for range 1 + rng.IntN(3) {
				damaged[rng.IntN(len(damaged))] = byte(rng.IntN(256))
			}
			if got, err := read(damaged); err == nil {
				if _, err := got.PredictTable(t.Context(), ofTexts([]string{"a b c", ""}), 1); err != nil {
					t.Logf("%s: %v", name, err) // a value may be too large
				}
			}
		}
	}
}

// TestPythonReadsOtherModels compares the package for Python with this one: sets, labels, scores
// and probabilities of texts by pipelines, and of features by the models' own files.
func TestPythonReadsOtherModels(t *testing.T) {
	type said struct {
		Sets                 [][]string
		Expected             []float64
		Labels               []string
		Paths                [][]string
		Scores, Leaves, Node [][]float64
	}
	folder := t.TempDir()
	all := others(t)
	maps.Copy(all, rules(t))
	all["ridge"] = pipelines(t)["model: ridge"]
	in := make(map[string][][]byte)
	for name, p := range all {
		if err := p.Save(filepath.Join(folder, encoded(name))); err != nil {
			t.Fatal(err)
		}
		for _, text := range unseen(p.Taxonomy(), 100, 78) {
			in[encoded(name)] = append(in[encoded(name)], []byte(text))
		}
	}
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	c := python(t, filepath.Join("testdata", "sets.py"), folder)
	c.Stdin = bytes.NewReader(input)
	var got map[string]said
	if err := json.Unmarshal(output(t, c), &got); err != nil {
		t.Fatal(err)
	}
	same := func(name, what string, got [][]float64, want *mat.Dense) {
		rows, columns := want.Dims()
		for i := range rows {
			for y := range columns {
				g, w := unwritten(got[i][y]), want.At(i, y)
				if g != w && !(math.Abs(g-w) <= 1e-9*max(1, math.Abs(w))) {
					t.Fatalf("%s: %s %d of row %d is %v in Python, %v in Go", name, what, y, i, g, w)
				}
			}
		}
	}
	for name, p := range all {
		python := got[encoded(name)]
		var texts []string
		for _, text := range in[encoded(name)] {
			texts = append(texts, string(text))
		}
		x, err := p.Vectors(texts...)
		if err != nil {
			t.Fatal(err)
		}
		g := p.Taxonomy()
		if p.Decision != nil {
			sets, values, err := p.Decide(t.Context(), ofTexts(texts))
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range sets {
				if !slices.Equal(python.Sets[i], g.NamesOf(set...)) {
					t.Errorf("%s: %q is decided as %v in Python, %v in Go", name, texts[i], python.Sets[i], g.NamesOf(set...))
				}
			}
			same(name, "expected value", [][]float64{python.Expected}, mat.NewDense(1, len(values), values))
			continue
		}
		if p.NodeSets == nil && p.Forest == nil {
			for i, text := range texts {
				label, err := p.Predict(text)
				if err != nil || python.Labels[i] != label.Name || !slices.Equal(python.Paths[i], label.Path) {
					t.Errorf("%s: %q is %v in Python, %v in Go, %v", name, text, python.Paths[i], label, err)
				}
				if p.HasProbabilities() {
					probabilities, err := p.Probabilities(text)
					if err != nil {
						t.Fatal(err)
					}
					same(name, "probability", python.Leaves[i:i+1], mat.NewDense(1, len(probabilities), probabilities))
				}
			}
			if p.Translated != nil && p.Translated.Model.(*classifier.Model).Rule == classifier.Highest {
				same(name, "score", python.Scores, p.Translated.LeafScores(x))
			}
			continue
		}
		nodes := func() *mat.Dense {
			if p.Forest != nil {
				return p.Forest.NodeProbabilities(x)
			}
			return p.NodeSets.NodeProbabilities(x)
		}
		same(name, "probability of node", python.Node, nodes())
		same(name, "probability of leaf", python.Leaves, classifier.LeafColumns(g, nodes()))
		sets, err := p.Sets(t.Context(), ofTexts(texts))
		if err != nil {
			t.Fatal(err)
		}
		several := 0
		for i, set := range sets {
			if !slices.Equal(python.Sets[i], g.NamesOf(set...)) {
				t.Errorf("%s: %q has the set %v in Python, %v in Go", name, texts[i], python.Sets[i], g.NamesOf(set...))
			}
			if len(set) > 1 {
				several++
			}
		}
		if several == 0 {
			t.Errorf("%s: no text has several labels", name)
		}
	}
}

// TestDecisions evaluates pipelines that decide, and compares with what they decide for.
func TestDecisions(t *testing.T) {
	for name, p := range rules(t) {
		g := p.Taxonomy()
		leaves := g.Leaves()
		test := ofTexts(unseen(g, 60, 9))
		test.Taxonomy = g
		for i := range test.Len() {
			test.Labels = append(test.Labels, []int{leaves[i%len(leaves)]})
		}
		sets, values, err := p.Decide(t.Context(), test)
		if err != nil {
			t.Fatal(name, err)
		}
		if own, err := p.Sets(t.Context(), test); err != nil || !reflect.DeepEqual(own, sets) {
			t.Errorf("%s: other sets (%v)", name, err)
		}
		answers, err := p.PredictTable(t.Context(), test, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, c := range answers.Columns {
			if c.Name == "expected" && !slices.Equal(c.Numbers, values) || c.Name == "labels" && !slices.Equal(c.Sets[0], g.NamesOf(sets[0]...)) {
				t.Errorf("%s: the answers have %v", name, c)
			}
		}
		if text := answers.String(); !strings.Contains(text, "labels") || !strings.Contains(text, "expected") {
			t.Errorf("%s: %s", name, text)
		}
		got, err := p.Evaluate(t.Context(), test)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := metric.Settings{}.EvaluateSets(mat.NewDense(test.Len(), len(leaves), nil), sets, test.Labels, g)
		if err != nil {
			t.Fatal(err)
		}
		if got.HierarchicalSamplesF1 != want.HierarchicalSamplesF1 || got.HierarchicalF1 != want.HierarchicalF1 || got.ExactSets != want.ExactSets {
			t.Errorf("%s: the report has\n%v\nthe sets\n%v", name, got, want)
		}
		if !strings.Contains(p.String(), "decides for") {
			t.Errorf("%s", p)
		}
	}
	p := rules(t)["decision: softmax"]
	several := pipeline.Pipeline{Vectorizer: p.Vectorizer, NodeSets: others(t)["tree: node sets of ridge"].NodeSets, Decision: decision.LargestF{}}
	flat, err := svm.Flat{}.Fit(t.Context(), p.Vectorizer.Transform(corpus(example.Tree(3, 3), 60, 3)))
	if err != nil {
		t.Fatal(err)
	}
	scores := pipeline.Pipeline{Vectorizer: p.Vectorizer, Model: flat, Decision: decision.LargestF{}}
	nodes := pipeline.Pipeline{Vectorizer: p.Vectorizer, Model: p.Model, Decision: decision.SetF{}}
	without := pipeline.Pipeline{Vectorizer: p.Vectorizer, Model: p.Model}
	for want, p := range map[string]*pipeline.Pipeline{"the model learned from several": &several, "the model has only scores": &scores, "needs probabilities of nodes": &nodes, "there is no rule": &without} {
		if _, _, err := p.Decide(t.Context(), ofTexts([]string{"a"})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	path := filepath.Join(t.TempDir(), "older.hierml")
	if err := without.Save(path); err != nil {
		t.Fatal(err)
	}
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, rule := range map[string]decision.Rule{"the threshold is 2": decision.TopDown{Threshold: 2}, "0 thresholds for": decision.NodeThresholds{}, "2 thresholds for": decision.NodeThresholds{Thresholds: []float64{0, 1}}} {
		p := pipeline.Pipeline{Vectorizer: p.Vectorizer, Model: p.Model, Decision: rule}
		if err := p.Save(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is saved: error %v", rule, err)
		}
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, older) {
			t.Errorf("%v: another file (%v)", rule, err)
		}
	}
}

// translatedWithProbabilities trains under a drawn hierarchy.
func translatedWithProbabilities(ctx context.Context, d *dataset.Dataset, p *pipeline.Pipeline) error {
	under, err := clustering.Random{Seed: 5}.Like(ctx, d.Taxonomy)
	if err != nil {
		return err
	}
	moved, err := d.Under(under)
	if err != nil {
		return err
	}
	if p.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, svm.Hierarchical{}, moved); err != nil {
		return err
	}
	p.Translated, err = clustering.Translate(p.Calibrated.Model, under, d.Taxonomy)
	return err
}
