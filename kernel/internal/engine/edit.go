package engine

import (
	"cmp"
	"slices"
	"strings"
)

// An edit replaces a part of a source, from start to end, or inserts text
// where start is end.
type edit struct {
	start, end int
	text       string
}

// edits are those of one source. They are added in any order, and sorted
// before they are applied.
type edits []edit

// insert adds an insertion at an offset. Insertions at the same place keep the
// order in which they are added.
func (e *edits) insert(at int, text string) {
	*e = append(*e, edit{at, at, text})
}

// replace adds a replacement of what stands from start to end.
func (e *edits) replace(start, end int, text string) {
	*e = append(*e, edit{start, end, text})
}

// sort puts edits in the order in which apply wants them: by their start, what
// is inserted before what is replaced there, and of replacements that begin at
// one place the longest first.
func (e edits) sort() {
	slices.SortStableFunc(e, func(a, b edit) int {
		if c := cmp.Compare(a.start, b.start); c != 0 {
			return c
		}
		if (a.start == a.end) != (b.start == b.end) {
			return cmp.Compare(a.end, b.end)
		}
		if a.start == a.end {
			return 0
		}
		return cmp.Compare(b.end, a.end)
	})
}

// apply returns text, the part of a source that begins at offset, with the
// edits that lie in it. The edits must be sorted. Insertions at both ends of
// the part lie in it, and edits within what another one replaces do not count.
func (e edits) apply(text string, offset int) string {
	var out strings.Builder
	done, end := offset, offset+len(text)
	first, _ := slices.BinarySearchFunc(e, offset, func(c edit, at int) int { return cmp.Compare(c.start, at) })
	for _, c := range e[first:] {
		if c.start > end {
			break
		}
		if c.start < done || c.end > end {
			continue
		}
		out.WriteString(text[done-offset : c.start-offset])
		out.WriteString(c.text)
		done = c.end
	}
	out.WriteString(text[done-offset:])
	return out.String()
}
