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

// TestBelowSeveral takes two parts of a corpus, and then the labels with two documents.
func TestBelowSeveral(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"a/1", "a/2", "b/1", "b/2", "c/1"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	c := &dataset.Corpus{Name: "letters", Taxonomy: g}
	for _, name := range []string{"a/1", "c/1", "b/2", "a/1", "a/2", "c/1"} {
		n, _ := g.Node(name)
		c.Documents = append(c.Documents, dataset.Document{Text: name, Labels: []int{n}})
	}
	labels := func(c *dataset.Corpus) (all []string) {
		for _, d := range c.Documents {
			name := c.Taxonomy.Name(d.Labels[0])
			if name != d.Text {
				t.Errorf("%q is labelled %q", d.Text, name)
			}
			all = append(all, name)
		}
		return all
	}
	part, err := c.Below("c", "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(part); !slices.Equal(got, []string{"a/1", "c/1", "a/1", "a/2", "c/1"}) || len(part.Taxonomy.Roots()) != 2 {
		t.Errorf("below c and a: %v of\n%v", got, part.Taxonomy)
	}
	frequent, err := part.AtLeast(2)
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(frequent); !slices.Equal(got, []string{"a/1", "c/1", "a/1", "c/1"}) || frequent.Taxonomy.Len() != 4 {
		t.Errorf("at least 2: %v of\n%v", got, frequent.Taxonomy)
	}
	for _, failure := range []struct {
		call func() (*dataset.Corpus, error)
		want string
	}{
		{func() (*dataset.Corpus, error) { return c.Below() }, "name the nodes"},
		{func() (*dataset.Corpus, error) { return c.Below("a", "d") }, `no node "d"`},
		{func() (*dataset.Corpus, error) { return c.AtLeast(3) }, "the most frequent has 2"},
	} {
		if _, err := failure.call(); err == nil || !strings.Contains(err.Error(), failure.want) {
			t.Errorf("got the error %v, want %q", err, failure.want)
		}
	}
}
