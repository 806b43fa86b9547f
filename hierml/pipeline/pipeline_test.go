package pipeline_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
)

// written returns the bytes of the file of a pipeline.
func written(t testing.TB, p *pipeline.Pipeline) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(b []byte) (*pipeline.Pipeline, error) {
	return pipeline.Read(bytes.NewReader(b), int64(len(b)))
}

// TestLoadedPipelinePredictsTheSame holds a loaded pipeline to the one saved, and both to what
// vectorizer, steps and model give one after the other.
func TestLoadedPipelinePredictsTheSame(t *testing.T) {
	for name, p := range pipelines(t) {
		m := p.Model
		if m == nil {
			m = p.Calibrated.Model
		}
		b := written(t, p)
		got, err := read(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(written(t, got), b) {
			t.Errorf("%s: what is loaded is written otherwise", name)
		}
		if (got.String() != p.String() || got.HTML() != p.HTML()) && name != "steps: selection" && name != "steps: wide, chi-square" { // which has no classes in a file
			t.Errorf("%s: loaded\n%v\nsaved\n%v", name, got, p)
		}
		texts := unseen(m.Taxonomy, 60, 9)
		x, err := p.Vectors(texts...)
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := got.Vectors(texts...)
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Errorf("%s: other features, %v", name, err)
		}
		predicted := m.Predict(x)
		ranked := m.Rank(x, 3)
		if p.Beam > 0 {
			beam, err := m.NewBeam(p.Beam)
			if err != nil {
				t.Fatal(name, err)
			}
			predicted, ranked = beam.Predict(x), beam.Rank(x, 3)
		}
		for i, text := range texts {
			label, err := got.Predict(text)
			if err != nil || label.Node != predicted[i] || label.Name != m.Taxonomy.LabelName(predicted[i]) || label.Path[len(label.Path)-1] != label.Name {
				t.Errorf("%s: %q has the label %v, want %s (%v)", name, text, label, m.Taxonomy.LabelName(predicted[i]), err)
			}
			if strings.Contains(strings.Join(label.Path, " "), "misc") {
				t.Errorf("%s: %q has the label %v, which is none of the data", name, text, label)
			}
			best, err := got.Rank(text, 3)
			if err != nil || len(best) != len(ranked[i]) {
				t.Fatalf("%s: %v, %v", name, best, err)
			}
			for k, l := range best {
				if l.Ranked != ranked[i][k] {
					t.Errorf("%s: %q has at rank %d %v, want %v", name, text, k, l, ranked[i][k])
				}
			}
			probabilities, err := got.Probabilities(text)
			if (err == nil) != (p.Calibrated != nil || m.Link() != classifier.NoLink && m.Link() != classifier.Margin) {
				t.Errorf("%s: probabilities %v, %v", name, probabilities, err)
			}
			if p.Calibrated != nil && !slices.Equal(probabilities, p.Calibrated.LeafProbabilities(x.Subset([]int{i})).RawRowView(0)) {
				t.Errorf("%s: %q has other probabilities", name, text)
			}
		}
	}
}

// TestPath is of a tree, and of a graph, where it is a way.
func TestPath(t *testing.T) {
	all := pipelines(t)
	for _, name := range []string{"model: flat", "graph: hierarchical"} {
		p := all[name]
		label, err := p.Predict("a b c")
		if err != nil {
			t.Fatal(err)
		}
		g := p.Model.Taxonomy
		for k, node := range label.Path {
			n, ok := g.Node(node)
			if !ok || k == 0 && len(g.Parents(n)) > 0 {
				t.Errorf("%s: %v begins at no root", name, label.Path)
			}
			if k > 0 {
				above, _ := g.Node(label.Path[k-1])
				if !slices.Contains(g.Parents(n), above) {
					t.Errorf("%s: %v is no way", name, label.Path)
				}
			}
		}
	}
}

// sound returns a small pipeline with all parts, and the data that it was trained on.
func sound(t testing.TB) (*pipeline.Pipeline, *dataset.Dataset) {
	t.Helper()
	c := corpus(example.Tree(2, 2), 40, 1)
	words, err := features.Text{MinDocuments: 2}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	fitted, d := steps(t, words.Transform(c), step(features.DocumentFrequency{Features: 12}.Fit), step(features.Scaling{Constant: 1}.Fit))
	calibrated, err := svm.Calibration{Folds: 2}.Fit(context.Background(), svm.PLT{}, d)
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Pipeline{Vectorizer: words, Steps: fitted, Calibrated: calibrated, Beam: 2}, d
}

// halved is a step that no file holds.
type halved struct{}

func (halved) Transform(d *dataset.Dataset) (*dataset.Dataset, error) { return d, nil }

func TestSaveRefuses(t *testing.T) {
	p, d := sound(t)
	other, err := svm.Flat{}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	function, err := features.Text{Tokenizer: strings.Fields}.Fit(example.Fruits("a b", "c d"))
	if err != nil {
		t.Fatal(err)
	}
	ofFunction, err := svm.Flat{}.Fit(context.Background(), function.Transform(example.Fruits("a b", "c d")))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p    *pipeline.Pipeline
		says string
	}{
		"nothing":        {&pipeline.Pipeline{}, "there is no model"},
		"no vectorizer":  {&pipeline.Pipeline{Model: other}, "neither a Vectorizer nor Columns"},
		"no steps":       {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Model: other}, `column 0 of the matrix is "0", but column 0 of the training data is "1"`},
		"steps reversed": {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: []pipeline.Step{p.Steps[1], p.Steps[0]}, Model: other}, "step 0, *features.Scaler"},
		"a nil step":     {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: []pipeline.Step{nil}, Model: other}, "step 0 is nil"},
		"two models":     {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: p.Steps, Model: other, Calibrated: p.Calibrated}, "do not set Model"},
		"a beam of flat": {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: p.Steps, Model: other, Beam: 3}, "a beam needs scores of inner nodes"},
		"a narrow beam":  {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: p.Steps, Model: other, Beam: -1}, "Beam is -1"},
		"another step":   {&pipeline.Pipeline{Vectorizer: p.Vectorizer, Steps: append(slices.Clone(p.Steps), halved{}), Model: other}, "step 2 is a pipeline_test.halved"},
		"a function":     {&pipeline.Pipeline{Vectorizer: function, Model: ofFunction}, "Text.Tokenizer"},
	} {
		path := filepath.Join(t.TempDir(), "model.hierml")
		if err := c.p.Save(path); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", name, err, c.says)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: leaves a file", name)
		}
		if len(c.p.String()) == 0 {
			t.Errorf("%s: no description", name)
		}
	}
	if _, err := p.Predict("a"); err != nil {
		t.Error(err)
	}
}

// attached returns the file of a pipeline with other content attached, and a right check sum.
func attached(t testing.TB, b []byte, edit func(content string) string) []byte {
	t.Helper()
	m, err := classifier.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	m.Attached["pipeline"] = []byte(edit(string(m.Attached["pipeline"])))
	var out bytes.Buffer
	if err := m.Write(&out, classifier.Format{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLoadRefuses(t *testing.T) {
	p, _ := sound(t)
	b := written(t, p)
	for name, c := range map[string]struct{ old, new, says string }{
		"another format":     {`"hierml.pipeline"`, `"pickle"`, `the format is "pickle"`},
		"a later version":    {`"hierml.pipeline","version":1`, `"hierml.pipeline","version":4`, "in version 4"},
		"of another model":   {`"hierml.pipeline","version":1`, `"hierml.pipeline","version":3`, "version 3"},
		"another version":    {`"hierml.pipeline","version":1`, `"hierml.pipeline","version":2`, "version 2 with"},
		"an unknown part":    {`"vectorizer":`, `"stemmer":`, `unknown field "stemmer"`},
		"an unknown setting": {`"text":{`, `"text":{"Stemming":true,`, `vectorizer: json: unknown field "Stemming"`},
		"an unknown weight":  {`"text":{`, `"text":{"Weight":"entropy",`, `TermWeight is "entropy"`},
		"a function":         {`"text":{`, `"tokenizer":true,"text":{`, "function"},
		"an unknown step":    {`"hierml.scaler"`, `"hierml.stemmer"`, `step 1: the format is "hierml.stemmer"`},
		"a damaged step":     {`"hierml.scaler"`, `"hierml.weigher"`, "step 1: "},
		"another selection":  {`"columns":[`, `"columns":[99,`, "step 0: "},
		"other functions":    {`"leaves":[`, `"leaves":[0,`, "functions of 5 leaves, and the model has 4"},
		"a beam":             {`"beam":2`, `"beam":-2`, "Beam is -2"},
		"not JSON":           {`{"format":"hierml.pipeline"`, `["format"`, "invalid character"},
		"nothing":            {"", "", "EOF"},
	} {
		file := attached(t, b, func(content string) string {
			if c.old == "" {
				return ""
			}
			if !strings.Contains(content, c.old) {
				t.Fatalf("%s: %s is not in the file", name, c.old)
			}
			return strings.Replace(content, c.old, c.new, 1)
		})
		if _, err := read(file); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", name, err, c.says)
		}
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := p.Calibrated.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Load(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "no vectorizer") {
		t.Errorf("error %v", err)
	}
	if _, err := pipeline.Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("loads a file that there is not")
	}
}

// TestDamagedPipelines flips a bit of each byte, and cuts the file after it.
func TestDamagedPipelines(t *testing.T) {
	p, _ := sound(t)
	b := written(t, p)
	name := bytes.Index(b, []byte("crc32c"))
	for i := 0; i < len(b); i += 1 + i/200 {
		damaged := slices.Clone(b)
		damaged[i] ^= 1
		if _, err := read(damaged); err == nil && (i < name || i >= name+6) {
			t.Errorf("no error with byte %d changed", i)
		}
		if _, err := read(b[:i]); err == nil {
			t.Errorf("no error with %d bytes", i)
		}
	}
}

// TestAttachedIsJSON holds the file to what its documentation says of it, for programs that are
// neither of the two.
func TestAttachedIsJSON(t *testing.T) {
	p, _ := sound(t)
	b := written(t, p)
	f, err := safetensors.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	content, err := safetensors.Read[uint8](f, "attached.pipeline")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format     string
		Vectorizer struct{ Vocabulary []string }
		Steps      []struct{ Format string }
	}
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "hierml.pipeline" || !slices.Equal(got.Vectorizer.Vocabulary, p.Vectorizer.Vocabulary()) ||
		len(got.Steps) != 2 || got.Steps[0].Format != "hierml.selection" || got.Steps[1].Format != "hierml.scaler" {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	p, _ := sound(f)
	f.Add(written(f, p), 0, byte(0))
	c := corpus(example.Tree(2, 2), 12, 1)
	for _, s := range []features.Text{
		{StopWords: []string{word(1) + " " + word(2)}, NGrams: [2]int{1, 2}, MinDocuments: 3},
		{Pattern: `[a-z]+`, Weight: features.BM25}, {Bits: 4, Tokens: features.Characters},
	} {
		words, err := s.Fit(c)
		if err != nil {
			f.Fatal(err)
		}
		fitted, d := steps(f, words.Transform(c), step(features.Scaling{Columns: features.ZScore}.Fit))
		m, err := svm.Recursive{}.Fit(context.Background(), d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(written(f, &pipeline.Pipeline{Vectorizer: words, Steps: fitted, Model: m}), 0, byte(0))
	}
	// The fuzzer changes a byte, whose check sum is then left out, so that it gets beyond the
	// check.
	f.Fuzz(func(t *testing.T, b []byte, at int, to byte) {
		b = bytes.Replace(slices.Clone(b), []byte(`"crc32c"`), []byte(`"no sum"`), 1)
		if at >= 0 && at < len(b) {
			b[at] = to
		}
		if len(b) > 8 && binary.LittleEndian.Uint64(b) > 1<<20 {
			return
		}
		p, err := read(b)
		if err != nil {
			return
		}
		for _, text := range []string{"", "a b c", "İ\xff日本"} {
			if _, err := p.Predict(text); err != nil {
				continue // a scaler may make too large a number of it
			}
			if _, err := p.Rank(text, 2); err != nil {
				t.Error(err)
			}
		}
		if len(p.HTML()) == 0 {
			t.Error("no description")
		}
		if _, err := read(written(t, p)); err != nil {
			t.Errorf("a pipeline that was read is not after it was written: %v", err)
		}
	})
}
