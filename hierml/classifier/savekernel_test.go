package classifier_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/svm"
)

func TestLoadedKernelModelTakesKernelValues(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 40, 5, 1)
	k := gram.Polynomial{Offset: 1}
	m := fit(t, svm.Flat{Kernel: k}, d)
	got, err := loaded(saved(t, m, classifier.Format{}))
	if err != nil {
		t.Fatal(err)
	}
	x := matrix(5)
	products, err := gram.Cross(context.Background(), k, x, d.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := got.LeafScoresOf(products)
	if err != nil || !mat.EqualApprox(scores, m.LeafScores(x), 1e-9) {
		t.Errorf("other scores, %v", err)
	}
}

func TestSomeKernelsAreNotSaved(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 20, 3, 1)
	values, err := gram.Matrix(context.Background(), gram.Linear{}, d.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := gram.NewGiven(values)
	if err != nil {
		t.Fatal(err)
	}
	numbered := *d
	numbered.X = gram.Numbers(20)
	for name, m := range map[string]*classifier.Model{
		"function": fit(t, svm.Flat{Kernel: gram.Func(func(a, b gram.Vector) float64 { return a.Dot(b) })}, d),
		"given":    fit(t, svm.Flat{Kernel: given}, &numbered),
	} {
		if err := m.Write(new(bytes.Buffer), classifier.Format{}); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadRefusesKernels(t *testing.T) {
	file := saved(t, models(t)["RBF"], classifier.Format{})
	type tensors = map[string]safetensors.Tensor
	for name, c := range map[string]struct {
		edit func(map[string]string, tensors)
		says string
	}{
		"kernel":       {func(m map[string]string, _ tensors) { m["kernel"] = "sigmoid" }, `kernel "sigmoid"`},
		"gamma":        {func(m map[string]string, _ tensors) { m["kernel.gamma"] = "-1" }, "Gamma"},
		"no gamma":     {func(m map[string]string, _ tensors) { delete(m, "kernel.gamma") }, `kernel.gamma is ""`},
		"degree":       {func(m map[string]string, _ tensors) { m["kernel"], m["kernel.degree"] = "polynomial", "x" }, "kernel.degree"},
		"features":     {func(m map[string]string, _ tensors) { m["features"] = "99999999999" }, "features"},
		"few features": {func(m map[string]string, _ tensors) { m["features"] = "1" }, "kernel.indices"},
		"instances":    {func(m map[string]string, _ tensors) { m["instances"] = "3" }, "kernel.numbers"},
		"no numbers":   {func(_ map[string]string, t tensors) { delete(t, "kernel.numbers") }, "kernel.numbers"},
		"descending":   {func(_ map[string]string, t tensors) { t["o"] = rename(t, "kernel.numbers", []int32{3, 2}) }, "do not ascend"},
		"others":       {func(_ map[string]string, t tensors) { t["o"] = rename(t, "kernel.numbers", []int32{3}) }, "vectors for"},
		"borders":      {func(_ map[string]string, t tensors) { t["o"] = rename(t, "kernel.begin", []int64{0, 5}) }, "kernel.begin"},
		"values":       {func(_ map[string]string, t tensors) { t["o"] = rename(t, "kernel.values", []float32{1}) }, "values"},
		"no vectors":   {func(_ map[string]string, t tensors) { delete(t, "kernel.u.columns") }, "kernel.u.columns"},
		"few values":   {func(_ map[string]string, t tensors) { t["o"] = rename(t, "kernel.u.values", []float64{1}) }, "have 1 values"},
	} {
		if _, err := loaded(edited(t, file, c.edit)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", name, err, c.says)
		}
	}
	check := bytes.Index(file, []byte("crc32c"))
	for i := 0; i < len(file); i += 1 + i/100 {
		damaged := slices.Clone(file)
		damaged[i] ^= 4
		if _, err := loaded(damaged); err == nil && (i < check || i >= check+6) {
			t.Errorf("no error with byte %d changed", i)
		}
		if _, err := loaded(file[:i]); err == nil {
			t.Errorf("no error with %d bytes", i)
		}
	}
}
