package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// MagicPath is the import path of the functions that carry out magics.
const MagicPath = "github.com/hierml/notebook/stdlib/magic"

// A Translation is the text of a cell with its magics written as Go.
type Translation struct {
	Text   string
	Pieces []TextPiece // in order; the first begins at 0
	// Alias is the text's name for the package at magicPath: a name that the cell does not use. It
	// is empty if the text does not mention the package.
	Alias string
	// Timed says that the last statement ends a measurement, so that the one before it is the
	// cell's last.
	Timed bool
	// Program says that the cell is a program, whose function main the text calls. Main is the
	// position of its declaration, or -1 if the cell calls it itself.
	Program bool
	Main    int
	// Of, if not nil, is the source for which the text was written, if the text is treated as a
	// separate cell.
	Of *Source
}

// A TextPiece is a part of the text, up to the next one, that begins at an offset of it. A verbatim
// piece is copied from the cell, at origin; other pieces are generated for the code there.
type TextPiece struct {
	At, Origin int
	Verbatim   bool
}

// Insert adds insertions to the text. Their origin is their own place.
func (t *Translation) Insert(edits Edits) {
	edits.Sort()
	old := t.Pieces
	if len(old) == 0 {
		old = []TextPiece{{Verbatim: true}}
	}
	var text strings.Builder
	var pieces []TextPiece
	copied := 0
	keep := func(to int) {
		if copied == to {
			return
		}
		i := len(old) - 1
		for i > 0 && old[i].At > copied {
			i--
		}
		for ; i < len(old) && old[i].At < to; i++ {
			p := old[i]
			if cut := copied - p.At; cut > 0 { // the rest of a piece, after an insertion
				p.At = copied
				if p.Verbatim {
					p.Origin += cut
				}
			}
			p.At += text.Len() - copied
			pieces = append(pieces, p)
		}
		text.WriteString(t.Text[copied:to])
		copied = to
	}
	for _, e := range edits {
		keep(e.Start)
		pieces = append(pieces, TextPiece{At: text.Len(), Origin: t.Origin(e.Start)})
		text.WriteString(e.Text)
	}
	keep(len(t.Text))
	t.Text, t.Pieces = text.String(), pieces
}

// Origin returns the offset in the cell for an offset in the text.
func (t *Translation) Origin(offset int) int {
	i, exact := slices.BinarySearchFunc(t.Pieces, offset, func(p TextPiece, at int) int { return cmp.Compare(p.At, at) })
	if !exact {
		i--
	}
	if i < 0 {
		return offset // there are no magics
	}
	p := t.Pieces[i]
	if p.Verbatim {
		return p.Origin + offset - p.At
	}
	return p.Origin
}
