package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// F1 compares predicted label sets with the true ones. Precision is 0 if nothing is predicted, and
// recall is 0 if nothing is true. If neither is there, both and their mean are NaN. Y is the true
// set of an instance, Z the predicted one.
type F1 struct {
	// MicroPrecision is the fraction of the predicted labels, over all instances, that are true,
	// MicroRecall that of the true labels that were predicted, and Micro their harmonic mean.
	MicroPrecision, MicroRecall, Micro float64
	// Macro is the mean over all leaves, and over the inner nodes that are labels, of the harmonic
	// mean of the label's precision and recall. This is 0 for a label that is never true or never
	// predicted. MacroOccurring is the mean over the true or predicted labels only, as in
	// scikit-learn by default, and NaN if there are none.
	Macro, MacroOccurring float64
	// SamplesPrecision, SamplesRecall and Samples are the means over the instances of |Y and Z| /
	// |Z|, |Y and Z| / |Y| and 2 |Y and Z| / (|Y| + |Z|) [TKV10], which scikit-learn calls
	// average="samples". Instances where both sets are empty are left out.
	SamplesPrecision, SamplesRecall, Samples float64
	// HierarchicalPrecision, HierarchicalRecall and Hierarchical are the micro averages of the sets
	// of nodes that are true or predicted labels or above them, roots too [SF11];
	// HiClass calls them average="micro".
	HierarchicalPrecision, HierarchicalRecall, Hierarchical float64
	// RootlessPrecision, RootlessRecall and Rootless are the same without the roots, because all
	// nodes below a single root share it.
	RootlessPrecision, RootlessRecall, Rootless float64
	// HierarchicalSamplesPrecision, HierarchicalSamplesRecall and HierarchicalSamples are the means
	// over the instances of the hierarchical precision, recall and F1 of each instance; HiClass
	// calls them average="macro".
	HierarchicalSamplesPrecision, HierarchicalSamplesRecall, HierarchicalSamples float64
	// RootlessSamples is HierarchicalSamples of the sets without the roots. Instances where both
	// are then empty are left out.
	RootlessSamples float64
	// SamplesJaccard is the mean over the instances of |Y and Z| / |Y or Z| [TKV10], without
	// instances where both sets are empty. MicroJaccard is the quotient of the sums of both sizes.
	// MacroJaccard is the mean of the Jaccard index of each label of Macro.
	SamplesJaccard, MicroJaccard, MacroJaccard float64
	// Hamming is the Hamming loss [TKV10]: the fraction of all pairs of an instance and a label of
	// Macro where the label is in exactly one of Y and Z.
	Hamming float64
	// Exact is the fraction of the instances whose predicted set is the true one, also called
	// subset accuracy.
	Exact float64
}

// averages returns lines of a name, precision, recall and F1.
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

// table has the averages, one per row.
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

// String returns the averages, one per line; a dash means undefined.
func (f F1) String() string { return f.table().String() }

// HTML returns the averages as a table.
func (f F1) HTML() string { return f.table().HTML() }

// LabelSets compares predicted sets of labels with the true ones, both ascending. A set may be
// empty, and a label may be an inner node: the nodes above it are implied, those below are not. No
// set has a node together with one of its ancestors. A leaf that Leafed added counts as its inner
// node.
func LabelSets(truth, predicted [][]int, t *taxonomy.Taxonomy) (F1, error) {
	return Settings{}.LabelSets(truth, predicted, t)
}

// LabelSets is like the function LabelSets, with the weights of the settings.
func (s Settings) LabelSets(truth, predicted [][]int, t *taxonomy.Taxonomy) (F1, error) {
	if t == nil {
		return F1{}, errors.New("metric: LabelSets needs a taxonomy")
	}
	if len(truth) != len(predicted) {
		return F1{}, fmt.Errorf("metric: %d true and %d predicted label sets; expected one of each per instance", len(truth), len(predicted))
	}
	if err := s.checkWeights(len(truth)); err != nil {
		return F1{}, err
	}
	l := labelsOf(t)
	c := newCounts(l.nodes)
	var samples, closed [4]average
	var rootless average
	for i := range truth {
		if err := checkSpecific(t, truth[i], i); err != nil {
			return F1{}, err
		}
		if err := checkSpecific(t, predicted[i], i); err != nil {
			return F1{}, fmt.Errorf("%w (as predicted)", err)
		}
		weight := weigh.Of(s.Weights, i)
		o := c.add(l.set(nil, truth[i]), l.set(nil, predicted[i]), weight)
		for k, v := range o.labels.samples() {
			samples[k].add(v, weight)
		}
		for k, v := range o.nodes.samples() {
			closed[k].add(v, weight)
		}
		rootless.add(o.rootless.f1(), weight)
	}
	f := c.f1()
	f.SamplesPrecision, f.SamplesRecall, f.Samples, f.SamplesJaccard = samples[0].mean(), samples[1].mean(), samples[2].mean(), samples[3].mean()
	f.HierarchicalSamplesPrecision, f.HierarchicalSamplesRecall, f.HierarchicalSamples = closed[0].mean(), closed[1].mean(), closed[2].mean()
	f.RootlessSamples = rootless.mean()
	return f, nil
}

// checkSpecific is checkSet for labels of which none is above another.
func checkSpecific(t *taxonomy.Taxonomy, labels []int, at int) error {
	if err := checkSet(t, labels, at); err != nil {
		return err
	}
	for _, y := range labels {
		if implied(t, y, labels) {
			return fmt.Errorf("metric: instance %d has the label %q and one below it; remove the upper one, which is implied", at, t.LabelName(y))
		}
	}
	return nil
}

// overlap counts how often something was true, predicted, and both, as sums of the weights of the
// instances.
type overlap struct{ truth, predicted, both float64 }

func (o overlap) precision() float64 { return o.or0(o.predicted) }
func (o overlap) recall() float64    { return o.or0(o.truth) }

// f1 and jaccard are NaN if nothing was true or predicted.
func (o overlap) f1() float64      { return 2 * o.both / (o.truth + o.predicted) }
func (o overlap) jaccard() float64 { return o.both / (o.truth + o.predicted - o.both) }

// differ is how often it was exactly one of true and predicted.
func (o overlap) differ() float64 { return o.truth + o.predicted - 2*o.both }

func (o overlap) none() bool { return o.truth == 0 && o.predicted == 0 }

// samples returns the values to average over the instances.
func (o overlap) samples() [4]float64 {
	return [4]float64{o.precision(), o.recall(), o.f1(), o.jaccard()}
}

// or0 divides by a count. The result is 0 if the count is 0, and NaN if nothing was true or
// predicted.
func (o overlap) or0(by float64) float64 {
	if by == 0 && !o.none() {
		return 0
	}
	return o.both / by
}

func (o *overlap) merge(p overlap) {
	o.truth += p.truth
	o.predicted += p.predicted
	o.both += p.both
}

func (o overlap) times(w float64) overlap { return overlap{w * o.truth, w * o.predicted, w * o.both} }

// tally is an overlap with the numbers of the instances.
type tally struct {
	overlap
	instances, said, right int
}

func (c *tally) merge(d tally) {
	c.overlap.merge(d.overlap)
	c.instances += d.instances
	c.said += d.said
	c.right += d.right
}

// count counts an instance that has it in at least one of the sets.
func (c *tally) count(sets int, weight float64) {
	o := overlap{float64(sets & inTruth), float64(sets >> 1), float64(sets & (sets >> 1))}
	c.merge(tally{o.times(weight), int(o.truth), int(o.predicted), int(o.both)})
}

// average is a weighted mean of the values that are not NaN.
type average struct{ sum, weight float64 }

func (a *average) add(v, weight float64) {
	if weight > 0 && !math.IsNaN(v) {
		a.sum += weight * v
		a.weight += weight
	}
}

func (a average) mean() float64 { return a.sum / a.weight }

// counts has a tally for each node as a label, and one for each as a label or above one. Instances
// of weight 0 are left out.
type counts struct {
	t             *taxonomy.Taxonomy
	labels, nodes []tally
	nothing       overlap // the empty sets
	weight, exact float64 // of the instances
	// the numbers of the instances, of their true and predicted labels, and of the predicted sets
	// and the pairs of sets that have none or several labels
	instances, truths, said, otherSets, several int

	epoch int
	// by node: 4 times the epoch, plus the sets that the node is in; it needs no clearing
	marks   []int
	touched []int // nodes in either set of the current instance
}

// The sets that a node is in.
const (
	inTruth = 1 << iota
	inPredicted
	inBoth = inTruth | inPredicted
)

func newCounts(t *taxonomy.Taxonomy) *counts {
	return &counts{t: t, labels: make([]tally, t.Len()), nodes: make([]tally, t.Len()), marks: make([]int, t.Len())}
}

// in returns the sets of the current instance that have n or a node below it.
func (c *counts) in(n int) int {
	if mark := c.marks[n]; mark >= 4*c.epoch {
		return mark & inBoth
	}
	return 0
}

// outcome compares the two sets of an instance.
type outcome struct {
	exact         bool
	labels, nodes overlap // numbers of labels, and of these with their ancestors
	rootless      overlap // the latter without roots
}

// add counts an instance's two ascending sets.
func (c *counts) add(truth, predicted []int, weight float64) outcome {
	c.epoch++
	c.touched = c.touched[:0]
	c.spread(truth, inTruth)
	c.spread(predicted, inPredicted)
	o := outcome{exact: slices.Equal(truth, predicted)}
	for _, n := range c.touched {
		var one tally
		one.count(c.in(n), 1)
		o.nodes.merge(one.overlap)
		if len(c.t.Parents(n)) > 0 {
			o.rootless.merge(one.overlap)
		}
		if weight > 0 {
			c.nodes[n].count(c.in(n), weight)
		}
	}
	label := func(y, sets int) {
		var one tally
		one.count(sets, 1)
		o.labels.merge(one.overlap)
		if weight > 0 {
			c.labels[y].count(sets, weight)
		}
	}
	for i, j := 0, 0; i < len(truth) || j < len(predicted); {
		switch {
		case j == len(predicted) || i < len(truth) && truth[i] < predicted[j]:
			label(truth[i], inTruth)
			i++
		case i == len(truth) || truth[i] > predicted[j]:
			label(predicted[j], inPredicted)
			j++
		default:
			label(truth[i], inBoth)
			i++
			j++
		}
	}
	if weight > 0 {
		c.instance(truth, predicted, o, weight)
	}
	return o
}

// instance counts the quantities of both sets as a whole.
func (c *counts) instance(truth, predicted []int, o outcome, weight float64) {
	c.instances++
	c.weight += weight
	c.truths += len(truth)
	c.said += len(predicted)
	if o.exact {
		c.exact += weight
	}
	if len(predicted) != 1 {
		c.otherSets++
	}
	if len(truth) > 1 || len(predicted) > 1 {
		c.several++
	}
	var empty int
	if len(truth) == 0 {
		empty |= inTruth
	}
	if len(predicted) == 0 {
		empty |= inPredicted
	}
	var one tally
	one.count(empty, weight)
	c.nothing.merge(one.overlap)
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

// merge adds the counts of another.
func (c *counts) merge(o *counts) {
	for n := range c.labels {
		c.labels[n].merge(o.labels[n])
		c.nodes[n].merge(o.nodes[n])
	}
	c.nothing.merge(o.nothing)
	c.weight += o.weight
	c.exact += o.exact
	c.instances += o.instances
	c.truths += o.truths
	c.said += o.said
	c.otherSets += o.otherSets
	c.several += o.several
}

// judged reports whether a node counts as a label: all leaves, and inner nodes that are labels.
func (c *counts) judged(n int) bool { return !c.labels[n].none() || c.t.IsLeaf(n) }

// f1 returns the averages that need no values of instances.
func (c *counts) f1() F1 {
	var all, closed, rootless overlap
	var f F1
	judged, occurring := 0, 0
	for n, o := range c.labels {
		closed.merge(c.nodes[n].overlap)
		if len(c.t.Parents(n)) > 0 {
			rootless.merge(c.nodes[n].overlap)
		}
		if !c.judged(n) {
			continue
		}
		judged++
		all.merge(o.overlap)
		if !o.none() {
			occurring++
			f.Macro += o.f1()
			f.MacroJaccard += o.jaccard()
		}
	}
	f.MacroOccurring = f.Macro / float64(occurring)
	f.Macro /= float64(judged)
	f.MacroJaccard /= float64(judged)
	f.MicroPrecision, f.MicroRecall, f.Micro, f.MicroJaccard = all.precision(), all.recall(), all.f1(), all.jaccard()
	f.HierarchicalPrecision, f.HierarchicalRecall, f.Hierarchical = closed.precision(), closed.recall(), closed.f1()
	f.RootlessPrecision, f.RootlessRecall, f.Rootless = rootless.precision(), rootless.recall(), rootless.f1()
	if c.weight > 0 {
		f.Hamming = all.differ() / (c.weight * float64(judged))
		f.Exact = c.exact / c.weight
	}
	return f
}

// agreement returns the Matthews correlation, for several classes by [Gor04], and the kappa of
// [Coh60], for one true and one predicted label per instance; an empty set is a separate class.
// Both are NaN if an instance has several labels.
func (c *counts) agreement() (mcc, kappa float64) {
	if c.several > 0 {
		return math.NaN(), math.NaN()
	}
	// with the shares t and p of the classes: the share of agreement, and the sums of t p, t²
	// and p²
	var same, both, truth, predicted float64
	class := func(o overlap) {
		t, p := o.truth/c.weight, o.predicted/c.weight
		same += o.both / c.weight
		both += t * p
		truth += t * t
		predicted += p * p
	}
	for _, o := range c.labels {
		class(o.overlap)
	}
	class(c.nothing)
	kappa = (same - both) / (1 - both)
	switch {
	case truth < 1 && predicted < 1:
		mcc = (same - both) / math.Sqrt((1-truth)*(1-predicted))
	case same < 1:
		mcc = 0
	default:
		mcc = math.NaN()
	}
	return mcc, kappa
}

// levels returns the overlap of the nodes of each depth, as labels or above labels, and the mean of
// their F1.
func (c *counts) levels(depths int) (all []overlap, macro []average) {
	all, macro = make([]overlap, depths), make([]average, depths)
	for n, o := range c.nodes {
		if o.none() {
			continue
		}
		d := c.t.Depth(n)
		all[d].merge(o.overlap)
		macro[d].add(o.f1(), 1)
	}
	return all, macro
}
