package hierml_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/svm"
)

// wide returns data with few of 2^31-1 columns, and the same data over those that occur and some
// thousand that do not.
func wide(seed uint64) (all, narrow *dataset.Dataset) {
	rng := rand.New(rand.NewPCG(seed, 3))
	g := example.Tree(2, 3)
	of := []int32{0, 1, 7, 4095}
	for range 30 {
		of = append(of, int32(rng.IntN(math.MaxInt32)))
	}
	of = append(of, math.MaxInt32-1)
	slices.Sort(of)
	of = slices.Compact(of)
	all = &dataset.Dataset{Name: "wide", Taxonomy: g, X: &dataset.Matrix{Cols: math.MaxInt32, Indptr: []int{0}}}
	narrow = &dataset.Dataset{Name: "narrow", Taxonomy: g, X: &dataset.Matrix{Cols: 2 * len(of), Indptr: []int{0}}}
	for i := range 48 {
		class := i % len(g.Leaves())
		for k, j := range of {
			if rng.IntN(8) == 0 || k%len(g.Leaves()) == class && rng.IntN(3) > 0 {
				v := float32(1 + rng.IntN(4))
				all.X.Indices, all.X.Values = append(all.X.Indices, j), append(all.X.Values, v)
				narrow.X.Indices, narrow.X.Values = append(narrow.X.Indices, int32(2*k)), append(narrow.X.Values, v)
			}
		}
		for _, d := range []*dataset.Dataset{all, narrow} {
			d.X.Rows, d.X.Indptr = i+1, append(d.X.Indptr, len(d.X.Indices))
			d.Labels = append(d.Labels, []int{g.Leaves()[class]})
		}
	}
	return all, narrow
}

// within calls a function and reports what it allocates beyond 64 MB in all: a vector of 2^31
// numbers takes 8 GB or more.
func within(t *testing.T, name string, do func() error) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%s allocates %d MB", name, used>>20)
	}
	return err
}

// TestWideData fits, transforms, trains and clusters data with an index near 2^31: nothing takes
// memory by the largest one, and the result is that of the columns that occur.
func TestWideData(t *testing.T) {
	all, narrow := wide(1)
	ctx := t.Context()
	type step interface {
		Transform(d *dataset.Dataset) (*dataset.Dataset, error)
	}
	fits := map[string]func(d *dataset.Dataset) (step, error){
		"document frequency": func(d *dataset.Dataset) (step, error) {
			return features.DocumentFrequency{MinDocuments: 2, MaxShare: 0.5}.Fit(d)
		},
		"best":       func(d *dataset.Dataset) (step, error) { return features.DocumentFrequency{Features: 5}.Fit(d) },
		"weighing":   func(d *dataset.Dataset) (step, error) { return features.Weighing{}.Fit(d) },
		"BM25":       func(d *dataset.Dataset) (step, error) { return features.Weighing{Weight: features.BM25}.Fit(d) },
		"smooth idf": func(d *dataset.Dataset) (step, error) { return features.Weighing{SmoothIDF: true}.Fit(d) },
	}
	for _, form := range []features.ChiForm{features.ChiMax, features.ChiMean, features.ChiSums} {
		fits["chi-square "+form.String()] = func(d *dataset.Dataset) (step, error) { return features.ChiSquare{Features: 7, Form: form}.Fit(d) }
	}
	for scale := features.MaxAbs; scale <= features.Unscaled; scale++ {
		fits["scaling "+scale.String()] = func(d *dataset.Dataset) (step, error) { return features.Scaling{Columns: scale, Constant: 1}.Fit(d) }
	}
	for name, fit := range fits {
		var wideStep step
		var got *dataset.Dataset
		if err := within(t, name, func() (err error) {
			if wideStep, err = fit(all); err == nil {
				got, err = wideStep.Transform(all)
			}
			return err
		}); err != nil {
			t.Fatal(name, err)
		}
		same, err := fit(narrow)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := same.Transform(narrow)
		if err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(got.X.Values, want.X.Values) || !slices.Equal(got.X.Indptr, want.X.Indptr) {
			t.Errorf("%s: other values than over the columns that occur", name)
		}
		// Saved, it is the same, and the file is small.
		text, err := json.Marshal(wideStep)
		if err != nil || len(text) > 1<<14 {
			t.Fatalf("%s: %d bytes, %v", name, len(text), err)
		}
		again := reflect.New(reflect.TypeOf(wideStep).Elem()).Interface()
		if err := json.Unmarshal(text, again); err != nil {
			t.Fatal(name, err)
		}
		loaded, err := again.(step).Transform(all)
		if err != nil || !reflect.DeepEqual(loaded.X, got.X) {
			t.Errorf("%s: loaded, it is another (%v)", name, err)
		}
		if strings.HasPrefix(fmt.Sprint(wideStep), "%!") {
			t.Errorf("%s: shown as %v", name, wideStep)
		}
	}
	// A column that the training data do not have.
	other := &dataset.Dataset{Name: "other", Taxonomy: all.Taxonomy, X: &dataset.Matrix{Rows: 1, Cols: all.X.Cols, Indptr: []int{0, 1}, Indices: []int32{5}, Values: []float32{3}}, Labels: [][]int{nil}}
	for scale, want := range map[features.ColumnScale]float32{features.MaxAbs: 3, features.UnitDeviation: 3} {
		r, err := features.Scaling{Columns: scale}.Fit(all)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := r.Scale(other.X); err != nil || len(x.Values) != 1 || x.Values[0] != want {
			t.Errorf("%v: an unseen column becomes %v (%v)", scale, x, err)
		}
	}
	w, err := features.Weighing{SmoothIDF: true, Weight: features.PlainTFIDF, Norm: features.NoNorm}.Fit(all)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := w.Weigh(other.X); err != nil || len(x.Values) != 1 || x.Values[0] != float32(3*(math.Log(49)+1)) {
		t.Errorf("an unseen column weighs %v (%v)", x, err)
	}

	for name, learn := range map[string]func(d *dataset.Dataset) (any, error){
		"balanced":      func(d *dataset.Dataset) (any, error) { return clustering.Balanced{Largest: 2}.Hierarchy(ctx, d) },
		"huffman":       func(d *dataset.Dataset) (any, error) { return clustering.Huffman{}.Hierarchy(ctx, d) },
		"agglomerative": func(d *dataset.Dataset) (any, error) { return clustering.Agglomerative{}.Fit(ctx, d) },
	} {
		var got any
		if err := within(t, name, func() (err error) { got, err = learn(all); return err }); err != nil {
			t.Fatal(name, err)
		}
		if want, err := learn(narrow); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v (%v)", name, got, want, err)
		}
	}

	_, methods := briefly()
	for name, e := range map[string]classifier.Estimator{"HR": svm.HR{}, "softmax": svm.HierarchicalSoftmax{}, "label tree": svm.PLT{}, "ridge": svm.Ridge{}, "HM3": svm.HM3{}, "max constraint": svm.MaxConstraint{}, "H-RLS": perceptron.HRLS{}} {
		methods[name] = e
	}
	for name, e := range methods {
		var m *classifier.Model
		if err := within(t, name, func() (err error) {
			if m, err = e.Fit(ctx, all); err != nil {
				return err
			}
			if _, err = metric.Evaluate(m, all); err != nil {
				return err
			}
			if beam, err := m.NewBeam(2); err == nil {
				beam.Predict(all.X)
			}
			var b bytes.Buffer
			if err = m.Write(&b, classifier.Format{}); err != nil {
				return err
			}
			_, err = classifier.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
			return err
		}); err != nil {
			t.Fatal(name, err)
		}
		if name == "ridge" {
			continue
		}
		if err := within(t, name+", weights", func() error {
			features, weights, err := m.FeatureWeights(m.Taxonomy.Leaves()[1])
			if len(features) != len(weights) || !slices.IsSorted(features) || m.Weights(m.Taxonomy.Leaves()[1]) != nil {
				t.Errorf("%s: weights %v of %v", name, weights, features)
			}
			return err
		}); err != nil {
			t.Error(name, err)
		}
	}
	if err := within(t, "forest", func() error { _, err := forest.Forest{Trees: 3}.Fit(ctx, all); return err }); err != nil {
		t.Error(err)
	}
	if err := within(t, "calibration", func() error { _, err := svm.Calibration{Folds: 2}.Fit(ctx, svm.Flat{}, all); return err }); err != nil {
		t.Error(err)
	}
	for name, refuse := range map[string]func() error{
		"naive Bayes": func() error { _, err := bayes.Multinomial{}.Fit(ctx, all); return err },
		"shrinkage":   func() error { _, err := bayes.Shrinkage{}.Fit(ctx, all); return err },
		"learner":     func() error { _, err := perceptron.Hieron{}.Learner(all.Taxonomy, all.X.Cols); return err },
		"H-RLS":       func() error { _, err := perceptron.HRLS{}.Learner(all.Taxonomy, all.X.Cols); return err },
		"CSV":         func() error { return files.CSV{}.WriteDataset(ctx, io.Discard, all) },
		"ARFF":        func() error { return files.ARFF{}.Write(ctx, io.Discard, all) },
	} {
		if err := within(t, name, refuse); err == nil || !strings.Contains(err.Error(), fmt.Sprint(math.MaxInt32)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What bayes advises helps.
	chosen, err := features.ChiSquare{Features: 20}.Fit(all)
	if err != nil {
		t.Fatal(err)
	}
	few, err := chosen.Transform(all)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (bayes.Multinomial{}).Fit(context.Background(), few); err != nil {
		t.Error(err)
	}
}
