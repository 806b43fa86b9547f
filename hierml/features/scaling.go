package features

import (
	"fmt"
	"html/template"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
)

// ColumnScale determines the number subtracted from a column's values and the number they are then
// divided by. A column that is constant in the training instances is divided by 1.
type ColumnScale int

const (
	// MaxAbs divides by the largest absolute value, so values are from -1 to 1. Zeros stay zero.
	MaxAbs ColumnScale = iota
	// UnitDeviation divides by the standard deviation. Zeros stay zero.
	UnitDeviation
	// ZScore subtracts the mean and divides by the standard deviation. Zeros do not stay zero: a
	// sparse matrix becomes dense.
	ZScore
	// UnitRange subtracts the smallest value and divides by the difference to the largest, so
	// values are from 0 to 1. A sparse matrix becomes dense in columns whose smallest value is not
	// zero.
	UnitRange
	// Unscaled leaves columns as they are.
	Unscaled
)

var columnScaleNames = []string{"max-abs", "unit deviation", "z-score", "unit range", "unscaled"}

func (s ColumnScale) String() string { return enumName("ColumnScale", int(s), columnScaleNames) }

// MarshalText returns the name that String returns.
func (s ColumnScale) MarshalText() ([]byte, error) {
	return marshalEnum("ColumnScale", int(s), columnScaleNames)
}

// UnmarshalText sets the scale by its name.
func (s *ColumnScale) UnmarshalText(text []byte) error {
	return unmarshalEnum("ColumnScale", (*int)(s), columnScaleNames, text)
}

// Scaling has the settings for scaling the features of a data set. The zero value is MaxAbs.
type Scaling struct {
	// Columns is MaxAbs, UnitDeviation, ZScore, UnitRange or Unscaled. The standard deviation is
	// that of the training instances (with denominator n, not n - 1).
	Columns ColumnScale `json:",omitzero"`
	// UnitLength then scales every instance to a Euclidean norm of 1.
	UnitLength bool `json:",omitzero"`
	// Constant is the value of an additional column at the end, called "(constant)", for the
	// intercept (bias) of a linear model. With Columns: Unscaled, Scaling does nothing else. The
	// default, 0, adds no column; 1 is usual, and a larger value makes the intercept less
	// regularized.
	Constant float32 `json:",omitzero"`
}

// Scaler scales data by values measured on training data. It is safe for concurrent use.
type Scaler struct {
	settings  Scaling
	instances int       // that were measured
	columns   occurring // others stay as they are
	shift     []float64 // of each of them, or nil where nothing is subtracted
	factor    []float64 // of each of them
}

// maxScaled bounds the entries of a matrix that scaling makes dense, of eight bytes each.
const maxScaled = 1 << 30

// Fit measures the columns of training data. It returns an error if there are no instances, or if a
// value is not finite.
func (s Scaling) Fit(train *dataset.Dataset) (*Scaler, error) {
	if _, err := s.Columns.MarshalText(); err != nil {
		return nil, err
	}
	if c := float64(s.Constant); math.IsNaN(c) || math.IsInf(c, 0) {
		return nil, fmt.Errorf("features: Constant is %v; it must be finite", s.Constant)
	}
	if train == nil || train.X == nil {
		return nil, errNoData
	}
	if train.Len() == 0 {
		return nil, fmt.Errorf("features: data set %q has no instances to measure", train.Name)
	}
	x, of := occurringIn(train.X)
	columns := make([]columnRange, x.Cols)
	for i := range x.Rows {
		indices, values := x.Row(i)
		for k, v := range values {
			if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("features: row %d of %q has %v in column %d; expected finite values", i, train.Name, v, of.column(int(indices[k])))
			}
			columns[indices[k]].add(float64(v))
		}
	}
	n := x.Rows
	squares := make([]float64, len(columns)) // of differences from the mean
	if s.Columns == ZScore || s.Columns == UnitDeviation {
		for k, j := range x.Indices {
			difference := float64(x.Values[k]) - columns[j].sum/float64(n)
			squares[j] += difference * difference
		}
	}
	r := &Scaler{settings: s, instances: n, columns: of, factor: make([]float64, len(columns))}
	if s.Columns == ZScore || s.Columns == UnitRange {
		r.shift = make([]float64, len(columns))
	}
	for j := range columns {
		c := &columns[j]
		if c.count < n {
			c.low, c.high = min(c.low, 0), max(c.high, 0)
		}
		mean := c.sum / float64(n)
		scale := 1.0
		switch s.Columns {
		case MaxAbs:
			scale = max(c.high, -c.low)
		case UnitDeviation, ZScore:
			scale = math.Sqrt((squares[j] + float64(n-c.count)*mean*mean) / float64(n))
			if c.low == c.high {
				scale, mean = 1, c.low
			}
		case UnitRange:
			scale = c.high - c.low
		}
		if scale == 0 {
			scale = 1
		}
		r.factor[j] = 1 / scale
		switch s.Columns {
		case ZScore:
			r.shift[j] = mean
		case UnitRange:
			r.shift[j] = c.low
		}
	}
	return r, nil
}

// columnRange has statistics of a column's stored values.
type columnRange struct {
	count     int
	sum       float64
	low, high float64
}

func (c *columnRange) add(v float64) {
	if c.count == 0 {
		c.low, c.high = v, v
	}
	c.count++
	c.sum += v
	c.low, c.high = min(c.low, v), max(c.high, v)
}

// Settings returns the settings that it was made with.
func (r *Scaler) Settings() Scaling { return r.settings }

// Columns returns the number of columns of the input of Transform, without a Constant.
func (r *Scaler) Columns() int { return r.columns.all }

// Transform returns the scaled data. It returns an error if the columns differ from the training
// data, or if a scaled value overflows a float32.
func (r *Scaler) Transform(d *dataset.Dataset) (*dataset.Dataset, error) {
	if d == nil {
		return nil, errNoData
	}
	x, err := r.Scale(d.X)
	if err != nil {
		return nil, fmt.Errorf("features: %q: %w", d.Name, err)
	}
	s := *d
	s.X = x
	if s.Vocabulary = x.Vocabulary; s.Vocabulary == nil {
		s.Vocabulary = d.Vocabulary
		if r.settings.Constant != 0 {
			s.Vocabulary = d.WithConstant(r.settings.Constant).Vocabulary
		}
	}
	return &s, nil
}

// Scale scales the rows of a matrix, as Transform does for a data set.
func (r *Scaler) Scale(x *dataset.Matrix) (*dataset.Matrix, error) {
	if x == nil {
		return nil, errNoMatrix
	}
	if x.Cols != r.columns.all {
		return nil, fmt.Errorf("it has %d columns, and the scaler was fitted on %d", x.Cols, r.columns.all)
	}
	var shifted []int32 // columns whose zeros do not stay
	for k, shift := range r.shift {
		if shift != 0 {
			shifted = append(shifted, r.columns.column(k))
		}
	}
	if len(shifted) > 0 && x.Rows > (maxScaled-x.NonZeros())/len(shifted) {
		return nil, fmt.Errorf("%v makes %d x %d values non-zero; use UnitDeviation or MaxAbs, which keep zeros", r.settings.Columns, x.Rows, len(shifted))
	}
	scaled := &dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Indptr: make([]int, 1, x.Rows+1), Vocabulary: x.Vocabulary}
	scaled.Indices = make([]int32, 0, x.NonZeros())
	scaled.Values = make([]float32, 0, x.NonZeros())
	for i := range x.Rows {
		first, sum := len(scaled.Values), 0.0
		indices, values := x.Row(i)
		rest := shifted
		for len(indices) > 0 || len(rest) > 0 {
			var v float64
			var j int32
			if len(indices) > 0 && (len(rest) == 0 || indices[0] <= rest[0]) {
				j, v = indices[0], float64(values[0])
				indices, values = indices[1:], values[1:]
			} else {
				j = rest[0]
			}
			if len(rest) > 0 && rest[0] == j {
				rest = rest[1:]
				v -= r.shift[r.columns.find(j)]
			}
			if k := r.columns.find(j); k >= 0 {
				v *= r.factor[k]
			}
			f := float32(v)
			if math.IsInf(float64(f), 0) || math.IsNaN(v) {
				return nil, fmt.Errorf("row %d, column %d is %v after scaling, which overflows a float32", i, j, v)
			}
			if f == 0 {
				continue
			}
			sum = UnitLength.add(sum, v)
			scaled.Indices = append(scaled.Indices, j)
			scaled.Values = append(scaled.Values, f)
		}
		if r.settings.UnitLength {
			UnitLength.scale(scaled.Values[first:], sum)
		}
		scaled.Indptr = append(scaled.Indptr, len(scaled.Values))
	}
	if r.settings.Constant != 0 {
		scaled = scaled.WithConstant(r.settings.Constant)
	}
	return scaled, nil
}

// String describes it.
func (r *Scaler) String() string {
	text := fmt.Sprintf("%v of %s, measured on %s", r.settings.Columns, describe.Count(r.columns.all, "column", "columns"), describe.Count(r.instances, "instance", "instances"))
	if r.settings.Columns == Unscaled {
		text = fmt.Sprintf("%s as they are", describe.Count(r.columns.all, "column", "columns"))
	}
	if r.settings.UnitLength {
		text += "; then instances of unit length"
	}
	if r.settings.Constant != 0 {
		text += fmt.Sprintf("; then a column of %v", r.settings.Constant)
	}
	return text
}

// HTML is String as a paragraph.
func (r *Scaler) HTML() string {
	return "<div class=\"hierml-scaler\">" + template.HTMLEscapeString(r.String()) + "</div>\n"
}
