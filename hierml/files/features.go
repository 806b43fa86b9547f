package files

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// featureParser reads the features of a line, index:value fields separated by blanks.
type featureParser struct {
	lines    *textfile.Lines
	repair   *Faults
	base     int  // the smallest index, of column 0
	limit    int  // columns at most, or 0
	told     bool // whether the file says that limit, not Columns
	anyOrder bool // of the indices
	cols     int  // columns needed

	format string // whose settings errors name, or empty
}

// parse reads the features that begin at the position into the instance.
func (p *featureParser) parse(line []byte, at int, in *dataset.Instance) error {
	const shortest = len(" 1:1")
	if room := len(line)/shortest + 1; cap(in.Columns) < room || cap(in.Values) < room {
		in.Columns, in.Values = make([]int32, 0, 2*room), make([]float32, 0, 2*room)
	}
	columns, values := in.Columns[:cap(in.Columns)], in.Values[:cap(in.Values)]
	n, previous, largest := 0, -1, -1
	unsorted := false
	for at = skipSpace(line, at); at < len(line); at = skipSpace(line, at) {
		start := at
		index := 0
		for at < len(line) && line[at]-'0' <= 9 {
			if index <= math.MaxInt32 {
				index = index*10 + int(line[at]-'0')
			}
			at++
		}
		if at == start || at == len(line) || line[at] != ':' {
			advice := ""
			if word := string(field(line, start)); strings.HasPrefix(word, "qid:") {
				advice = "; the queries of ranking data are not read, remove them"
			}
			return p.fault(faultUnreadable, start, "%s is not index:value, such as 12:0.5%s", textfile.Quote(string(field(line, start))), advice)
		}
		column := index - p.base
		if column <= previous || index > math.MaxInt32 || p.limit > 0 && column >= p.limit {
			keep, err := p.misplaced(line, start, index, previous)
			if err != nil {
				return err
			}
			if !keep {
				at = fieldEnd(line, at)
				continue
			}
			unsorted = true
		}
		at++
		value, next, ok := parseFloat(line, at)
		if !ok {
			if err := p.badValue(string(field(line, at)), at); err != nil {
				return err
			}
			at = fieldEnd(line, at)
			continue
		}
		at = next
		previous = column
		largest = max(largest, column)
		if value != 0 {
			columns[n], values[n] = int32(column), value
			n++
		}
	}
	in.Columns, in.Values = columns[:n], values[:n]
	p.cols = max(p.cols, largest+1)
	if unsorted {
		if err := p.sort(in); err != nil {
			return err
		}
	}
	if len(in.Values) == 0 && p.repair != nil {
		return p.fault(faultEmptyRow, -1, "the instance has no features")
	}
	return nil
}

// misplaced reports whether to keep a feature that is out of order or has no column.
func (p *featureParser) misplaced(line []byte, start, index, previous int) (keep bool, err error) {
	column := index - p.base
	switch {
	case index > math.MaxInt32:
		return false, p.fault(faultIndex, start, "feature index %s is too large; the largest is %d", textfile.Quote(string(field(line, start))), math.MaxInt32)
	case column < 0:
		advice := ""
		if p.format == "SVMLight" {
			advice = ". If they count from 0, as scikit-learn's dump_svmlight_file writes them, read this file and the others of the data with SVMLight{ZeroBased: true}"
		}
		return false, p.fault(faultIndex, start, "feature index %d; indices count from %d%s", index, p.base, advice)
	case p.limit > 0 && column >= p.limit:
		advice := ""
		switch {
		case p.told:
			advice = ", as the header says"
		case p.format != "":
			advice = fmt.Sprintf(", as %[1]s{Columns: %[2]d} says; to leave out and count features that the training data do not have, set %[1]s{Columns: %[2]d, Repair: &files.Faults{}}", p.format, p.limit)
		}
		return false, p.fault(faultIndex, start, "feature %d, but there are %d columns%s", index, p.limit, advice)
	case p.anyOrder:
		return true, nil
	case column == previous:
		return true, p.fault(faultFeatureTwice, start, "feature %d is given twice", index)
	}
	return true, p.fault(faultOrder, start, "feature %d comes after feature %d; expected ascending indices", index, previous+p.base)
}

// badValue says what is wrong with a value that is no number, and begins at the position.
func (p *featureParser) badValue(text string, at int) error {
	kind := faultUnreadable
	if isNotFinite(text) {
		kind = faultNotFinite
	}
	return p.fault(kind, at, "%s is not a value; expected a finite decimal number within the range of a float32", textfile.Quote(text))
}

// isNotFinite reports whether the text is a number that is not finite as a float32.
func isNotFinite(text string) bool {
	v, err := strconv.ParseFloat(text, 32)
	return errors.Is(err, strconv.ErrRange) || math.IsNaN(v) || math.IsInf(v, 0)
}

// fault reports a fault at the position of the line last read, or of the whole line for -1.
func (p *featureParser) fault(kind faultKind, at int, format string, args ...any) error {
	return report(p.repair, kind, p.lines.Errorf(at+1, format, args...))
}

// sort sorts the features of an instance and adds up duplicates.
func (p *featureParser) sort(in *dataset.Instance) error {
	sort.Stable(byColumn{in})
	n := 0
	for k, column := range in.Columns {
		if n == 0 || in.Columns[n-1] != column {
			in.Columns[n], in.Values[n] = column, in.Values[k]
			n++
			continue
		}
		if p.anyOrder {
			if err := p.fault(faultFeatureTwice, -1, "feature %d is given twice", int(column)+p.base); err != nil {
				return err
			}
		}
		in.Values[n-1] += in.Values[k]
		switch sum := float64(in.Values[n-1]); {
		case math.IsInf(sum, 0):
			n--
			if err := p.fault(faultNotFinite, -1, "the values of feature %d add up to more than a float32 can hold", int(column)+p.base); err != nil {
				return err
			}
		case sum == 0:
			n--
		}
	}
	in.Columns, in.Values = in.Columns[:n], in.Values[:n]
	return nil
}

// byColumn sorts the features of an instance.
type byColumn struct{ *dataset.Instance }

func (s byColumn) Len() int           { return len(s.Columns) }
func (s byColumn) Less(a, b int) bool { return s.Columns[a] < s.Columns[b] }
func (s byColumn) Swap(a, b int) {
	s.Columns[a], s.Columns[b] = s.Columns[b], s.Columns[a]
	s.Values[a], s.Values[b] = s.Values[b], s.Values[a]
}
