package experiment

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
)

// equals counts the rows tested on that are the same text, row or vector as one trained on.
type equals struct {
	rows    int
	example string // of the first
}

// hashSeed is that of hashes of rows, which do not leave the process.
var hashSeed = maphash.MakeSeed()

// hashes returns a hash of each row: of the text, of the values of a table that are features, or of
// the entries that are not 0.
func (in *instances) hashes() []uint64 {
	in.hashing.Do(func() {
		switch {
		case in.texts != nil:
			for i := range in.texts.Documents {
				in.hashed = append(in.hashed, maphash.String(hashSeed, in.texts.Documents[i].Text))
			}
		case in.table != nil:
			in.hashed = hashTable(in.hashOf)
		case in.parts != nil:
			in.hashed = hashRows(hashRows(nil, in.parts.Train.X), in.parts.Test.X)
		default:
			in.hashed = hashRows(nil, in.vectors.X)
		}
	})
	return in.hashed
}

func hashRows(to []uint64, x *dataset.Matrix) []uint64 {
	var row []byte
	for i := range x.Rows {
		row = row[:0]
		indices, values := x.Row(i)
		for k, f := range indices {
			if v := values[k]; v != 0 {
				row = binary.LittleEndian.AppendUint32(row, uint32(f))
				row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
			}
		}
		to = append(to, maphash.Bytes(hashSeed, row))
	}
	return to
}

func hashTable(columns []*dataset.Column) []uint64 {
	var hashed []uint64
	var values []byte
	for row := range columns[0].Len() {
		values = values[:0]
		for _, c := range columns {
			values = appendValue(values, c, row)
		}
		hashed = append(hashed, maphash.Bytes(hashSeed, values))
	}
	return hashed
}

// appendValue appends the value of a row, so that no two are the same: the words of a set in the
// order of the alphabet.
func appendValue(to []byte, c *dataset.Column, row int) []byte {
	switch c.Kind {
	case dataset.Number:
		v := c.Numbers[row]
		if math.IsNaN(v) {
			v = math.NaN() // of whatever bits
		}
		return binary.LittleEndian.AppendUint64(to, math.Float64bits(v+0)) // -0 is 0
	case dataset.Set:
		to = binary.LittleEndian.AppendUint64(to, uint64(len(c.Sets[row])))
		for _, word := range slices.Sorted(slices.Values(c.Sets[row])) {
			to = binary.LittleEndian.AppendUint64(to, uint64(len(word)))
			to = append(to, word...)
		}
		return to
	}
	to = binary.LittleEndian.AppendUint64(to, uint64(len(c.Words[row])))
	return append(to, c.Words[row]...)
}

// equals compares the parts of a division.
func (in *instances) equals(by dataset.Division) equals {
	hashes := in.hashes()
	trained := make(map[uint64]int, len(by.Train))
	for _, r := range by.Train {
		if _, ok := trained[hashes[r]]; !ok {
			trained[hashes[r]] = r
		}
	}
	var e equals
	for _, r := range by.Test {
		if t, ok := trained[hashes[r]]; ok {
			if e.rows++; e.rows == 1 {
				e.example = fmt.Sprintf("%s, tested on, and %s, trained on", in.row(r), in.row(t))
			}
		}
	}
	return e
}

// row is what a row is called.
func (in *instances) row(r int) string {
	if in.texts != nil && in.texts.Documents[r].ID != "" {
		return "document " + strconv.Quote(in.texts.Documents[r].ID)
	}
	if in.table != nil {
		if id := columnOf(in.table, dataset.ID); id != nil && !id.Missing(r) {
			return "row " + strconv.Quote(id.Value(r))
		}
	}
	return fmt.Sprintf("row %d", r)
}

// noteEquals says of each data set in how many of its divisions something is tested on that is
// equal to what is trained on.
func (r *Results) noteEquals(note func(string, ...any)) {
	type division struct {
		data                   string
		perClass, repeat, fold int
	}
	type found struct {
		divisions, with, most, of int
		example                   string
	}
	all := make(map[string]*found)
	seen := make(map[division]bool)
	var order []string
	for _, c := range r.Cells {
		at := division{c.Data, c.PerClass, c.Repeat, c.Fold}
		if c.Error != "" || seen[at] {
			continue
		}
		seen[at] = true
		f := all[c.Data]
		if f == nil {
			f = &found{}
			all[c.Data] = f
			order = append(order, c.Data)
		}
		f.divisions++
		if c.Equal == 0 {
			continue
		}
		if f.with++; f.with == 1 {
			f.example = c.EqualExample
		}
		if c.Equal > f.most {
			f.most, f.of = c.Equal, c.Test
		}
	}
	for _, data := range order {
		f := all[data]
		if f.with == 0 {
			continue
		}
		in := ""
		if f.divisions > 1 {
			in = fmt.Sprintf("in %d of %d divisions ", f.with, f.divisions)
			if f.with > 1 {
				in += "up to "
			}
		}
		note("%s: %s%d of %d instances tested on are equal to some trained on, such as %s; what is right there may be learned by heart", data, in, f.most, f.of, f.example)
	}
}
