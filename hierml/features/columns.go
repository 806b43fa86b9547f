package features

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
)

// Columns encodes the columns of a table as features: texts by one vocabulary per column, numbers
// by scaling, nominal values and the words of sets by indicator columns. It uses the columns with
// the role Feature. Fit measures only the training part:
//
//	train, test := table.Split(0.3, 1)
//	columns := features.Columns{Number: features.Number{Missing: features.Mean}}.Fit(ctx, train)
//	model := svm.Hierarchical{C: 1}.Fit(ctx, columns.Transform(ctx, train))
//
// A feature is named after its column, such as "size", or after its column and its value or word,
// such as "arch=all" or "text=memory". The settings can be written as JSON.
type Columns struct {
	// Text has the settings of columns of texts; each column gets its own vocabulary.
	Text Text `json:",omitzero"`
	// Number has the settings of columns of numbers.
	Number Number `json:",omitzero"`
	// Nominal has the settings of nominal columns, and Set those of columns of sets and of paths. A
	// path is treated as the set of its prefixes, itself included.
	Nominal Nominal `json:",omitzero"`
	Set     Nominal `json:",omitzero"`

	// Of has settings of single columns, by name. They override those above.
	Of map[string]Column `json:",omitempty"`

	// Only lists the columns to use, of any role, instead of all with the role Feature. LeaveOut
	// lists columns to leave out.
	Only     []string `json:",omitempty"`
	LeaveOut []string `json:",omitempty"`

	// Constant is the value of an additional column at the end, as in Scaling. The default is none.
	Constant float32 `json:",omitzero"`
}

// Column has the settings of one column. Set the field that fits the kind of the column; a column
// of words may also have Text, and one of texts Nominal.
type Column struct {
	Text    *Text    `json:",omitempty"`
	Number  *Number  `json:",omitempty"`
	Nominal *Nominal `json:",omitempty"`
}

// Number has the settings for encoding a column of numbers: Log first, then a value for missing
// numbers, then Scale. All are measured on the training rows.
type Number struct {
	// Log replaces x by sign(x) ln(1 + |x|), for numbers of several magnitudes, such as sizes and
	// counts.
	Log bool `json:",omitzero"`
	// Missing is Refuse, Mean, Median, MostFrequent or Value.
	Missing Missing `json:",omitzero"`
	// Value replaces a missing number if Missing is Value, before Log.
	Value float64 `json:",omitzero"`
	// Indicator adds a feature "COLUMN is missing" that is 1 where the number is missing, if one is
	// missing in the training rows.
	Indicator bool `json:",omitzero"`
	// Scale is MaxAbs, UnitDeviation, ZScore, UnitRange or Unscaled.
	Scale ColumnScale `json:",omitzero"`
}

// Nominal has the settings for encoding nominal values, or the words of sets: one indicator column
// per value in the training rows, and one called "COLUMN is missing" if values are missing there. A
// value that is not in the training rows counts as rare; if there is no feature for rare values, it
// has none.
type Nominal struct {
	// MinRows is the minimum number of training rows with a value for it to get its own feature.
	// Rarer values share one, called "COLUMN is rare". The default value is 1.
	MinRows int `json:",omitzero"`
}

// Missing says how missing numbers are replaced.
type Missing int

const (
	// Refuse returns an error.
	Refuse Missing = iota
	// Mean uses the mean of the training rows, after Log.
	Mean
	// Median uses their median.
	Median
	// MostFrequent uses their most frequent number, in case of a tie the smallest.
	MostFrequent
	// Value uses Number.Value.
	Value
)

var missingNames = []string{"refuse", "mean", "median", "most frequent", "value"}

func (m Missing) String() string { return enumName("Missing", int(m), missingNames) }

// MarshalText returns the name that String returns.
func (m Missing) MarshalText() ([]byte, error) { return marshalEnum("Missing", int(m), missingNames) }

// UnmarshalText sets it by its name.
func (m *Missing) UnmarshalText(text []byte) error {
	return unmarshalEnum("Missing", (*int)(m), missingNames, text)
}

// Fit measures the columns of the training rows. It returns an error if there are no rows, if a
// setting names a column that does not exist, or if numbers are missing and Missing is Refuse.
func (s Columns) Fit(ctx context.Context, train *dataset.Table) (*Encoder, error) {
	if train == nil {
		return nil, fmt.Errorf("features: Fit needs a table, not nil")
	}
	if train.Len() == 0 {
		return nil, fmt.Errorf("features: table %q has no rows to measure", train.Name)
	}
	if c := float64(s.Constant); math.IsNaN(c) || math.IsInf(c, 0) {
		return nil, fmt.Errorf("features: Constant is %v; it must be finite", s.Constant)
	}
	taken, err := s.Taken(train)
	if err != nil {
		return nil, err
	}
	e := &Encoder{settings: s, rows: train.Len()}
	for k := range train.Columns {
		if c := &train.Columns[k]; c.Role == dataset.Labels && e.labels == nil {
			e.labels = &labelColumn{c.Name, c.Kind, c.Separator}
		}
	}
	for _, c := range taken {
		f, err := s.fit(ctx, c)
		if err != nil {
			return nil, err
		}
		e.fields = append(e.fields, f)
	}
	return e, e.layOut()
}

// Taken returns the columns of a table that become features. It returns an error if there are none,
// or if a setting names a column that does not exist.
func (s Columns) Taken(t *dataset.Table) ([]*dataset.Column, error) {
	for _, names := range [][]string{s.Only, s.LeaveOut} {
		for _, name := range names {
			if _, err := t.Column(name); err != nil {
				return nil, fmt.Errorf("features: %w", err)
			}
		}
	}
	for name := range s.Of {
		if _, err := t.Column(name); err != nil {
			return nil, fmt.Errorf("features: Columns.Of: %w", err)
		}
	}
	var taken []*dataset.Column
	for k := range t.Columns {
		c := &t.Columns[k]
		only := s.Only == nil && c.Role == dataset.Feature || slices.Contains(s.Only, c.Name)
		if only && !slices.Contains(s.LeaveOut, c.Name) {
			taken = append(taken, c)
		}
	}
	if len(taken) == 0 {
		return nil, fmt.Errorf("features: table %q has no column that becomes a feature; list some in Columns{Only: …}, or give them the role Feature in the settings of the reader", t.Name)
	}
	return taken, nil
}

// fit measures a column.
func (s Columns) fit(ctx context.Context, c *dataset.Column) (*field, error) {
	f := &field{Name: c.Name, Kind: c.Kind, Separator: c.Separator}
	if c.Decimal != 0 {
		f.Decimal = string(c.Decimal)
	}
	text, number, nominal := s.Text, s.Number, s.Nominal
	if c.Kind == dataset.Set || c.Kind == dataset.Path {
		nominal = s.Set
	}
	if of, ok := s.Of[c.Name]; ok {
		words := c.Kind == dataset.Text || c.Kind == dataset.Nominal || c.Kind == dataset.Path
		switch {
		case of.Text != nil && of.Nominal != nil, of.Number != nil && c.Kind != dataset.Number, of.Number == nil && c.Kind == dataset.Number, of.Text != nil && !words:
			return nil, fmt.Errorf("features: Columns.Of[%q] does not fit a column of kind %v; set another kind in the settings of the reader", c.Name, c.Kind)
		case of.Text != nil:
			text, f.Kind = *of.Text, dataset.Text
		case of.Number != nil:
			number = *of.Number
		case of.Nominal != nil:
			if nominal = *of.Nominal; c.Kind == dataset.Text {
				f.Kind = dataset.Nominal
			}
		}
	}
	var err error
	switch f.Kind {
	case dataset.Text:
		err = f.fitText(ctx, text, c)
	case dataset.Number:
		err = f.fitNumber(number, c)
	default:
		err = f.fitNominal(nominal, c)
	}
	return f, err
}

// field is a column of a table with its measured values.
type field struct {
	Name      string       `json:"name"`
	Kind      dataset.Kind `json:"kind"`
	Separator string       `json:"separator,omitempty"`

	// Decimal is the decimal point of numbers that were written with commas.
	Decimal string `json:"decimal,omitempty"`

	// Of texts.
	Terms *Vectorizer `json:"terms,omitempty"`

	// For numbers: Log is applied, missing ones are replaced by Fill, Shift is subtracted, and the
	// result is multiplied by Factor.
	Number *Number  `json:"number,omitempty"`
	Fill   *float64 `json:"fill,omitempty"`
	Shift  float64  `json:"shift,omitzero"`
	Factor float64  `json:"factor,omitzero"`

	// For words: the values with their own feature, ascending, and whether there is a feature for
	// rare ones.
	Values []string `json:"values,omitempty"`
	Rare   bool     `json:"rare,omitzero"`

	// Indicator says that there is a feature for missing values, the last one.
	Indicator bool `json:"indicator,omitzero"`

	first int // column of the matrix
	index map[string]int32
}

// logOf is the transformation of Number.Log.
func logOf(v float64) float64 { return math.Copysign(math.Log1p(math.Abs(v)), v) }

func (f *field) fitText(ctx context.Context, s Text, c *dataset.Column) error {
	if s.Tokenizer != nil {
		return fmt.Errorf("features: column %q: Text.Tokenizer is not supported for columns, because a function cannot be saved; use Text.Pattern", c.Name)
	}
	v, err := s.FitContext(ctx, corpusOf(c))
	if err != nil {
		return fmt.Errorf("features: column %q: %s; leave it out with Columns.LeaveOut, or change its settings in Columns.Of[%q]", c.Name, strings.TrimPrefix(err.Error(), "features: "), c.Name)
	}
	f.Terms = v
	return nil
}

// corpusOf returns the values of a column as texts.
func corpusOf(c *dataset.Column) *dataset.Corpus {
	texts := &dataset.Corpus{Name: c.Name, Documents: make([]dataset.Document, c.Len())}
	for i := range texts.Documents {
		texts.Documents[i].Text = c.Value(i)
	}
	return texts
}

func (f *field) fitNumber(s Number, c *dataset.Column) error {
	if _, err := s.Scale.MarshalText(); err != nil {
		return err
	}
	if _, err := s.Missing.MarshalText(); err != nil {
		return err
	}
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return fmt.Errorf("features: column %q: Value is %v; it must be finite", c.Name, s.Value)
	}
	values := make([]float64, 0, c.Len())
	for _, v := range c.Numbers {
		if math.IsNaN(v) {
			continue
		}
		if s.Log {
			v = logOf(v)
		}
		values = append(values, v)
	}
	missing := c.Len() - len(values)
	if missing > 0 && s.Missing == Refuse {
		return refusal(c.Name, missing, c.Len())
	}
	if len(values) == 0 && s.Missing != Value {
		return fmt.Errorf("features: column %q has no numbers; leave it out with Columns{LeaveOut: []string{%q}}", c.Name, c.Name)
	}
	f.Number, f.Indicator = &s, s.Indicator && missing > 0
	if s.Missing != Refuse {
		fill := fillOf(s, values)
		f.Fill = &fill
		for range missing {
			values = append(values, fill)
		}
	}
	f.Shift, f.Factor = scaleOf(s.Scale, values)
	return nil
}

// refusal returns the error for missing numbers.
func refusal(column string, missing, rows int) error {
	return fmt.Errorf("features: column %q: %d of %d numbers are missing; set Columns{Number: features.Number{Missing: features.Mean, Indicator: true}} to use the mean and mark them (or Median, MostFrequent or Value), or remove such rows with Table.Filter",
		column, missing, rows)
}

// fillOf returns the replacement of a missing number.
func fillOf(s Number, values []float64) float64 {
	d := (&dataset.Column{Kind: dataset.Number, Numbers: values}).Describe()
	switch s.Missing {
	case Mean:
		return d.Mean
	case Median:
		return d.Median
	case MostFrequent:
		n := make(map[float64]int)
		for _, v := range values {
			n[v]++
		}
		best := values[0]
		for v, times := range n {
			if times > n[best] || times == n[best] && v < best {
				best = v
			}
		}
		return best
	}
	if s.Log {
		return logOf(s.Value)
	}
	return s.Value
}

// scaleOf returns the shift subtracted from numbers and the factor they are then multiplied by.
func scaleOf(scale ColumnScale, values []float64) (shift, factor float64) {
	d := (&dataset.Column{Kind: dataset.Number, Numbers: values}).Describe()
	by := 1.0
	switch scale {
	case MaxAbs:
		by = max(d.Largest, -d.Least)
	case UnitDeviation:
		by = d.Deviation
	case ZScore:
		shift, by = d.Mean, d.Deviation
	case UnitRange:
		shift, by = d.Least, d.Largest-d.Least
	}
	if factor = 1 / by; by == 0 || math.IsInf(factor, 0) || math.IsInf(by, 0) {
		factor = 1
	}
	return shift, factor
}

func (f *field) fitNominal(s Nominal, c *dataset.Column) error {
	if s.MinRows < 0 {
		return fmt.Errorf("features: column %q: MinRows is %d; it must not be negative", c.Name, s.MinRows)
	}
	rows := make(map[string]int)
	for i := range c.Len() {
		if c.Missing(i) {
			f.Indicator = true
			continue
		}
		for _, w := range f.wordsOf(c, i) {
			rows[w]++
		}
	}
	for w, n := range rows {
		if n >= s.MinRows {
			f.Values = append(f.Values, w)
		} else {
			f.Rare = true
		}
	}
	slices.Sort(f.Values)
	if f.columns() == 0 {
		return fmt.Errorf("features: column %q has no values; leave it out with Columns{LeaveOut: []string{%q}}", c.Name, c.Name)
	}
	return nil
}

// deepest is the maximum number of features of a path. If it has more levels, the lower levels are
// combined.
const deepest = 100

// wordsOf returns the words of a row that may be features.
func (f *field) wordsOf(c *dataset.Column, row int) []string {
	switch {
	case c.Kind == dataset.Set:
		return c.Sets[row]
	case f.Kind != dataset.Path:
		return []string{c.Value(row)}
	}
	separator := cmp.Or(f.Separator, "/")
	path := c.Value(row)
	var beginnings []string
	for end := 0; ; end += len(separator) {
		next := strings.Index(path[end:], separator)
		if next < 0 || len(beginnings) == deepest-1 {
			return append(beginnings, path)
		}
		end += next
		beginnings = append(beginnings, path[:end])
	}
}

// columns returns the number of features.
func (f *field) columns() int {
	n := len(f.Values)
	switch {
	case f.Terms != nil:
		n = f.Terms.Columns()
	case f.Number != nil:
		n = 1
	case f.Rare:
		n++
	}
	if f.Indicator {
		n++
	}
	return n
}

// names returns the names of the features, or nil for hashed terms.
func (f *field) names() []string {
	words := f.Values
	if f.Terms != nil {
		if words = f.Terms.Vocabulary(); words == nil {
			return nil
		}
	}
	names := make([]string, 0, f.columns())
	if f.Number != nil {
		names = append(names, f.Name)
	}
	for _, w := range words {
		names = append(names, f.Name+"="+w)
	}
	if f.Rare {
		names = append(names, f.Name+" is rare")
	}
	if f.Indicator {
		names = append(names, f.Name+" is missing")
	}
	return names
}
