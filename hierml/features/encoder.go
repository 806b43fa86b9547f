package features

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/rounding"
	"github.com/hierml/notebook/hierml/progress"
)

// Encoder turns the rows of tables into vectors, as measured by Columns.Fit on the training rows.
// It is safe for concurrent use.
type Encoder struct {
	settings Columns
	rows     int // that were measured
	fields   []*field
	names    []string // of the columns of the matrix, or nil where terms are hashed
	columns  int
	labels   *labelColumn // nil if the training rows had none
}

// labelColumn is the column with the labels of the training rows.
type labelColumn struct {
	Name      string       `json:"name"`
	Kind      dataset.Kind `json:"kind"`
	Separator string       `json:"separator,omitempty"`
}

// layOut sets the values derived from the fields.
func (e *Encoder) layOut() error {
	named := true
	taken := make(map[string]string)
	for _, f := range e.fields {
		f.first = e.columns
		if f.columns() > math.MaxInt32-e.columns {
			return fmt.Errorf("features: the columns of the table yield more than %d features", math.MaxInt32)
		}
		e.columns += f.columns()
		f.index = make(map[string]int32, len(f.Values))
		for j, w := range f.Values {
			f.index[w] = int32(j)
		}
		names := f.names()
		named = named && names != nil
		for _, name := range names {
			if other, ok := taken[name]; ok {
				return fmt.Errorf("features: the columns %q and %q would both have a feature %q; rename one of them", other, f.Name, name)
			}
			taken[name] = f.Name
		}
		e.names = append(e.names, names...)
	}
	if e.settings.Constant != 0 {
		e.columns++
		e.names = append(e.names, constantName)
	}
	if !named {
		e.names = nil
	}
	return nil
}

// constantName is the name of the column of dataset.Matrix.WithConstant.
const constantName = "(constant)"

// Settings returns the settings that it was made with.
func (e *Encoder) Settings() Columns { return e.settings }

// Columns returns the number of columns of the result of Transform.
func (e *Encoder) Columns() int { return e.columns }

// Vocabulary returns the names of the columns of the result of Transform, or nil if terms are
// hashed. The slice must not be modified.
func (e *Encoder) Vocabulary() []string { return e.names }

// Fields returns the columns that it takes of a table, without values, and that of the labels of
// the training rows, if they had one: what files.Table.Like reads other tables by.
func (e *Encoder) Fields() []dataset.Column {
	fields := make([]dataset.Column, len(e.fields), len(e.fields)+1)
	for k, f := range e.fields {
		fields[k] = dataset.Column{Name: f.Name, Kind: f.Kind, Separator: f.Separator}
		if f.Decimal != "" {
			fields[k].Decimal = rune(f.Decimal[0])
		}
	}
	if l := e.labels; l != nil {
		fields = append(fields, dataset.Column{Name: l.Name, Kind: l.Kind, Separator: l.Separator, Role: dataset.Labels})
	}
	return fields
}

// FieldOf returns the column of the table that a column of the matrix comes from, and an empty
// name for the Constant. It panics if there is no such column.
func (e *Encoder) FieldOf(column int) string {
	if column < 0 || column >= e.columns {
		panic(fmt.Errorf("features: column %d of an encoder of %d", column, e.columns))
	}
	k := sort.Search(len(e.fields), func(k int) bool { return e.fields[k].first > column }) - 1
	if f := e.fields[k]; column < f.first+f.columns() {
		return f.Name
	}
	return ""
}

// Transform returns the rows as vectors, with the labels, groups, weights, taxonomy and name of
// the table. It is an error if the table lacks one of the columns, or has it in another kind,
// and where numbers are missing that Columns says to refuse. Values that no training row has are
// told by a note.
func (e *Encoder) Transform(ctx context.Context, t *dataset.Table) (*dataset.Dataset, error) {
	x, err := e.Matrix(ctx, t)
	if err != nil {
		return nil, err
	}
	labels := t.Labels
	if labels == nil {
		labels = make([][]int, t.Len())
	}
	weights, err := t.Weights()
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{Name: t.Name, Taxonomy: t.Taxonomy, X: x, Labels: labels, Vocabulary: e.names, Groups: t.Groups(), Weights: weights}, nil
}

// Matrix returns the rows as vectors without labels, as Transform does.
func (e *Encoder) Matrix(ctx context.Context, t *dataset.Table) (*dataset.Matrix, error) {
	if t == nil {
		return nil, fmt.Errorf("features: no table is given")
	}
	parts := make([]*dataset.Matrix, 0, len(e.fields)+1)
	for _, f := range e.fields {
		c, err := t.Column(f.Name)
		if err != nil {
			return nil, fmt.Errorf("features: %w; the encoder was made from a table that has it", err)
		}
		if !f.takes(c.Kind) {
			return nil, fmt.Errorf("features: column %q of %q is of kind %v, and was %v in the training rows; read the file with files.Table{Like: encoder.Fields()}", f.Name, t.Name, c.Kind, f.Kind)
		}
		part, err := f.matrix(ctx, t.Name, c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	x, err := parts[0].Beside(parts[1:]...)
	if err != nil {
		return nil, err
	}
	if e.settings.Constant != 0 {
		x = x.WithConstant(e.settings.Constant)
	}
	x.Vocabulary = e.names
	return x, nil
}

// takes reports whether the field is made of columns of the kind.
func (f *field) takes(kind dataset.Kind) bool {
	switch f.Kind {
	case dataset.Number, dataset.Set:
		return kind == f.Kind
	}
	return kind != dataset.Number && kind != dataset.Set
}

// matrix returns the features of a column.
func (f *field) matrix(ctx context.Context, name string, c *dataset.Column) (*dataset.Matrix, error) {
	switch {
	case f.Terms != nil:
		x, err := f.Terms.vectors(ctx, c.Len(), c.Value)
		if err == nil {
			f.tellUnknown(ctx, name, c, x)
		}
		return x, err
	case f.Number != nil:
		return f.numbers(ctx, name, c)
	}
	x := &dataset.Matrix{Rows: c.Len(), Cols: f.columns(), Indptr: make([]int, 1, c.Len()+1)}
	missing := int32(f.columns() - 1)
	unknown, empty, example := 0, 0, ""
	var row []int32
	for i := range c.Len() {
		row = row[:0]
		if c.Missing(i) {
			if empty++; f.Indicator {
				row = append(row, missing)
			}
		} else {
			for _, w := range f.wordsOf(c, i) {
				j, known := f.index[w]
				if !known {
					if j = int32(len(f.Values)); unknown == 0 {
						example = w
					}
					unknown++
				}
				if known || f.Rare {
					row = append(row, j)
				}
			}
		}
		slices.Sort(row)
		row = slices.Compact(row) // a set may have several rare words
		for _, j := range row {
			x.Indices, x.Values = append(x.Indices, j), append(x.Values, 1)
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	if f.Rare {
		return x, nil
	}
	if unknown > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: column %s: %s in no training row, such as %q; no feature stands for such values", name, f.Name, describe.Count(unknown, "value is", "values are"), describe.Cut(example, 40)))
	}
	if !f.Indicator && f.Kind == dataset.Nominal && empty > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: column %s: %s missing, as in no training row; no feature stands for missing values", name, f.Name, describe.Count(empty, "value is", "values are")))
	}
	return x, nil
}

// tellUnknown adds a note about texts without any term of the training texts.
func (f *field) tellUnknown(ctx context.Context, name string, c *dataset.Column, x *dataset.Matrix) {
	unknown, first := 0, -1
	for i := range x.Rows {
		if x.Indptr[i] == x.Indptr[i+1] && !c.Missing(i) {
			if unknown++; first < 0 {
				first = i
			}
		}
	}
	if unknown > 0 {
		progress.Note(ctx, fmt.Sprintf("%s: column %s: %s no term of the training texts, such as %q", name, f.Name, describe.Count(unknown, "text has", "texts have"), describe.Cut(c.Words[first], 40)))
	}
}

// numbers returns the features of a column of numbers.
func (f *field) numbers(ctx context.Context, name string, c *dataset.Column) (*dataset.Matrix, error) {
	x := &dataset.Matrix{Rows: c.Len(), Cols: f.columns(), Indptr: make([]int, 1, c.Len()+1)}
	var scaled rounding.Column
	at := 0 // row of the number that changes most
	for i, v := range c.Numbers {
		missing := math.IsNaN(v)
		switch {
		case missing && f.Fill == nil:
			return nil, refusal(f.Name, c.MissingCount(), c.Len())
		case missing:
			v = *f.Fill
		case f.Number.Log:
			v = logOf(v)
		}
		v = (v - f.Shift) * f.Factor
		value := float32(v)
		if math.IsInf(float64(value), 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("features: column %q: row %d of %q is %v after scaling, which overflows a float32; set Number{Log: true} or another Scale", f.Name, i, name, v)
		}
		if value != 0 {
			x.Indices, x.Values = append(x.Indices, 0), append(x.Values, value)
		}
		if missing && f.Indicator {
			x.Indices, x.Values = append(x.Indices, 1), append(x.Values, 1)
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
		if scaled.Add(v) {
			at = i
		}
	}
	if _, lost := scaled.Lost(); lost {
		progress.Note(ctx, fmt.Sprintf("%s: numbers of column %s, such as %s, lose digits that distinguish them; set features.Number{Scale: features.ZScore} to keep them", name, f.Name, exact(c.Numbers[at])))
	}
	return x, nil
}

// exact returns a number with all its digits.
func exact(v float64) string { return fmt.Sprintf("%.17g", v) }

// String describes the encoding of a table.
func (e *Encoder) String() string { return describe.Text(e.title(), e.description()) }

// HTML is String as a table.
func (e *Encoder) HTML() string { return describe.HTML(e.title(), e.description()) }

func (e *Encoder) title() string {
	return fmt.Sprintf("%s of a table, measured on %s", describe.Count(e.columns, "feature", "features"), describe.Count(e.rows, "row", "rows"))
}

func (e *Encoder) description() []describe.Row {
	var rows []describe.Row
	for _, f := range e.fields {
		rows = append(rows, describe.Row{Name: f.Name, Value: f.describe()})
	}
	if e.settings.Constant != 0 {
		rows = append(rows, describe.Row{Name: constantName, Value: fmt.Sprint(e.settings.Constant)})
	}
	return rows
}

// describe describes the encoding of a column.
func (f *field) describe() string {
	switch {
	case f.Terms != nil:
		return f.Terms.String()
	case f.Number != nil:
		text := "a number"
		if f.Number.Log {
			text = "the logarithm of 1 + a number"
		}
		if f.Fill != nil {
			text += fmt.Sprintf(", where it is missing %.5g (%v)", *f.Fill, f.Number.Missing)
			if f.Indicator {
				text += " and a feature that says so"
			}
		}
		return text + ", " + f.Number.Scale.String()
	}
	text := describe.Count(len(f.Values), "value", "values")
	if f.Rare {
		text += ", one feature for rare ones"
	}
	if f.Indicator {
		text += ", one for missing ones"
	}
	return text
}

// savedEncoder is an Encoder in JSON.
type savedEncoder struct {
	header
	Columns Columns      `json:"columns"`
	Rows    int          `json:"rows"`
	Fields  []*field     `json:"fields"`
	Labels  *labelColumn `json:"labels,omitempty"`
}

var encoderHeader = header{"hierml.encoder", 1}

// Save writes the encoder to a file, as JSON, which LoadEncoder reads. It replaces an older file
// only when the new one is complete.
func (e *Encoder) Save(path string) error { return saveJSON(path, e) }

// LoadEncoder reads a file that Encoder.Save wrote. The encoder returns the same vectors.
func LoadEncoder(path string) (*Encoder, error) {
	e := new(Encoder)
	if err := loadJSON(path, e); err != nil {
		return nil, err
	}
	return e, nil
}

// MarshalJSON returns the JSON that Save writes.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedEncoder{encoderHeader, e.settings, e.rows, e.fields, e.labels})
}

// UnmarshalJSON sets the encoder from the output of MarshalJSON.
func (e *Encoder) UnmarshalJSON(data []byte) error {
	var saved savedEncoder
	if err := decode(data, &saved); err != nil {
		return err
	}
	if err := saved.check(encoderHeader); err != nil {
		return err
	}
	if len(saved.Fields) == 0 {
		return fmt.Errorf("an encoder without fields")
	}
	if c := float64(saved.Columns.Constant); math.IsNaN(c) || math.IsInf(c, 0) {
		return fmt.Errorf("the constant is %v", c)
	}
	for k, f := range saved.Fields {
		if f == nil {
			return fmt.Errorf("field %d is null", k)
		}
		if err := f.check(); err != nil {
			return fmt.Errorf("field %.40q: %w", f.Name, err)
		}
	}
	loaded := &Encoder{settings: saved.Columns, rows: saved.Rows, fields: saved.Fields, labels: saved.Labels}
	if err := loaded.layOut(); err != nil {
		return err
	}
	*e = *loaded
	return nil
}

// check returns an error for values that Fit cannot have measured.
func (f *field) check() error {
	words := f.Values != nil || f.Rare
	number := f.Number != nil
	switch {
	case f.Name == "":
		return fmt.Errorf("no name")
	case f.Decimal != "" && f.Decimal != "," && f.Decimal != ".":
		return fmt.Errorf("the decimal point is %.40q", f.Decimal)
	case f.Kind == dataset.Text && (f.Terms == nil || number || words || f.Indicator):
		return fmt.Errorf("a column of texts has no terms, or has other values")
	case f.Kind == dataset.Number && (!number || f.Terms != nil || words):
		return fmt.Errorf("a column of numbers has no measured values, or has others")
	case f.Kind != dataset.Text && f.Kind != dataset.Number && (f.Terms != nil || number || f.Fill != nil || !words && !f.Indicator):
		return fmt.Errorf("a column of words has no values, or has others")
	case number && (f.Fill == nil) != (f.Number.Missing == Refuse), number && f.Indicator && f.Fill == nil:
		return fmt.Errorf("the replacement of missing numbers contradicts the settings")
	case number && (!(f.Factor > 0) || math.IsInf(f.Factor, 0) || math.IsNaN(f.Shift) || math.IsInf(f.Shift, 0)):
		return fmt.Errorf("the shift is %v and the factor is %v", f.Shift, f.Factor)
	}
	if cmp.Compare(len(f.Values), len(slices.Compact(slices.Clone(f.Values)))) != 0 || !slices.IsSorted(f.Values) {
		return fmt.Errorf("the values are not ascending")
	}
	return nil
}
