package dataset

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// labeler finds the nodes that the labels of instances name.
type labeler struct {
	taxonomy *taxonomy.Taxonomy
	repair   *Faults
	errorf   func(column int, format string, args ...any) error // an error at the place that is read
}

// add adds the node of a label, which stands at the column, to the nodes of an instance.
func (l *labeler) add(nodes []int, label string, column int) ([]int, error) {
	if label == "" {
		return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "an empty label; expected names separated by one comma"))
	}
	n, ok := l.taxonomy.Node(label)
	if !ok {
		return nodes, report(l.repair, faultUnknownLabel, l.errorf(column, "%s", unknownLabel(l.taxonomy, label)))
	}
	if slices.Contains(nodes, n) {
		return nodes, report(l.repair, faultLabelTwice, l.errorf(column, "label %s is given twice", quote(label)))
	}
	return append(nodes, n), nil
}

// finish returns the nodes in their most specific form. An instance that was given labels, of which none is a
// node, is a fault; without repairs it has become an error before.
func (l *labeler) finish(nodes []int, given bool) ([]int, error) {
	if given && len(nodes) == 0 {
		return nil, report(l.repair, faultNoLabel, l.errorf(1, "no label of the instance is a node of the taxonomy"))
	}
	return mostSpecific(l.taxonomy, nodes), nil
}

// mostSpecific sorts the nodes and leaves out those that are an ancestor of another one.
func mostSpecific(t *taxonomy.Taxonomy, nodes []int) []int {
	if len(nodes) > 1 {
		all := slices.Clone(nodes)
		nodes = slices.DeleteFunc(nodes, func(n int) bool {
			return slices.ContainsFunc(all, func(m int) bool {
				if m == n {
					return false
				}
				_, above := slices.BinarySearch(t.Ancestors(m), n)
				return above
			})
		})
	}
	slices.Sort(nodes)
	return nodes
}

// unknownLabel says what is wrong with a label that is no node.
func unknownLabel(t *taxonomy.Taxonomy, label string) string {
	example := t.Name(t.Leaves()[0])
	return "label " + quote(label) + " is not a node of the taxonomy; expected one of its names, such as " + quote(example)
}
