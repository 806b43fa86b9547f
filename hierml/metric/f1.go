package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// F1 has the harmonic means of precision and recall of predicted label sets. Where nothing is
// predicted a precision is 0, where nothing is true a recall, and where neither, so that there is
// nothing to be right or wrong about, they and their mean are NaN.
type F1 struct {
	// MicroPrecision is the fraction of the predicted labels, over all instances, that are true,
	// MicroRecall that of the true labels that were predicted, and Micro their harmonic mean.
	MicroPrecision, MicroRecall, Micro float64
	// Macro is the mean, over all leaves and over the inner nodes that are labels, of the harmonic
	// mean of the label's own precision and recall, which is 0 for a label that is never true or
	// never predicted. MacroOccurring is the mean over those alone that are a true or a predicted
	// label, as scikit-learn has it unless told otherwise, and NaN where there are none.
	Macro, MacroOccurring float64
	// HierarchicalPrecision, HierarchicalRecall and Hierarchical are the micro averages of the sets
	// of nodes that are true or predicted labels or above them, roots too.
	HierarchicalPrecision, HierarchicalRecall, Hierarchical float64
	// RootlessPrecision, RootlessRecall and Rootless are the same without the roots, which all that
	// is below an only root has in common.
	RootlessPrecision, RootlessRecall, Rootless float64
	// Exact is the fraction of the instances whose predicted set is the true one.
	Exact float64
}

// averages returns a name, precision, recall and F1 a line.
func (f F1) averages() [][4]string {
	text := func(v float64) string {
		if math.IsNaN(v) {
			return dash
		}
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return [][4]string{
		{"micro", text(f.MicroPrecision), text(f.MicroRecall), text(f.Micro)},
		{"macro, all classes", "", "", text(f.Macro)},
		{"macro, occurring classes", "", "", text(f.MacroOccurring)},
		{"hierarchical", text(f.HierarchicalPrecision), text(f.HierarchicalRecall), text(f.Hierarchical)},
		{"without roots", text(f.RootlessPrecision), text(f.RootlessRecall), text(f.Rootless)},
	}
}

// table has the averages, one a row.
func (f F1) table() *table.Table {
	t := &table.Table{
		Columns: []table.Column{{Head: true}, {Name: "precision", Right: true}, {Name: "recall", Right: true}, {Name: "F1", Right: true}},
		Notes:   []string{strconv.FormatFloat(f.Exact, 'f', 4, 64) + " of the sets are exact"},
	}
	for _, a := range f.averages() {
		t.Rows = append(t.Rows, table.Texts(a[:]...))
	}
	return t
}

// String returns the averages, one a line; a dash stands for what is not defined.
func (f F1) String() string { return f.table().String() }

// HTML returns the averages as a table.
func (f F1) HTML() string { return f.table().HTML() }

// LabelSets compares predicted sets of labels with the true ones, both ascending. A set may be
// empty, and a label may be an inner node: the nodes above it are implied, those below are not. No
// set has a node together with one of its ancestors. A leaf that Leafed has added counts as the
// inner node that it stands for.
func LabelSets(truth, predicted [][]int, t *taxonomy.Taxonomy) (F1, error) {
	if t == nil {
		return F1{}, errors.New("metric: LabelSets needs a taxonomy")
	}
	if len(truth) != len(predicted) {
		return F1{}, fmt.Errorf("metric: %d true and %d predicted label sets; expected one of each an instance", len(truth), len(predicted))
	}
	l := labelsOf(t)
	c := newCounts(l.nodes)
	for i := range truth {
		if err := checkSpecific(t, truth[i], i); err != nil {
			return F1{}, err
		}
		if err := checkSpecific(t, predicted[i], i); err != nil {
			return F1{}, fmt.Errorf("%w (as predicted)", err)
		}
		c.add(l.set(nil, truth[i]), l.set(nil, predicted[i]))
	}
	return c.f1(), nil
}

// checkSpecific is checkSet for labels of which none is above another.
func checkSpecific(t *taxonomy.Taxonomy, labels []int, at int) error {
	if err := checkSet(t, labels, at); err != nil {
		return err
	}
	for _, y := range labels {
		if implied(t, y, labels) {
			return fmt.Errorf("metric: instance %d has the label %q and one below it; leave out the upper one, which is implied", at, t.LabelName(y))
		}
	}
	return nil
}

// overlap counts how often something was true, predicted, and both.
type overlap struct{ truth, predicted, both int }

func (o overlap) precision() float64 { return o.or0(o.predicted) }
func (o overlap) recall() float64    { return o.or0(o.truth) }

// f1 is NaN where there was nothing.
func (o overlap) f1() float64 { return float64(2*o.both) / float64(o.truth+o.predicted) }

// or0 divides what was both. Where there is nothing to divide by it is 0, and NaN where there was
// nothing at all.
func (o overlap) or0(by int) float64 {
	if by == 0 && o != (overlap{}) {
		return 0
	}
	return float64(o.both) / float64(by)
}

func (o *overlap) merge(p overlap) {
	o.truth += p.truth
	o.predicted += p.predicted
	o.both += p.both
}

// ratio is 0 where there is nothing to divide by.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// counts has an overlap for each node as a label, one of all nodes together, and one of those that
// are no roots.
type counts struct {
	t                *taxonomy.Taxonomy
	labels           []overlap
	nodes, rootless  overlap
	instances, exact int

	epoch int
	// by node: 4 times the epoch and the sets that the node is in; nothing is to be cleared
	marks   []int
	touched []int // nodes in either set of the instance at hand
}

// The sets that a node is in.
const (
	inTruth = 1 << iota
	inPredicted
	inBoth = inTruth | inPredicted
)

func newCounts(t *taxonomy.Taxonomy) *counts {
	return &counts{t: t, labels: make([]overlap, t.Len()), marks: make([]int, t.Len())}
}

// in returns the sets of the instance at hand that have n, or a node below it.
func (c *counts) in(n int) int {
	if mark := c.marks[n]; mark >= 4*c.epoch {
		return mark & inBoth
	}
	return 0
}

// outcome compares the two sets of an instance.
type outcome struct {
	exact  bool
	differ int // nodes that are in one of the two sets with their ancestors
}

// add counts an instance's two ascending sets.
func (c *counts) add(truth, predicted []int) outcome {
	c.instances++
	c.epoch++
	c.touched = c.touched[:0]
	for _, y := range truth {
		c.labels[y].truth++
	}
	for _, y := range predicted {
		c.labels[y].predicted++
	}
	for i, j := 0, 0; i < len(truth) && j < len(predicted); {
		switch {
		case truth[i] < predicted[j]:
			i++
		case truth[i] > predicted[j]:
			j++
		default:
			c.labels[truth[i]].both++
			i++
			j++
		}
	}
	c.spread(truth, inTruth)
	c.spread(predicted, inPredicted)
	var all, roots overlap
	for _, n := range c.touched {
		sets := c.in(n)
		o := overlap{sets & 1, sets >> 1, sets & (sets >> 1)}
		all.merge(o)
		if len(c.t.Parents(n)) == 0 {
			roots.merge(o)
		}
	}
	c.nodes.merge(all)
	c.rootless.merge(overlap{all.truth - roots.truth, all.predicted - roots.predicted, all.both - roots.both})
	o := outcome{exact: slices.Equal(truth, predicted), differ: all.truth + all.predicted - 2*all.both}
	if o.exact {
		c.exact++
	}
	return o
}

// spread marks the labels and their ancestors.
func (c *counts) spread(labels []int, set int) {
	for _, y := range labels {
		for _, n := range c.t.Ancestors(y) {
			if c.marks[n] < 4*c.epoch {
				c.marks[n] = 4 * c.epoch
				c.touched = append(c.touched, n)
			}
			c.marks[n] |= set
		}
	}
}

// merge adds what another counted.
func (c *counts) merge(o *counts) {
	for n := range c.labels {
		c.labels[n].merge(o.labels[n])
	}
	c.nodes.merge(o.nodes)
	c.rootless.merge(o.rootless)
	c.instances += o.instances
	c.exact += o.exact
}

func (c *counts) f1() F1 {
	var all overlap
	var f F1
	judged, occurring := 0, 0
	for n, o := range c.labels {
		// An inner node counts where it is a label.
		if o == (overlap{}) && !c.t.IsLeaf(n) {
			continue
		}
		judged++
		all.merge(o)
		if o != (overlap{}) {
			occurring++
			f.Macro += o.f1()
		}
	}
	f.MacroOccurring = f.Macro / float64(occurring)
	f.Macro /= float64(judged)
	f.MicroPrecision, f.MicroRecall, f.Micro = all.precision(), all.recall(), all.f1()
	f.HierarchicalPrecision, f.HierarchicalRecall, f.Hierarchical = c.nodes.precision(), c.nodes.recall(), c.nodes.f1()
	f.RootlessPrecision, f.RootlessRecall, f.Rootless = c.rootless.precision(), c.rootless.recall(), c.rootless.f1()
	f.Exact = ratio(c.exact, c.instances)
	return f
}
