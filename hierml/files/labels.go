package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// labeler finds the nodes of the labels of instances. Without a taxonomy it collects the labels,
// and grown builds a taxonomy from them when all are read.
type labeler struct {
	taxonomy *taxonomy.Taxonomy // nil: it grows of the labels
	written  writtenLabels
	repair   *Faults
	// an error at the place that is read
	errorf func(column int, format string, args ...any) error

	// Nodes of the growing taxonomy. If collected is set, they are the label fields of the file.
	names     []string
	ids       map[string]int
	edges     [][2]int
	given     map[[2]int]bool // edges, where they are given one by one
	collected bool
	counts    []int   // how often each was collected
	places    []error // where each was first, as an error without words

	divided map[string]int // fields of several labels, by what is between them
	notes   []string       // of what was found out

	without int    // instances for which the file has no labels
	lack    string // what they do instead, in the plural

	each [][]int // lists of one node, by the node

	many []int        // a long list of nodes
	set  map[int]bool // and those in it
}

// longestName bounds the bytes of a name in a taxonomy made from a file.
const longestName = 4096

// add adds the node of one label, which stands at the column, to the nodes of an instance.
func (l *labeler) add(nodes []int, label string, column int) ([]int, error) {
	if l.taxonomy != nil {
		n, ok := l.node(label)
		switch label = strings.TrimSpace(label); {
		case ok:
			return l.addNode(nodes, n, label, column)
		case label != "":
			return nodes, report(l.repair, faultUnknownLabel, l.errorf(column, "%s", unknownLabel(l.taxonomy, label)))
		}
	}
	if label = strings.TrimSpace(label); label == "" {
		return nodes, report(l.repair, faultEmptyLabel, l.errorf(column, "an empty label; expected names separated by one comma"))
	}
	if len(label) > longestName {
		return nodes, report(l.repair, faultUnreadable, l.errorf(column, "label %s has more than %d bytes", textfile.Quote(label), longestName))
	}
	if l.written.levels == "" {
		return l.collect(nodes, label, column)
	}
	path, err := l.path(label, l.written.levels, column)
	if err != nil || path == nil {
		return nodes, err
	}
	return l.addPath(nodes, path, column)
}

// addField is add for a field that may have several labels.
func (l *labeler) addField(nodes []int, field string, column int) ([]int, error) {
	if l.taxonomy == nil && l.written.several == "" {
		return l.collect(nodes, field, column)
	}
	for _, label := range l.divide(field) {
		var err error
		if nodes, err = l.add(nodes, label, column); err != nil {
			return nodes, err
		}
	}
	return nodes, nil
}

// node returns the node of the taxonomy that the label names, which may have blanks around it and
// between its levels.
func (l *labeler) node(label string) (int, bool) {
	n, ok := l.taxonomy.LabelNode(label)
	if ok || !strings.ContainsFunc(label, unicode.IsSpace) {
		return n, ok
	}
	for _, separator := range append([]string{l.written.levels}, pathSeparators...) {
		if separator != "" {
			if n, ok = l.taxonomy.LabelNode(taxonomy.PathName(label, separator)); ok {
				break
			}
		}
	}
	return n, ok
}

// collect collects label fields until all are read.
func (l *labeler) collect(nodes []int, text string, column int) ([]int, error) {
	l.collected = true
	n, known := l.ids[text]
	if !known {
		l.places = append(l.places, l.errorf(column, ""))
		l.counts = append(l.counts, 0)
		n = l.grow(text)
	}
	l.counts[n]++
	return l.addNode(nodes, n, text, column)
}

// grow returns a new node.
func (l *labeler) grow(name string) int {
	if l.ids == nil {
		l.ids = make(map[string]int)
	}
	n := len(l.names)
	l.ids[name] = n
	l.names = append(l.names, name)
	return n
}

// path returns the names of the nodes of a path, from the root on. It is nil where a fault was
// repaired.
func (l *labeler) path(label, separator string, column int) ([]string, error) {
	if separator == none {
		return []string{label}, nil
	}
	label = taxonomy.PathName(label, separator)
	var path []string
	for end := 0; end <= len(label); end += len(separator) {
		length := strings.Index(label[end:], separator)
		if length < 0 {
			length = len(label) - end
		}
		if length == 0 {
			advice := ""
			if l.written.format != "" {
				advice = fmt.Sprintf("; set %s to take labels as they are", l.written.setting(l.written.levelsSetting+`: "none"`))
			}
			return nil, report(l.repair, faultEmptyLabel, l.errorf(column, "label %s has an empty part; expected names separated by one %q%s", textfile.Quote(label), separator, advice))
		}
		end += length
		path = append(path, label[:end])
	}
	return path, nil
}

// addPath adds the last node of a path, given by the names of its nodes from the root on. Where a
// taxonomy grows, a node has the parent that it was first given with.
func (l *labeler) addPath(nodes []int, path []string, column int) ([]int, error) {
	last := path[len(path)-1]
	if l.taxonomy != nil {
		return l.add(nodes, last, column)
	}
	n := -1
	for _, name := range path {
		parent := n
		known := false
		if n, known = l.ids[name]; known {
			continue
		}
		if n = l.grow(name); parent >= 0 {
			l.edges = append(l.edges, [2]int{parent, n})
		}
	}
	return l.addNode(nodes, n, last, column)
}

// addLevels adds the label whose levels, from the top, are given. It ends at the first empty one,
// and those below are faults. The label is called by the levels with the separator between them.
func (l *labeler) addLevels(nodes []int, levels []string, separator string, errorf func(k int, format string, args ...any) error) ([]int, error) {
	var path []string
	ended := false
	for k, level := range levels {
		switch level = strings.TrimSpace(level); {
		case level == "":
			ended = true
			continue
		case ended:
			if err := report(l.repair, faultEmptyLabel, errorf(k, "level %s is below an empty level", textfile.Quote(level))); err != nil {
				return nodes, err
			}
			continue
		case len(path) > 0:
			level = path[len(path)-1] + separator + level
		}
		path = append(path, level)
	}
	if len(path) == 0 {
		return nodes, nil
	}
	if l.taxonomy == nil && len(path[len(path)-1]) > longestName {
		return nodes, report(l.repair, faultUnreadable, errorf(len(path)-1, "the levels of the label have more than %d bytes", longestName))
	}
	return l.addPath(nodes, path, 0)
}

func (l *labeler) addNode(nodes []int, n int, label string, column int) ([]int, error) {
	if l.has(nodes, n) {
		return nodes, report(l.repair, faultLabelTwice, l.errorf(column, "label %s is given twice", textfile.Quote(label)))
	}
	if len(nodes) == 0 {
		return l.single(n), nil
	}
	return append(nodes, n), nil
}

// single returns the list of one node. Instances with that label share it.
func (l *labeler) single(n int) []int {
	for len(l.each) <= n {
		l.each = append(l.each, nil)
	}
	if l.each[n] == nil {
		l.each[n] = []int{n}
	}
	return l.each[n]
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

// finish returns the nodes in their most specific form, if the taxonomy is known. An instance with
// labels none of which is a node is a fault; without repairs it was already an error.
func (l *labeler) finish(nodes []int, given bool) ([]int, error) {
	if given && len(nodes) == 0 {
		return nil, report(l.repair, faultNoLabel, l.errorf(1, "no label of the instance is a node of the taxonomy"))
	}
	if l.taxonomy == nil {
		return nodes, nil
	}
	return l.taxonomy.MostSpecific(nodes), nil
}

// grown returns the taxonomy. If it was made from the labels, grown also returns a function that
// maps the nodes returned by add to the nodes of an instance, in their most specific form.
func (l *labeler) grown(name string) (t *taxonomy.Taxonomy, nodesOf func(nodes []int) []int, err error) {
	if l.taxonomy != nil {
		return l.taxonomy, nil, nil
	}
	if len(l.names) == 0 {
		return nil, nil, syntaxError(name, 1, 0, "no labels to make a taxonomy from; to read rows without labels, give the taxonomy of the training data", nil)
	}
	var nodes [][]int // of what was collected
	names, edges := l.names, l.edges
	if l.collected {
		var divided *labeler
		if divided, nodes, err = l.divideAll(); err != nil {
			return nil, nil, err
		}
		if names, edges = divided.names, divided.edges; len(names) == 0 {
			return nil, nil, syntaxError(name, 1, 0, "no labels to make a taxonomy from, only their separators", nil)
		}
	}
	t, err = taxonomy.New(names, edges)
	if err != nil {
		return nil, nil, syntaxError(name, 1, 0, err.Error(), err)
	}
	return t, func(found []int) []int {
		if l.collected {
			var all []int
			for _, n := range found {
				all = append(all, nodes[n]...)
			}
			slices.Sort(all)
			found = slices.Compact(all)
		}
		return t.MostSpecific(found)
	}, nil
}

// divideAll detects how labels are written. It returns the nodes of the collected fields, in a
// labeler with the taxonomy made from them.
func (l *labeler) divideAll() (divided *labeler, nodes [][]int, err error) {
	l.findSeparators()
	divided = &labeler{written: l.written, repair: l.repair}
	nodes = make([][]int, len(l.names))
	for n, text := range l.names {
		divided.errorf = func(_ int, format string, args ...any) error { return sayAt(l.places[n], fmt.Sprintf(format, args...)) }
		labels := []string{text}
		if l.written.column != "" {
			labels = l.divide(text)
		}
		for _, label := range labels {
			nodes[n], err = divided.add(nodes[n], label, 0)
			if errors.Is(err, errLeftOut) {
				err = divided.errorf(0, "label %s has more than %d bytes", textfile.Quote(label), longestName)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return divided, nodes, nil
}

// sayAt returns an error with the words at the place of another one.
func sayAt(place error, words string) error {
	var at *SyntaxError
	if !errors.As(place, &at) {
		return errors.New(words)
	}
	said := *at
	said.Msg = words
	return &said
}

// skip is for an instance for which the file has no labels.
func (l *labeler) skip(lack string) {
	l.without++
	l.lack = lack
}

// note adds notes about labels that were not found, and about guesses.
func (l *labeler) note(ctx context.Context, name string) {
	if l.without > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: %s %s and have no labels.", name, describe.Count(l.without, "instance", "instances"), l.lack))
	}
	for _, note := range l.notes {
		progress.Note(ctx, name+": "+note)
	}
}

// errNoTaxonomy is the error of a reader that needs a taxonomy and got none.
func errNoTaxonomy(name string) error {
	return fmt.Errorf("%s: no taxonomy given. Reading or writing instances one by one cannot make one from the labels: pass that of the training data, or taxonomy.New(labels, nil) for a flat one", name)
}

// hasNode reports whether the taxonomy, nil for none, has a node of the name.
func hasNode(t *taxonomy.Taxonomy, name string) bool {
	if t == nil {
		return false
	}
	_, ok := t.LabelNode(name)
	return ok
}

// unknownLabel describes a label that is not a node.
func unknownLabel(t *taxonomy.Taxonomy, label string) string {
	example := t.LabelName(t.Leaves()[0])
	return "label " + textfile.Quote(label) + " is not a node of the taxonomy; expected one of its names, such as " + textfile.Quote(example)
}
