package conformal

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Report has measures of sets.
type Report struct {
	Instances int
	// Covered is the share of the instances whose set contains their label, and Low to High is its
	// 95 % confidence interval (metric.ShareInterval).
	Covered, Low, High float64
	// Leaves is the mean number of labels of a set, One the share of sets with one label, and
	// Rejected the share of sets that are too large to be an answer.
	Leaves, One, Rejected float64
	// Right is the share of sets with the label among the sets that are answers; NaN if there are
	// none.
	Right float64
	// Least is the smallest coverage of a class with at least ten instances, LeastOf is its number
	// of instances, and LeastClass its name; "" if no class has as many.
	Least      float64
	LeastOf    int
	LeastClass string
}

// Evaluate measures sets on instances that neither the model nor the predictor has seen.
func (p *Predictor) Evaluate(ctx context.Context, d *dataset.Dataset) (*Report, error) {
	labels, err := single(d)
	if err != nil {
		return nil, err
	}
	sets, err := p.Predict(ctx, d.X)
	if err != nil {
		return nil, err
	}
	return p.Measure(sets, labels)
}

// Measure measures the sets of instances with these labels, which are leaves.
func (p *Predictor) Measure(sets []Set, labels []int) (*Report, error) {
	if p.Taxonomy == nil {
		return nil, taxonomy.ErrNone
	}
	if len(sets) != len(labels) || len(sets) == 0 {
		return nil, fmt.Errorf("conformal: %d sets for %d labels; give at least one set, and one label for each", len(sets), len(labels))
	}
	const enough = 10
	r := &Report{Instances: len(sets), Least: 2}
	answers := 0.0
	of, covered := make(map[int]int), make(map[int]int)
	for i, s := range sets {
		if n := labels[i]; n < 0 || n >= p.Taxonomy.Len() || !p.Taxonomy.IsLeaf(n) {
			return nil, fmt.Errorf("conformal: instance %d has label %d, which is no leaf", i, n)
		}
		if len(s.Leaves) == 0 {
			return nil, fmt.Errorf("conformal: the set of instance %d is empty; a set needs at least one label", i)
		}
		_, in := slices.BinarySearch(s.Leaves, labels[i])
		of[labels[i]]++
		if in {
			r.Covered++
			covered[labels[i]]++
		}
		r.Leaves += float64(len(s.Leaves))
		if len(s.Leaves) == 1 {
			r.One++
		}
		if s.Rejected {
			r.Rejected++
			continue
		}
		answers++
		if in {
			r.Right++
		}
	}
	for _, leaf := range p.Taxonomy.Leaves() {
		if share := float64(covered[leaf]) / float64(of[leaf]); of[leaf] >= enough && share < r.Least {
			r.Least, r.LeastOf, r.LeastClass = share, of[leaf], p.Taxonomy.LabelName(leaf)
		}
	}
	if r.LeastClass == "" {
		r.Least = 0
	}
	share, err := metric.ShareInterval(int(r.Covered), len(sets))
	if err != nil {
		return nil, err
	}
	r.Low, r.High = share.Low, share.High
	n := float64(len(sets))
	r.Right /= answers
	for _, share := range []*float64{&r.Covered, &r.Leaves, &r.One, &r.Rejected} {
		*share /= n
	}
	return r, nil
}

func (r *Report) rows() []describe.Row {
	rows := []describe.Row{
		{Name: "covered", Value: fmt.Sprintf("%.3f (95 %%: %.3f to %.3f)", r.Covered, r.Low, r.High)},
		{Name: "labels of a set", Value: fmt.Sprintf("%.2f on average", r.Leaves)},
		{Name: "sets of one label", Value: fmt.Sprintf("%.3f", r.One)},
		{Name: "rejected", Value: fmt.Sprintf("%.3f", r.Rejected)},
		{Name: "right among the others", Value: fmt.Sprintf("%.3f", r.Right)},
	}
	if r.LeastClass != "" {
		rows = append(rows, describe.Row{Name: "least covered class", Value: fmt.Sprintf("%s: %.3f of %d", r.LeastClass, r.Least, r.LeastOf)})
	}
	return rows
}

func (r *Report) title() string { return fmt.Sprintf("sets of %d instances", r.Instances) }

// String describes the sets in a few lines.
func (r *Report) String() string { return describe.Text(r.title(), r.rows()) }

// HTML describes the sets as a table.
func (r *Report) HTML() string { return describe.HTML(r.title(), r.rows()) }

// expected returns between which two shares the coverage of one threshold is in nine of ten draws
// of the held-out instances: given these, it has a beta distribution [Vov12].
func (p *Predictor) expected() (low, high float64) {
	n := p.held
	k := p.settings.rank(n)
	b := distuv.Beta{Alpha: float64(k), Beta: float64(n + 1 - k)}
	return b.Quantile(0.05), b.Quantile(0.95)
}

// String describes the predictor in a few lines.
func (p *Predictor) String() string { return describe.Text("conformal sets", p.rows()) }

// HTML describes the predictor as a table.
func (p *Predictor) HTML() string {
	html := describe.HTML("conformal sets", p.rows())
	if p.settings.ByClass {
		html += p.thresholds().HTML()
	}
	return html
}

func (p *Predictor) rows() []describe.Row {
	s := p.settings
	if len(p.groups) == 0 {
		return []describe.Row{{Name: "learned from", Value: "nothing: Settings.Learn makes a predictor"}}
	}
	form := "any labels"
	if s.Nodes > 0 {
		form = fmt.Sprintf("all labels below at most %d nodes", s.Nodes)
	}
	if s.Nodes == 1 {
		form = "all labels below one node"
	}
	rows := []describe.Row{{Name: "coverage", Value: fmt.Sprintf("%v", s.Coverage)}, {Name: "a set has", Value: form}}
	if !s.ByClass {
		low, high := p.expected()
		return append(rows, describe.Row{Name: "learned from", Value: fmt.Sprintf("%d held-out instances: with nine of ten such samples, it covers %.3f to %.3f of instances like these that the model has not seen", p.held, low, high)})
	}
	own, without := 0, 0
	for _, g := range p.of {
		switch n := p.groups[g].node; {
		case n < 0:
			without++
		case p.Taxonomy.IsLeaf(n):
			own++
		}
	}
	rows = append(rows, describe.Row{Name: "learned from", Value: fmt.Sprintf("%d held-out instances", p.held)})
	return append(rows, describe.Row{Name: "thresholds", Value: fmt.Sprintf("%d labels have their own, %d share %d with labels nearby, %d have that of all", own, len(p.of)-own-without, len(p.groups)-1-own, without)})
}

// thresholds has a row for each.
func (p *Predictor) thresholds() *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "labels at or below", Head: true}, {Name: "held out", Right: true}, {Name: "threshold", Right: true}}}
	const most = 100
	for k, g := range p.groups {
		if k == most {
			t.Notes = append(t.Notes, fmt.Sprintf("%d more are not shown", len(p.groups)-most))
			break
		}
		name := "all"
		if g.node >= 0 {
			name = p.Taxonomy.LabelName(g.node)
		}
		t.Rows = append(t.Rows, table.Texts(name, strconv.Itoa(g.held), fmt.Sprintf("%.3f", g.threshold)))
	}
	return t
}
