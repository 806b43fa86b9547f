package perceptron

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// sameScores compares the scores of all leaves for the instances of d.
func sameScores(t *testing.T, what string, got, want *classifier.Model, d *dataset.Dataset) {
	t.Helper()
	a, b := got.LeafScores(d.X), want.LeafScores(d.X)
	for i := range d.X.Rows {
		for k := range d.Taxonomy.Leaves() {
			if v, w := a.At(i, k), b.At(i, k); math.Abs(v-w) > 1e-9*math.Max(1, math.Abs(w)) {
				t.Fatalf("%s: row %d, leaf %d scores %v, want %v", what, i, k, v, w)
			}
		}
	}
}

// TestLearner: one instance at a time gives what Fit gives.
func TestLearner(t *testing.T) {
	const epochs = 4
	for seed := range uint64(24) {
		s := Settings{Epochs: epochs}
		for _, e := range []interface {
			estimator
			Learner(*taxonomy.Taxonomy, int) (*Learner, error)
		}{
			Flat{Settings: s}, Flat{Averaged: true, Settings: s},
			Hierarchical{Settings: s}, Hierarchical{Averaged: true, Settings: s},
			Hierarchical{Averaged: true, Kernel: gram.Polynomial{Offset: 1}, Settings: s},
			Hieron{Settings: s}, Hieron{Averaged: true, Settings: s}, Hieron{Averaged: true, Kernel: gram.RBF{}, Settings: s},
		} {
			_, single := e.(Hieron)
			d := random(t, seed, single)
			want, err := fitModel(t.Context(), e, d)
			if err != nil {
				t.Fatal(err)
			}
			l, err := e.Learner(d.Taxonomy, d.X.Cols)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Learn(t.Context(), d.Instances(), epochs); err != nil {
				t.Fatal(err)
			}
			got, err := l.Model()
			if err != nil {
				t.Fatal(err)
			}
			sameScores(t, d.Name+", "+want.Name, got, want, d)
			if got.Name != want.Name || got.Instances != l.Steps() || l.Steps() != want.Training.Epochs*d.X.Rows {
				t.Errorf("%q after %d of %d instances, want %q after %d epochs of %d", got.Name, got.Instances, l.Steps(), want.Name, want.Training.Epochs, d.X.Rows)
			}
			// The model stays as it is.
			scores := got.LeafScores(d.X)
			if err := l.Learn(t.Context(), d.Instances(), 1); err != nil {
				t.Fatal(err)
			}
			if again := got.LeafScores(d.X); !slices.Equal(again.RawMatrix().Data, scores.RawMatrix().Data) {
				t.Errorf("%s, %s: learning on changed a model", d.Name, want.Name)
			}
		}
	}
}

// TestLast: an averaged learner has the last weights, too.
func TestLast(t *testing.T) {
	for seed := range uint64(8) {
		d := random(t, seed, false)
		want, err := Hierarchical{Settings: Settings{Epochs: 3}}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, kernel := range []gram.Kernel{nil, gram.Linear{}} {
			l, err := Hierarchical{Averaged: true, Kernel: kernel}.Learner(d.Taxonomy, d.X.Cols)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Learn(t.Context(), d.Instances(), 3); err != nil {
				t.Fatal(err)
			}
			got, err := l.Last()
			if err != nil {
				t.Fatal(err)
			}
			sameScores(t, d.Name, got, want, d)
		}
	}
}

// TestMistakes counts what a learner says before it has learned from an instance.
func TestMistakes(t *testing.T) {
	for seed := range uint64(12) {
		d := random(t, seed, true)
		for _, e := range []estimator{Hierarchical{}, Hieron{}, Hieron{Averaged: true}} {
			l, err := newLearner(e, d.Taxonomy, d.X.Cols)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for range 3 {
				for i, labels := range d.Labels {
					m, err := l.Last()
					if err != nil {
						t.Fatal(err)
					}
					row := d.X.Subset([]int{i})
					scores := allScores(m, row).RawRowView(0)
					y, _ := slices.BinarySearch(d.Taxonomy.Leaves(), labels[0])
					wrong := structured.Argmax(scores) != y
					if _, isPerceptron := e.(Hierarchical); isPerceptron {
						for z, f := range scores {
							wrong = wrong || z != y && f == scores[y]
						}
					}
					if wrong {
						want++
					}
					indices, values := d.X.Row(i)
					mistake, err := l.Update(indices, values, labels)
					if err != nil {
						t.Fatal(err)
					}
					if mistake != wrong {
						t.Fatalf("%s, %T, row %d: mistake is %v, the scores are %v and the label is at %d", d.Name, e, i, mistake, scores, y)
					}
				}
			}
			if l.Mistakes() != want {
				t.Errorf("%d mistakes, want %d", l.Mistakes(), want)
			}
		}
	}
}

// TestStream learns from a file, twice.
func TestStream(t *testing.T) {
	d := random(t, 4, false)
	var file bytes.Buffer
	for x := range d.Instances() {
		var names []string
		for _, n := range x.Labels {
			names = append(names, d.Taxonomy.Name(n))
		}
		file.WriteString(strings.Join(names, ","))
		for k, f := range x.Columns {
			fmt.Fprintf(&file, " %d:%v", f+1, x.Values[k])
		}
		file.WriteString("\n")
	}
	text := file.Bytes()
	want, err := Hierarchical{Averaged: true, Settings: Settings{Epochs: 2}}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	var reports []Progress
	p := Hierarchical{Averaged: true, Settings: Settings{Progress: func(p Progress) error { reports = append(reports, p); return nil }}}
	l, err := p.Learner(d.Taxonomy, d.X.Cols)
	if err != nil {
		t.Fatal(err)
	}
	stream := files.SVMLight{}.Instances(t.Context(), bytes.NewReader(text), "rows.svm", d.Taxonomy)
	if err := l.Learn(t.Context(), stream, 2); err != nil {
		t.Fatal(err)
	}
	got, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	sameScores(t, "stream", got, want, d)
	if len(reports) != 2 || reports[1].Epoch != 2 || reports[1].Steps != 2*d.X.Rows || reports[1].Done() != 1 {
		t.Errorf("reports %v", reports)
	}
	// A pipe cannot begin again, and the second pass says so.
	pipe := files.SVMLight{}.Instances(t.Context(), struct{ *bytes.Buffer }{bytes.NewBuffer(text)}, "pipe", d.Taxonomy)
	if err := l.Learn(t.Context(), pipe, 2); err == nil {
		t.Error("two passes over a pipe: no error")
	}
	// What was learned before a fault stays.
	before := l.Steps()
	broken := files.SVMLight{}.Instances(t.Context(), strings.NewReader(string(text)+"nowhere 1:1\n"), "broken", d.Taxonomy)
	var syntax *files.SyntaxError
	if err := l.Learn(t.Context(), broken, 1); !errors.As(err, &syntax) || l.Steps() != before+d.X.Rows {
		t.Errorf("a broken file: error %v after %d instances", err, l.Steps()-before)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Learn(ctx, endless(d), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled context", err)
	}
}

// endless gives the instances of d again and again.
func endless(d *dataset.Dataset) func(yield func(dataset.Instance, error) bool) {
	return func(yield func(dataset.Instance, error) bool) {
		for {
			for x, err := range d.Instances() {
				if !yield(x, err) {
					return
				}
			}
		}
	}
}

// TestMemory: a linear learner takes no memory for instances, however many there are.
func TestMemory(t *testing.T) {
	d := random(t, 8, true)
	for _, e := range []estimator{Hierarchical{Averaged: true}, Hieron{Averaged: true}} {
		l, err := newLearner(e, d.Taxonomy, d.X.Cols)
		if err != nil {
			t.Fatal(err)
		}
		pass := func() {
			for i, labels := range d.Labels {
				indices, values := d.X.Row(i)
				if _, err := l.Update(indices, values, labels); err != nil {
					t.Fatal(err)
				}
			}
		}
		pass()
		if n := testing.AllocsPerRun(100, pass); n > 0 {
			t.Errorf("%T: %v allocations in %d updates", e, n, d.X.Rows)
		}
	}
}

func TestLearnerErrors(t *testing.T) {
	d := random(t, 0, true)
	leaf := d.Taxonomy.Leaves()[0]
	inner := 0
	for d.Taxonomy.IsLeaf(inner) {
		inner++
	}
	nan := float32(math.NaN())
	l, err := Hierarchical{}.Learner(d.Taxonomy, 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]dataset.Instance{
		"lengths":       {Columns: []int32{0}, Labels: []int{leaf}},
		"order":         {Columns: []int32{1, 0}, Values: []float32{1, 1}, Labels: []int{leaf}},
		"twice":         {Columns: []int32{1, 1}, Values: []float32{1, 1}, Labels: []int{leaf}},
		"negative":      {Columns: []int32{-1}, Values: []float32{1}, Labels: []int{leaf}},
		"beyond":        {Columns: []int32{3}, Values: []float32{1}, Labels: []int{leaf}},
		"not a number":  {Columns: []int32{0}, Values: []float32{nan}, Labels: []int{leaf}},
		"inner label":   {Labels: []int{inner}},
		"no node":       {Labels: []int{d.Taxonomy.Len()}},
		"negative node": {Labels: []int{-1}},
		"labels twice":  {Labels: []int{leaf, leaf}},
	} {
		if _, err := l.Update(x.Columns, x.Values, x.Labels); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if l.Steps() != 0 || l.Mistakes() != 0 {
		t.Errorf("%d steps and %d mistakes of instances that are none", l.Steps(), l.Mistakes())
	}
	h, err := Hieron{}.Learner(d.Taxonomy, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Update(nil, nil, d.Taxonomy.Leaves()[:2]); err == nil {
		t.Error("a Hieron with two labels: no error")
	}
	k, err := Hierarchical{Kernel: gram.Func(func(a, b gram.Vector) float64 { return math.NaN() })}.Learner(d.Taxonomy, 3)
	if err != nil {
		t.Fatal(err)
	}
	_, first := k.Update([]int32{0}, []float32{1}, []int{leaf})
	if _, err := k.Update([]int32{0}, []float32{1}, []int{leaf}); err == nil && first == nil {
		t.Error("a kernel that is no number: no error")
	}
	for name, make := range map[string]func() (*Learner, error){
		"Minover":     func() (*Learner, error) { return Flat{Minover: true}.Learner(d.Taxonomy, 3) },
		"no features": func() (*Learner, error) { return Flat{}.Learner(d.Taxonomy, 0) },
		"no taxonomy": func() (*Learner, error) { return Flat{}.Learner(nil, 3) },
		"kernel":      func() (*Learner, error) { return Flat{Kernel: gram.RBF{Gamma: -1}}.Learner(d.Taxonomy, 3) },
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var none Learner
	if _, err := none.Update(nil, nil, []int{leaf}); err == nil {
		t.Error("Update of no learner: no error")
	}
	if err := none.Learn(t.Context(), d.Instances(), 1); err == nil {
		t.Error("Learn of no learner: no error")
	}
	if m, err := none.Model(); err == nil || m != nil {
		t.Errorf("no learner has the model %v, error %v", m, err)
	}
	if none.Steps() != 0 || !strings.Contains(none.String(), "not created") || !strings.Contains(none.HTML(), "not created") {
		t.Errorf("no learner shows itself as %q", none.String())
	}
	if m, err := l.Model(); err != nil || !strings.Contains(m.String(), "online, so far") {
		t.Errorf("the model of a learner is %v, error %v", m, err)
	}
	if err := l.Learn(t.Context(), nil, 1); err == nil {
		t.Error("no instances: no error")
	}
	if err := l.Learn(t.Context(), d.Instances(), 0); err == nil {
		t.Error("no passes: no error")
	}
	// A model of nothing scores zero.
	for _, e := range []estimator{Hierarchical{Averaged: true}, Hierarchical{Kernel: gram.Linear{}}} {
		l, err := newLearner(e, d.Taxonomy, d.X.Cols)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Model()
		if err != nil {
			t.Fatal(err)
		}
		if s := m.LeafScores(d.X).At(0, 0); s != 0 {
			t.Errorf("a model of nothing scores %v", s)
		}
	}
}
