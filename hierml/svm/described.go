package svm

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
)

// Described is an estimator that also learns from the names of the labels. For each leaf it adds a
// training instance with the words of the leaf's name or of a description. Leaves with few
// instances are then predicted more often, and leaves without any can be predicted. A name alone
// rarely suffices; a description of several words helps (bench/testdata/described.json). The
// features must have names, as those of texts have.
//
// A word matches a feature whose name is the word in lower case, or ends with "=" and the word, as
// in tables. The value of the feature is its mean over the instances where it occurs. Each added
// instance has the mean length of the others. Added instances are never used for testing: folds and
// studies add them only to the training part.
type Described struct {
	// Estimator trains.
	Estimator Regularized
	// Descriptions has a text for each leaf, by its name. A leaf without a description gets the
	// words of its name.
	Descriptions map[string]string
	// Weight is the weight of an added instance, relative to the mean of the others. The default
	// value is 1. With any other value, Estimator must support instance weights.
	Weight float64
}

// Fit adds the instances and trains; see [classifier.Estimator].
func (s Described) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if s.Estimator == nil || d == nil || d.Taxonomy == nil {
		return nil, fmt.Errorf("svm: Described needs an Estimator and a dataset with its taxonomy")
	}
	if err := checkRows(d); err != nil {
		return nil, err
	}
	described, err := s.add(ctx, d)
	if err != nil {
		return nil, err
	}
	m, err := s.Estimator.Fit(ctx, described)
	if m != nil {
		m.Name = "described " + m.Name
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s Described) WithC(c float64) Regularized {
	if s.Estimator != nil {
		s.Estimator = s.Estimator.WithC(c)
	}
	return s
}

// add returns the data with an instance for each leaf that has a word among the features.
func (s Described) add(ctx context.Context, d *dataset.Dataset) (*dataset.Dataset, error) {
	t := d.Taxonomy
	if s.Weight == 0 {
		s.Weight = 1
	}
	if !(s.Weight > 0) || math.IsInf(s.Weight, 1) {
		return nil, fmt.Errorf("svm: Weight is %v; it must be finite and above 0", s.Weight)
	}
	if len(d.Vocabulary) != d.X.Cols {
		return nil, fmt.Errorf("svm: the features of dataset %q have no names, so no word of a label can match one; create them from texts with features.Text or features.Columns", d.Name)
	}
	known := make(map[string]bool)
	for _, leaf := range t.Leaves() {
		known[t.LabelName(leaf)] = true
	}
	for name := range s.Descriptions {
		if !known[name] {
			return nil, fmt.Errorf("svm: Descriptions has a text for %q, and no label has that name", name)
		}
	}
	features := make(map[string][]int32) // by word
	for f, name := range d.Vocabulary {
		word := name[strings.LastIndexByte(name, '=')+1:]
		features[word] = append(features[word], int32(f))
	}
	means, length := typical(d.X)
	x := &dataset.Matrix{Rows: d.X.Rows, Cols: d.X.Cols, Indptr: slices.Clone(d.X.Indptr), Indices: slices.Clone(d.X.Indices), Values: slices.Clone(d.X.Values)}
	out := *d
	out.X, out.Labels = x, slices.Clone(d.Labels)
	without := 0
	for _, leaf := range t.Leaves() {
		text, ok := s.Descriptions[t.LabelName(leaf)]
		if !ok {
			text = t.LabelName(leaf)
		}
		row := make(map[int32]float64)
		var square float64
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
			for _, f := range features[word] {
				if means[f] != 0 {
					row[f] += means[f]
				}
			}
		}
		for _, v := range row {
			square += v * v
		}
		if !(square > 0) {
			without++
			continue
		}
		for _, f := range slices.Sorted(maps.Keys(row)) {
			x.Indices, x.Values = append(x.Indices, f), append(x.Values, float32(row[f]*length/math.Sqrt(square)))
		}
		x.Rows++
		x.Indptr = append(x.Indptr, len(x.Values))
		out.Labels = append(out.Labels, []int{leaf})
	}
	if without > 0 {
		progress.Note(ctx, fmt.Sprintf("%d of %d labels have no word among the features, and no instance was added for them; describe them in svm.Described.Descriptions", without, len(t.Leaves())))
	}
	added := x.Rows - d.X.Rows
	if s.Weight != 1 || d.Weights != nil {
		mean := 1.0
		if out.Weights = slices.Repeat([]float64{1}, d.Len()); d.Weights != nil {
			mean = 0
			for i, w := range d.Weights {
				out.Weights[i] = w
				mean += w / float64(d.Len())
			}
		}
		out.Weights = append(out.Weights, slices.Repeat([]float64{s.Weight * mean}, added)...)
	}
	if d.Groups != nil {
		out.Groups = append(slices.Clone(d.Groups), make([]string, added)...)
	}
	return &out, nil
}

// typical returns the mean of each feature's values that are not zero, and the mean length of the
// rows.
func typical(x *dataset.Matrix) (means []float64, length float64) {
	means, counts := make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range x.Rows {
		columns, values := x.Row(i)
		var square float64
		for k, f := range columns {
			v := float64(values[k])
			counts[f]++
			means[f] += (v - means[f]) / counts[f]
			square += v * v
		}
		length += math.Sqrt(square) / float64(x.Rows)
	}
	return means, length
}
