package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/metric"
)

// severalSets are results of three methods on four data sets in five rounds; "b" is the better by
// much, "c" hardly.
func severalSets() *Results {
	r := &Results{Measures: []string{"accuracy", "tree loss"}, Baseline: "a", methods: []string{"a", "b", "c"}}
	for d := range 4 {
		for m, method := range r.methods {
			for repeat := range 5 {
				v := 0.5 + 0.1*float64(d) + 0.01*float64((repeat*7+m*3+d)%5) + []float64{0, 0.05, 0.004}[m]
				r.Cells = append(r.Cells, &Cell{Data: fmt.Sprint("d", d), Method: method, Repeat: repeat + 1, Train: 80, Test: 20, Values: map[string]float64{"accuracy": v, "tree loss": 2 - v}})
			}
		}
	}
	return r
}

// TestSeveralMethods corrects p for the methods of a group, and shows it with the difference.
func TestSeveralMethods(t *testing.T) {
	r := severalSets()
	s := r.Summary()
	for i := 0; i < len(s.Rows); i += 3 {
		for k := range s.Measures {
			b, c := s.Rows[i+1].Values[k], s.Rows[i+2].Values[k]
			want := metric.Holm([]float64{b.Test.P, c.Test.P})
			if b.Holm != want[0] || c.Holm != want[1] || b.Holm != min(1, 2*b.Test.P) {
				t.Errorf("%v and %v by Holm, want %v", b.Holm, c.Holm, want)
			}
			if in := b.Test.Interval; in.Mean != b.Test.Difference || !(in.Low < in.Mean && in.Mean < in.High) {
				t.Errorf("the interval %v of %v", in, b.Test.Difference)
			}
		}
	}
	b := s.Rows[1].Values[0]
	text := fmt.Sprintf("(+%.4f [%.4f, %.4f], %s)", b.Test.Difference, b.Test.Interval.Low, b.Test.Interval.High, probability(b.Holm))
	for name, shown := range map[string]string{"text": s.String(), "HTML": s.HTML(), "LaTeX": s.LaTeX()} {
		want := text
		switch name {
		case "HTML":
			want = "<small>" + strings.Trim(text, "()") + "</small>"
		case "LaTeX":
			want = latexText.Replace(text)
		}
		for _, want := range []string{want, "corrected by Holm for the methods", "mean ranks by tree loss over 4 data sets: b 1.00, "} {
			if !strings.Contains(shown, want) {
				t.Errorf("no %q in the %s\n%s", want, name, shown)
			}
		}
	}
	if !strings.Contains(s.HTML(), "; "+probability(b.Test.P)+" by the paired t-test, "+probability(b.Holm)+" by Holm&#39;s correction") {
		t.Errorf("both p are not in\n%s", s.HTML())
	}
	lines, err := csv.NewReader(strings.NewReader(s.CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]string)
	for j, head := range lines[0] {
		of[head] = lines[3][j] // accuracy of b, behind two measures of a
	}
	if of["method"] != "b" || of["low"] != exact(b.Test.Interval.Low) || of["high"] != exact(b.Test.Interval.High) || of["p"] != exact(b.Test.P) || of["holm"] != exact(b.Holm) || of["test"] != b.Test.Name || of["best"] != "true" {
		t.Errorf("in CSV %v", of)
	}
}

// TestRanks ranks the methods over data sets, without those that a method has nothing on.
func TestRanks(t *testing.T) {
	s := severalSets().Summary()
	if len(s.Ranks) != 2 {
		t.Fatalf("%d ranks", len(s.Ranks))
	}
	for k, r := range s.Ranks {
		var values [][]float64
		for i := 0; i < len(s.Rows); i += 3 {
			values = append(values, []float64{s.Rows[i].Values[k].Mean, s.Rows[i+1].Values[k].Mean, s.Rows[i+2].Values[k].Mean})
		}
		want, err := metric.Friedman(values, k == 1)
		if err != nil || r.Mean[1] != 1 || r.P != want.P || r.Ranks.Difference != want.Difference || r.Sets != 4 {
			t.Errorf("%s: %+v, want %+v (%v)", r.Measure, r, want, err)
		}
	}
	var out struct {
		Rows []struct {
			Data, Method string
			Values       map[string]struct {
				Mean, Holm *float64
				Test       *metric.Test
			}
		}
		Ranks []struct {
			Measure    string
			Mean       map[string]float64 `json:"mean_ranks"`
			Difference float64            `json:"critical_difference"`
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	b := s.Rows[1].Values[0]
	if got := out.Rows[1].Values["accuracy"]; len(out.Rows) != 12 || out.Rows[1].Method != "b" || *got.Mean != b.Mean || *got.Holm != b.Holm || *got.Test != b.Test {
		t.Errorf("in JSON %+v\n%s", got, text)
	}
	if out.Rows[0].Values["accuracy"].Test != nil || out.Ranks[0].Mean["b"] != 1 || out.Ranks[0].Difference != s.Ranks[0].Ranks.Difference {
		t.Errorf("in JSON %+v", out)
	}

	r := severalSets()
	for _, c := range r.Cells {
		if c.Data == "d1" && c.Method == "c" {
			c.Values["accuracy"] = math.NaN()
		}
	}
	if s := r.Summary(); s.Ranks[0].Sets != 3 || s.Ranks[1].Sets != 4 {
		t.Errorf("ranks over %d and %d data sets", s.Ranks[0].Sets, s.Ranks[1].Sets)
	}
	if _, err := json.Marshal(r.Summary()); err != nil {
		t.Error(err)
	}
	for _, c := range r.Cells {
		if c.Data == "d0" && c.Method == "b" {
			c.Point = fmt.Sprint("C=", c.Repeat) // several rows of b: the others are ranked
		}
	}
	if s := r.Summary(); len(s.Ranks) != 2 || len(s.Ranks[0].Methods) != 2 {
		t.Errorf("%+v", s.Ranks)
	}
	if s := byHand().Summary(); s.Ranks != nil {
		t.Errorf("ranks on one data set: %v", s.Ranks)
	}
}
