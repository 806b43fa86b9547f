package experiment

import (
	"encoding/binary"
	"fmt"
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

// printed returns the prints of the rows: of the texts, of the columns of a table that become
// features, or of the vectors.
func (in *instances) printed() dataset.Prints {
	in.printing.Do(func() {
		switch {
		case in.texts != nil:
			in.prints = in.texts.Prints()
		case in.table != nil:
			in.prints = in.table.Prints(in.taken...)
		case in.parts != nil:
			in.prints = slices.Concat(in.parts.Train.Prints(), in.parts.Test.Prints())
		default:
			in.prints = in.vectors.Prints()
		}
	})
	return in.prints
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
	r := in.printed().Repeats(by)
	e := equals{rows: r.Rows}
	if r.Rows > 0 {
		e.example = fmt.Sprintf("%s for testing and %s for training", in.row(r.Test), in.row(r.Train))
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

// noteWeights says which data have weights, by which everything is measured.
func (r *Results) noteWeights(note func(string, ...any)) {
	seen := make(map[string]bool)
	for _, c := range r.Cells {
		if c.Weighted && !seen[c.Data] {
			seen[c.Data] = true
			note("%s: measures are weighted by the weights of the instances; svm.Balanced weights only the instances for training", c.Data)
		}
	}
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
		note("%s: %s%d of %d instances for testing are equal to instances for training, such as %s; the models may have memorized their labels", data, in, f.most, f.of, f.example)
	}
}
