package decision_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestSaved compares decisions of rules with those of what was read of them.
func TestSaved(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 4))
	for _, kind := range []string{"tree", "graph"} {
		g := small(t, random, kind, 20)
		rules := []decision.Rule{nil, decision.LeastLoss{Inner: true}, decision.LargestF{}, decision.LargestF{Single: true}, decision.LargestF{Rootless: true}}
		for _, name := range loss.Names() {
			if l, err := loss.Named(name, g); err == nil {
				rules = append(rules, decision.LeastLoss{Loss: l}, decision.LeastLoss{Loss: l, Inner: true})
			}
		}
		p := drawn(random, 60, len(g.Leaves()))
		var labels [][]int
		for i := range 60 {
			labels = append(labels, []int{g.Leaves()[floats.MaxIdx(p.RawRowView((i+i%3)%60))]})
		}
		for _, learner := range []decision.Learner{decision.TopDown{}, decision.NodeThresholds{}} {
			learned, err := learner.Learn(context.Background(), g, p, labels)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, learned)
		}
		for _, rule := range rules {
			data, err := decision.Marshal(rule, g)
			if err != nil {
				t.Fatal(err)
			}
			read, err := decision.Unmarshal(data, g)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if rule == nil {
				rule = decision.LeastLoss{}
			}
			if fmt.Sprint(read) != fmt.Sprint(rule) {
				t.Errorf("%v is read as %v", rule, read)
			}
			sets, values, err := rule.Decide(context.Background(), g, p)
			if err != nil && strings.Contains(err.Error(), "no finite cost of any inner node") { // normalized, of roots
				if _, _, err := read.Decide(context.Background(), g, p); err == nil {
					t.Errorf("%s decides, and what it was read of does not", data)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			again, same, err := read.Decide(context.Background(), g, p)
			if err != nil || !reflect.DeepEqual(again, sets) || !reflect.DeepEqual(same, values) {
				t.Errorf("%s: other decisions (%v)", data, err)
			}
		}
	}
	g, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{`: "unexpected EOF",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "other": 1}`:                                         "unknown field",
		`{"format": "hierml.decision", "version": 2, "rule": "least loss"}`:                                                     "version 2; this program reads",
		`{"format": "hierml.decision", "version": 1, "rule": "best"}`:                                                           "this program knows",
		`{"format": "hierml.decision", "version": 1, "rule": "top down", "threshold": 2}`:                                       "the threshold is 2",
		`{"format": "hierml.decision", "version": 1, "rule": "top down", "single": true}`:                                       "unknown settings",
		`{"format": "hierml.decision", "version": 1, "rule": "node thresholds", "thresholds": [1, 0.5]}`:                        "2 thresholds for 3 nodes",
		`{"format": "hierml.decision", "version": 1, "rule": "node thresholds", "thresholds": [1, 0.5, -1]}`:                    "\"c\" has the threshold -1",
		`{"format": "hierml.decision", "version": 1, "rule": "largest F1", "inner": true}`:                                      "unknown settings",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"weights": [1, 2], "missed": 1}}`:           "2 node weights",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"missed": -1}}`:                             "not negative",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"costs": [[0, 1]]}}`:                        "for other than 2 leaves",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"costs": [[0, 1], [1]]}}`:                   "1 costs for leaf 1; expected 2",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"costs": [[0, 1], [-2, 0]]}}`:               "the cost -2 for leaf 1",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "loss": {"costs": [[0, 1], [1, 0]], "added": 1}}`:    "in addition to weights",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "inner": true, "loss": {"costs": [[0, 1], [1, 0]]}}`: "2 costs for leaf 0; expected 3",
		`{"format": "hierml.decision", "version": 1, "rule": "least loss", "single": true}`:                                     "unknown settings",
	} {
		if _, err := decision.Unmarshal([]byte(text), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if _, err := decision.Marshal(own{}, g); err == nil || !strings.Contains(err.Error(), "decision_test.own") {
		t.Errorf("a rule of one's own: %v", err)
	}
}

// TestNotSaved says that a loss is not written that Unmarshal would refuse, or read as another.
func TestNotSaved(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, cost := range []negative{-1, -2} {
		if _, err := decision.Marshal(decision.LeastLoss{Loss: cost}, g); err == nil || !strings.Contains(err.Error(), "costs must not be negative") {
			t.Errorf("costs of %v: error %v", cost, err)
		}
	}
}

// negative is a loss with one cost of all mistakes.
type negative float64

func (n negative) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	return float64(n)
}

type own struct{ decision.Rule }
