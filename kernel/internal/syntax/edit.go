package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// An Edit replaces a part of a source, from start to end, or inserts text if start equals end.
type Edit struct {
	Start, End int
	Text       string
}

// Edits are edits of one source. They may be added in any order, and are sorted before they are
// applied.
type Edits []Edit

// Insert adds an insertion at an offset. Insertions at the same place keep the order in which they
// are added.
func (e *Edits) Insert(at int, text string) {
	*e = append(*e, Edit{at, at, text})
}

// Replace adds a replacement of the text from start to end.
func (e *Edits) Replace(start, end int, text string) {
	*e = append(*e, Edit{start, end, text})
}

// Sort sorts edits as Apply needs them: by their start, insertions before replacements at the same
// place, and among replacements the longest first.
func (e Edits) Sort() {
	slices.SortStableFunc(e, func(a, b Edit) int {
		if c := cmp.Compare(a.Start, b.Start); c != 0 {
			return c
		}
		if (a.Start == a.End) != (b.Start == b.End) {
			return cmp.Compare(a.End, b.End)
		}
		if a.Start == a.End {
			return 0
		}
		return cmp.Compare(b.End, a.End)
	})
}

// Apply returns text, the part of a source that begins at offset, with the edits inside it. The
// edits must be sorted. Insertions at both ends of the part count, and edits inside a replaced part
// do not.
func (e Edits) Apply(text string, offset int) string {
	var out strings.Builder
	done, end := offset, offset+len(text)
	first, _ := slices.BinarySearchFunc(e, offset, func(c Edit, at int) int { return cmp.Compare(c.Start, at) })
	for _, c := range e[first:] {
		if c.Start > end {
			break
		}
		if c.Start < done || c.End > end {
			continue
		}
		out.WriteString(text[done-offset : c.Start-offset])
		out.WriteString(c.Text)
		done = c.End
	}
	out.WriteString(text[done-offset:])
	return out.String()
}
