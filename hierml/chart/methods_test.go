package chart

import (
	"fmt"
	"strings"
	"testing"
)

// A method keeps its colour, whatever other methods are in the chart.
func TestMethodStyles(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"flat"}, "[0]"},
		{[]string{"Hieron", "flat", "hierarchical"}, "[5 0 1]"},
		{[]string{"a", "b", "flat", "normalized"}, "[1 3 0 2]"},
		{[]string{"flat, C=1", "flat, C=10", "other", "shared, C=1"}, "[0 1 2 3]"},
		{[]string{"flat", "flatter", "Flat"}, "[0 1 2]"},
		{nil, "[]"},
	} {
		if got := fmt.Sprint(methodStyles(c.names)); got != c.want {
			t.Errorf("%q have the styles %s, want %s", c.names, got, c.want)
		}
	}
	for name, draw := range map[string]func(curves map[string][]float64) (*Figure, error){
		"curve": func(curves map[string][]float64) (*Figure, error) { return LearningCurve([]int{1, 2}, curves) },
		"parameter": func(curves map[string][]float64) (*Figure, error) {
			return Parameter("C", "accuracy", []float64{1, 2}, curves, nil)
		},
	} {
		f, err := draw(map[string][]float64{"normalized": {0, 1}, "a": {1, 0}})
		if err != nil {
			t.Fatal(err)
		}
		if web := spec(t, f); !strings.Contains(web, `"domain":["a","normalized"],"range":["#0072b2","#009e73"]`) {
			t.Errorf("%s: normalized is not green: %.2000s", name, web)
		}
	}
}
