package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
)

// cell runs a job whose inner ones are done.
func (r *run) cell(ctx context.Context, j *job, workers int) *Cell {
	c := r.describe(j)
	at := j.point
	if j.chooses() {
		var err error
		if at, err = r.choose(j); err != nil {
			c.Error = err.Error()
			return c
		}
		c.Chosen = true
		c.Point, c.Settings = at.String(), shown(at)
	}
	c.Seed, c.Program = j.seed(r.plan, at), program()
	if err := guard(func() error { return r.train(ctx, j, at, workers, c) }); err != nil {
		c.Error, c.Values, c.Instances = err.Error(), nil, nil
	}
	return c
}

// describe returns the cell of a job without its outcome.
func (r *run) describe(j *job) *Cell {
	return &Cell{
		Key: j.key, Data: r.data[j.data].Name, Method: r.study.Methods[j.method].Name, Point: j.point.String(), Settings: shown(j.point),
		PerClass: j.perClass, Repeat: j.repeat, Fold: j.fold, Inner: j.place.inner,
	}
}

// shown returns the settings of a point as tables have them.
func shown(p point) map[string]any {
	if len(p) == 0 {
		return nil
	}
	values := make(map[string]any, len(p))
	for _, s := range p {
		values[s.path] = s.text
		if f, ok := float(s.value); ok {
			values[s.path] = f
		} else if b, ok := s.value.(bool); ok {
			values[s.path] = b
		}
	}
	return values
}

// train trains and evaluates.
func (r *run) train(ctx context.Context, j *job, at point, workers int, c *Cell) error {
	p, err := r.parts.of(ctx, j, at)
	if err != nil {
		return err
	}
	c.Train, c.Test = p.train.Len(), p.test.Len()
	c.Features, c.Nodes, c.Leaves = p.train.X.Cols, p.train.Taxonomy.Len(), len(p.train.Taxonomy.Leaves())
	c.Equal, c.EqualExample = p.equals.rows, p.equals.example
	ctx, ended := solver.TrainingGroup(ctx, j.key)
	begun := time.Now()
	model, err := r.study.Methods[j.method].fit(ctx, p.train, at.ofMethod(), c.Seed, workers)
	ended(err)
	if err != nil {
		return err
	}
	c.Seconds = time.Since(begun).Seconds()
	if m, ok := model.(*classifier.Model); ok && m.Training.Certificate != nil {
		c.LearnedLittle = m.Training.Certificate.LearnedLittle()
		if m.Training.Status != solver.Converged {
			c.Note = fmt.Sprintf("training %s at a gap of %.2g", m.Training.Status, m.Training.Certificate.Gap)
		}
	}
	c.Weighted = p.test.Weights != nil
	report, err := metric.Settings{Weights: p.test.Weights}.Evaluate(ctx, model, p.test)
	if err != nil {
		return err
	}
	c.Values = make(map[string]float64)
	for _, m := range report.Measures() {
		c.Values[m.Name], _ = report.Value(m.Name)
	}
	if j.place.inner == 0 && r.keepsInstances(j.data) && !c.Weighted { // comparisons are of equal instances
		r.keepInstances(c, report, p)
	}
	return nil
}

// keepInstances keeps the values of instances that the methods are compared by.
func (p *plan) keepInstances(c *Cell, report *metric.Report, of part) {
	single := p.study.single()
	first, sample := 0, []int(nil)
	if !single {
		c.Pool, c.GivenTest = of.all, of.given > 0
		if c.GivenTest {
			c.Pool, first = of.given, of.given
		}
		sample = sampled(of.all - first)
		for i := range sample {
			sample[i] += first
		}
	}
	c.Instances = make(map[string][]float64)
	for _, name := range p.study.Measures {
		values := report.PerInstance(name)
		switch {
		case values == nil:
		case single:
			c.Instances[name] = values
		case len(values) == len(of.tested): // else a function of the user's has left some out
			c.Instances[name] = ofDraw(values, of.tested, sample)
		}
	}
}

// choose returns the point whose inner cells are best, by the mean. Points of which one failed are
// not chosen.
func (r *run) choose(j *job) (point, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lower := lower(r.study.Select)
	var best point
	value := math.NaN()
	reason := errors.New(r.study.Select + " is not defined on the instances for testing")
	rounds := max(r.study.Inner.rounds(), 1)
	for first := 0; first < len(j.inner); first += rounds {
		sum := 0.0
		for _, inner := range j.inner[first : first+rounds] {
			c := r.kept.cells[inner.key]
			switch {
			case c == nil:
				return nil, errors.New("experiment: a cell of the inner split is missing")
			case c.Error != "":
				reason = errors.New(c.Error)
				sum = math.NaN()
			default:
				v, ok := c.Values[r.study.Select]
				if !ok {
					reason, v = fmt.Errorf("%s has no %s", c.Method, r.study.Select), math.NaN()
				}
				sum += v
			}
		}
		mean := sum / float64(rounds)
		if math.IsNaN(mean) {
			continue
		}
		if math.IsNaN(value) || lower && mean < value || !lower && mean > value {
			best, value = j.inner[first].point, mean
		}
	}
	if math.IsNaN(value) {
		return nil, fmt.Errorf("no point of the grid can be chosen: %w", reason)
	}
	return best, nil
}
