package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// explained are contributions that a test names.
type explained struct {
	features, nodes []string
	values          [][]float64
}

func (e explained) Contributions() (features, nodes []string, values [][]float64) {
	return e.features, e.nodes, e.values
}

func TestContributions(t *testing.T) {
	e := explained{[]string{"ball <&>", "space", "the"}, []string{"sport", "sport/hockey"}, [][]float64{{0.5, 0.25}, {-0.75, -0.2}, {0, 0.125}}}
	f, err := Contributions(e)
	if err != nil {
		t.Fatal(err)
	}
	svg := f.SVG()
	for _, want := range []string{"What speaks for sport/hockey", "ball &lt;&amp;&gt;", ">0.75<", ">-0.95<", ">0.125<", ">sum <"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	// What speaks for the label comes first, what speaks against it last.
	if ball, the, space := strings.Index(svg, ">ball"), strings.Index(svg, ">the<"), strings.Index(svg, ">space<"); !(ball < the && the < space) {
		t.Errorf("the names are at %d, %d and %d", ball, the, space)
	}
	many := explained{nodes: []string{"only"}}
	for i := range 40 {
		many.features, many.values = append(many.features, fmt.Sprint("word", i)), append(many.values, []float64{float64(40 - i)})
	}
	if f, err = Contributions(many); err != nil {
		t.Fatal(err)
	}
	if svg = f.SVG(); !strings.Contains(svg, ">16 others<") || strings.Contains(svg, ">word24<") || !strings.Contains(svg, ">136<") {
		t.Error("the last 16 of 40 features are not one row with their sum, 136")
	}
	if f, err = Contributions(explained{[]string{""}, []string{""}, [][]float64{{0}}}); err != nil || f.PNG() == nil {
		t.Errorf("nothing contributed: %v", err)
	}
	for words, e := range map[string]Explained{
		"no explanation":     nil,
		"nothing to draw":    explained{},
		"1 contributions":    explained{[]string{"a"}, []string{"b", "c"}, [][]float64{{1}}},
		"contributes NaN":    explained{[]string{"a"}, []string{"b"}, [][]float64{{math.NaN()}}},
		"contributes +Inf":   explained{[]string{"a"}, []string{"b"}, [][]float64{{math.Inf(1)}}},
		"of 1 features at 0": explained{[]string{"a"}, nil, [][]float64{{}}},
	} {
		if _, err := Contributions(e); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
}
