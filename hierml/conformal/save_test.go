package conformal_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/conformal"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// TestSaved compares the sets of predictors with those of what was read of them.
func TestSaved(t *testing.T) {
	for name, w := range worlds(4) {
		held, labels := w.draw(400)
		fresh, _ := w.draw(100)
		for _, s := range []conformal.Settings{{}, {Nodes: 2, Most: 3}, {ByClass: true, Coverage: 0.8}} {
			p, err := s.LearnProbabilities(t.Context(), w.t, held, labels)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			read, err := conformal.Read(data, w.t, nil)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if read.String() != p.String() {
				t.Errorf("%s: read is\n%v\nwritten was\n%v", name, read, p)
			}
			want, err := p.PredictProbabilities(t.Context(), fresh)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := read.PredictProbabilities(t.Context(), fresh); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: other sets (%v)", name, data, err)
			}
		}
	}
}

// TestNotRead gives Read what is no predictor of its taxonomy.
func TestNotRead(t *testing.T) {
	w := world{example.Tree(2, 2), rand.New(rand.NewPCG(5, 1)), 1}
	held, labels := w.draw(200)
	p, err := conformal.Settings{ByClass: true, Coverage: 0.8}.LearnProbabilities(t.Context(), w.t, held, labels)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conformal.Read(data, example.Tree(4), nil); err == nil || !strings.Contains(err.Error(), "on another taxonomy") {
		t.Errorf("another taxonomy: error %v", err)
	}
	if _, err := conformal.Read(data, nil, nil); err == nil {
		t.Error("no taxonomy: no error")
	}
	without, err := conformal.Read(data, w.t, (*svm.Calibrated)(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Predict(t.Context(), &dataset.Matrix{}); err == nil || !strings.Contains(err.Error(), "use PredictProbabilities") {
		t.Errorf("a nil model: error %v", err)
	}
	for _, c := range []struct {
		key   string
		value any
		want  string
	}{
		{"format", "hierml.model", "this program reads"},
		{"version", 2, "version 2; this program reads"},
		{"other", 1, "unknown field"},
		{"coverage", 1, "above 0 and below 1"},
		{"nodes", -1, "neither may be negative"},
		{"by class", false, "others are by class"},
		{"instances", 3, "of 4 to 3 instances"},
		{"thresholds", []any{}, "0 thresholds"},
		{"thresholds", []map[string]any{{"node": 99, "instances": 9, "threshold": 0.5}}, "of several"},
		{"thresholds", []map[string]any{{"node": -1, "instances": 9, "threshold": 0.5}, {"node": 99, "instances": 9, "threshold": 0.5}}, "at node 99"},
		{"thresholds", []map[string]any{{"node": -1, "instances": 9, "threshold": -1}, {"node": 0, "instances": 9, "threshold": 0.5}}, "the threshold -1"},
		{"leaves", []int{0}, "the taxonomy has 4 leaves"},
		{"leaves", []int{0, 0, 0, 99}, "by position in"},
	} {
		var changed map[string]any
		if err := json.Unmarshal(data, &changed); err != nil {
			t.Fatal(err)
		}
		changed[c.key] = c.value
		text, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conformal.Read(text, w.t, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: error %v, want %q", c.key, c.value, err, c.want)
		}
	}
	if _, err := json.Marshal(&conformal.Predictor{}); err == nil || !strings.Contains(err.Error(), "nothing to write") {
		t.Errorf("a predictor of nothing: error %v", err)
	}
	if _, err := (conformal.Settings{Coverage: 0.9999999999999999}).LearnProbabilities(t.Context(), w.t, held, labels); err == nil || !strings.Contains(err.Error(), "too few") {
		t.Errorf("nearly all: error %v", err)
	}
}
