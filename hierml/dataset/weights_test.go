package dataset_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/example"
)

// Weights stay with their rows.
func TestWeightsStayWithRows(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 40, 2, 1)
	d.Weights = make([]float64, d.Len())
	for i := range d.Weights {
		d.Weights[i] = 1 + float64(i)/8
	}
	weight := func(s *dataset.Dataset, i int) float64 { // of the row of d that has the same values
		_, values := s.X.Row(i)
		for k := range d.Len() {
			if _, own := d.X.Row(k); slices.Equal(own, values) {
				return d.Weights[k]
			}
		}
		t.Fatal("a row is none of the data set")
		return 0
	}
	train, test, err := d.Split(0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	below, err := d.Below(d.Taxonomy.Name(d.Taxonomy.Parents(d.Labels[0][0])[0]))
	if err != nil {
		t.Fatal(err)
	}
	chosen, others := d.SplitPerClass(2, 1)
	for name, s := range map[string]*dataset.Dataset{
		"training part": train, "test part": test, "below": below, "per class": chosen, "others": others, "labelled": d.Labelled(),
		"reversed": d.Subset(rand.New(rand.NewPCG(1, 1)).Perm(d.Len())),
	} {
		if len(s.Weights) != s.Len() || s.Len() == 0 {
			t.Fatalf("%s: %d weights of %d rows", name, len(s.Weights), s.Len())
		}
		for i, w := range s.Weights {
			if w != weight(s, i) {
				t.Errorf("%s: row %d has weight %v; want %v", name, i, w, weight(s, i))
			}
		}
	}
}

// What has no place for weights refuses them.
func TestWeightsAreNotLost(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 8, 2, 1)
	var out bytes.Buffer
	for _, weights := range [][]float64{{1, 2, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 1, 1, 1, 1}, slices.Repeat([]float64{1}, 8)} {
		d.Weights = weights
		ones := !slices.ContainsFunc(weights, func(w float64) bool { return w != 1 })
		ctx := context.Background()
		for name, err := range map[string]error{
			"svmlight": files.SVMLight{}.Write(ctx, &out, d), "ARFF": files.ARFF{}.Write(ctx, &out, d), "CSV": files.CSV{}.WriteDataset(ctx, &out, d), "LSHTC": files.LSHTC{}.Write(ctx, &out, d),
			"map": dataset.SaveMap(ctx, filepath.Join(t.TempDir(), "map"), "map", d.Taxonomy, nil, d.Instances()),
		} {
			if refused := err != nil && strings.Contains(err.Error(), "weights"); refused == ones || ones && err != nil {
				t.Errorf("%s: %v with the weights %v", name, err, weights)
			}
		}
	}
}

// A data set whose parts have different numbers of rows is refused in words by whatever divides it.
func TestPartsThatDoNotFit(t *testing.T) {
	for what, spoil := range map[string]func(d *dataset.Dataset){
		"weights": func(d *dataset.Dataset) { d.Weights = []float64{1, 2} },
		"Groups":  func(d *dataset.Dataset) { d.Groups = []string{"a"} },
		"labels":  func(d *dataset.Dataset) { d.Labels = d.Labels[:5] },
	} {
		d := example.Dense(example.Tree(2, 3), 20, 2, 1)
		spoil(d)
		_, _, split := d.Split(0.3, 1)
		_, folds := d.Folds(2, 1)
		_, rounds := d.Rounds(2, 0.3, 1)
		_, below := d.Below(d.Taxonomy.Name(d.Taxonomy.Roots()[0]))
		panicked := func() (err error) {
			defer func() { err, _ = recover().(error) }()
			d.Subset([]int{0})
			return nil
		}()
		for name, err := range map[string]error{"Split": split, "Folds": folds, "Rounds": rounds, "Below": below, "Subset": panicked} {
			if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "runtime") {
				t.Errorf("%s of other %s: %v", name, what, err)
			}
		}
	}
}
