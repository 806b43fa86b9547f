package hierml_test

import (
	"context"
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/testrun/given"
)

// pair is a value of the flat and one of the hierarchical SVM.
type pair [2]float64

func (p pair) difference() float64 { return p[1] - p[0] }

// published has the rows of [Cai08, table 7.10]: flat and hierarchical SVM on 15 groups of
// Newsgroups, trained on perClass documents of each group, or on nine tenths of all where that is
// 0. Accuracies are in percent.
var published = []struct {
	perClass                   int
	accuracy, parent, treeLoss pair
}{
	{1, pair{17.1, 16.8}, pair{40.0, 40.1}, pair{1.43, 1.43}},
	{5, pair{38.1, 38.0}, pair{66.5, 68.0}, pair{0.955, 0.942}},
	{10, pair{49.8, 49.5}, pair{75.1, 76.2}, pair{0.750, 0.743}},
	{15, pair{54.1, 53.6}, pair{78.9, 79.5}, pair{0.669, 0.668}},
	{20, pair{58.7, 58.1}, pair{82.1, 82.6}, pair{0.591, 0.594}},
	{0, pair{84.8, 84.5}, pair{94.8, 94.9}, pair{0.204, 0.206}},
}

// TestGivenNewsgroups repeats the experiment of [Cai08, table 7.10] as far as the text tells it:
// word counts of unit length without stop words and words that stand in one text only, C = 1, means
// over random samples.
//
// [Cai08] used the 15,000 posts of the first release, with cross-posts and duplicates; the later
// one, at hand, has 13,919 without these, on which both methods are better by 7 to 13 points of
// accuracy. What it concludes from its table must come out: the accuracies hardly differ, and the
// hierarchical SVM always excels in parent accuracy.
func TestGivenNewsgroups(t *testing.T) {
	given.Folder(t, given.Data)
	texts, err := collection.OpenTexts("ng15")
	if err != nil {
		t.Fatal(err)
	}
	words, err := features.TFIDF{Counts: true, MinDocuments: 2, MaxShare: 0.08}.Fit(texts) // [Cai08] has a list of stop words
	if err != nil {
		t.Fatal(err)
	}
	all := words.Transform(texts)
	for _, want := range published {
		repeats := 10
		if want.perClass == 0 {
			repeats = 1
		}
		var accuracy, parent, treeLoss pair
		for seed := range uint64(repeats) {
			train, test := sample(t, all, want.perClass, seed)
			for i, fit := range fits {
				model, err := fit(context.Background(), train)
				if err != nil {
					t.Fatal(err)
				}
				report, err := metric.Evaluate(model, test)
				if err != nil {
					t.Fatal(err)
				}
				accuracy[i] += 100 * report.Accuracy / float64(repeats)
				parent[i] += 100 * report.ParentAccuracy / float64(repeats)
				treeLoss[i] += report.TreeLoss / 2 / float64(repeats)
			}
		}
		t.Logf("%2d a class: accuracy %.1f (published %.1f), parent accuracy %.1f (%.1f), tree loss %.3f (%.3f)",
			want.perClass, accuracy, want.accuracy, parent, want.parent, treeLoss, want.treeLoss)
		for i, method := range []string{"flat", "hierarchical"} {
			if above := accuracy[i] - want.accuracy[i]; above < 0 || above > 14 {
				t.Errorf("%d a class, %s: accuracy %.1f, published %.1f", want.perClass, method, accuracy[i], want.accuracy[i])
			}
			if above := parent[i] - want.parent[i]; above < 0 || above > 18 {
				t.Errorf("%d a class, %s: parent accuracy %.1f, published %.1f", want.perClass, method, parent[i], want.parent[i])
			}
		}
		if d := accuracy.difference(); math.Abs(d-want.accuracy.difference()) > 1.5 {
			t.Errorf("%d a class: the hierarchical SVM is %.1f points more accurate, published %.1f", want.perClass, d, want.accuracy.difference())
		}
		if d := parent.difference(); d <= 0 || d > 4 {
			t.Errorf("%d a class: the hierarchical SVM's parent accuracy is %.1f points higher, published %.1f", want.perClass, d, want.parent.difference())
		}
		if d := treeLoss.difference(); d > 0.01 {
			t.Errorf("%d a class: the hierarchical SVM's tree loss is %.3f higher, published %.3f", want.perClass, d, want.treeLoss.difference())
		}
	}
}

// TestGivenNewsgroupsByDate compares with what LinearSVC of scikit-learn 1.2.1 (C = 1, one against
// the rest) reaches on the same rows: 85.75 and, from the top of the taxonomy down, 85.12 percent.
func TestGivenNewsgroupsByDate(t *testing.T) {
	given.Folder(t, given.Data)
	c, err := collection.Open("ng15")
	if err != nil {
		t.Fatal(err)
	}
	for i, fit := range fits {
		model, err := fit(context.Background(), c.Train)
		if err != nil {
			t.Fatal(err)
		}
		report, err := metric.Evaluate(model, c.Test)
		if err != nil {
			t.Fatal(err)
		}
		if reference := 0.8575; math.Abs(report.Accuracy-reference) > 0.01 {
			t.Errorf("method %d: accuracy %.4f, want %.4f give or take 0.01", i, report.Accuracy, reference)
		}
	}
}

// fitFunc trains a method.
type fitFunc = func(context.Context, *dataset.Dataset) (*classifier.Model, error)

var fits = []fitFunc{
	svm.Flat{Settings: solver.Settings{Gap: 1e-2}}.Fit,
	// [Cai08] scales attributes by 1/sqrt(depth) and costs by 1/2; with both as here, C is the
	// same.
	svm.Hierarchical{Settings: solver.Settings{Gap: 1e-2}}.Fit,
}

// sample returns perClass instances of each class to train on and the others to test with, or a
// random tenth of all to test with.
func sample(t *testing.T, all *dataset.Dataset, perClass int, seed uint64) (train, test *dataset.Dataset) {
	t.Helper()
	if perClass == 0 {
		train, test, err := all.Split(0.1, seed)
		if err != nil {
			t.Fatal(err)
		}
		return train, test
	}
	return all.SplitPerClass(perClass, seed)
}
