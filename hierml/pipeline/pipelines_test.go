package pipeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// alphabet are letters in words of texts: of several scripts, in one code point and in two, of
// which some change their number of bytes, or of code points, when the case does; digits of other
// scripts; and what is in no word.
var alphabet = []string{
	"a", "b", "c", "d", "e", "E", "A", "B", "x", "y", "Z", "0", "1", "7",
	"é", "e\u0301", "ü", "u\u0308", "İ", "I", "ı", "i", "ß", "ẞ", "ſ", "\u212a", "\u212b", "σ", "Σ", "ς", "я", "Я", "ж", "ǅ", "ﬁ",
	"日", "本", "한", "각", "ا", "ب", "٣", "३", "๓", "Ⅷ", "½", "ª", "ʰ", "𝒜", "𐐀", "𐐨", "𞤀", "Ა", "ა",
	"'", "-", "_", "\u0301", "\u200d", "\u200c", "\ufe0f",
}

// between stands between words.
var between = []string{
	" ", " ", " ", " ", " ", "  ", "\t", "\n", "\r\n", ", ", ". ", "! ", "-", "'", "_", "/", "\u00a0", "\u2003", "\u3000", "\u0085", "\v", "\x1c",
	"\u2028", "😀", "👩\u200d👩\u200d👧", "🇩🇪", "…", "«", "\ufffd", "\x00", "\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\ufeff", "\u0301", "€", "²",
}

// word returns the word of a number, always the same.
func word(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	var b strings.Builder
	for range 1 + rng.IntN(5) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// text returns a text of words, some of them of the topics of a label.
func text(rng *rand.Rand, topics []int, words int) string {
	var b strings.Builder
	for range words {
		n := int(rng.ExpFloat64() * 60)
		if len(topics) > 0 && rng.IntN(2) == 0 {
			n = 10000 + 8*topics[rng.IntN(len(topics))] + rng.IntN(8)
		}
		b.WriteString(word(n))
		b.WriteString(between[rng.IntN(len(between))])
	}
	return b.String()
}

// corpus returns texts with labels, one each.
func corpus(g *taxonomy.Taxonomy, texts int, seed uint64) *dataset.Corpus {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := &dataset.Corpus{Name: "drawn", Taxonomy: g}
	for i := range texts {
		leaf := g.Leaves()[rng.IntN(len(g.Leaves()))]
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint(i), Text: text(rng, g.Ancestors(leaf), 12), Labels: []int{leaf}})
	}
	return c
}

// innerCorpus returns texts with labels, one each, some of which were at inner nodes before
// Leafed.
func innerCorpus(t testing.TB, g *taxonomy.Taxonomy, texts int) *dataset.Corpus {
	t.Helper()
	c := corpus(g, texts, 6)
	for i := range c.Documents {
		if i%3 == 0 {
			c.Documents[i].Labels = g.Parents(c.Documents[i].Labels[0])
		}
	}
	leafed, err := c.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	return leafed
}

// unseen returns texts to predict labels of, unusual ones first.
func unseen(g *taxonomy.Taxonomy, n int, seed uint64) []string {
	texts := []string{
		"", " ", "\n", "\x00", "\xff\xfe", "😀", "👩\u200d👩\u200d👧", "...", "\u0301", "\u0301a", "a\u0301\u0301 \u0301", "İstanbul ISTANBUL ıi", "ΟΔΟΣ ὈΔΥΣΣΕΎΣ",
		"123 4.5 ٣٤ ½ Ⅷ", "e\u0301 é", "\ufeffa", "a\u200db", "don't DON'T don\u2019t", strings.Repeat("a ", 300), strings.Repeat("ab", 2000), "\xed\xa0\x80\xed\xb0\x80",
		"a\xffb", "a \xff\xff b", "ﬁﬂ ǅ ǆ Ǆ", "\U0010ffff \U0001d49c", "\r\n\t", "a\u00a0b\u3000c\u0085d\u2028e\x1cf",
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	for len(texts) < n {
		leaf := g.Leaves()[rng.IntN(len(g.Leaves()))]
		texts = append(texts, text(rng, g.Ancestors(leaf), rng.IntN(20)))
	}
	return texts[:n]
}

// vectorizers are settings of all kinds.
func vectorizers() map[string]features.Text {
	return map[string]features.Text{
		"default":          {},
		"rare":             {MinDocuments: 2, MaxShare: 0.5, MaxFeatures: 80},
		"case":             {KeepCase: true, Weight: features.PlainTFIDF, Norm: features.UnitSum},
		"letters":          {Tokens: features.Letters, NGrams: [2]int{1, 3}, Weight: features.LogCounts, MaxFeatures: 300},
		"letters, case":    {Tokens: features.Letters, KeepCase: true, NGrams: [2]int{2, 2}, Weight: features.Binary, Norm: features.NoNorm},
		"characters":       {Tokens: features.Characters, NGrams: [2]int{1, 3}, Weight: features.BM25, MaxFeatures: 500},
		"characters, case": {Tokens: features.Characters, KeepCase: true, NGrams: [2]int{3, 3}, Weight: features.Counts, Bits: 8},
		"BM25":             {Weight: features.BM25, K1: 2, B: -1, NGrams: [2]int{1, 2}},
		"BM25, sum":        {Weight: features.BM25, K1: -1, B: 0.5, Norm: features.UnitSum},
		"smooth":           {SmoothIDF: true},
		"smooth, hashed":   {SmoothIDF: true, Weight: features.PlainTFIDF, Bits: 9},
		"counts":           {Weight: features.Counts, Norm: features.NoNorm},
		"stop words":       {StopWords: append([]string{word(3), word(1) + " " + word(2), word(4) + "-" + word(5), word(1)}, features.EnglishStopWords()...), NGrams: [2]int{1, 2}},
		"pattern":          {Pattern: `[a-z0-9]+(?:['-][a-z]+)?`, NGrams: [2]int{1, 2}},
		"pattern, case":    {Pattern: `\p{L}+|\pN{1,2}?|[^\s\w]`, KeepCase: true, StopWords: []string{"a", "b c"}},
		"pattern, ASCII":   {Pattern: `\b\w\w+\b|\d|$|x*?`, Weight: features.Counts},
		"NFC":              {Normalize: features.NFC, StopWords: []string{"e\u0301"}},
		"NFKC":             {Normalize: features.NFKC, Tokens: features.Characters, NGrams: [2]int{1, 2}, KeepCase: true},
		"no accents":       {Normalize: features.NoAccents, NGrams: [2]int{1, 2}},
		"no accents, expr": {Normalize: features.NoAccents, Pattern: `\p{L}+`},
		"hashed":           {Bits: 7},
		"hashed, BM25":     {Bits: 12, Weight: features.BM25, NGrams: [2]int{1, 2}},
		"hashed, log":      {Bits: 6, Weight: features.LogCounts, Norm: features.UnitSum},
		"hashed, binary":   {Bits: 10, Weight: features.Binary, Norm: features.NoNorm},
	}
}

// steps fits steps on training data of their features.
func steps(t testing.TB, d *dataset.Dataset, fits ...func(d *dataset.Dataset) (pipeline.Step, error)) ([]pipeline.Step, *dataset.Dataset) {
	t.Helper()
	var fitted []pipeline.Step
	for _, fit := range fits {
		step, err := fit(d)
		if err != nil {
			t.Fatal(err)
		}
		fitted = append(fitted, step)
		if d, err = step.Transform(d); err != nil {
			t.Fatal(err)
		}
	}
	return fitted, d
}

// step is fit with any step as its result.
func step[S pipeline.Step](fit func(d *dataset.Dataset) (S, error)) func(d *dataset.Dataset) (pipeline.Step, error) {
	return func(d *dataset.Dataset) (pipeline.Step, error) { return fit(d) }
}

// trained has what pipelines has made; tests here do not run at the same time.
var trained map[string]*pipeline.Pipeline

// pipelines are of all kinds of settings and of models. They must not be changed.
func pipelines(t testing.TB) map[string]*pipeline.Pipeline {
	t.Helper()
	if trained == nil {
		trained = train(t)
	}
	return trained
}

func train(t testing.TB) map[string]*pipeline.Pipeline {
	t.Helper()
	ctx := context.Background()
	all := make(map[string]*pipeline.Pipeline)
	build := func(name string, c *dataset.Corpus, s features.Text, e classifier.Estimator, fits ...func(d *dataset.Dataset) (pipeline.Step, error)) *pipeline.Pipeline {
		words, err := s.Fit(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fitted, d := steps(t, words.Transform(c), fits...)
		m, err := e.Fit(ctx, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := &pipeline.Pipeline{Vectorizer: words, Steps: fitted, Model: m}
		all[name] = p
		return p
	}
	tree := corpus(example.Tree(3, 3), 150, 1)
	graph := corpus(example.Graph(15, 3), 100, 2)
	for name, s := range vectorizers() {
		build("features: "+name, tree, s, svm.Flat{})
	}
	counts := features.Text{Weight: features.Counts, Norm: features.NoNorm}
	build("steps: selection", tree, features.Text{}, svm.Flat{}, step(features.ChiSquare{Features: 60}.Fit))
	build("steps: weigher", tree, counts, svm.Flat{}, step(features.DocumentFrequency{MinDocuments: 2}.Fit), step(features.Weighing{Weight: features.BM25}.Fit))
	build("steps: smooth idf", tree, counts, svm.Flat{}, step(features.Weighing{SmoothIDF: true}.Fit))
	build("steps: unit deviation", tree, features.Text{}, svm.Flat{}, step(features.Scaling{Columns: features.UnitDeviation, UnitLength: true, Constant: 0.1}.Fit))
	build("steps: z-score", tree, counts, svm.Flat{}, step(features.Weighing{Weight: features.LogCounts, Norm: features.NoNorm}.Fit), step(features.Scaling{Columns: features.ZScore}.Fit), step(features.DocumentFrequency{Features: 90}.Fit))
	build("steps: unit range", tree, features.Text{Bits: 5}, svm.Flat{}, step(features.Scaling{Columns: features.UnitRange, UnitLength: true}.Fit))
	build("steps: max-abs", tree, features.Text{Bits: 5}, svm.Flat{}, step(features.Scaling{}.Fit), step(features.Scaling{Columns: features.Unscaled, Constant: 1}.Fit))
	wide := features.Text{Bits: 18} // of which few columns occur
	build("steps: wide, chi-square", tree, wide, svm.Flat{}, step(features.ChiSquare{Features: 60}.Fit), step(features.Scaling{Columns: features.UnitDeviation, Constant: 1}.Fit))
	build("steps: wide, document frequency", tree, wide, svm.Flat{}, step(features.Scaling{}.Fit), step(features.DocumentFrequency{MinDocuments: 2}.Fit))
	build("steps: wide, z-score", tree, wide, svm.Flat{}, step(features.Scaling{Columns: features.ZScore}.Fit))
	build("steps: wide, unit range", tree, wide, svm.Flat{}, step(features.Scaling{Columns: features.UnitRange, UnitLength: true}.Fit))
	for name, e := range map[string]classifier.Estimator{
		"flat": svm.Flat{}, "hierarchical": svm.Hierarchical{}, "hierarchical, sets": svm.Hierarchical{Sets: true}, "normalized": svm.Normalized{}, "shared": svm.Shared{},
		"one-vs-rest": svm.OneVsRest{}, "HR": svm.HR{}, "recursive": svm.Recursive{}, "transfer": svm.Transfer{}, "global margin": svm.GlobalMargin{}, "HM3": svm.HM3{},
		"orthogonal": svm.Orthogonal{}, "label tree": svm.PLT{}, "label tree, cubed": svm.PLT{Link: classifier.CubedHinge},
		"label tree, squared": svm.PLT{Link: classifier.SquaredHinge, Policy: svm.Exclusive}, "softmax": svm.HierarchicalSoftmax{},
		"perceptron": perceptron.Hieron{}, "naive Bayes": bayes.Shrinkage{}, "multinomial": bayes.Multinomial{},
		"RBF": svm.Hierarchical{Kernel: gram.RBF{Gamma: 0.7}}, "polynomial": svm.Flat{Kernel: gram.Polynomial{Degree: 3, Offset: 0.5}}, "linear kernel": svm.Flat{Kernel: gram.Linear{}},
		"ridge": svm.Ridge{},
	} {
		s := features.Text{}
		if strings.HasPrefix(name, "naive") || strings.HasPrefix(name, "multi") {
			s = counts
		}
		build("model: "+name, tree, s, e)
	}
	for name, e := range map[string]classifier.Estimator{
		"flat": svm.Flat{}, "hierarchical": svm.Hierarchical{}, "normalized": svm.Normalized{}, "recursive": svm.Recursive{}, "HR": svm.HR{}, "perceptron": perceptron.Hieron{},
		"RBF": svm.Hierarchical{Kernel: gram.RBF{Gamma: 0.7}},
	} {
		build("graph: "+name, graph, features.Text{}, e)
	}
	leafed := innerCorpus(t, example.Tree(3, 3), 150)
	for name, e := range map[string]classifier.Estimator{
		"hierarchical": svm.Hierarchical{}, "recursive": svm.Recursive{}, "softmax": svm.HierarchicalSoftmax{}, "label tree": svm.PLT{}, "naive Bayes": bayes.Multinomial{},
	} {
		build("labels at inner nodes: "+name, leafed, counts, e)
	}
	// Of these most weights are zero, so that they are in compressed rows; of the second they are
	// of half precision.
	for name, value := range map[string]func(k int, v float32) float32{
		"singles": func(_ int, v float32) float32 { return v },
		"halves":  func(k int, _ float32) float32 { return float32(k%5000) / 16 },
	} {
		p := build("weights: few, "+name, corpus(example.Tree(300), 60, 3), features.Text{}, svm.Flat{})
		weights := p.Model.Training.Certificate.Weights.Data
		for k, v := range weights {
			weights[k] = 0
			if k%50 == 0 {
				weights[k] = value(k/50, v)
			}
		}
	}
	// And of these most features do not occur.
	large := corpus(example.Tree(4, 4, 4), 60, 3)
	build("weights: some features, label tree", large, features.Text{Bits: 18}, svm.PLT{Link: classifier.CubedHinge})
	build("weights: some features, recursive", large, features.Text{Bits: 18}, svm.Recursive{})
	build("weights: some features, beam", large, features.Text{Bits: 18}, svm.PLT{}).Beam = 4
	double := svm.Hierarchical{Settings: solver.Settings{Gap: 1e-7}}
	build("weights: double", tree, features.Text{}, double)
	build("weights: double, beam", tree, features.Text{}, double).Beam = 2
	few := build("weights: compact", tree, features.Text{}, svm.Hierarchical{})
	var err error
	if few.Model, err = few.Model.Compact(ctx, 0.5); err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]classifier.Estimator{
		"label tree": svm.PLT{}, "label tree, cubed": svm.PLT{Link: classifier.CubedHinge}, "softmax": svm.HierarchicalSoftmax{}, "hierarchical": svm.Hierarchical{},
		"recursive": svm.Recursive{}, "normalized": svm.Normalized{},
	} {
		for _, width := range []int{1, 3} {
			build(fmt.Sprintf("beam of %d: %s", width, name), corpus(example.Tree(3, 3, 3), 150, 4), features.Text{}, e).Beam = width
		}
	}
	for name, c := range map[string]svm.Calibration{"Platt": {Folds: 3}, "isotonic": {Folds: 2, Form: svm.Isotonic}, "temperature, by level": {Folds: 2, Form: svm.Temperature, Levels: true},
		"Venn-ABERS": {Folds: 2, Form: svm.VennABERS}, "beta, by level": {Folds: 2, Form: svm.Beta, Levels: true}, "temperature": {Folds: 2, Form: svm.Temperature}} {
		for of, e := range map[string]classifier.Estimator{"normalized": svm.Normalized{}, "recursive": svm.Recursive{}, "label tree": svm.PLT{}} {
			p := build("probabilities: "+name+", "+of, tree, features.Text{}, svm.Flat{})
			if p.Calibrated, err = c.Fit(ctx, e, p.Vectorizer.Transform(tree)); err != nil {
				t.Fatal(err)
			}
			p.Model = nil
		}
	}
	// Of these one label has no text, so that its probability before the calibration is none.
	var others []int
	for i, d := range tree.Documents {
		if d.Labels[0] != tree.Taxonomy.Leaves()[4] {
			others = append(others, i)
		}
	}
	without := tree.Subset(others)
	q := build("probabilities: a label without texts", without, features.Text{}, svm.PLT{})
	if _, never := q.Model.Certain(); len(never) == 0 {
		t.Fatal("each label has a text")
	}
	if q.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, svm.PLT{}, q.Vectorizer.Transform(without)); err != nil {
		t.Fatal(err)
	}
	q.Model = nil
	// A label without texts is never predicted, whatever the method.
	for name, e := range map[string]classifier.Estimator{
		"flat": svm.Flat{}, "normalized": svm.Normalized{}, "recursive": svm.Recursive{}, "one-vs-rest": svm.OneVsRest{}, "softmax": svm.HierarchicalSoftmax{},
		"label tree": svm.PLT{Link: classifier.SquaredHinge}, "perceptron": perceptron.Hieron{}, "RBF": svm.Hierarchical{Kernel: gram.RBF{Gamma: 0.7}}, "HM3": svm.HM3{},
	} {
		p := build("unseen: "+name, without, features.Text{}, e)
		if !p.Model.Unseen(without.Taxonomy.Leaves()[4]) {
			t.Fatalf("%s: each label has a text", name)
		}
		switch name {
		case "softmax", "label tree", "recursive":
			build("unseen, beam: "+name, without, features.Text{}, e).Beam = 2
		}
		if name == "flat" || name == "recursive" {
			q := build("unseen, probabilities: "+name, without, features.Text{}, e)
			if q.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, e, q.Vectorizer.Transform(without)); err != nil {
				t.Fatal(err)
			}
			q.Model = nil
		}
	}
	several := tree.Subset([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	for i := range several.Documents {
		a, b := several.Documents[i].Labels[0], several.Documents[(i+1)%20].Labels[0]
		if a != b {
			several.Documents[i].Labels = []int{min(a, b), max(a, b)}
		}
	}
	p := build("probabilities: several labels", several, features.Text{}, svm.OneVsRest{})
	if p.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, svm.OneVsRest{}, p.Vectorizer.Transform(several)); err != nil {
		t.Fatal(err)
	}
	p.Model = p.Calibrated.Model
	q = build("probabilities: several labels, by level", several, features.Text{}, svm.OneVsRest{})
	if q.Calibrated, err = (svm.Calibration{Folds: 2, Levels: true}).Fit(ctx, svm.OneVsRest{}, q.Vectorizer.Transform(several)); err != nil {
		t.Fatal(err)
	}
	q.Model = nil
	return all
}
