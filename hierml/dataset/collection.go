package dataset

import (
	"fmt"
	"slices"
)

// Collection is a data set with a given split into a training and a test part. Both parts have the
// same taxonomy and columns.
type Collection struct {
	Name        string
	Train, Test *Dataset
}

// Leafed returns the collection with every label at a leaf, as Dataset.Leafed does, with one
// taxonomy for both parts.
func (c *Collection) Leafed() (*Collection, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	t, labels, err := leafed(c.Train.Taxonomy, c.Train.Labels, c.Test.Labels)
	if err != nil {
		return nil, err
	}
	if labels == nil {
		return c, nil
	}
	train, test := *c.Train, *c.Test
	train.Taxonomy, train.Labels = t, labels[0]
	test.Taxonomy, test.Labels = t, labels[1]
	return &Collection{Name: c.Name, Train: &train, Test: &test}, nil
}

func (c *Collection) check() error {
	if c.Train == nil || c.Test == nil {
		return fmt.Errorf("dataset: collection %q lacks a part; give it both Train and Test", c.Name)
	}
	return nil
}

// Below returns both parts as Dataset.Below does, with one taxonomy.
func (c *Collection) Below(nodes ...string) (*Collection, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p, err := partBelow(c.Name, c.Train.Taxonomy, nodes)
	if err != nil {
		return nil, err
	}
	return &Collection{Name: c.Name, Train: c.Train.restrict(p), Test: c.Test.restrict(p)}, nil
}

// String describes the collection in a few lines: how much there is in either part, and the first
// instances of the one for training.
func (c *Collection) String() string { return c.overview().text() }

// HTML is String as a table.
func (c *Collection) HTML() string { return c.overview().html() }

func (c *Collection) overview() *overview {
	if c.check() != nil {
		return &overview{Title: c.Name, Facts: []string{"a part is missing"}}
	}
	o := c.Train.overview()
	o.Title = c.Name
	o.Facts = slices.Concat([]string{
		labelled(c.Train.Labels, "training instance", "training instances"),
		labelled(c.Test.Labels, "test instance", "test instances"),
	}, o.Facts[1:])
	return o
}
