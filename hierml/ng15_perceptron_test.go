package hierml_test

import (
	"testing"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/internal/testrun/given"
)

// measured are accuracy, average precision and parent accuracy, in percent, and half of the tree
// loss.
type measured struct{ accuracy, precision, parent, loss float64 }

// online has the rows of [Cai08, tables 7.20 and 7.21]: flat Hieron, hierarchical Hieron, flat and
// hierarchical perceptron on 15 groups of Newsgroups, trained on perClass documents of each group,
// or on nine tenths of all where that is 0. The loss of the last method with 20 a class is printed
// as 78.7, which is the average precision two rows below.
var online = []struct {
	perClass int
	averaged bool
	methods  [4]measured
}{
	{10, true, [4]measured{{35.2, 50.3, 57.0, 1.08}, {34.9, 52.7, 67.5, 0.98}, {36.2, 51.4, 59.2, 1.05}, {38.2, 54.9, 65.4, 0.96}}},
	{20, true, [4]measured{{46.8, 60.7, 70.0, 0.83}, {44.5, 61.5, 76.3, 0.79}, {46.1, 59.9, 69.3, 0.85}, {47.7, 63.2, 73.6, 0.787}}},
	{0, true, [4]measured{{63.4, 74.7, 84.8, 0.52}, {62.5, 75.9, 87.7, 0.50}, {64.9, 76.0, 85.7, 0.49}, {67.2, 78.7, 87.0, 0.46}}},
	{0, false, [4]measured{{29.5, 54.4, 46.7, 1.24}, {36.4, 58.7, 57.1, 1.06}, {34.7, 58.2, 52.0, 1.13}, {39.9, 62.4, 58.9, 1.01}}},
}

// TestGivenNewsgroupsOnline repeats the experiment of the tables on the texts of
// TestGivenNewsgroups, where all methods are better than published by 10 to 60 points of accuracy,
// those of the last weights most: without the cross-posts and duplicates nearly all of the
// instances can be separated. What holds in every row of the tables must come out: the hierarchy
// improves the average precision of both methods, and Hieron's tree loss. That averaging improves
// them much comes out for Hieron alone.
func TestGivenNewsgroupsOnline(t *testing.T) {
	given.Folder(t, given.Data)
	texts, err := collection.OpenTexts("ng15")
	if err != nil {
		t.Fatal(err)
	}
	words, err := features.TFIDF{Counts: true, MinDocuments: 2, MaxShare: 0.08}.Fit(texts)
	if err != nil {
		t.Fatal(err)
	}
	all := words.Transform(texts)
	var averagedHieron [2]float64
	for _, want := range online {
		repeats := 3
		if want.perClass == 0 {
			repeats = 1
		}
		var got [4]measured
		for seed := range uint64(repeats) {
			train, test := sample(t, all, want.perClass, seed)
			for i, fit := range []fitFunc{
				perceptron.Hieron{Flat: true, Averaged: want.averaged}.Fit, perceptron.Hieron{Averaged: want.averaged}.Fit,
				perceptron.Flat{Averaged: want.averaged}.Fit, perceptron.Hierarchical{Averaged: want.averaged}.Fit,
			} {
				model, err := fit(t.Context(), train)
				if err != nil {
					t.Fatal(err)
				}
				r, err := metric.Evaluate(model, test)
				if err != nil {
					t.Fatal(err)
				}
				n := float64(repeats)
				got[i].accuracy += 100 * r.Accuracy / n
				got[i].precision += 100 * r.AveragePrecision / n
				got[i].parent += 100 * r.ParentAccuracy / n
				got[i].loss += r.TreeLoss / 2 / n
			}
		}
		for i, method := range []string{"Hieron", "perceptron"} {
			flat, deep := got[2*i], got[2*i+1]
			if deep.precision <= flat.precision {
				t.Errorf("%d a class, averaged %v: the average precision of the hierarchical %s is %.1f, of the flat one %.1f", want.perClass, want.averaged, method, deep.precision, flat.precision)
			}
		}
		if got[1].loss >= got[0].loss {
			t.Errorf("%d a class, averaged %v: the tree loss of the hierarchical Hieron is %.3f, of the flat one %.3f", want.perClass, want.averaged, got[1].loss, got[0].loss)
		}
		for i, m := range got {
			if m.accuracy < want.methods[i].accuracy || m.parent < want.methods[i].parent {
				t.Errorf("%d a class, averaged %v: method %d has accuracy %.1f and parent accuracy %.1f, published %.1f and %.1f",
					want.perClass, want.averaged, i, m.accuracy, m.parent, want.methods[i].accuracy, want.methods[i].parent)
			}
		}
		for i := range averagedHieron {
			if want.perClass == 0 && want.averaged {
				averagedHieron[i] = got[i].accuracy
			} else if want.perClass == 0 && got[i].accuracy >= averagedHieron[i] {
				t.Errorf("the last weights of Hieron %d have accuracy %.1f, their mean %.1f", i, got[i].accuracy, averagedHieron[i])
			}
		}
		t.Logf("%d a class, averaged %v: %.3v, published %.3v", want.perClass, want.averaged, got, want.methods)
	}
}
