package dataset_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestBelow(t *testing.T) {
	g, err := taxonomy.Read(strings.NewReader("root\tfruit\nfruit\tapple\nfruit\tpear\nroot\tstone\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.SVMLight{}.Read(context.Background(), strings.NewReader("apple,stone 1:1\nstone 2:1\nfruit 1:3\npear 3:4\n"), "x", g)
	if err != nil {
		t.Fatal(err)
	}
	part, err := d.Below("fruit")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, set := range part.Labels {
		for _, n := range set {
			got = append(got, part.Taxonomy.Name(n))
		}
	}
	if !slices.Equal(got, []string{"apple", "fruit", "pear"}) || part.Taxonomy.Len() != 3 || part.Len() != 3 || part.X.Cols != d.X.Cols {
		t.Errorf("labels %v of\n%v", got, part)
	}
	if _, values := part.X.Row(2); len(values) != 1 || values[0] != 4 {
		t.Errorf("the last row has the values %v", values)
	}
	c, err := (&dataset.Collection{Name: "c", Train: d, Test: d}).Below("stone")
	if err != nil || c.Train.Len() != 2 || c.Test.Taxonomy != c.Train.Taxonomy {
		t.Errorf("collection %v, %v", c, err)
	}
	if _, err := d.Below("moss"); err == nil || !strings.Contains(err.Error(), `no node "moss"`) {
		t.Errorf("unknown node: %v", err)
	}
}
