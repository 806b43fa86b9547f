package syntax

import (
	"cmp"
	"slices"
)

// MagicPath is the import path of the functions that carry out magics.
const MagicPath = "github.com/hierml/notebook/stdlib/magic"

// A Translation is the text of a cell with its magics written as Go.
type Translation struct {
	Text   string
	Pieces []TextPiece // in order; the first begins at 0
	// Alias is what the text calls the package at magicPath: a name that the cell does not have. It
	// is empty if the text does not mention it.
	Alias string
	// Timed says that the last statement is the end of a measurement, so that the one before it is
	// the cell's last.
	Timed bool
	// Program says that the cell is a program, whose function main the text calls. Main is where
	// the cell declares it, -1 if the cell calls it itself.
	Program bool
	Main    int
	// Of, if not nil, is what the text was written for, where the text is taken for a cell of its
	// own.
	Of *Source
}

// A TextPiece is a part of the text, up to the next one, that begins at an offset of it. A verbatim
// piece stands so in the cell, at origin; the others are written for what is there.
type TextPiece struct {
	At, Origin int
	Verbatim   bool
}

// Origin returns the offset into the cell of an offset into the text.
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
