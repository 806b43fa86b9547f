package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/progress"
)

// Prints are hashes of rows, one a row: rows with equal ones repeat each other. Two rows that
// differ have the same with a probability of about 1e-19. Those of an empty row are 0, and empty
// rows repeat nothing. Prints are of one process, and are not the same in the next.
//
// Texts repeat each other if they have the same letters and digits in the same order, whatever
// their case and what stands between them. Rows of a table do so if the texts of all features do
// and all other values are equal, and vectors if they have the same entries.
type Prints []uint64

var printSeed = maphash.MakeSeed()

// Prints returns those of the vectors.
func (d *Dataset) Prints() Prints {
	prints := make(Prints, d.Len())
	var row []byte
	for i := range prints {
		row = row[:0]
		columns, values := d.X.Row(i)
		for k, j := range columns {
			if v := values[k]; v != 0 {
				row = binary.LittleEndian.AppendUint32(row, uint32(j))
				row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
			}
		}
		if len(row) > 0 {
			prints[i] = maphash.Bytes(printSeed, row)
		}
	}
	return prints
}

// Prints returns those of the texts.
func (c *Corpus) Prints() Prints {
	prints := make(Prints, c.Len())
	for i := range prints {
		if text := plainText(c.Documents[i].Text); text != "" {
			prints[i] = maphash.String(printSeed, text)
		}
	}
	return prints
}

// Prints returns those of the named columns, or of all features if none is named.
func (t *Table) Prints(columns ...string) Prints {
	prints := make(Prints, t.Len())
	var of []*Column
	for k := range t.Columns {
		if c := &t.Columns[k]; slices.Contains(columns, c.Name) || len(columns) == 0 && c.Role == Feature {
			of = append(of, c)
		}
	}
	var row []byte
	for i := range prints {
		row = row[:0]
		empty := true
		for _, c := range of {
			empty = empty && c.Missing(i)
			value := c.Exact(i)
			switch c.Kind {
			case Text:
				value = plainText(value)
			case Set:
				value = strings.Join(slices.Sorted(slices.Values(c.Sets[i])), "\x00")
			}
			row = binary.LittleEndian.AppendUint64(row, uint64(len(value)))
			row = append(row, value...)
		}
		if !empty {
			prints[i] = maphash.Bytes(printSeed, row)
		}
	}
	return prints
}

// plainText returns the letters and digits of a text, with a blank for what stands between them.
func plainText(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }), " ")
}

// Repeats are the rows of a division that are tested on and repeat one that is trained on.
type Repeats struct {
	Rows, Of int // of the rows tested on

	Test, Train int // the first of them, and a row trained on that it repeats
}

// Repeats compares the parts of a division of the rows.
func (p Prints) Repeats(by Division) Repeats {
	r := Prints(chosen(p, by.Train)).RepeatedIn(chosen(p, by.Test))
	if r.Rows > 0 {
		r.Test, r.Train = by.Test[r.Test], by.Train[r.Train]
	}
	return r
}

// RepeatedIn counts the rows of the prints of a test part that repeat one of these, of a training
// part. Rows are those of the parts.
func (p Prints) RepeatedIn(test Prints) Repeats {
	trained := make(map[uint64]int, len(p))
	for r, print := range p {
		if _, ok := trained[print]; !ok && print != 0 {
			trained[print] = r
		}
	}
	found := Repeats{Of: len(test)}
	for r, print := range test {
		if t, ok := trained[print]; ok {
			if found.Rows++; found.Rows == 1 {
				found.Test, found.Train = r, t
			}
		}
	}
	return found
}

// String says in a line how many rows repeat others, and what that means.
func (r Repeats) String() string {
	if r.Rows == 0 {
		return "no row for testing repeats a row for training"
	}
	return fmt.Sprintf("%d of %s for testing %s a row for training: row %d repeats row %d, for example. A model may have memorized the answer: set Groups to keep rows that belong together on one side",
		r.Rows, describe.Count(r.Of, "row", "rows"), repeat(r.Rows), r.Test, r.Train)
}

func repeat(n int) string {
	if n == 1 {
		return "repeats"
	}
	return "repeat"
}

// noteRepeats tells whoever watches of rows that repeat others across a division.
func noteRepeats(name string, by Division, prints func() Prints) {
	progress.NoteDefault(func() string {
		r := prints().Repeats(by)
		if r.Rows == 0 {
			return ""
		}
		return name + ": " + r.String() + "."
	})
}
