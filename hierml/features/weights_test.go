package features_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
)

// A column of weights of a file becomes the weights of the instances, and no feature.
func TestWeightsOfATable(t *testing.T) {
	const text = "size,times,label\n1,2,a\n2,0,b\n3,0.5,a\n4,1e3,b\n"
	read := func(text string, s files.Table) (*dataset.Table, error) {
		return s.Read(context.Background(), strings.NewReader(text), "sizes.csv", nil)
	}
	named, err := read(text, files.Table{Weight: "times"})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := read(text, files.Table{})
	if err != nil {
		t.Fatal(err)
	}
	later, err := plain.WithWeights("times")
	if err != nil {
		t.Fatal(err)
	}
	for form, table := range map[string]*dataset.Table{"setting": named, "method": later} {
		e, err := features.Columns{}.Fit(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.Transform(context.Background(), table.Subset([]int{3, 1, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Weights, []float64{1000, 0, 2}) || !slices.Equal(e.Vocabulary(), []string{"size"}) {
			t.Errorf("%s: weights %v, features %q", form, d.Weights, e.Vocabulary())
		}
	}
	for _, wrong := range []string{"size,times,label\n1,,a\n2,1,b\n", "size,times,label\n1,-1,a\n2,1,b\n"} {
		table, err := read(wrong, files.Table{Weight: "times"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := features.Columns{}.Fit(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Transform(context.Background(), table); err == nil || !strings.Contains(err.Error(), "weight") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := read("size,times,label\n1,much,a\n2,1,b\n", files.Table{Weight: "times"}); err == nil {
		t.Error("words are weights")
	}
	for _, column := range []string{"label", "nowhere"} {
		if _, err := plain.WithWeights(column); err == nil {
			t.Errorf("%s has weights", column)
		}
	}
}
