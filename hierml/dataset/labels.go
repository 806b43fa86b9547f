package dataset

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

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
