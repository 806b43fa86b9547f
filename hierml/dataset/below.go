package dataset

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Below returns the instances that have labels at or below the named nodes, with these labels,
// under the taxonomy of that part, such as the subtree CCAT of RCV1. Columns do not change.
func (d *Dataset) Below(nodes ...string) (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	if err := d.fits(); err != nil {
		return nil, err
	}
	p, err := partBelow(d.Name, d.Taxonomy, nodes)
	if err != nil {
		return nil, err
	}
	return d.restrict(p), nil
}

// Below returns the documents that have labels at or below the named nodes, with these labels,
// under the taxonomy of that part.
func (c *Corpus) Below(nodes ...string) (*Corpus, error) {
	p, err := partBelow(c.Name, c.Taxonomy, nodes)
	if err != nil {
		return nil, err
	}
	return c.restrict(p), nil
}

// AtLeast returns the documents of the labels that at least n documents have, with these labels,
// under the taxonomy of these labels and the nodes above them. It is an error if no label has n.
func (c *Corpus) AtLeast(n int) (*Corpus, error) {
	count := make(map[int]int)
	for _, d := range c.Documents {
		for _, label := range d.Labels {
			count[label]++
		}
	}
	var frequent []int
	most := 0
	for label, documents := range count {
		if most = max(most, documents); documents >= n {
			frequent = append(frequent, label)
		}
	}
	if len(frequent) == 0 {
		return nil, fmt.Errorf("dataset: no label of %q has %d documents; the most frequent has %d", c.Name, n, most)
	}
	return c.restrict(newPart(c.Taxonomy.Above(frequent))), nil
}

// A part is a part of a taxonomy.
type part struct {
	taxonomy *taxonomy.Taxonomy
	id       map[int]int // the ids in the part by those in the whole
}

func newPart(t *taxonomy.Taxonomy, nodes []int) *part {
	p := &part{taxonomy: t, id: make(map[int]int, len(nodes))}
	for k, v := range nodes {
		p.id[v] = k
	}
	return p
}

// partBelow returns the part of a taxonomy at and below the named nodes.
func partBelow(name string, t *taxonomy.Taxonomy, nodes []string) (*part, error) {
	if t == nil {
		return nil, fmt.Errorf("dataset: %q has no taxonomy to take a part of", name)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("dataset: name the nodes of the taxonomy of %q to keep; a root is %q", name, t.Name(t.Roots()[0]))
	}
	some := make([]int, len(nodes))
	for k, node := range nodes {
		n, ok := t.Node(node)
		if !ok {
			return nil, fmt.Errorf("dataset: the taxonomy of %q has no node %q; a root is %q", name, node, t.Name(t.Roots()[0]))
		}
		some[k] = n
	}
	return newPart(t.Below(some...)), nil
}

// restrict returns the positions of the label sets that have labels in the part, and these labels
// there.
func (p *part) restrict(sets [][]int) (positions []int, labels [][]int) {
	for i, set := range sets {
		var kept []int
		for _, n := range set {
			if k, ok := p.id[n]; ok {
				kept = append(kept, k)
			}
		}
		if len(kept) > 0 {
			slices.Sort(kept)
			positions, labels = append(positions, i), append(labels, kept)
		}
	}
	return positions, labels
}

func (d *Dataset) restrict(p *part) *Dataset {
	rows, labels := p.restrict(d.Labels)
	s := d.Subset(rows)
	s.Taxonomy, s.Labels = p.taxonomy, labels
	return s
}

func (c *Corpus) restrict(p *part) *Corpus {
	positions, labels := p.restrict(c.LabelSets())
	s := c.Subset(positions)
	s.Taxonomy = p.taxonomy
	for i := range s.Documents {
		s.Documents[i].Labels = labels[i]
	}
	return s
}
