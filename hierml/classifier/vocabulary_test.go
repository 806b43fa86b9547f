package classifier_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// pets are texts of two classes.
func pets() *dataset.Corpus {
	t, err := taxonomy.New([]string{"animals", "cats", "dogs"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		panic(err)
	}
	c := &dataset.Corpus{Name: "pets", Taxonomy: t}
	for _, d := range []struct {
		label int
		text  string
	}{{1, "cats purr and meow"}, {2, "dogs bark and wag"}, {1, "the cat will meow"}, {2, "the dog will bark"}} {
		c.Documents = append(c.Documents, dataset.Document{Labels: []int{d.label}, Text: d.text})
	}
	return c
}

func vectorizer(c *dataset.Corpus) *features.Vectorizer {
	v, err := features.TFIDF{MinDocuments: 1}.Fit(c)
	if err != nil {
		panic(err)
	}
	return v
}

// TestOtherVocabulariesAreRefused gives every method that takes a matrix one of another vectorizer.
func TestOtherVocabulariesAreRefused(t *testing.T) {
	c := pets()
	own := vectorizer(c)
	fewer := *c
	fewer.Documents = c.Documents[:2]
	other := vectorizer(&fewer)
	d := own.Transform(c)
	same := vectorizer(c)                                                          // with the same words in another slice
	matrixOnly := &dataset.Dataset{Taxonomy: d.Taxonomy, X: d.X, Labels: d.Labels} // whose names are those of the matrix
	want := `column 0 of the matrix is "bark", but column 0 of the training data is "and". Transform texts with the vectorizer`

	trained := fit(t, svm.Hierarchical{}, d)
	var file bytes.Buffer
	if err := trained.Write(&file, classifier.Format{}); err != nil {
		t.Fatal(err)
	}
	loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	soft := fit(t, svm.HierarchicalSoftmax{}, d)
	kernel := fit(t, svm.Hierarchical{Kernel: gram.Linear{}}, d)
	for name, m := range map[string]*classifier.Model{"trained": trained, "loaded": loaded, "trained by the matrix": fit(t, svm.TreeLoss{}, matrixOnly), "softmax": soft, "kernel": kernel} {
		cut := calibration.Above(0)
		panics := map[string]func(x *dataset.Matrix){
			"Predict":      func(x *dataset.Matrix) { m.Predict(x) },
			"Rank":         func(x *dataset.Matrix) { m.Rank(x, 2) },
			"Scores":       func(x *dataset.Matrix) { m.Scores(x, 0) },
			"LeafScores":   func(x *dataset.Matrix) { m.LeafScores(x) },
			"NodeScores":   func(x *dataset.Matrix) { m.NodeScores(x) },
			"ChoiceScores": func(x *dataset.Matrix) { m.ChoiceScores(x) },
			"PredictSets":  func(x *dataset.Matrix) { m.PredictSets(x, cut) },
		}
		if m != kernel && m != soft {
			beam, err := m.NewBeam(1)
			if err != nil {
				t.Fatal(err)
			}
			panics["Beam.Predict"] = func(x *dataset.Matrix) { beam.Predict(x) }
			panics["Beam.Rank"] = func(x *dataset.Matrix) { beam.Rank(x, 1) }
		}
		fails := map[string]func(x *dataset.Matrix) error{
			"Check":  m.Check,
			"Decide": func(x *dataset.Matrix) error { _, err := m.Decide(x, nil); return err },
			"Cutting.Decide": func(x *dataset.Matrix) error {
				_, err := classifier.Cutting{Model: m, Cut: cut}.Decide(x, nil)
				return err
			},
			"Evaluate": func(x *dataset.Matrix) error {
				_, err := metric.Evaluate(m, &dataset.Dataset{Taxonomy: d.Taxonomy, X: x, Labels: d.Labels})
				return err
			},
			"Evaluate, names of the data set": func(x *dataset.Matrix) error {
				bare := *x
				bare.Vocabulary = nil
				_, err := metric.Evaluate(m, &dataset.Dataset{Taxonomy: d.Taxonomy, X: &bare, Labels: d.Labels, Vocabulary: x.Vocabulary})
				return err
			},
		}
		if m != kernel {
			fails["Explain"] = func(x *dataset.Matrix) error { _, err := m.Explain(x, 0); return err }
		}
		if m == soft {
			fails["LeafProbabilities"] = func(x *dataset.Matrix) error { _, err := m.LeafProbabilities(x); return err }
			fails["ConditionalProbabilities"] = func(x *dataset.Matrix) error { _, err := m.ConditionalProbabilities(x); return err }
			fails["LeastProbabilities"] = func(x *dataset.Matrix) error { _, err := m.LeastProbabilities(x); return err }
		} else {
			fails["LabelSets"] = func(x *dataset.Matrix) error { _, err := m.LabelSets(x); return err }
			fails["ClosedSets"] = func(x *dataset.Matrix) error { _, err := m.ClosedSets(x); return err }
		}
		for method, call := range panics {
			fails[method] = func(x *dataset.Matrix) (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = r.(error)
					}
				}()
				call(x)
				return nil
			}
		}
		for method, call := range fails {
			if err := call(other.Transform(c).X); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want %s", name, method, err, want)
			}
			if err := call(same.Transform(c).X); err != nil {
				t.Errorf("%s %s, a vectorizer with the same words: %v", name, method, err)
			}
			unnamed := *d.X
			unnamed.Vocabulary = nil
			if err := call(&unnamed); err != nil {
				t.Errorf("%s %s, a matrix without names: %v", name, method, err)
			}
		}
	}
}

func ExampleModel_Check() {
	c := pets()
	v, err := features.TFIDF{MinDocuments: 1}.Fit(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := svm.Hierarchical{}.Fit(context.Background(), v.Transform(c))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Check(v.Vectors("cats meow")))
	other, err := features.TFIDF{MinDocuments: 2}.Fit(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Predict would panic with this error.
	fmt.Println(model.Check(other.Vectors("cats meow")))
	// Output:
	// <nil>
	// classifier: column 2 of the matrix is "meow", but column 2 of the training data is "cat". Transform texts with the vectorizer that was fitted on the training texts, and other data with the steps of the training data
}
