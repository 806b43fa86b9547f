package classifier_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// saved returns the bytes of the file of a model.
func saved(t testing.TB, m *classifier.Model, f classifier.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loaded(b []byte) (*classifier.Model, error) {
	return classifier.Read(bytes.NewReader(b), int64(len(b)))
}

// models are models of all forms: on trees, forests and DAGs, dense and sparse, with and without
// vocabulary.
func models(t testing.TB) map[string]*classifier.Model {
	t.Helper()
	fit := func(e classifier.Estimator, d *dataset.Dataset) *classifier.Model {
		m, err := e.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	texts := example.Texts(example.Tree(3, 4), 60, 500, 12, 1)
	for f := range texts.X.Cols {
		texts.Vocabulary = append(texts.Vocabulary, fmt.Sprintf("word \x00\xff%d\n", f))
	}
	forest, err := taxonomy.New([]string{"a", "b", "<&\"", "ü"}, [][2]int{{3, 2}, {3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	descend := fit(svm.Hierarchical{}, example.Dense(example.Tree(2, 3), 30, 4, 2))
	descend.Rule = classifier.Descend
	leaves := fit(svm.Flat{}, example.Texts(example.Tree(300), 5, 200, 3, 1))
	for k := range leaves.Training.Certificate.Weights.Data {
		if k%50 > 0 {
			leaves.Training.Certificate.Weights.Data[k] = 0
		}
	}
	double := fit(svm.Normalized{Settings: solver.Settings{Gap: 1e-7}}, example.Dense(example.Tree(2, 2), 40, 5, 1))
	fewDouble := fit(svm.Flat{Settings: solver.Settings{Gap: 1e-7}}, example.Texts(example.Tree(300), 5, 200, 3, 1))
	for name, m := range map[string]*classifier.Model{"double": double, "double few": fewDouble} {
		if m.Training.Certificate.Weights.Wide == nil {
			t.Errorf("%s: the weights are not in double precision", name)
		}
	}
	for k := range fewDouble.Training.Certificate.Weights.Wide {
		if k%50 > 0 {
			fewDouble.Training.Certificate.Weights.Wide[k] = 0
		}
	}
	plain := fit(svm.Shared{}, example.Dense(example.Tree(2, 2), 40, 5, 1))
	w := plain.Training.Certificate.Weights
	constants := make([]float64, len(w.Columns))
	for c := range constants {
		constants[c] = float64(c)/3 - 1
	}
	constant, err := classifier.NewConstant(plain.Attributes(), w, constants, plain.Training, example.Dense(example.Tree(2, 2), 40, 5, 1))
	if err != nil {
		t.Fatal(err)
	}
	attached := fit(svm.Flat{}, example.Dense(example.Tree(2), 20, 3, 1))
	attached.Attached = map[string][]byte{"a": []byte("\x00\xff"), "b.c": {}}
	return map[string]*classifier.Model{
		"constant":    constant,
		"attached":    attached,
		"tree":        fit(svm.Normalized{C: 2}, example.Dense(example.Tree(2, 2), 40, 5, 1)),
		"DAG":         fit(svm.Hierarchical{}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"forest":      fit(svm.Flat{C: 0.1}, example.Dense(forest, 20, 3, 1)),
		"descend":     descend,
		"texts":       fit(svm.Hierarchical{}, texts),
		"few words":   fit(svm.Flat{}, texts.Subset([]int{0, 1, 2, 3, 4, 5})),
		"one leaf":    fit(svm.Flat{}, example.Dense(example.Tree(1, 1), 3, 2, 1)),
		"many leaves": leaves,
		"double":      double,
		"double few":  fewDouble,
		"edges":       fit(svm.Recursive{}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"flows":       fit(svm.HR{}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"parts":       fit(svm.Recursive{}, example.Texts(example.Tree(4, 4, 4), 200, 20000, 5, 1)),
		"label tree":  fit(svm.PLT{}, texts.Subset([]int{0, 1, 2, 3, 4, 5})),
		"hinges":      fit(svm.PLT{Link: classifier.CubedHinge}, example.Texts(example.Tree(4, 4, 4), 40, 20000, 5, 1)),
		"softmax":     fit(svm.HierarchicalSoftmax{}, example.Dense(unevenForest(), 60, 4, 1)),
		"leaves":      fit(svm.PLT{Link: classifier.SquaredHinge, Policy: svm.Exclusive}, example.Dense(forest, 20, 3, 1)),
		"margins":     fit(svm.GlobalMargin{}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"closed sets": fit(svm.HM3{}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"RBF":         fit(svm.Hierarchical{Kernel: gram.RBF{Gamma: 0.2}}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
		"polynomial":  fit(svm.Flat{Kernel: gram.Polynomial{Degree: 3, Offset: 0.5}}, example.Dense(example.Tree(2, 2), 40, 5, 1)),
		"linear":      fit(svm.Flat{Kernel: gram.Linear{}}, texts.Subset([]int{0, 1, 2, 3, 4, 5})),
		"ridge":       fit(svm.Ridge{C: 3}, example.Dense(example.Graph(15, 3), 40, 4, 1)),
	}
}

func TestLoadedModelIsTheModelSaved(t *testing.T) {
	for name, m := range models(t) {
		x := matrix(m.Features())
		for _, f := range []classifier.Format{{}, {Float64: true}, {Dense: true}, {Float64: true, Dense: true}} {
			b := saved(t, m, f)
			got, err := loaded(b)
			if err != nil {
				t.Errorf("%s, %+v: %v", name, f, err)
				continue
			}
			if !bytes.Equal(saved(t, got, f), b) {
				t.Errorf("%s, %+v: what is loaded is written otherwise", name, f)
			}
			if got.String() != m.String() || got.Rule != m.Rule || got.Link() != m.Link() || !slices.Equal(got.Vocabulary, m.Vocabulary) || (got.Vocabulary == nil) != (m.Vocabulary == nil) {
				t.Errorf("%s, %+v: loaded\n%v\nsaved\n%v", name, f, got, m)
			}
			if !slices.Equal(got.Training.Certificate.History, m.Training.Certificate.History) || got.Training.Certificate.Primal != m.Training.Certificate.Primal || got.Training.Certificate.Dual != m.Training.Certificate.Dual {
				t.Errorf("%s, %+v: another certificate", name, f)
			}
			if !slices.Equal(got.Taxonomy.Names(), m.Taxonomy.Names()) || !slices.Equal(got.Taxonomy.Edges(), m.Taxonomy.Edges()) {
				t.Errorf("%s, %+v: another taxonomy", name, f)
			}
			if !maps.EqualFunc(got.Attached, m.Attached, bytes.Equal) {
				t.Errorf("%s, %+v: attached are %q, want %q", name, f, got.Attached, m.Attached)
			}
			for n := range m.Taxonomy.Len() {
				if !slices.Equal(got.Weights(n), m.Weights(n)) {
					t.Errorf("%s, %+v: node %d has other weights", name, f, n)
				}
			}
			if !mat.EqualApprox(got.LeafScores(x), m.LeafScores(x), 1e-12) || !mat.EqualApprox(got.NodeScores(x), m.NodeScores(x), 1e-12) {
				t.Errorf("%s, %+v: other scores", name, f)
			}
			if !slices.Equal(got.Predict(x), m.Predict(x)) {
				t.Errorf("%s, %+v: other predictions", name, f)
			}
			if err := got.Check(x); err != nil {
				t.Errorf("%s, %+v: %v", name, f, err)
			}
		}
	}
}

// TestLoadsFirstFiles loads models of methods that solve no problem as they were written when these
// had certificates of NaN, and a learner's a status of its own.
func TestLoadsFirstFiles(t *testing.T) {
	for name, want := range map[string]classifier.Training{
		"learner-v1":    {Seconds: 1.1411e-05},
		"perceptron-v1": {Status: solver.MaxEpochs, Epochs: 20, Seconds: 0.000287626},
	} {
		m, err := classifier.Load(filepath.Join("testdata", name+".safetensors"))
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Training != want {
			t.Errorf("%s: %+v, want %+v", name, m.Training, want)
		}
		again, err := loaded(saved(t, m, classifier.Format{}))
		if err != nil || again.Training != want || strings.Contains(m.String(), "NaN") || again.String() != m.String() {
			t.Errorf("%s: written and read again\n%v, error %v; was\n%v", name, again, err, m)
		}
	}
}

// TestLoadsCodes loads models whose weights are numbers of a codebook, as they were written before.
func TestLoadsCodes(t *testing.T) {
	for name, c := range map[string]struct {
		nth   int // every nth weight is not zero
		value func(k int) float32
	}{
		"codes-v1":      {20, func(k int) float32 { return float32(k%3+1) / 3 }},
		"high-codes-v1": {2, func(k int) float32 { return -float32(k%300+1) / 3 }},
	} {
		m, err := classifier.Load(filepath.Join("testdata", name+".safetensors"))
		if err != nil {
			t.Error(err)
			continue
		}
		leaves := m.Taxonomy.Leaves()
		k := 0
		for f := range m.Features() {
			for _, n := range leaves {
				want := 0.0
				if k++; k%c.nth == 0 {
					want = float64(c.value(k / c.nth))
				}
				if got := m.Weights(n)[f]; got != want {
					t.Fatalf("%s: the weight of feature %d and node %d is %v, want %v", name, f, n, got, want)
				}
			}
		}
		again, err := loaded(saved(t, m, classifier.Format{}))
		if err != nil || !slices.Equal(again.Weights(leaves[3]), m.Weights(leaves[3])) {
			t.Errorf("%s: written and read again: %v", name, err)
		}
	}
}

// matrix returns random rows of some features.
func matrix(features int) *dataset.Matrix {
	rng := rand.New(rand.NewPCG(9, 9))
	x := &dataset.Matrix{Rows: 20, Cols: features, Indptr: []int{0}}
	for range x.Rows {
		for f := range features {
			if rng.IntN(3) == 0 {
				x.Indices = append(x.Indices, int32(f))
				x.Values = append(x.Values, float32(rng.NormFloat64()))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return x
}

// The forms are chosen by size: most weights zero, a part of them, none.
func TestFormsOfWeights(t *testing.T) {
	for name, c := range map[string]struct {
		nth    int // every nth weight is not zero
		value  func(k int) float32
		form   string
		values string
		kind   safetensors.Type
	}{
		"sparse":          {100, func(k int) float32 { return float32(k) / 3 }, "weights.begin", "weights.values", safetensors.F32},
		"sparse halves":   {50, func(k int) float32 { return float32(k%3 + 1) }, "weights.begin", "weights.values", safetensors.F16},
		"half":            {2, func(k int) float32 { return float32(k) / 3 }, "weights.present", "weights.values", safetensors.F32},
		"full":            {1, func(k int) float32 { return float32(k) / 3 }, "weights", "weights", safetensors.F32},
		"halves, a third": {3, func(k int) float32 { return float32(k%2000 + 1) }, "weights.present", "weights.values", safetensors.F16},
		"halves":          {1, func(k int) float32 { return float32(k%2000 + 1) }, "weights", "weights", safetensors.F16},
	} {
		m, err := svm.Flat{Settings: solver.Settings{MaxEpochs: 1}}.Fit(context.Background(), example.Texts(example.Tree(100), 30, 64, 5, 1))
		if err != nil {
			t.Fatal(err)
		}
		w := m.Training.Certificate.Weights
		k := 0
		for f := range w.Features {
			for col := range w.Columns {
				w.Data[f*w.Stride+col] = 0
				if k++; k%c.nth == 0 {
					w.Data[f*w.Stride+col] = c.value(k / c.nth)
				}
			}
		}
		b := saved(t, m, classifier.Format{})
		file, err := safetensors.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := file.Tensors[c.form]; !ok {
			t.Errorf("%s: tensors %v", name, file.Tensors)
		}
		if kind := file.Tensors[c.values].Type; kind != c.kind {
			t.Errorf("%s: type %s in %v", name, kind, file.Tensors)
		}
		got, err := loaded(b)
		if err != nil {
			t.Fatal(name, err)
		}
		if sparse := got.Sparse(); sparse != (c.form == "weights.begin") {
			t.Errorf("%s: sparse in memory: %v", name, sparse)
		}
		for n := range m.Taxonomy.Len() {
			if !slices.Equal(got.Weights(n), m.Weights(n)) {
				t.Errorf("%s: node %d has other weights", name, n)
			}
		}
	}
}

func TestSaveReplacesTheFileAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	m := models(t)["tree"]
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	first, err := classifier.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	first.Name = "another"
	if err := first.SaveAs(link, classifier.Format{Dense: true}); err != nil {
		t.Fatal(err)
	}
	if second, err := classifier.Load(path); err != nil || second.Name != "another" {
		t.Errorf("%v, %v", second, err)
	}
	// A model that cannot be saved leaves the file and nothing else.
	m.Rule = 77
	if err := m.Save(path); err == nil || !strings.Contains(err.Error(), "Rule(77)") {
		t.Errorf("error %v", err)
	}
	m.Rule = classifier.Highest
	if err := m.Save(filepath.Join(dir, "no such folder", "m")); err == nil {
		t.Error("no error")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("folder %v, %v", entries, err)
	}
	for _, p := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := classifier.Load(p); err == nil {
			t.Errorf("%s: no error", p)
		}
	}
}

// edited returns the file with other metadata or tensors, and a right check sum.
func edited(t testing.TB, b []byte, edit func(metadata map[string]string, tensors map[string]safetensors.Tensor)) []byte {
	t.Helper()
	f, err := safetensors.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	data := b[8+binary.LittleEndian.Uint64(b):]
	tensors := make(map[string]safetensors.Tensor)
	for name, i := range f.Tensors {
		tensor := safetensors.New(name, data[i.Offsets[0]:i.Offsets[1]], i.Shape...)
		tensor.Type = i.Type
		tensors[name] = tensor
	}
	delete(f.Metadata, "crc32c")
	edit(f.Metadata, tensors)
	var all []safetensors.Tensor
	for _, tensor := range tensors {
		all = append(all, tensor)
	}
	var out bytes.Buffer
	if err := safetensors.Write(&out, f.Metadata, all); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSaveRefusesWhatLoadDoes has weights that are no numbers, or none in single precision, and
// leaves the file from before.
func TestSaveRefusesWhatLoadDoes(t *testing.T) {
	g := example.Tree(2)
	d := example.Dense(g, 4, 2, 1)
	a := structured.Ancestors(g)
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e39} {
		w := structured.NewWeights(a.Columns(), 2)
		w.Set(1, 1, v)
		m := classifier.New(a, w, classifier.Training{}, d)
		path := filepath.Join(t.TempDir(), "model")
		if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, f := range []classifier.Format{{}, {Dense: true}, {Float64: true}} {
			if err := m.SaveAs(path, f); err == nil || !strings.Contains(err.Error(), "values must be finite") {
				t.Errorf("%v, %+v: %v", v, f, err)
			}
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "before" {
			t.Errorf("%v: the file is %q, %v", v, b, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	dense, sparse := saved(t, models(t)["tree"], classifier.Format{}), saved(t, models(t)["few words"], classifier.Format{})
	none := saved(t, models(t)["many leaves"], classifier.Format{})
	type tensors = map[string]safetensors.Tensor
	for name, c := range map[string]struct {
		file []byte
		edit func(map[string]string, tensors)
		says string
	}{
		"another program": {dense, func(m map[string]string, _ tensors) { m["format"] = "pt" }, `its format is "pt"`},
		"a later version": {dense, func(m map[string]string, _ tensors) { m["version"] = "6" }, `version "6"`},
		"labels of no nodes": {dense, func(_ map[string]string, t tensors) {
			t["a"], t["b"] = safetensors.New("taxonomy.labels", []uint8("ab"), 2), safetensors.New("taxonomy.labels.offsets", []int64{0, 1, 2}, 3)
			t["c"] = safetensors.New("taxonomy.labels.nodes", []int32{3}, 1)
		}, "1 leaves stand for 2 labels"},
		"a label of an inner node": {dense, func(_ map[string]string, t tensors) {
			t["a"], t["b"] = safetensors.New("taxonomy.labels", []uint8("a"), 1), safetensors.New("taxonomy.labels.offsets", []int64{0, 1}, 2)
			t["c"] = safetensors.New("taxonomy.labels.nodes", []int32{0}, 1)
		}, "only a leaf can"},
		"no constants": {dense, func(m map[string]string, _ tensors) { m["version"] = "4" }, `no tensor "weights.constants"`},
		"few constants": {dense, func(m map[string]string, t tensors) {
			m["version"] = "4"
			t["c"] = safetensors.New("weights.constants", []float64{1}, 1)
		}, "1 constants for the scores of 6 nodes"},
		"infinite constants": {dense, func(m map[string]string, t tensors) {
			m["version"] = "4"
			t["c"] = safetensors.New("weights.constants", slices.Repeat([]float64{math.Inf(1)}, 6), 6)
		}, "it must be finite"},
		"no link":          {dense, func(m map[string]string, _ tensors) { m["version"] = "3" }, `link ""`},
		"no certain nodes": {dense, func(m map[string]string, _ tensors) { m["version"], m["link"] = "3", "Sigmoid" }, `no tensor "link.always"`},
		"certain of both": {dense, func(m map[string]string, t tensors) {
			m["version"], m["link"] = "3", "Sigmoid"
			t["a"], t["n"] = safetensors.New("link.always", []int32{3}, 1), safetensors.New("link.never", []int32{3}, 1)
		}, "both always and never"},
		"a certain softmax": {dense, func(m map[string]string, t tensors) {
			m["version"], m["link"] = "3", "Softmax"
			t["a"], t["n"] = safetensors.New("link.always", []int32{3}, 1), safetensors.New("link.never", []int32{}, 0)
		}, "with the link Softmax"},
		"no number of features": {dense, func(m map[string]string, _ tensors) { m["version"] = "2" }, `"" features`},
		"no features":           {dense, func(m map[string]string, _ tensors) { m["version"], m["features"] = "2", "9" }, `no tensor "weights.features"`},
		"other features": {dense, func(m map[string]string, t tensors) {
			m["version"], m["features"] = "2", "9"
			t["f"] = safetensors.New("weights.features", []int32{1, 3, 3}, 3)
		}, "features 3, 3 of the weights do not ascend"},
		"too few features": {dense, func(m map[string]string, t tensors) {
			m["version"], m["features"] = "2", "9"
			t["f"] = safetensors.New("weights.features", []int32{}, 0)
		}, "features, and 0 are listed"},
		"features beyond": {dense, func(m map[string]string, t tensors) {
			m["version"], m["features"] = "2", "9"
			t["f"] = safetensors.New("weights.features", []int32{9}, 1)
		}, "weights.features"},

		"rule":        {dense, func(m map[string]string, _ tensors) { m["rule"] = "guess" }, `rule "guess"`},
		"C":           {dense, func(m map[string]string, _ tensors) { m["C"] = "NaN" }, `C is "NaN"`},
		"no gap":      {dense, func(m map[string]string, _ tensors) { delete(m, "gap") }, `gap is ""`},
		"epochs":      {dense, func(m map[string]string, _ tensors) { m["epochs"] = "-1" }, `epochs is "-1"`},
		"history":     {dense, func(_ map[string]string, t tensors) { t["history"] = safetensors.New("history", []float64{1}, 1) }, "six columns"},
		"attached":    {dense, func(_ map[string]string, t tensors) { t["a"] = safetensors.New("attached.x", []float32{1}, 1) }, `"attached.x" is of type F32`},
		"no names":    {dense, func(_ map[string]string, t tensors) { delete(t, "taxonomy.names") }, `no tensor "taxonomy.names"`},
		"offsets":     {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "taxonomy.names.offsets", []int64{0, 9, 1}) }, "taxonomy.names.offsets"},
		"no nodes":    {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "taxonomy.names.offsets", []int64{}) }, "taxonomy.names.offsets"},
		"no edges":    {dense, func(_ map[string]string, t tensors) { delete(t, "taxonomy.edges") }, "two columns"},
		"cycle":       {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "taxonomy.edges", []int32{0, 1, 1, 0}, 2, 2) }, "cycle"},
		"other nodes": {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "taxonomy.edges", []int32{0, 99}, 1, 2) }, "taxonomy.edges"},
		"attributes":  {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "attributes.nodes", []int32{1}) }, "attributes"},
		"candidates":  {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "attributes.candidates", []int32{3, 3, 3, 3}) }, "ascend"},
		"columns":     {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights.columns", []int32{1, 1, 1, 1, 1, 1}) }, "column 1"},
		"few columns": {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights.columns", []int32{1}) }, "weights of 1 nodes"},
		"shape":       {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights", []float32{1, 2}, 1, 2) }, "expected 6 columns"},
		"no weights":  {dense, func(_ map[string]string, t tensors) { delete(t, "weights") }, "weights.indices"},
		"type":        {dense, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights", []uint8{1, 2, 3, 4, 5, 6}, 1, 6) }, "U8"},
		"words":       {sparse, func(_ map[string]string, t tensors) { t["o"] = rename(t, "vocabulary.offsets", []int64{0, 3}) }, "vocabulary"},
		"no values":   {sparse, func(_ map[string]string, t tensors) { delete(t, "weights.values") }, "weights"},
		"begin":       {none, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights.begin", []int64{0, 5}) }, "weights.begin"},
		"indices":     {none, func(_ map[string]string, t tensors) { t["o"] = rename(t, "weights.indices", []uint8{1, 2}) }, "weights.begin"},
		"too large": {dense, func(_ map[string]string, t tensors) {
			t["o"] = rename(t, "weights", []float64{1, 2, 3, 4, 5, 1e300}, 1, 6)
		}, "too large for single precision"},
		"bits": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["o"] = safetensors.New("weights.present", make([]uint8, 6), 3, 2)
		}, "bits of the weights have shape [3 2]"},
		"other codes": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["p"] = safetensors.New("weights.present", []uint8{3}, 1, 1)
			t["b"] = safetensors.New("weights.codebook", []float32{1}, 1)
			t["c"] = safetensors.New("weights.codes", []uint8{0, 1}, 2)
		}, "weight 1 has code 1 of 1"},
		"few codes": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["p"] = safetensors.New("weights.present", []uint8{7}, 1, 1)
			t["b"] = safetensors.New("weights.codebook", []float32{1}, 1)
			t["c"] = safetensors.New("weights.codes", []uint8{0, 0}, 2)
		}, "2 values or codes for 3 weights"},
		"few high bits": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["p"] = safetensors.New("weights.present", []uint8{7}, 1, 1)
			t["b"] = safetensors.New("weights.codebook", make([]float32, 4000), 4000)
			t["c"] = safetensors.New("weights.codes", []uint8{0, 0, 0}, 3)
			t["h"] = safetensors.New("weights.codes.high", []uint8{0}, 1)
		}, "3 weights with 4 bits need 2"},
		"no codebook": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["p"] = safetensors.New("weights.present", []uint8{1}, 1, 1)
			t["c"] = safetensors.New("weights.codes", []uint8{0}, 1)
		}, "weights.codebook"},
		"large codebook": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["p"] = safetensors.New("weights.present", []uint8{1}, 1, 1)
			t["b"] = safetensors.New("weights.codebook", make([]float32, 5000), 5000)
			t["c"] = safetensors.New("weights.codes", []uint8{0}, 1)
		}, "codes go to 4096"},
		"bits beyond": {dense, func(_ map[string]string, t tensors) {
			delete(t, "weights")
			t["o"] = safetensors.New("weights.present", []uint8{255}, 1, 1)
		}, "in column 6 of 6"},
	} {
		if _, err := loaded(edited(t, c.file, c.edit)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", name, err, c.says)
		}
	}
	if _, err := loaded(edited(t, dense, func(map[string]string, tensors) {})); err != nil {
		t.Error(err)
	}
}

// rename takes the place of a tensor, in one expression.
func rename[T safetensors.Value](t map[string]safetensors.Tensor, name string, values []T, shape ...int) safetensors.Tensor {
	delete(t, name)
	if shape == nil {
		shape = []int{len(values)}
	}
	return safetensors.New(name, values, shape...)
}

func TestDamagedFilesAreErrors(t *testing.T) {
	b := saved(t, models(t)["few words"], classifier.Format{})
	name := bytes.Index(b, []byte("crc32c"))
	for i := 0; i < len(b); i += 1 + i/200 {
		damaged := slices.Clone(b)
		damaged[i] ^= 1
		if _, err := loaded(damaged); err == nil && (i < name || i >= name+6) {
			t.Errorf("no error with byte %d changed", i)
		}
		if _, err := loaded(b[:i]); err == nil {
			t.Errorf("no error with %d bytes", i)
		}
	}
}

// A graph of few bytes can have very many ancestors.
func TestDeepTaxonomiesAreRefused(t *testing.T) {
	const chain, leaves = 20_000, 20_000
	var names bytes.Buffer
	offsets := []int64{0}
	var edges, columns []int32
	for n := range chain + leaves {
		fmt.Fprint(&names, n)
		offsets = append(offsets, int64(names.Len()))
		if n > 0 {
			edges = append(edges, int32(min(n, chain)-1), int32(n))
		}
		columns = append(columns, int32(n))
	}
	_, err := loaded(edited(t, saved(t, models(t)["tree"], classifier.Format{}), func(_ map[string]string, all map[string]safetensors.Tensor) {
		all["names"] = rename(all, "taxonomy.names", names.Bytes())
		all["offsets"] = rename(all, "taxonomy.names.offsets", offsets)
		all["edges"] = rename(all, "taxonomy.edges", edges, len(edges)/2, 2)
		all["columns"] = rename(all, "weights.columns", columns)
	}))
	if err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Errorf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, m := range models(f) {
		f.Add(saved(f, m, classifier.Format{}), 0, byte(0))
	}
	// The fuzzer changes a byte, whose check sum is then left out, so that it gets beyond the
	// check.
	f.Fuzz(func(t *testing.T, b []byte, at int, to byte) {
		b = bytes.Replace(slices.Clone(b), []byte(`"crc32c"`), []byte(`"no sum"`), 1)
		if at >= 0 && at < len(b) {
			b[at] = to
		}
		m, err := loaded(b)
		if err != nil {
			return
		}
		x := matrix(min(m.Features(), 1000))
		m.LeafScores(x)
		m.Predict(x)
		if len(m.HTML()) == 0 {
			t.Error("no description")
		}
		if _, err := loaded(saved(t, m, classifier.Format{})); err != nil {
			t.Errorf("a model that was loaded is not after it was written: %v", err)
		}
	})
}

// Whatever is trained is saved, loaded and, where its problem is known, compacted.
func TestModelsOfAllEstimators(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 120, 200, 15, 1)
	for name, c := range map[string]struct {
		e       classifier.Estimator
		compact bool
	}{
		"flat":               {svm.Flat{}, true},
		"hierarchical":       {svm.Hierarchical{}, true},
		"normalized":         {svm.Normalized{}, true},
		"divided by norm":    {svm.Normalized{DivideByNorm: true}, true},
		"hierarchical, sets": {svm.Hierarchical{Sets: true}, true},
		"normalized, sets":   {svm.Normalized{Sets: true}, true},
		"shared":             {svm.Shared{}, true},
		"global margin":      {svm.GlobalMargin{}, true},
		"tree loss":          {svm.TreeLoss{}, true},
		"tree loss, nodes":   {svm.TreeLoss{AllNodes: true}, true},
		"one-vs-rest":        {svm.OneVsRest{}, false},
		"recursive":          {svm.Recursive{}, false},
		"HR":                 {svm.HR{}, false},
		"transfer":           {svm.Transfer{}, false},
		"label tree":         {svm.PLT{}, false},
		"softmax":            {svm.HierarchicalSoftmax{}, false},
		"orthogonal":         {svm.Orthogonal{}, false},
		"naive Bayes":        {bayes.Shrinkage{}, false},
	} {
		m := fit(t, c.e, d)
		check := func(what string, m *classifier.Model) {
			got, err := loaded(saved(t, m, classifier.Format{}))
			if err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
				return
			}
			if !slices.Equal(got.Predict(d.X), m.Predict(d.X)) || !mat.EqualApprox(got.LeafScores(d.X), m.LeafScores(d.X), 1e-12) {
				t.Errorf("%s, %s: other predictions", name, what)
			}
			sets, err := m.LabelSets(d.X)
			same, failed := got.LabelSets(d.X)
			if (err == nil) != (failed == nil) || !slices.EqualFunc(sets, same, slices.Equal) {
				t.Errorf("%s, %s: other label sets, %v, %v", name, what, err, failed)
			}
		}
		check("as trained", m)
		small, err := m.Compact(context.Background(), 0.01)
		if c.compact != (err == nil) {
			t.Errorf("%s: compact: %v", name, err)
		}
		if err != nil {
			continue
		}
		check("compact", small)
		if p, q := m.Training.Certificate.Primal, small.Training.Certificate.Primal; q < m.Training.Certificate.Dual || q > p*1.01 {
			t.Errorf("%s: primal %v after %v, dual %v", name, q, p, m.Training.Certificate.Dual)
		}
	}
}
