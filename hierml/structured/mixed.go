package structured

import (
	"fmt"

	"github.com/hierml/notebook/hierml/loss"
)

// Mixed compares every example that has one label with the other candidates, as [Labels] does with
// margin rescaling, and every example that has several with all other non-empty sets of leaves, as
// [Sets] does: one block per example. On graphs, searches for label sets take much longer than
// those for labels, so data with few label sets train about as fast as data with none.
type Mixed struct {
	both
	labels   *Labels
	sets     *Sets
	examples []int // by block: those with one label, then those with several
}

// NewMixed returns the comparisons for examples with the given sets of labels, leaves of the
// taxonomy, at least one per example. There must be examples with one label and examples with
// several. l is the loss between labels, sets that between label sets; the other arguments are
// those of NewSets.
func NewMixed(a *Attributes, labels [][]int, l loss.Loss, sets loss.Decomposing, c, share float64) (*Mixed, error) {
	if a == nil {
		return nil, fmt.Errorf("structured: comparing labels and label sets needs Attributes")
	}
	var single []int
	var several [][]int
	var examples, last []int
	for i, set := range labels {
		if len(set) == 0 {
			return nil, fmt.Errorf("structured: row %d has no labels; a label set needs at least one; remove such rows with Labelled() of the dataset", i)
		}
		for _, n := range set {
			if n < 0 || n >= a.taxonomy.Len() || !a.taxonomy.IsLeaf(n) {
				return nil, fmt.Errorf("structured: row %d has label %d, which is not a leaf of the taxonomy", i, n)
			}
		}
		if len(set) == 1 {
			single, examples = append(single, set[0]), append(examples, i)
		} else {
			several, last = append(several, set), append(last, i)
		}
	}
	ones, err := NewLabels(a, single, l, Margin, c)
	if err != nil {
		return nil, err
	}
	more, err := NewSets(a, several, sets, c, share)
	if err != nil {
		return nil, err
	}
	return &Mixed{both{ones, more, len(single)}, ones, more, append(examples, last...)}, nil
}

// Example returns the example that block b belongs to.
func (c *Mixed) Example(b int) int { return c.examples[b] }

// Products is Product for all pairs.
func (c *Mixed) Products(b int, ids []int32, dst []float64, stride int) {
	if b < c.border {
		c.labels.Products(b, ids, dst, stride)
		return
	}
	c.sets.Products(b-c.border, ids, dst, stride)
}

// atZero returns the largest violation of a block at zero weights, if it is known.
func (c *Mixed) atZero(b int) (violation float64, ok bool) {
	if b < c.border {
		return c.labels.atZero(b)
	}
	return 0, false
}

// atMost returns a bound of it for a block of label sets.
func (c *Mixed) atMost(b int) float64 { return c.sets.atMost(b - c.border) }
