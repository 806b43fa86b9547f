package metric

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Confusion has the confusions of a model along the taxonomy: one true and one predicted leaf per
// instance, or a predicted inner node if the model decides for those. If there are several true
// labels, it has the one with the most ancestors in common with the prediction. Package chart draws
// it:
//
//	chart.ConfusionOf(report)
//	chart.Confusion(c.Taxonomy, c.Truth, c.Predicted)
type Confusion struct {
	Taxonomy         *taxonomy.Taxonomy
	Truth, Predicted []int // leaves; predicted ones may be inner nodes
}

// Confusion returns the confusion of the report's prediction f with the true labels. It returns an
// error if the report does not come from Evaluate. The slices belong to the report.
func (r *Report) Confusion() (*Confusion, error) {
	if r == nil || r.confusion == nil {
		return nil, errors.New("metric: the report has no predictions of instances; use a report returned by Evaluate")
	}
	return r.confusion, nil
}

// AboveRoots stands for the virtual node above all roots.
const AboveRoots = -1

// Turn has the outcome at an inner node of the taxonomy, for the instances whose truth and
// prediction are both below it.
type Turn struct {
	Node      int    // AboveRoots for the choice among the roots
	Name      string // of the node
	Instances int
	Right     int    // number of instances that took the child above their truth
	Cells     []Cell // by falling count, then by nodes
}

// Cell counts the instances below one child of a node that were predicted below another or the same
// child. Predicted is the node itself if the prediction ends there.
type Cell struct {
	Truth, Predicted int
	Count            int
}

func (c *Confusion) check() error {
	if c.Taxonomy == nil {
		return errors.New("metric: a confusion needs a taxonomy")
	}
	if len(c.Truth) != len(c.Predicted) {
		return fmt.Errorf("metric: a confusion of %d true and %d predicted leaves; expected one of each per instance", len(c.Truth), len(c.Predicted))
	}
	for i, y := range c.Truth {
		if y < 0 || y >= c.Taxonomy.Len() || !c.Taxonomy.IsLeaf(y) {
			return fmt.Errorf("metric: instance %d of a confusion has the label %d, which is not a leaf of the taxonomy", i, y)
		}
		if n := c.Predicted[i]; n < 0 || n >= c.Taxonomy.Len() {
			return fmt.Errorf("metric: instance %d of a confusion has the prediction %d; the taxonomy has nodes 0 to %d", i, n, c.Taxonomy.Len()-1)
		}
	}
	return nil
}

// Turns returns the outcome at each inner node that has instances, those with the most wrong turns
// first. In a graph, several children of a node can be above the truth or the prediction: then the
// smallest child above both counts, otherwise the smallest of each.
func (c *Confusion) Turns() ([]Turn, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	cells := make(map[int]map[[2]int]int)
	for pair, count := range c.pairs() {
		c.walk(pair[0], pair[1], func(node, truth, predicted int) {
			if cells[node] == nil {
				cells[node] = make(map[[2]int]int)
			}
			cells[node][[2]int{truth, predicted}] += count
		})
	}
	var turns []Turn
	for node, counts := range cells {
		t := Turn{Node: node, Name: "(all)", Cells: sorted(counts)}
		if node != AboveRoots {
			t.Name = c.Taxonomy.Name(node)
		}
		for _, cell := range t.Cells {
			t.Instances += cell.Count
			if cell.Truth == cell.Predicted {
				t.Right += cell.Count
			}
		}
		turns = append(turns, t)
	}
	slices.SortFunc(turns, func(a, b Turn) int {
		return cmp.Or((b.Instances-b.Right)-(a.Instances-a.Right), b.Instances-a.Instances, a.Node-b.Node)
	})
	return turns, nil
}

// pairs counts the pairs of truth and prediction.
func (c *Confusion) pairs() map[[2]int]int {
	counts := make(map[[2]int]int)
	for i, y := range c.Truth {
		counts[[2]int{y, c.Predicted[i]}]++
	}
	return counts
}

// sorted returns the cells by falling count.
func sorted(counts map[[2]int]int) []Cell {
	cells := make([]Cell, 0, len(counts))
	for pair, n := range counts {
		cells = append(cells, Cell{pair[0], pair[1], n})
	}
	slices.SortFunc(cells, func(a, b Cell) int { return cmp.Or(b.Count-a.Count, a.Truth-b.Truth, a.Predicted-b.Predicted) })
	return cells
}

// walk calls visit for each inner node at or above both, with the children on the way to them, or
// the node itself if the prediction ends there.
func (c *Confusion) walk(truth, predicted int, visit func(node, truth, predicted int)) {
	t := c.Taxonomy
	a, b := t.Ancestors(truth), t.Ancestors(predicted)
	nodes := []int{AboveRoots}
	for _, n := range a {
		if _, both := slices.BinarySearch(b, n); both && !t.IsLeaf(n) {
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		below := func(m int) bool {
			if n == AboveRoots {
				return len(t.Parents(m)) == 0
			}
			return slices.Contains(t.Parents(m), n)
		}
		one, other := -1, -1
		for _, m := range a {
			if !below(m) {
				continue
			}
			if _, both := slices.BinarySearch(b, m); both {
				one, other = m, m
				break
			}
			if one < 0 {
				one = m
			}
		}
		if other < 0 {
			if k := slices.IndexFunc(b, below); k >= 0 {
				other = b[k]
			} else {
				other = n // which is predicted
			}
		}
		visit(n, one, other)
	}
}

// Fold returns the confusion with the taxonomy cut below a depth: the nodes of that depth become
// leaves and represent the leaves below them. In a graph a leaf can be below several of them: then
// the smallest above both the truth and the prediction counts, otherwise the smallest of each. A
// predicted inner node above the cut does not change. The result has a new taxonomy whose nodes
// keep their names.
func (c *Confusion) Fold(depth int) (*Confusion, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if depth < 0 {
		return nil, fmt.Errorf("metric: a taxonomy cannot be cut at depth %d; use 0 or more (0 keeps the roots)", depth)
	}
	t := c.Taxonomy
	var names []string
	labels := make(map[int]string)
	to := make([]int, t.Len())
	for n := range to {
		to[n] = -1
		if t.Depth(n) <= depth {
			to[n] = len(names)
			if name, ok := t.LabelNames()[n]; ok {
				labels[to[n]] = name
			}
			names = append(names, t.Name(n))
		}
	}
	var edges [][2]int
	for _, e := range t.Edges() {
		if to[e[1]] >= 0 {
			edges = append(edges, [2]int{to[e[0]], to[e[1]]})
		}
	}
	cut, err := taxonomy.NewWithLabels(names, edges, labels)
	if err != nil {
		return nil, fmt.Errorf("metric: %w", err)
	}
	above := func(label int) []int {
		var leaves []int
		for _, n := range t.Ancestors(label) {
			if to[n] >= 0 && cut.IsLeaf(to[n]) {
				leaves = append(leaves, to[n])
			}
		}
		if leaves == nil {
			leaves = []int{to[label]}
		}
		return leaves
	}
	folded := &Confusion{Taxonomy: cut, Truth: make([]int, len(c.Truth)), Predicted: make([]int, len(c.Truth))}
	for i := range c.Truth {
		a, b := above(c.Truth[i]), above(c.Predicted[i])
		folded.Truth[i], folded.Predicted[i] = a[0], b[0]
		for _, n := range a {
			if slices.Contains(b, n) {
				folded.Truth[i], folded.Predicted[i] = n, n
				break
			}
		}
	}
	return folded, nil
}

// Cells returns how often each leaf was predicted as each node, by falling count.
func (c *Confusion) Cells() ([]Cell, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return sorted(c.pairs()), nil
}

// WriteCSV writes one line per cell of each turn: node, truth, predicted, count, by names. The
// virtual node above the roots has the empty name.
func (c *Confusion) WriteCSV(w io.Writer) error {
	turns, err := c.Turns()
	if err != nil {
		return err
	}
	lines := [][]string{{"node", "truth", "predicted", "count"}}
	for _, t := range turns {
		name := t.Name
		if t.Node == AboveRoots {
			name = ""
		}
		for _, cell := range t.Cells {
			lines = append(lines, []string{name, c.Taxonomy.LabelName(cell.Truth), c.Taxonomy.LabelName(cell.Predicted), strconv.Itoa(cell.Count)})
		}
	}
	return table.WriteCSV(w, lines)
}

const (
	turnsShown = 15 // nodes in a printed confusion
	cellsShown = 3  // confusions per node
)

// shown is a node of a confusion as it is printed.
type shown struct{ Name, Instances, Right, Instead string }

// shown returns the nodes with the most wrong turns, and how many others there are.
func (c *Confusion) shown() ([]shown, int, error) {
	turns, err := c.Turns()
	if err != nil {
		return nil, 0, err
	}
	all := []shown{}
	for _, t := range turns[:min(len(turns), turnsShown)] {
		s := shown{Name: t.Name, Instances: strconv.Itoa(t.Instances), Right: strconv.FormatFloat(float64(t.Right)/float64(t.Instances), 'f', 4, 64)}
		var wrong []string
		for _, cell := range t.Cells {
			if cell.Truth != cell.Predicted && len(wrong) < cellsShown {
				wrong = append(wrong, fmt.Sprintf("%d × %s as %s", cell.Count, c.Taxonomy.LabelName(cell.Truth), c.Taxonomy.LabelName(cell.Predicted)))
			}
		}
		s.Instead = strings.Join(wrong, ", ")
		all = append(all, s)
	}
	return all, len(turns) - len(all), nil
}

// String returns one line for each of the inner nodes with the most wrong turns: the number of
// instances there, the fraction that took the right child, and the most frequent confusions.
func (c *Confusion) String() string {
	all, others, err := c.shown()
	if err != nil {
		return err.Error()
	}
	width := len("node")
	for _, s := range all {
		width = max(width, len([]rune(s.Name)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s  instances   right  instead\n", width, "node")
	for _, s := range all {
		fmt.Fprintf(&b, "%-*s  %9s  %s  %s\n", width, s.Name, s.Instances, s.Right, s.Instead)
	}
	if others > 0 {
		fmt.Fprintf(&b, "and %d nodes more\n", others)
	}
	return b.String()
}

// HTML returns the table of String in HTML.
func (c *Confusion) HTML() string {
	all, others, err := c.shown()
	if err != nil {
		return paragraph(err.Error())
	}
	return render(confusionTemplate, struct {
		Rows   []shown
		Others int
	}{all, others})
}

var confusionTemplate = template.Must(template.New("confusion").Parse(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
{{- if .Others}}
<caption style="caption-side:bottom;text-align:left">and {{.Others}} nodes more</caption>
{{- end}}
<thead><tr style="border-bottom:1px solid"><th style="text-align:left;padding:2px 8px">node</th><th style="padding:2px 8px">instances</th><th style="padding:2px 8px">right</th><th style="text-align:left;padding:2px 8px">instead</th></tr></thead>
<tbody>
{{- range .Rows}}
<tr><th style="text-align:left;padding:2px 8px">{{.Name}}</th><td style="text-align:right;padding:2px 8px">{{.Instances}}</td><td style="text-align:right;padding:2px 8px">{{.Right}}</td><td style="text-align:left;padding:2px 8px">{{.Instead}}</td></tr>
{{- end}}
</tbody>
</table>
`))
