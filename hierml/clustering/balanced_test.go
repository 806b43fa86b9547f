package clustering_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestGoldenLabelTree halves the classes of every case of the family labeltree from its two seeds.
func TestGoldenLabelTree(t *testing.T) {
	cases, err := golden.Read("labeltree")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Classes int `json:"labels_count"`
				X       [][]float64
				Labels  [][]int
				Vectors [][]float64 `json:"pifa"`
				Seeds   [2]int
				Left    [][]int `json:"left_after_each_step"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			names := make([]string, want.Classes)
			for k := range names {
				names[k] = strconv.Itoa(k)
			}
			g, err := taxonomy.New(names, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: len(want.X), Cols: len(want.X[0]), Indptr: []int{0}}, Labels: want.Labels}
			for _, row := range want.X {
				for f, v := range row {
					d.X.Indices, d.X.Values = append(d.X.Indices, int32(f)), append(d.X.Values, float32(v))
				}
				d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
			}
			vectors, left, err := clustering.Halved(d, want.Seeds[0], want.Seeds[1])
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range want.Vectors {
				for f := range v {
					if math.Abs(vectors[k][f]-v[f]) > 1e-6 {
						t.Errorf("class %d is %v, want %v", k, vectors[k], v)
						break
					}
				}
			}
			if !reflect.DeepEqual(left, want.Left) {
				t.Errorf("left %v, want %v", left, want.Left)
			}
		})
	}
}

// TestBalancedTrees holds that each half has half of the leaves, that all classes are leaves, and
// that equal seeds make equal trees and others not.
func TestBalancedTrees(t *testing.T) {
	d := example.Texts(example.Tree(40), 300, 200, 12, 1)
	d.Labels = slices.Clone(d.Labels)
	for i := range d.Labels { // no instance has the last two
		d.Labels[i] = []int{min(d.Labels[i][0], d.Taxonomy.Leaves()[37])}
	}
	ctx := context.Background()
	for _, most := range []int{1, 3, 5} {
		h, err := clustering.Balanced{Largest: most}.Hierarchy(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.NamesOf(h.Leaves()...), d.Taxonomy.NamesOf(d.Taxonomy.Leaves()...)) || !h.IsTree() || len(h.Roots()) != 1 {
			t.Errorf("%v", h)
		}
		leaves := make([]int, h.Len())
		for _, y := range h.Leaves() {
			for _, n := range h.Ancestors(y) {
				leaves[n]++
			}
		}
		for n := range h.Len() {
			children := h.Children(n)
			if n == h.Roots()[0] {
				children = slices.DeleteFunc(slices.Clone(children), func(c int) bool { return slices.Contains(h.NamesOf(h.Leaves()[38:]...), h.Name(c)) })
			}
			if h.IsLeaf(n) || len(children) <= most && h.IsLeaf(children[0]) && h.IsLeaf(children[len(children)-1]) {
				continue
			}
			if a, b := leaves[children[0]], leaves[children[1]]; len(children) != 2 || a+b <= most || max(a, b)-min(a, b) > 1 {
				t.Errorf("at most %d: %q has children with %d and %d leaves", most, h.Name(n), a, b)
			}
		}
		again, err := clustering.Balanced{Largest: most}.Hierarchy(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		other, err := clustering.Balanced{Largest: most, Seed: 1}.Hierarchy(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Edges(), h.Edges()) || slices.Equal(other.Edges(), h.Edges()) {
			t.Errorf("at most %d: the seeds do not make the trees", most)
		}
	}
}

func TestBalancedRefuses(t *testing.T) {
	d := example.Texts(example.Tree(4), 20, 30, 5, 1)
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := (clustering.Balanced{Largest: 1}).Hierarchy(ended, d); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	for says, b := range map[string]clustering.Balanced{"Largest is -1": {Largest: -1, Estimator: svm.PLT{}}, "no estimator": {}} {
		if _, err := b.Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want an error that says %q", err, says)
		}
	}
	if _, err := (clustering.Balanced{}).Hierarchy(context.Background(), nil); err == nil {
		t.Error("no error without data")
	}
}

// A label tree is trained under a binary tree that is learned from the instances.
func ExampleBalanced() {
	d := small()
	model, err := clustering.Balanced{Estimator: svm.PLT{C: 10}, Largest: 1, Seed: 1}.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(model.From)
	report, err := metric.Evaluate(model, d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("accuracy", report.Accuracy)
	// Output:
	// tree: 7 nodes, 4 leaves, depth 2
	// cluster 1
	// ├── cluster 1.1
	// │   ├── sports/baseball
	// │   └── sports/hockey
	// └── cluster 1.2
	//     ├── vehicles/autos
	//     └── vehicles/motorcycles
	// accuracy 1
}
