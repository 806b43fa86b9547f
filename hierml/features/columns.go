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

// Columns says how the columns of a table become features: texts by a vocabulary for each column,
// numbers scaled, nominal values and the words of sets as columns of ones. It takes the columns of
// the role Feature. Fit measures the training part alone:
//
//	train, test := table.Split(0.3, 1)
//	columns := features.Columns{Number: features.Number{Missing: features.Mean}}.Fit(ctx, train)
//	model := svm.Hierarchical{C: 1}.Fit(ctx, columns.Transform(ctx, train))
//
// A feature is called by its column, as "size", and by its column and its value or word, as
// "arch=all", or "text=memory". The settings can be written as JSON.
type Columns struct {
	// Text says how the columns of texts become features, each by a vocabulary of its own.
	Text Text `json:",omitzero"`
	// Number says so for columns of numbers.
	Number Number `json:",omitzero"`
	// Nominal says so for nominal columns, and Set for columns of sets and of paths: a path is the
	// set of its beginnings, itself among them.
	Nominal Nominal `json:",omitzero"`
	Set     Nominal `json:",omitzero"`

	// Of are the settings of single columns, by their names, in place of those above.
	Of map[string]Column `json:",omitempty"`

	// Only are the columns that are taken, of whatever role, rather than all of the role Feature.
	// LeaveOut are columns that are not taken.
	Only     []string `json:",omitempty"`
	LeaveOut []string `json:",omitempty"`

	// Constant is the value of one more column at the end, as in Scaling. The default is none.
	Constant float32 `json:",omitzero"`
}

// Column are the settings of one column. The one that is set has to fit the kind of the column,
// but that a column of words may also have Text, and one of texts Nominal.
type Column struct {
	Text    *Text    `json:",omitempty"`
	Number  *Number  `json:",omitempty"`
	Nominal *Nominal `json:",omitempty"`
}

// Number says how a column of numbers becomes a feature: Log first, then a value in place of those
// that are missing, then Scale. All is measured on the training rows.
type Number struct {
	// Log puts sign(x) ln(1 + |x|) in the place of x, for numbers of several magnitudes, such as
	// sizes and counts.
	Log bool `json:",omitzero"`
	// Missing is Refuse, Mean, Median, MostFrequent or Value.
	Missing Missing `json:",omitzero"`
	// Value is the number that stands for a missing one where Missing is Value, before Log.
	Value float64 `json:",omitzero"`
	// Indicator makes a further feature, called "COLUMN is missing", of ones where the number is
	// missing, if any is in the training rows.
	Indicator bool `json:",omitzero"`
	// Scale is MaxAbs, UnitDeviation, ZScore, UnitRange or Unscaled.
	Scale ColumnScale `json:",omitzero"`
}

// Nominal says how nominal values, or the words of sets, become features: a column of ones for
// each that training rows have, and one called "COLUMN is missing" for missing values if training
// rows have such. A value that no training row has is as a rare one, and has no feature where
// there are none.
type Nominal struct {
	// MinRows is the number of training rows that have to have a value, for a feature of its own.
	// Those in fewer share one, called "COLUMN is rare". The default value is 1.
	MinRows int `json:",omitzero"`
}

// Missing says what is done about numbers that are missing.
type Missing int

const (
	// Refuse makes them an error.
	Refuse Missing = iota
	// Mean takes the mean of the training rows, after Log, for them.
	Mean
	// Median takes their median.
	Median
	// MostFrequent takes their most frequent number, the smallest of several.
	MostFrequent
	// Value takes Number.Value.
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

// Fit measures the columns of the training rows. It is an error if there are no rows, if a setting
// names a column that there is not, or if numbers are missing that nothing says what to do about.
func (s Columns) Fit(ctx context.Context, train *dataset.Table) (*Encoder, error) {
	if train == nil {
		return nil, fmt.Errorf("features: no table is given to measure")
	}
	if train.Len() == 0 {
		return nil, fmt.Errorf("features: %q has no rows to measure", train.Name)
	}
	if c := float64(s.Constant); math.IsNaN(c) || math.IsInf(c, 0) {
		return nil, fmt.Errorf("features: Constant is %v; it has to be finite", s.Constant)
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

// Taken returns the columns of a table that become features. It is an error if there are none, or
// if a setting names a column that there is not.
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
		return nil, fmt.Errorf("features: %q has no column that becomes a feature; Columns{Only: …} names some, and settings of the reader give them the role of features", t.Name)
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
			return nil, fmt.Errorf("features: Columns.Of[%q] does not fit a column of kind %v; a setting of the reader gives it another kind", c.Name, c.Kind)
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

// field is a column of a table, and what was measured of it.
type field struct {
	Name      string       `json:"name"`
	Kind      dataset.Kind `json:"kind"`
	Separator string       `json:"separator,omitempty"`

	// Decimal is the decimal point of numbers that were written with commas.
	Decimal string `json:"decimal,omitempty"`

	// Of texts.
	Terms *Vectorizer `json:"terms,omitempty"`

	// Of numbers: they are changed by Log, then Missing is replaced by Fill, then Shift is
	// subtracted and Factor multiplied.
	Number *Number  `json:"number,omitempty"`
	Fill   *float64 `json:"fill,omitempty"`
	Shift  float64  `json:"shift,omitzero"`
	Factor float64  `json:"factor,omitzero"`

	// Of words: the values with a feature of their own, ascending, and whether there is a feature
	// of rare ones.
	Values []string `json:"values,omitempty"`
	Rare   bool     `json:"rare,omitzero"`

	// Indicator says that there is a feature of missing values, the last.
	Indicator bool `json:"indicator,omitzero"`

	first int // column of the matrix
	index map[string]int32
}

// logOf is the change of Number.Log.
func logOf(v float64) float64 { return math.Copysign(math.Log1p(math.Abs(v)), v) }

func (f *field) fitText(ctx context.Context, s Text, c *dataset.Column) error {
	if s.Tokenizer != nil {
		return fmt.Errorf("features: column %q: the tokens of columns cannot be those of a function, as it could not be saved; use Text.Pattern", c.Name)
	}
	v, err := s.FitContext(ctx, corpusOf(c))
	if err != nil {
		return fmt.Errorf("features: column %q: %s; Columns.LeaveOut leaves it out, and Columns.Of[%q] has settings of its own", c.Name, strings.TrimPrefix(err.Error(), "features: "), c.Name)
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
		return fmt.Errorf("features: column %q: Value is %v; it has to be finite", c.Name, s.Value)
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
		return fmt.Errorf("features: column %q has no numbers at all; Columns{LeaveOut: []string{%q}} leaves it out", c.Name, c.Name)
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

// refusal is the error of numbers that are missing.
func refusal(column string, missing, rows int) error {
	return fmt.Errorf("features: column %q: %d of %d numbers are missing; Columns{Number: features.Number{Missing: features.Mean, Indicator: true}} puts in the mean and marks them, and there are Median, MostFrequent and Value; Table.Filter leaves such rows out",
		column, missing, rows)
}

// fillOf returns what stands for a missing number.
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

// scaleOf returns what is subtracted from numbers, and by what they are then multiplied.
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
		return fmt.Errorf("features: column %q: MinRows is %d; it is a number of rows", c.Name, s.MinRows)
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
		return fmt.Errorf("features: column %q has no values; Columns{LeaveOut: []string{%q}} leaves it out", c.Name, c.Name)
	}
	return nil
}

// deepest is the number of features of a path: of one with more levels, the levels below the last
// but one are together.
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
