package metric

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// F1 has the harmonic means of precision and recall of predicted label sets.
type F1 struct {
	// MicroPrecision is the fraction of the predicted labels, over all instances, that are true, MicroRecall that
	// of the true labels that were predicted, and Micro their harmonic mean.
	MicroPrecision, MicroRecall, Micro float64
	// Macro is the mean over all leaves of the harmonic mean of the leaf's own precision and recall, which is 0 for a leaf
	// that is never true or never predicted.
	Macro float64
	// HierarchicalPrecision, HierarchicalRecall and Hierarchical are the micro averages of the sets of nodes that are
	// true or predicted labels or above them, roots too.
	HierarchicalPrecision, HierarchicalRecall, Hierarchical float64
	// Exact is the fraction of the instances whose predicted set is the true one.
	Exact float64
}

// averages returns a name, precision, recall and F1 a line.
func (f F1) averages() [][4]string {
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	return [][4]string{
		{"micro", text(f.MicroPrecision), text(f.MicroRecall), text(f.Micro)},
		{"macro", "", "", text(f.Macro)},
		{"hierarchical", text(f.HierarchicalPrecision), text(f.HierarchicalRecall), text(f.Hierarchical)},
	}
}

// String returns the averages, one a line.
func (f F1) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s  %9s  %6s  %6s\n", "", "precision", "recall", "F1")
	for _, a := range f.averages() {
		fmt.Fprintf(&b, "%-12s  %9s  %6s  %6s\n", a[0], a[1], a[2], a[3])
	}
	fmt.Fprintf(&b, "%.4f of the sets are exact", f.Exact)
	return b.String()
}

// HTML returns the averages as a table.
func (f F1) HTML() string {
	page := struct {
		Averages [][4]string
		Exact    string
	}{f.averages(), strconv.FormatFloat(f.Exact, 'f', 4, 64)}
	return render(f1Template, page)
}

var f1Template = template.Must(template.New("F1").Parse(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
<caption style="caption-side:bottom;text-align:left">{{.Exact}} of the sets are exact</caption>
<thead><tr style="border-bottom:1px solid"><th></th><th style="padding:2px 8px">precision</th><th style="padding:2px 8px">recall</th><th style="padding:2px 8px">F1</th></tr></thead>
<tbody>
{{- range .Averages}}
<tr>{{range $k, $text := .}}{{if $k}}<td style="text-align:right;padding:2px 8px">{{$text}}</td>{{else}}<th style="text-align:left;padding:2px 8px">{{$text}}</th>{{end}}{{end}}</tr>
{{- end}}
</tbody>
</table>
`))

// LabelSets compares predicted sets of leaves, which may be empty, with the true ones, which are not. Both are
// ascending.
func LabelSets(truth, predicted [][]int, t *taxonomy.Taxonomy) (F1, error) {
	if t == nil {
		return F1{}, errors.New("metric: LabelSets needs a taxonomy")
	}
	if len(truth) != len(predicted) {
		return F1{}, fmt.Errorf("metric: %d true and %d predicted label sets; expected one of each an instance", len(truth), len(predicted))
	}
	c := newCounts(t)
	for i, labels := range truth {
		if err := checkLabels(t, labels, i); err != nil {
			return F1{}, err
		}
		if err := checkSet(t, predicted[i], i); err != nil {
			return F1{}, fmt.Errorf("%w (as predicted)", err)
		}
		c.add(labels, predicted[i])
	}
	return c.f1(), nil
}

// overlap counts how often something was true, predicted, and both.
type overlap struct{ truth, predicted, both int }

func (o overlap) precision() float64 { return ratio(o.both, o.predicted) }
func (o overlap) recall() float64    { return ratio(o.both, o.truth) }
func (o overlap) f1() float64        { return ratio(2*o.both, o.truth+o.predicted) }

// counts has an overlap for each leaf and one of all nodes together.
type counts struct {
	t                *taxonomy.Taxonomy
	leaves           []overlap
	nodes            overlap
	instances, exact int

	mark []int // by node: whether it was counted for the instance at hand; nothing is to be cleared
}

func newCounts(t *taxonomy.Taxonomy) *counts {
	return &counts{t: t, leaves: make([]overlap, len(t.Leaves())), mark: make([]int, t.Len())}
}

// add counts an instance's two ascending sets.
func (c *counts) add(truth, predicted []int) {
	c.instances++
	if slices.Equal(truth, predicted) {
		c.exact++
	}
	const perInstance = 3 // marks: true, predicted, both
	isTrue, isPredicted, isBoth := perInstance*c.instances, perInstance*c.instances+1, perInstance*c.instances+2
	for _, y := range truth {
		c.leaves[c.t.LeafIndex(y)].truth++
		for _, n := range c.t.Ancestors(y) {
			if c.mark[n] < isTrue {
				c.mark[n] = isTrue
				c.nodes.truth++
			}
		}
	}
	for _, y := range predicted {
		leaf := &c.leaves[c.t.LeafIndex(y)]
		leaf.predicted++
		if _, ok := slices.BinarySearch(truth, y); ok {
			leaf.both++
		}
		for _, n := range c.t.Ancestors(y) {
			switch {
			case c.mark[n] < isTrue:
				c.mark[n] = isPredicted
				c.nodes.predicted++
			case c.mark[n] == isTrue:
				c.mark[n] = isBoth
				c.nodes.predicted++
				c.nodes.both++
			}
		}
	}
}

func (c *counts) f1() F1 {
	var all overlap
	var f F1
	for _, leaf := range c.leaves {
		all.truth += leaf.truth
		all.predicted += leaf.predicted
		all.both += leaf.both
		f.Macro += leaf.f1() / float64(len(c.leaves))
	}
	f.MicroPrecision, f.MicroRecall, f.Micro = all.precision(), all.recall(), all.f1()
	f.HierarchicalPrecision, f.HierarchicalRecall, f.Hierarchical = c.nodes.precision(), c.nodes.recall(), c.nodes.f1()
	f.Exact = ratio(c.exact, c.instances)
	return f
}

// ratio is 0 where there is nothing to divide by.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
