package pipeline_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// zoo returns a pipeline of a method, whose labels are paths.
func zoo(t *testing.T, e classifier.Estimator, fits ...func(d *dataset.Dataset) (pipeline.Step, error)) (*pipeline.Pipeline, *dataset.Dataset) {
	t.Helper()
	g, err := taxonomy.FromPaths([]string{"pet/cat", "pet/dog", "wild/owl"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	c := &dataset.Corpus{Name: "zoo", Taxonomy: g}
	for range 4 {
		for label, text := range map[string]string{"pet/cat": "meow purr", "pet/dog": "bark woof", "wild/owl": "hoot night", "pet": "food owner"} {
			n, _ := g.Node(label)
			c.Documents = append(c.Documents, dataset.Document{Text: text, Labels: []int{n}})
		}
	}
	if c, err = c.Leafed(); err != nil {
		t.Fatal(err)
	}
	words, err := features.TFIDF{}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	fitted, d := steps(t, words.Transform(c), fits...)
	m, err := e.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Pipeline{Vectorizer: words, Steps: fitted, Model: m}, d
}

func TestLabelsAreShownByTheirPaths(t *testing.T) {
	p, d := zoo(t, svm.Flat{})
	for text, want := range map[string]string{"purr": "pet > cat  score 0.", "food": "pet  score 0."} {
		if label, err := p.Predict(text); err != nil || !strings.HasPrefix(label.String(), want) || label.Unknown || label.Probability != 0 {
			t.Errorf("%q: %v, want %s (%v)", text, label, want, err)
		}
	}
	ranked, err := p.Rank("purr", 9)
	if err != nil || len(ranked) != 4 || !strings.Contains(ranked.String(), "wild > owl") || !strings.Contains(ranked.String(), "score") || strings.Contains(ranked.HTML(), "misc") {
		t.Errorf("%v (%v)", ranked, err)
	}
	if p.HasProbabilities() {
		t.Error("a flat SVM has probabilities")
	}
	calibrated, err := svm.Calibration{Folds: 2}.Fit(t.Context(), svm.Flat{}, d)
	if err != nil {
		t.Fatal(err)
	}
	p.Model, p.Calibrated = nil, calibrated
	ranked, err = p.Rank("purr", 9)
	if err != nil || !p.HasProbabilities() || !strings.Contains(ranked.String(), "probability") || strings.Contains(ranked.String(), "score") {
		t.Errorf("%v (%v)", ranked, err)
	}
	all, err := p.Probabilities("purr")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, l := range ranked {
		sum += l.Probability
		if l.Probability != all[calibrated.Model.Taxonomy.LeafIndex(l.Node)] {
			t.Errorf("%v has the probability %v", l, all)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the probabilities add up to %v", sum)
	}
}

// noted collects notes.
type noted struct{ texts []string }

func (n *noted) Begin(string) progress.Task { return nil }
func (n *noted) Note(text string)           { n.texts = append(n.texts, text) }

func TestUnknownTextsAreToldOf(t *testing.T) {
	constant := step(features.Scaling{Columns: features.Unscaled, Constant: 1}.Fit)
	selected := step(features.DocumentFrequency{Features: 3}.Fit) // which leaves out terms that the vectorizer knows
	for name, fits := range map[string][]func(*dataset.Dataset) (pipeline.Step, error){"no steps": nil, "a constant": {constant}, "selected": {selected, constant}} {
		p, _ := zoo(t, svm.Hierarchical{}, fits...)
		p.Beam = 2
		label, err := p.Predict("qqq zzz")
		if err != nil || !label.Unknown || !strings.HasSuffix(label.String(), "(no known term in the text)") {
			t.Errorf("%s: %v (%v)", name, label, err)
		}
		ranked, err := p.Rank("", 2)
		if err != nil || !ranked[1].Unknown || !strings.Contains(ranked.String(), "no known term in the text") {
			t.Errorf("%s: %v (%v)", name, ranked, err)
		}
		texts := slices.Repeat([]string{"qqq", "meow purr bark woof hoot night food owner", "www"}, 200)
		told := new(noted)
		labels, err := p.PredictAll(progress.With(t.Context(), told), texts)
		if err != nil || len(labels) != len(texts) {
			t.Fatal(err)
		}
		for i, l := range labels {
			one, err := p.Predict(texts[i])
			if err != nil || l.String() != one.String() || l.Unknown != (i%3 != 1) {
				t.Fatalf("%s: text %d is %v, and %v by itself (%v)", name, i, l, one, err)
			}
		}
		if len(told.texts) != 1 || !strings.Contains(told.texts[0], "no term of 400 of 600 texts") || !strings.Contains(labels.String(), "no term of 400 of 600 texts") {
			t.Errorf("%s: told %q", name, told.texts)
		}
		if _, err := p.PredictAll(progress.With(t.Context(), told), texts[1:2]); err != nil || len(told.texts) != 1 {
			t.Errorf("%s: told %q of known texts (%v)", name, told.texts, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.PredictAll(ended, texts); err == nil || !strings.Contains(err.Error(), "ended after 0 of 600 texts") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPredictIsTheFirstOfRank also where several labels are as good.
func TestPredictIsTheFirstOfRank(t *testing.T) {
	for name, p := range pipelines(t) {
		m := modelOf(p)
		x, err := p.Vectors(unseen(m.Taxonomy, 60, 3)...)
		if err != nil {
			t.Fatal(err)
		}
		predicted := m.Predict(x)
		for i, ranked := range m.Rank(x, 3) {
			if one := m.Rank(x.Subset([]int{i}), 1)[0][0]; ranked[0].Node != predicted[i] || one != ranked[0] {
				t.Fatalf("%s: row %d is %d, ranked %v and %v", name, i, predicted[i], ranked, one)
			}
		}
		if beam, err := m.NewBeam(1); err == nil && m.Rule == classifier.Descend {
			if got := beam.Predict(x); !slices.Equal(got, predicted) {
				t.Errorf("%s: by the beam %v, want %v", name, got, predicted)
			}
		}
	}
}
