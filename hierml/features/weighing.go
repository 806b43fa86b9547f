package features

import (
	"fmt"
	"html/template"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
)

// Weighing has the settings for turning counts of terms into weights, for data that are counts and
// not texts, such as those of the LSHTC challenges, for which [CSS16, section 8.3] uses BM25. Text
// has the same settings. The zero value is that of TFIDF: LogTFIDF in vectors of unit length.
type Weighing struct {
	// Weight is LogTFIDF, PlainTFIDF, BM25, Counts, LogCounts or Binary.
	Weight TermWeight `json:",omitzero"`
	// K1 and B are parameters of BM25. The default values are 1.2 and 0.75; a negative number is 0.
	K1 float64 `json:",omitzero"`
	B  float64 `json:",omitzero"`
	// Norm is UnitLength, UnitSum or NoNorm.
	Norm RowNorm `json:",omitzero"`
	// SmoothIDF uses ln((1 + N) / (1 + df)) + 1 in place of ln(N / df) in LogTFIDF and PlainTFIDF,
	// as if one more document had every term once, plus 1. This is scikit-learn's smooth_idf, its
	// default; with PlainTFIDF the weights are those of its TfidfVectorizer. A term in all
	// documents has the factor 1, and a term in none the largest.
	SmoothIDF bool `json:",omitzero"`
}

// Weigher turns counts into weights by the document frequencies of its training data. It is safe
// for concurrent use.
type Weigher struct {
	settings Weighing
	k1, b    float64
	// the number of training documents of each column, or nil if nothing was counted
	columns     occurring // with frequencies; no document has others
	frequencies []int32
	idf         []float64 // derived from it
	none        float64   // and of columns that no document has
	documents   int       // that were counted
	length      float64   // terms of a training document, on average
}

// weigher checks the settings and returns a weigher that saw no documents.
func (s Weighing) weigher() (Weigher, error) {
	if _, err := s.Weight.MarshalText(); err != nil {
		return Weigher{}, err
	}
	if _, err := s.Norm.MarshalText(); err != nil {
		return Weigher{}, err
	}
	if math.IsNaN(s.K1) || math.IsInf(s.K1, 0) || math.IsNaN(s.B) || s.B > 1 {
		return Weigher{}, fmt.Errorf("features: K1 is %v and B is %v; K1 must be finite and B at most 1", s.K1, s.B)
	}
	if s.SmoothIDF && !s.Weight.inverse() {
		return Weigher{}, fmt.Errorf("features: SmoothIDF needs a tf-idf weight, and the weight is %v; use LogTFIDF or PlainTFIDF", s.Weight)
	}
	w := Weigher{settings: s, k1: 1.2, b: 0.75}
	if s.K1 != 0 {
		w.k1 = max(s.K1, 0)
	}
	if s.B != 0 {
		w.b = max(s.B, 0)
	}
	return w, nil
}

// Fit counts the training documents that contain each column. It returns an error if there are no
// documents, or if a value is not a count.
func (s Weighing) Fit(train *dataset.Dataset) (*Weigher, error) {
	w, err := s.weigher()
	if err != nil {
		return nil, err
	}
	if train == nil || train.X == nil {
		return nil, errNoData
	}
	if train.Len() == 0 {
		return nil, fmt.Errorf("features: data set %q has no instances to count", train.Name)
	}
	if err := w.check(train.X); err != nil {
		return nil, fmt.Errorf("features: %q: %w", train.Name, err)
	}
	w.documents = train.Len()
	x, of := occurringIn(train.X)
	w.columns, w.frequencies = of, make([]int32, x.Cols)
	total := 0.0
	for k, j := range x.Indices {
		if v := x.Values[k]; v != 0 {
			w.frequencies[j]++
			total += float64(v)
		}
	}
	w.length = total / float64(w.documents)
	w.weigh()
	return &w, nil
}

// weigh sets the values derived from the frequencies.
func (w *Weigher) weigh() {
	if w.columns.columns == nil {
		w.columns.all = len(w.frequencies)
	}
	w.idf, w.none = make([]float64, len(w.frequencies)), w.settings.rarity(0, w.documents)
	for j, df := range w.frequencies {
		w.idf[j] = w.settings.rarity(int(df), w.documents)
	}
}

// rarity returns the factor of the weight that depends on the document frequency alone.
func (s Weighing) rarity(df, documents int) float64 {
	n, f := float64(documents), float64(df)
	switch {
	case s.SmoothIDF:
		return math.Log((1+n)/(1+f)) + 1
	case df == 0: // no training document has it
		return 0
	case s.Weight == BM25:
		return math.Log(1 + (n-f+0.5)/(f+0.5))
	}
	return math.Log(n / f)
}

// frequencyWeight returns the factor of the weight that depends on the count of a term in a
// document with the given number of terms.
func (w *Weigher) frequencyWeight(tf, terms float64) float64 {
	switch w.settings.Weight {
	case LogTFIDF, LogCounts:
		if tf == 1 {
			return 1
		}
		return 1 + math.Log(tf)
	case BM25:
		return tf / (tf + w.k1*(1-w.b+w.b*terms/w.length))
	case Binary:
		return 1
	}
	return tf
}

// check returns an error for the first value that is not a count.
func (w *Weigher) check(x *dataset.Matrix) error {
	logarithm := w.settings.Weight == LogTFIDF || w.settings.Weight == LogCounts
	for i := range x.Rows {
		indices, values := x.Row(i)
		for k, v := range values {
			if !(v >= 0) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("row %d has %v in column %d, which is not a count", i, v, indices[k])
			}
			if logarithm && v > 0 && v < 1 {
				return fmt.Errorf("row %d has %v in column %d, where a count is expected: the weight %v takes its logarithm", i, v, indices[k], w.settings.Weight)
			}
		}
	}
	return nil
}

// Settings returns the settings that it was made with.
func (w *Weigher) Settings() Weighing { return w.settings }

// Transform returns the weighted data. It returns an error if a value is not a count, or if the
// columns differ from the training data. Weights with a document frequency leave out columns that
// no training document has, unless SmoothIDF is set.
func (w *Weigher) Transform(d *dataset.Dataset) (*dataset.Dataset, error) {
	if d == nil {
		return nil, errNoData
	}
	x, err := w.Weigh(d.X)
	if err != nil {
		return nil, fmt.Errorf("features: %q: %w", d.Name, err)
	}
	s := *d
	s.X = x
	return &s, nil
}

// Weigh returns the weighted rows of a matrix, as Transform does for a data set.
func (w *Weigher) Weigh(x *dataset.Matrix) (*dataset.Matrix, error) {
	if x == nil {
		return nil, errNoMatrix
	}
	if x.Cols != w.columns.all {
		return nil, fmt.Errorf("it has %d columns, and the weigher was fitted on %d", x.Cols, w.columns.all)
	}
	if err := w.check(x); err != nil {
		return nil, err
	}
	writer := rowWriter{x: dataset.Matrix{
		Rows: x.Rows, Cols: x.Cols,
		Indptr:  make([]int, 1, x.Rows+1),
		Indices: make([]int32, 0, x.NonZeros()),
		Values:  make([]float32, 0, x.NonZeros()),

		Vocabulary: x.Vocabulary,
	}}
	for i := range x.Rows {
		indices, values := x.Row(i)
		terms := 0.0
		for _, v := range values {
			terms += float64(v)
		}
		row := writer.begin()
		for k, j := range indices {
			if values[k] != 0 {
				row.add(w, j, w.frequencyWeight(float64(values[k]), terms))
			}
		}
		writer.end(w, row)
	}
	return &writer.x, nil
}

// describe describes weights.
func (w *Weigher) describe(what string) string {
	weight := w.settings.Weight.String()
	if w.settings.Weight == LogTFIDF {
		weight = "tf-idf"
	}
	if w.settings.SmoothIDF {
		weight += ", smooth idf,"
	}
	switch {
	case w.documents == 0:
		return fmt.Sprintf("%s of %s", weight, what)
	case w.settings.Weight.counted():
		return fmt.Sprintf("%s of %s, counted in %d documents", weight, what, w.documents)
	}
	return fmt.Sprintf("%s of %s, found in %d documents", weight, what, w.documents)
}

// String describes it.
func (w *Weigher) String() string {
	return w.describe(describe.Count(w.columns.all, "column", "columns"))
}

// HTML is String as a paragraph.
func (w *Weigher) HTML() string {
	return "<div class=\"hierml-weigher\">" + template.HTMLEscapeString(w.String()) + "</div>\n"
}

// keep returns the weigher of some of the columns.
func (w *Weigher) keep(columns []int) Weigher {
	kept := *w
	kept.columns, kept.frequencies = occurring{all: len(columns)}, make([]int32, len(columns))
	for k, j := range columns {
		kept.frequencies[k] = w.frequencies[j]
	}
	kept.weigh()
	return kept
}
