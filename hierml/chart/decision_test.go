package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestDecision(t *testing.T) {
	tax := paths(t, 3, 4)
	p := make([]float64, tax.Len())
	for y, leaf := range tax.Leaves() {
		for _, n := range tax.Ancestors(leaf) {
			p[n] += math.Pow(0.5, float64(y+1))
		}
	}
	inner := tax.Parents(tax.Leaves()[0])
	f, err := Decision(tax, inner, p)
	if err != nil {
		t.Fatal(err)
	}
	if svg := f.SVG(); !strings.Contains(svg, "Decision: 1 node, 4 labels") || strings.Contains(svg, "nodes drawn") {
		t.Errorf("%.400s", svg)
	}
	rims := func(f *Figure) int {
		spec, err := f.spec()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(fmt.Sprint(spec), "marked:true")
	}
	if n := rims(f); n != 5 {
		t.Errorf("%d nodes have a rim; want the node and its four leaves", n)
	}
	large := paths(t, 30, 30)
	p = make([]float64, large.Len())
	p[large.Leaves()[777]] = 1
	f, err = Decision(large, large.Leaves()[777:778], p)
	if err != nil {
		t.Fatal(err)
	}
	if svg := f.SVG(); !strings.Contains(svg, "nodes drawn") || rims(f) != 1 {
		t.Errorf("%d rims, %.400s", rims(f), svg)
	}
	if _, err := Decision(large, nil, p); err != nil {
		t.Error(err)
	}
	for words, err := range map[string]error{
		"no taxonomy":       second(Decision(nil, nil, nil)),
		"1 probabilities":   second(Decision(tax, nil, []float64{1})),
		"node 99":           second(Decision(tax, []int{99}, make([]float64, tax.Len()))),
		"has probability 2": second(Decision(tax, nil, append(make([]float64, tax.Len()-1), 2))),
	} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
}

func second(_ *Figure, err error) error { return err }
