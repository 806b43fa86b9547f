package main

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/synthetic"
)

func TestGeneratedFilesHaveTheProblem(t *testing.T) {
	f, err := generate(context.Background(), t.TempDir(), "wipod")
	if err != nil {
		t.Fatal(err)
	}
	c, err := synthetic.WIPOLike().Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := readEdges(f.edges())
	if err != nil {
		t.Fatal(err)
	}
	if tree.Len() != c.Train.Taxonomy.Len() || len(tree.Leaves()) != len(c.Train.Taxonomy.Leaves()) || len(tree.Edges()) != len(c.Train.Taxonomy.Edges()) {
		t.Errorf("taxonomy of %d nodes and %d leaves, want %d and %d", tree.Len(), len(tree.Leaves()), c.Train.Taxonomy.Len(), len(c.Train.Taxonomy.Leaves()))
	}
	for name, want := range map[string]*dataset.Dataset{f.train(): c.Train, f.test(): c.Test} {
		d, err := readRows(name, tree)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.X.Indptr, want.X.Indptr) || !slices.Equal(d.X.Indices, want.X.Indices) {
			t.Errorf("%s has other features than were generated", name)
		}
		for i, labels := range d.Labels {
			leaf := labels[len(labels)-1]
			if got := want.Labels[i][0] + 1; tree.Name(leaf) != strconv.Itoa(got) {
				t.Fatalf("%s: row %d has label %q, want %d", name, i, tree.Name(leaf), got)
			}
		}
	}
}
