package files

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// label sets the labels of a table, which are in these columns of the rows.
func (p *tableParser) label(t *dataset.Table, rows []rawColumn, columns []int) error {
	if p.Levels != nil {
		return p.labelLevels(t, columns)
	}
	raw, c := &rows[columns[0]], &t.Columns[columns[0]]
	fields := rawWords(raw)
	for i, w := range fields {
		if p.missingLabel(w) {
			fields[i] = ""
		}
	}
	l := p.labeler(raw.name)
	if raw.sets != nil {
		l.written.column, l.written.several = "", none
	}
	err := p.findNodes(t, raw.name, l, func(row int) (nodes []int, err error) {
		if raw.sets == nil {
			if fields[row] != "" {
				nodes, err = l.addField(nil, fields[row], 0)
			}
			return nodes, err
		}
		for _, label := range raw.sets[row] {
			if nodes, err = l.add(nodes, label, 0); err != nil {
				return nil, err
			}
		}
		return nodes, nil
	})
	if err != nil {
		return err
	}
	c.Kind, c.Words = dataset.Nominal, fields
	levels := l.written.levels
	if p.taxonomy != nil || levels == none {
		levels = ""
	}
	if several := l.written.several; several != none {
		c.Separator = several
	}
	for separator, n := range l.divided {
		if best := l.divided[c.Separator]; n > best || n == best && separator < c.Separator {
			c.Separator = separator
		}
	}
	switch {
	case raw.sets != nil || c.Separator != "":
		c.Kind, c.Words, c.Sets = dataset.Set, nil, make([][]string, len(fields))
		for i, field := range fields {
			switch {
			case raw.sets != nil:
				c.Sets[i] = slices.Clone(raw.sets[i])
			case field != "":
				c.Sets[i] = l.divide(field)
			}
			for k := range c.Sets[i] {
				if levels != "" {
					c.Sets[i][k] = taxonomy.PathName(c.Sets[i][k], levels)
				}
			}
		}
	case levels != "":
		c.Kind, c.Separator = dataset.Path, levels
	}
	return nil
}

// labeler returns what finds the labels of a column, written as the settings say, or as in the
// table read before.
func (p *tableParser) labeler(column string) *labeler {
	l := &labeler{taxonomy: p.taxonomy, repair: p.Repair, written: pathsOf("Table", p.PathSeparator)}
	l.written.column, l.written.several = column, p.LabelSeparator
	if like := p.like(column); like != nil && like.Role == dataset.Labels {
		separator, several := none, none
		switch like.Kind {
		case dataset.Set:
			several = cmp.Or(like.Separator, none)
		case dataset.Path:
			separator = cmp.Or(like.Separator, none)
		}
		l.written.several = cmp.Or(p.LabelSeparator, several)
		if like.Kind != dataset.Set {
			l.written.levels = cmp.Or(p.PathSeparator, separator)
		}
	}
	return l
}

// labelLevels sets the labels of a table whose columns have the levels of one label.
func (p *tableParser) labelLevels(t *dataset.Table, columns []int) error {
	l := p.labeler("")
	levels := make([]string, len(columns))
	return p.findNodes(t, "of several levels", l, func(row int) ([]int, error) {
		for k, column := range columns {
			if levels[k] = t.Columns[column].Words[row]; p.missingLabel(levels[k]) {
				levels[k] = ""
			}
		}
		return l.addLevels(nil, levels, levelSeparator(p.PathSeparator), func(_ int, format string, args ...any) error {
			return p.source.errorf(row, 0, format, args...)
		})
	})
}

// findNodes sets the nodes of the labels, which the function finds for each row, and the taxonomy,
// which is made of them if there is none.
func (p *tableParser) findNodes(t *dataset.Table, column string, l *labeler, find func(row int) ([]int, error)) (err error) {
	t.Labels = make([][]int, t.Len())
	row := 0
	l.errorf = func(_ int, format string, args ...any) error { return p.source.errorf(row, 0, format, args...) }
	unlabelled := 0
	for ; row < t.Len(); row++ {
		if t.Labels[row], err = find(row); err != nil {
			return err
		}
		if len(t.Labels[row]) == 0 {
			unlabelled++
		}
	}
	if unlabelled == t.Len() && p.taxonomy == nil {
		p.note("Label", "no row has a label in column %s", describe.Cut(column, 40))
		t.Labels = nil
		return nil
	}
	grown, nodesOf, err := l.grown(p.name)
	if err != nil {
		return err
	}
	if t.Taxonomy = grown; nodesOf == nil {
		nodesOf = grown.MostSpecific
	}
	named := make(map[int]bool)
	specific := make(map[*int][]int) // rows may share their labels
	for row, nodes := range t.Labels {
		if len(nodes) == 0 {
			t.Labels[row] = nodesOf(nodes)
			continue
		}
		known, done := specific[&nodes[0]]
		if !done {
			known = nodesOf(nodes)
			specific[&nodes[0]] = known
			for _, n := range known {
				named[n] = true
			}
		}
		t.Labels[row] = known
	}
	for _, note := range l.notes {
		p.notes = append(p.notes, p.name+": "+note)
	}
	if p.Like == nil && p.taxonomy == nil {
		p.noteLabels(column, len(named), unlabelled, grown)
	}
	return nil
}

// noteLabels adds a note about the labels.
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
