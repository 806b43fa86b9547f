package files

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// label sets the labels of a table, which are in these columns of the rows.
func (p *tableParser) label(t *dataset.Table, rows []rawColumn, columns []int) error {
	if len(columns) > 1 || p.Levels != nil {
		return p.labelLevels(t, columns)
	}
	raw, c := &rows[columns[0]], &t.Columns[columns[0]]
	fields := rawWords(raw)
	for i, w := range fields {
		if slices.Contains(p.Missing, w) {
			fields[i] = ""
		}
	}
	names := make([][]string, len(fields))
	switch {
	case raw.sets != nil:
		copy(names, raw.sets)
	default:
		separator := p.labelSeparator(raw.name, fields)
		for i, w := range fields {
			switch {
			case w == "":
			case separator == "":
				names[i] = []string{w}
			default:
				names[i] = splitSet(w, separator)
			}
		}
		c.Separator = separator
	}
	if c.Kind = dataset.Nominal; raw.sets != nil || c.Separator != "" {
		c.Kind, c.Sets, c.Words = dataset.Set, names, nil
	} else {
		c.Words = fields
	}
	levels := ""
	if p.taxonomy == nil {
		if levels = p.pathSeparator(names); levels != "" {
			for i := range names {
				for k, name := range names[i] {
					names[i][k] = taxonomy.PathName(name, levels)
				}
			}
		}
	}
	if c.Kind == dataset.Nominal && levels != "" {
		c.Kind, c.Separator = dataset.Path, levels
	}
	return p.findNodes(t, raw.name, names, levels)
}

// labelLevels sets the labels of a table whose columns have the levels of one label.
func (p *tableParser) labelLevels(t *dataset.Table, columns []int) error {
	separator := p.PathSeparator
	if separator == "" {
		separator = "/"
	}
	names := make([][]string, t.Len())
	for row := range names {
		var path []string
		ended := false
		for _, k := range columns {
			w := t.Columns[k].Words[row]
			switch missing := w == "" || slices.Contains(p.Missing, w); {
			case !missing && ended:
				return p.source.errorf(row, 0, "level %s stands below an empty one", textfile.Quote(w))
			case missing:
				ended = true
			default:
				path = append(path, w)
			}
		}
		if len(path) > 0 {
			names[row] = []string{strings.Join(path, separator)}
		}
	}
	return p.findNodes(t, "of several levels", names, separator)
}

// findNodes sets the nodes of the labels that each row has by name, and the taxonomy, which is
// made of them if there is none: of paths, unless the separator is empty.
func (p *tableParser) findNodes(t *dataset.Table, column string, names [][]string, separator string) error {
	known := make(map[string]bool)
	l := labeler{taxonomy: p.taxonomy, repair: p.Repair}
	t.Labels = make([][]int, len(names))
	row := 0
	l.errorf = func(_ int, format string, args ...any) error { return p.source.errorf(row, 0, format, args...) }
	unlabelled := 0
	for ; row < len(names); row++ {
		var nodes []int
		var err error
		for _, name := range names[row] {
			if p.taxonomy != nil {
				name = p.knownName(name)
			}
			known[name] = true
			if nodes, err = l.add(nodes, name, separator, 0); err != nil {
				return err
			}
		}
		if len(nodes) == 0 {
			unlabelled++
		}
		t.Labels[row] = nodes
	}
	if unlabelled == len(names) && p.taxonomy == nil {
		p.note("Label", "no row has a label in column %s", describe.Cut(column, 40))
		t.Labels = nil
		return nil
	}
	grown, _, err := l.grown(p.name)
	if err != nil {
		return err
	}
	t.Taxonomy = grown
	for row := range t.Labels {
		t.Labels[row] = grown.MostSpecific(t.Labels[row])
	}
	if p.Like == nil && p.taxonomy == nil {
		p.noteLabels(column, len(known), unlabelled, grown)
	}
	return nil
}

// knownName returns the name by which the taxonomy has a label, which may have blanks around its
// levels.
func (p *tableParser) knownName(name string) string {
	if _, known := p.taxonomy.Node(name); known || !strings.ContainsFunc(name, unicode.IsSpace) {
		return name
	}
	for _, separator := range append([]string{cmp.Or(p.PathSeparator, "/")}, pathSeparators...) {
		trimmed := taxonomy.PathName(name, separator)
		if _, known := p.taxonomy.Node(trimmed); known {
			return trimmed
		}
	}
	return name
}

// noteLabels tells what the labels are.
func (p *tableParser) noteLabels(column string, n, unlabelled int, t *taxonomy.Taxonomy) {
	text := fmt.Sprintf("%s in column %s", describe.Count(n, "label", "labels"), describe.Cut(column, 40))
	depth := 0
	for _, leaf := range t.Leaves() {
		depth = max(depth, t.Depth(leaf))
	}
	if depth > 0 {
		text += fmt.Sprintf(", of %d levels", depth+1)
	}
	if unlabelled > 0 {
		text += fmt.Sprintf("; %s no label, Labelled() leaves such out", describe.Count(unlabelled, "row has", "rows have"))
	}
	p.note("Label", "%s", text)
}

// labelSeparator returns what stands between several labels of a field, or "" if there is one
// each.
func (p *tableParser) labelSeparator(column string, fields []string) string {
	switch {
	case p.LabelSeparator == none:
		return ""
	case p.LabelSeparator != "":
		return p.LabelSeparator
	case p.Like != nil:
		if like := p.like(column); like != nil && like.Kind == dataset.Set {
			return like.Separator
		}
		return ""
	}
	if p.taxonomy != nil {
		return p.knownSeparator(fields)
	}
	commas := 0
	for _, w := range fields {
		if strings.Contains(w, ",") {
			commas++
		}
	}
	for _, separator := range []string{"|", ";"} {
		if with := setSeparator(fields, setShare); with == separator && isSet(fields, separator) && (placesVary(fields, separator) || !pathsShare(distinctOf(fields), separator)) {
			p.note("LabelSeparator", "fields of column %s have several labels, separated by %q", describe.Cut(column, 40), separator)
			return separator
		}
	}
	switch {
	case commas > 0 && strings.EqualFold(column, "labels"):
		p.note(`LabelSeparator: "none"`, "%s of column %s %s several labels, separated by commas", describe.Count(commas, "field", "fields"), column, has(commas))
		return ","
	case commas > 0:
		p.note(`LabelSeparator: ","`, "%s of column %s %s commas, and count as one label each", describe.Count(commas, "field", "fields"), describe.Cut(column, 40), has(commas))
	}
	return ""
}

// placesVary reports whether a part of some field is the first of it, and a later one of another:
// it is no level then.
func placesVary(fields []string, separator string) bool {
	first, later := make(map[string]bool), make(map[string]bool)
	for _, w := range fields {
		for k, part := range splitSet(w, separator) {
			if k > 0 {
				later[part] = true
			} else if strings.Contains(w, separator) {
				first[part] = true
			}
		}
	}
	for part := range first {
		if later[part] {
			return true
		}
	}
	return false
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// knownSeparator returns the separator whose parts are nodes where whole fields are not.
func (p *tableParser) knownSeparator(fields []string) string {
	for _, separator := range []string{",", "|", ";"} {
		parts, nodes := 0, 0
		for _, w := range fields {
			if _, whole := p.taxonomy.Node(w); whole || !strings.Contains(w, separator) {
				continue
			}
			for _, part := range splitSet(w, separator) {
				parts++
				if _, known := p.taxonomy.Node(part); known {
					nodes++
				}
			}
		}
		if nodes > 0 && 2*nodes > parts {
			return separator
		}
	}
	return ""
}

// pathSeparators may stand between the levels of labels, those first that others are part of.
var pathSeparators = []string{"::", "->", ">", "/", "|", `\`, "."}

// pathSeparator returns what stands between the levels of the labels, or "" if there is nothing.
func (p *tableParser) pathSeparator(names [][]string) string {
	switch {
	case p.PathSeparator == none:
		return ""
	case p.PathSeparator != "":
		return p.PathSeparator
	}
	var all []string
	for _, set := range names {
		all = append(all, set...)
	}
	all = distinctOf(all)
	odd, example := "", ""
	for _, separator := range pathSeparators {
		if pathsShare(all, separator) {
			if spaced := " " + separator + " "; !slices.ContainsFunc(all, func(name string) bool {
				return strings.Count(name, separator) != strings.Count(name, spaced)
			}) {
				separator = spaced
			}
			p.note("PathSeparator", "labels have levels, separated by %q", separator)
			return separator
		}
		if at := slices.IndexFunc(all, func(name string) bool { return strings.Contains(name, separator) }); at >= 0 && odd == "" && separator != "." {
			odd, example = separator, all[at]
		}
	}
	if odd != "" {
		p.note(fmt.Sprintf("PathSeparator: %q", odd), "labels such as %s count as one level each", textfile.Quote(describe.Cut(example, 60)))
	}
	return ""
}

func distinctOf(names []string) []string {
	distinct := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(distinct)
	return slices.Compact(distinct)
}

// pathsShare reports whether most of the different names are paths: they have the separator, or
// are what others have before one. Some share what stands before it, and no part is empty.
func pathsShare(names []string, separator string) bool {
	firsts := make(map[string]int)
	paths := 0
	for _, name := range names {
		first, _, found := strings.Cut(name, separator)
		if !found {
			continue
		}
		paths++
		firsts[strings.TrimSpace(first)]++
		if slices.Contains(strings.Split(taxonomy.PathName(name, separator), separator), "") {
			return false
		}
	}
	above := 0
	for _, name := range names {
		if !strings.Contains(name, separator) && firsts[strings.TrimSpace(name)] > 0 {
			above++
		}
	}
	return 2*(paths+above) > len(names) && len(firsts) < paths+above
}
