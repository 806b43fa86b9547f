package files

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// labeler finds the nodes that the labels of instances name.
type labeler struct {
	taxonomy *taxonomy.Taxonomy // nil: it grows of the labels
	format   string             // whose PathSeparator divides labels, if there is such a setting
	repair   *Faults
	// an error at the place that is read
	errorf func(column int, format string, args ...any) error

	// What has grown of the labels.
	names []string
	ids   map[string]int
	edges [][2]int
	given map[[2]int]bool // edges, where they are given one by one
	paths int             // labels that were divided
	path  string          // the first of them, and what divided it
	slash string

	without int    // instances for which the file has no labels
	lack    string // what they do instead, in the plural

	many []int        // a long list of nodes
	set  map[int]bool // and those in it
}

// longestName bounds the names of what grows of a file: bytes.
const longestName = 4096

// add adds the node of a label, which stands at the column, to the nodes of an instance. Where a
// taxonomy grows, the label is a path of names with the separator between them, or one name if
// that is empty.
func (l *labeler) add(nodes []int, label, separator string, column int) ([]int, error) {
	if separator != "" && !hasNode(l.taxonomy, label) && strings.ContainsFunc(label, unicode.IsSpace) {
		label = taxonomy.PathName(label, separator)
	}
	if label == "" {
		return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "an empty label; expected names separated by one comma"))
	}
	if l.taxonomy != nil {
		n, ok := l.taxonomy.LabelNode(label)
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
				return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "label %s has an empty part; expected names separated by one %q%s", textfile.Quote(label), separator, l.another()))
			}
			end += length
			path = append(path, label[:end])
		}
		if _, known := l.ids[label]; len(path) > 1 && !known {
			if l.paths++; l.paths == 1 {
				l.path, l.slash = label, separator
			}
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
		return nil, false, syntaxError(name, 1, 0, "no labels to make a taxonomy of; to read rows without labels, give the taxonomy of the training data", nil)
	}
	t, err = taxonomy.New(l.names, l.edges)
	if err != nil {
		return nil, false, syntaxError(name, 1, 0, err.Error(), err)
	}
	return t, true, nil
}

// skip is for an instance for which the file has no labels.
func (l *labeler) skip(lack string) {
	l.without++
	l.lack = lack
}

// note says which labels were not found, and that labels were divided into paths if a taxonomy has
// grown of them.
func (l *labeler) note(ctx context.Context, name string) {
	if l.without > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: %s %s and have no labels.", name, describe.Count(l.without, "instance", "instances"), l.lack))
	}
	if l.paths == 0 {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: no taxonomy was given, and %s with %q became paths, such as %s%s.",
		name, describe.Count(l.paths, "label", "labels"), l.slash, textfile.Quote(l.path), l.another()))
}

// another says how to set another separator of paths.
func (l *labeler) another() string {
	if l.format == "" {
		return ""
	}
	return "; " + l.format + "{PathSeparator: …} names another separator, and one that no label has makes the taxonomy flat"
}

// errNoTaxonomy is the error of a reader that needs a taxonomy and got none.
func errNoTaxonomy(name string) error {
	return fmt.Errorf("%s: no taxonomy given. What reads or writes one after the other cannot make one of the labels: give that of the training data, or taxonomy.New(labels, nil) for a flat one", name)
}

// hasNode reports whether the taxonomy, nil for none, has a node of the name.
func hasNode(t *taxonomy.Taxonomy, name string) bool {
	if t == nil {
		return false
	}
	_, ok := t.LabelNode(name)
	return ok
}

// unknownLabel says what is wrong with a label that is no node.
func unknownLabel(t *taxonomy.Taxonomy, label string) string {
	example := t.Name(t.Leaves()[0])
	return "label " + textfile.Quote(label) + " is not a node of the taxonomy; expected one of its names, such as " + textfile.Quote(example)
}
