package clustering_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// labelled returns instances without features that have these labels, of as many classes.
func labelled(t *testing.T, classes int, labels [][]int) *dataset.Dataset {
	t.Helper()
	names := make([]string, classes)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	g, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &dataset.Dataset{Taxonomy: g, Labels: labels}
}

// TestGoldenHuffman compares the cost of the trees of the family labeltree, the sum of the depths
// of all labels, with the smallest.
func TestGoldenHuffman(t *testing.T) {
	cases, err := golden.Read("labeltree")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Classes     int `json:"labels_count"`
				Labels      [][]int
				Frequencies []int
				Cost        int `json:"huffman_cost"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			h, err := clustering.Huffman{}.Hierarchy(context.Background(), labelled(t, want.Classes, want.Labels))
			if err != nil {
				t.Fatal(err)
			}
			cost := 0
			for k, n := range want.Frequencies {
				leaf, ok := h.Node(strconv.Itoa(k))
				if !ok || !h.IsLeaf(leaf) {
					t.Fatalf("class %d is no leaf of %v", k, h)
				}
				cost += n * h.Depth(leaf)
			}
			if cost != want.Cost {
				t.Errorf("cost %d, want %d", cost, want.Cost)
			}
		})
	}
}

// TestHuffmanTrees makes trees of few classes, of which some have no instances, and of many equal
// ones.
func TestHuffmanTrees(t *testing.T) {
	for _, c := range []struct {
		classes int
		labels  [][]int
		want    string
	}{
		{1, [][]int{{0}}, "cluster 1>0"},
		{2, [][]int{{1}, {}}, "cluster 1>1, cluster 1>0"},
		{3, [][]int{{0, 2}, {0}}, "cluster 1>2, cluster 1>0, cluster 1>1"},
		{4, [][]int{{0}, {1}, {2}, {3}}, "cluster 1>cluster 1.1, cluster 1.1>0, cluster 1.1>1, cluster 1>cluster 1.2, cluster 1.2>2, cluster 1.2>3"},
		{3, [][]int{{0}, {1}, {2}, {2}, {2}}, "cluster 1>cluster 1.1, cluster 1.1>0, cluster 1.1>1, cluster 1>2"},
	} {
		h, err := clustering.Huffman{}.Hierarchy(context.Background(), labelled(t, c.classes, c.labels))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range h.Edges() {
			got = append(got, h.Name(e[0])+">"+h.Name(e[1]))
		}
		want := strings.Split(c.want, ", ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || len(h.Leaves()) != c.classes {
			t.Errorf("labels %v: %v, want %v", c.labels, got, want)
		}
	}
}

func TestHuffmanRefuses(t *testing.T) {
	d := labelled(t, 3, [][]int{{0}, {1}, {2}})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (clustering.Huffman{}).Hierarchy(ended, d); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := (clustering.Huffman{}).Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), "no estimator") {
		t.Errorf("error %v", err)
	}
	if _, err := (clustering.Huffman{}).Hierarchy(context.Background(), nil); err == nil {
		t.Error("no error without data")
	}
}

// A label tree in which frequent classes are near the root.
func ExampleHuffman() {
	g, err := taxonomy.New([]string{"apple", "pear", "quince"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Cols: 3, Indptr: []int{0}}}
	for i, n := range []int{0, 0, 0, 1, 2} {
		d.X.Indices, d.X.Values = append(d.X.Indices, int32(n)), append(d.X.Values, 1)
		d.X.Rows, d.X.Indptr = i+1, append(d.X.Indptr, i+1)
		d.Labels = append(d.Labels, []int{n})
	}
	h := clustering.Huffman{Estimator: svm.PLT{C: 10}}
	tree, err := h.Hierarchy(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, y := range tree.Leaves() {
		fmt.Println(tree.Name(y), "at depth", tree.Depth(y))
	}
	model, err := h.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	predicted, err := model.Predict(d.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.NamesOf(predicted...))
	// Output:
	// apple at depth 1
	// pear at depth 2
	// quince at depth 2
	// [apple apple apple pear quince]
}
