package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestParameter(t *testing.T) {
	if _, logarithmic := figures(t)["parameter"].X.Scale.(plot.LogScale); !logarithmic {
		t.Error("values from 0.1 to 100 are on a linear axis")
	}
	// A value that is zero or negative keeps the axis linear.
	for _, values := range [][]float64{{0, 100}, {-1, 5}, {1, 5}, {7}} {
		means := map[string][]float64{"a": make([]float64, len(values)), "b": make([]float64, len(values))}
		f, err := Parameter("depth", "loss", values, means, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, logarithmic := f.X.Scale.(plot.LogScale); logarithmic || strings.Contains(f.SVG(), "cannot be drawn") {
			t.Errorf("%v: scale %T", values, f.X.Scale)
		}
	}
	// The bars are within the axis.
	f, err := Parameter("C", "accuracy", []float64{1, 2}, map[string][]float64{"a": {0.4, 0.6}}, map[string][]float64{"a": {0.3, 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	if f.Y.Min > 0.1 || f.Y.Max < 0.8 {
		t.Errorf("the axis goes from %v to %v", f.Y.Min, f.Y.Max)
	}
	for name, c := range map[string]struct {
		values            []float64
		means, deviations map[string][]float64
		words             string
	}{
		"nothing":            {nil, nil, nil, "at least one"},
		"no method":          {[]float64{1}, nil, nil, "at least one"},
		"descending":         {[]float64{2, 1}, map[string][]float64{"a": {1, 2}}, nil, "ascending"},
		"not a number":       {[]float64{math.NaN()}, map[string][]float64{"a": {1}}, nil, "finite"},
		"too few means":      {[]float64{1, 2}, map[string][]float64{"a": {1}}, nil, `"a" has 1 means for 2 values`},
		"too few deviations": {[]float64{1, 2}, map[string][]float64{"a": {1, 2}}, map[string][]float64{"a": {1}}, `"a" has 1 deviations for 2 values`},
		"infinite":           {[]float64{1, 2}, map[string][]float64{"a": {1, math.Inf(1)}}, nil, "C = 2"},
		"negative deviation": {[]float64{1, 2}, map[string][]float64{"a": {1, 1}}, map[string][]float64{"a": {-1, 1}}, "C = 1"},
		"nothing but NaN":    {[]float64{1}, map[string][]float64{"a": {math.NaN()}}, nil, "nothing to draw"},
	} {
		if _, err := Parameter("C", "accuracy", c.values, c.means, c.deviations); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Values that grow by factors are on a logarithmic axis, those in equal steps on a linear one.
func TestByFactors(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{3, 10, 30}, true},
		{[]float64{0.1, 1, 10, 100}, true},
		{[]float64{1, 5, 20, 3000}, true},
		{[]float64{1, 10}, true},
		{[]float64{1, 3, 9}, false},
		{[]float64{1, 5, 9, 13, 17}, false},
		{[]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1}, false},
		{[]float64{200, 600, 1000, 1400, 1800, 2200, 2600}, false},
		{[]float64{0, 1, 100}, false},
		{[]float64{-1, 1, 100}, false},
		{[]float64{5}, false},
		{[]float64{1, 1e200, 1.5e308}, true},
		{[]float64{1e-300, 1, 1e300}, true},
	} {
		if got := byFactors(c.values); got != c.want {
			t.Errorf("%v by factors: %v, want %v", c.values, got, c.want)
		}
	}
}

// Methods stand beside each other where there are bars, whose caps are in the frame, and at their
// values elsewhere.
func TestParameterBeside(t *testing.T) {
	means := map[string][]float64{"a": {1, 2, 3}, "b": {2, 2, 2}, "c": {3, 2, 1}}
	at := []float64{0, 0.5, 8}
	f, err := Parameter("rho", "accuracy", at, means, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.X.Min != 0 || f.X.Max != 8 {
		t.Errorf("without bars the axis is from %v to %v", f.X.Min, f.X.Max)
	}
	f, err = Parameter("rho", "accuracy", at, means, map[string][]float64{"a": {0.1, 0.1, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	if f.X.Min >= -besideStep*8 || f.X.Max <= 8+besideStep*8 {
		t.Errorf("with bars the axis is from %v to %v, which cuts them", f.X.Min, f.X.Max)
	}
}
