package files

import (
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// labeler finds the nodes that the labels of instances name.
type labeler struct {
	taxonomy *taxonomy.Taxonomy // nil: it grows of the labels
	repair   *Faults
	// an error at the place that is read
	errorf func(column int, format string, args ...any) error

	// What has grown of the labels.
	names []string
	ids   map[string]int
	edges [][2]int
	given map[[2]int]bool // edges, where they are given one by one

	many []int        // a long list of nodes
	set  map[int]bool // and those in it
}

// longestName bounds the names of what grows of a file: bytes.
const longestName = 4096

// add adds the node of a label, which stands at the column, to the nodes of an instance. Where a
// taxonomy grows, the label is a path of names with the separator between them, or one name if that
// is empty.
func (l *labeler) add(nodes []int, label, separator string, column int) ([]int, error) {
	if label == "" {
		return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "an empty label; expected names separated by one comma"))
	}
	if l.taxonomy != nil {
		n, ok := l.taxonomy.Node(label)
		if !ok {
			return nodes, report(l.repair, faultUnknownLabel, l.errorf(column, "%s", unknownLabel(l.taxonomy, label)))
		}
		return l.addNode(nodes, n, label, column)
	}
	if len(label) > longestName {
		return nodes, report(l.repair, faultUnreadable, l.errorf(column, "label %s has more than %d bytes", textfile.Quote(label), longestName))
	}
	path := []string{label}
	if separator != "" {
		path = path[:0]
		for end := 0; end <= len(label); end += len(separator) {
			length := strings.Index(label[end:], separator)
			if length < 0 {
				length = len(label) - end
			}
			if length == 0 {
				return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "label %s has an empty part; expected names separated by one %q", textfile.Quote(label), separator))
			}
			end += length
			path = append(path, label[:end])
		}
	}
	return l.addPath(nodes, path, column)
}

// addPath adds the last node of a path, given by the names of its nodes from the root on. Where a
// taxonomy grows, a node has the parent that it was first given with.
func (l *labeler) addPath(nodes []int, path []string, column int) ([]int, error) {
	last := path[len(path)-1]
	if l.taxonomy != nil {
		return l.add(nodes, last, "", column)
	}
	n := -1
	for _, name := range path {
		parent := n
		known := false
		if n, known = l.ids[name]; known {
			continue
		}
		if l.ids == nil {
			l.ids = make(map[string]int)
		}
		n = len(l.names)
		l.ids[name] = n
		l.names = append(l.names, name)
		if parent >= 0 {
			l.edges = append(l.edges, [2]int{parent, n})
		}
	}
	return l.addNode(nodes, n, last, column)
}

func (l *labeler) addNode(nodes []int, n int, label string, column int) ([]int, error) {
	if l.has(nodes, n) {
		return nodes, report(l.repair, faultLabelTwice, l.errorf(column, "label %s is given twice", textfile.Quote(label)))
	}
	return append(nodes, n), nil
}

// has reports whether the node is one of the nodes, to which nodes are added one by one.
func (l *labeler) has(nodes []int, n int) bool {
	const few = 32
	if len(nodes) <= few {
		return slices.Contains(nodes, n)
	}
	if len(l.many) >= len(nodes) || len(l.many) == 0 || &l.many[0] != &nodes[0] {
		l.many, l.set = nil, make(map[int]bool, len(nodes))
	}
	for _, m := range nodes[len(l.many):] {
		l.set[m] = true
	}
	l.many = nodes
	return l.set[n]
}

// finish returns the nodes in their most specific form, if the taxonomy is known by now. An
// instance that was given labels, of which none is a node, is a fault; without repairs it has
// become an error before.
func (l *labeler) finish(nodes []int, given bool) ([]int, error) {
	if given && len(nodes) == 0 {
		return nil, report(l.repair, faultNoLabel, l.errorf(1, "no label of the instance is a node of the taxonomy"))
	}
	if l.taxonomy == nil {
		return nodes, nil
	}
	return l.taxonomy.MostSpecific(nodes), nil
}

// grown returns the taxonomy, which may have grown of the labels. Then labels whose nodes were
// found before have to be brought into their most specific form.
func (l *labeler) grown(name string) (t *taxonomy.Taxonomy, grown bool, err error) {
	if l.taxonomy != nil {
		return l.taxonomy, false, nil
	}
	if len(l.names) == 0 {
		return nil, false, syntaxError(name, 1, 0, "no labels to make a taxonomy of; give a taxonomy", nil)
	}
	t, err = taxonomy.New(l.names, l.edges)
	if err != nil {
		return nil, false, syntaxError(name, 1, 0, err.Error(), err)
	}
	return t, true, nil
}

// unknownLabel says what is wrong with a label that is no node.
func unknownLabel(t *taxonomy.Taxonomy, label string) string {
	example := t.Name(t.Leaves()[0])
	return "label " + textfile.Quote(label) + " is not a node of the taxonomy; expected one of its names, such as " + textfile.Quote(example)
}
