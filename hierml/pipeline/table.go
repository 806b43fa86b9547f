package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rows returns the features of the rows of a table that the model scores, one row each. A pipeline
// of texts uses the only column of kind text. It returns an error if the table lacks a column, or
// has one of another kind: read it with files.Table{Like: p.Fields()}.
func (p *Pipeline) Rows(ctx context.Context, t *dataset.Table) (*dataset.Matrix, error) {
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("pipeline: the table is nil")
	}
	var x *dataset.Matrix
	if p.Columns != nil {
		x, err = p.Columns.Matrix(ctx, t)
	} else {
		x, err = p.texts(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	return p.stepped(s, x)
}

// texts returns the vectors of the texts of a table.
func (p *Pipeline) texts(ctx context.Context, t *dataset.Table) (*dataset.Matrix, error) {
	var names []string
	for k := range t.Columns {
		if c := &t.Columns[k]; c.Kind == dataset.Text && c.Role == dataset.Feature {
			names = append(names, c.Name)
		}
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("pipeline: the pipeline is for texts, and table %q has %d columns of kind text (%s); use a table with exactly one", t.Name, len(names), strings.Join(names, ", "))
	}
	texts, err := t.Corpus(names[0])
	if err != nil {
		return nil, err
	}
	d, err := p.Vectorizer.TransformContext(ctx, texts)
	if err != nil {
		return nil, err
	}
	return d.X, nil
}

// Fields returns the columns that the pipeline uses of a table, without values, for
// files.Table.Like. A pipeline of texts uses one called text.
func (p *Pipeline) Fields() []dataset.Column {
	if p.Columns == nil {
		return []dataset.Column{{Name: "text", Kind: dataset.Text}}
	}
	return p.Columns.Fields()
}

// PredictTable returns a table with the predictions for the rows of another table. Its columns are
// the one with the role ID, or the numbers of the rows from 1; the label; the nodes on the path to
// it; its probability, or its score in a model without probabilities; and the label and the number
// of the k-1 next best. Scores are those of Rank. Labels are those of the data, and the first is
// that of the model's rule. For a model of several labels per row there is a column labels with the
// result of Sets; for NodeSets and Forest it replaces the others. With a Decision, labels has its
// decisions, and the column expected has the values that Decide returns. If the features of a row
// are all zero, there is a column note with "nothing known" for it.
func (p *Pipeline) PredictTable(ctx context.Context, t *dataset.Table, k int) (*dataset.Table, error) {
	if k < 1 {
		return nil, fmt.Errorf("pipeline: %d labels requested; k must be at least 1", k)
	}
	x, err := p.Rows(ctx, t)
	if err != nil {
		return nil, err
	}
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	answers, err := p.answers(ctx, s, t, x, k)
	if err != nil {
		return nil, err
	}
	unknown := 0
	note := dataset.Words("note", make([]string, x.Rows)...)
	for i := range x.Rows {
		if x.Indptr[i] == x.Indptr[i+1] {
			note.Words[i] = "nothing known"
			unknown++
		}
	}
	if unknown > 0 {
		answers.Columns = append(answers.Columns, note)
		progress.Note(ctx, fmt.Sprintf("%s: %d of %d rows have no feature that the model knows; their labels are meaningless", t.Name, unknown, x.Rows))
	}
	return answers, nil
}

// answers returns the table of PredictTable without a note.
func (p *Pipeline) answers(ctx context.Context, s *scorer, t *dataset.Table, x *dataset.Matrix, k int) (*dataset.Table, error) {
	answers := &dataset.Table{Name: "predicted of " + t.Name, Columns: []dataset.Column{rowNames(t)}}
	var probabilities *mat.Dense
	if s.model != nil {
		ranked, err := p.rank(s, x, k)
		if err != nil {
			return nil, err
		}
		figure := "score"
		if probabilities, err = p.probabilities(s, x); err == nil && x.Rows > 0 {
			figure = "probability"
			for i := range ranked {
				for y := range ranked[i] {
					ranked[i][y].Score = probabilities.At(i, s.taxonomy.LeafIndex(ranked[i][y].Node))
				}
			}
		}
		answers = answerTable(s.taxonomy, t, ranked, k, figure)
	}
	var sets [][]int
	var expected []float64
	var err error
	if p.Decision != nil {
		sets, expected, err = p.decide(ctx, s, x)
	} else {
		sets, err = p.sets(s, x, func() (*mat.Dense, error) { return probabilities, nil })
	}
	if err != nil {
		return nil, err
	}
	if sets != nil {
		column := dataset.Column{Name: "labels", Kind: dataset.Set}
		for _, set := range sets {
			column.Sets = append(column.Sets, s.taxonomy.NamesOf(set...))
		}
		answers.Columns = append(answers.Columns, column)
	}
	if p.Decision != nil {
		answers.Columns = append(answers.Columns, dataset.Numbers("expected", expected...))
	}
	return answers, nil
}

// Decide returns, for each row of a table, the decision of Decision and its expected value; see
// decision.Rule. It returns an error if Decision is nil.
func (p *Pipeline) Decide(ctx context.Context, t *dataset.Table) (sets [][]int, values []float64, err error) {
	if p.Decision == nil {
		return nil, nil, fmt.Errorf("pipeline: there is no rule; set Decision, for example to decision.LeastLoss{}")
	}
	x, err := p.Rows(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.scorer()
	if err != nil {
		return nil, nil, err
	}
	return p.decide(ctx, s, x)
}

func (p *Pipeline) decide(ctx context.Context, s *scorer, x *dataset.Matrix) ([][]int, []float64, error) {
	probabilities, err := p.probabilities(s, x)
	if err != nil {
		return nil, nil, fmt.Errorf("pipeline: %w", err)
	}
	sets, values, err := p.Decision.Decide(ctx, s.taxonomy, probabilities)
	if err != nil {
		return nil, nil, fmt.Errorf("pipeline: %w", err)
	}
	return sets, values, nil
}

// Sets returns, for each row of a table, the set of its labels, leaves of Taxonomy in ascending
// order: with a Decision, the nodes of Decide; for NodeSets and Forest, the result of their
// Predict, whose nodes need not be leaves; for Calibrated that learned from several labels per
// instance, those with a probability of at least one half, or the most probable one if there are
// none; for a model whose rule is classifier.BestSet, ClosedSet, TopDown or BottomUp, its predicted
// set. It returns an error for other models.
func (p *Pipeline) Sets(ctx context.Context, t *dataset.Table) ([][]int, error) {
	x, err := p.Rows(ctx, t)
	if err != nil {
		return nil, err
	}
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	if p.Decision != nil {
		sets, _, err := p.decide(ctx, s, x)
		return sets, err
	}
	sets, err := p.sets(s, x, func() (*mat.Dense, error) { return p.probabilities(s, x) })
	if err == nil && sets == nil {
		err = fmt.Errorf("pipeline: the model predicts one label; use svm.Calibrate with instances that have several")
	}
	return sets, err
}

// sets returns the sets, or nil for models of one label. It asks for the probabilities of the
// leaves, which are those of Calibrated, only where sets are made of them.
func (p *Pipeline) sets(s *scorer, x *dataset.Matrix, leaves func() (*mat.Dense, error)) ([][]int, error) {
	switch {
	case p.NodeSets != nil:
		return p.NodeSets.Predict(x), nil
	case p.Forest != nil:
		return p.Forest.Predict(x), nil
	case slices.Contains([]classifier.Rule{classifier.BestSet, classifier.ClosedSet, classifier.TopDown, classifier.BottomUp}, s.model.Rule):
		if p.Translated != nil {
			return p.Translated.Decide(x, p.Translated.LeafScores(x))
		}
		return s.model.Decide(x, s.model.LeafScores(x))
	}
	if p.Calibrated == nil || p.Calibrated.OneLabel() || x.Rows == 0 {
		return nil, nil
	}
	probabilities, err := leaves()
	if err != nil {
		return nil, err
	}
	return p.Calibrated.Sets(probabilities), nil
}

// answerTable returns the table of the k best labels of each row.
func answerTable(g *taxonomy.Taxonomy, t *dataset.Table, ranked [][]classifier.Ranked, k int, figure string) *dataset.Table {
	label, way := dataset.Words("label"), dataset.Words("path")
	figures := make([]dataset.Column, k)
	next := make([]dataset.Column, k) // the first is label
	for y := range k {
		figures[y] = dataset.Numbers(figure)
		if y > 0 {
			next[y], figures[y].Name = dataset.Words(fmt.Sprint("label ", y+1)), fmt.Sprint(figure, " ", y+1)
		}
	}
	for _, best := range ranked {
		label.Words = append(label.Words, best[0].Name)
		way.Words = append(way.Words, shortPath(path(g, best[0].Node)))
		for y := range k {
			name, score := "", math.NaN()
			if y < len(best) {
				name, score = best[y].Name, best[y].Score
			}
			next[y].Words, figures[y].Numbers = append(next[y].Words, name), append(figures[y].Numbers, score)
		}
	}
	columns := []dataset.Column{rowNames(t), label, way, figures[0]}
	for y := 1; y < k; y++ {
		columns = append(columns, next[y], figures[y])
	}
	return &dataset.Table{Name: "predicted of " + t.Name, Columns: columns}
}

// rowNames returns the column that names the rows, or one of their numbers.
func rowNames(t *dataset.Table) dataset.Column {
	for k := range t.Columns {
		if c := t.Columns[k]; c.Role == dataset.ID {
			if c.Name == "label" || c.Name == "path" {
				c.Name = "id"
			}
			return c
		}
	}
	numbers := dataset.Numbers("row")
	for i := range t.Len() {
		numbers.Numbers = append(numbers.Numbers, float64(i+1))
	}
	return numbers
}
