package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// A Choice is a method of a study at a point of its grid. It is a classifier.Estimator.
type Choice struct {
	Method, Point string // Point is empty without a grid
	method        Method
	point         point
}

// Best returns the method with the best mean of a measure, to train it on all data. Among sizes,
// the largest counts. The point is the one that was chosen most often or, without an inner split,
// the best one. Its mean flatters it, as it was chosen for that: to report a value, use other data
// or nested choice.
//
// It is an error if the study has several data sets, if no cell has the measure, if the results
// come from Load, which knows no estimators, or if the method is a function.
func (r *Results) Best(measure string) (*Choice, error) {
	if r.ran == nil {
		return nil, errors.New("experiment: loaded results have no estimators; run the study again: it trains only the missing cells")
	}
	columns, err := r.With(measure)
	if err != nil {
		return nil, err
	}
	var best *Row
	var value float64
	rows := columns.Summary().Rows
	for i, row := range rows {
		if row.Data != rows[0].Data {
			return nil, errors.New("experiment: the study has several data sets; to choose a method, run a study of one")
		}
		v := row.Values[0].Mean
		if lower(measure) {
			v = -v
		}
		if math.IsNaN(v) || best != nil && (row.PerClass < best.PerClass || row.PerClass == best.PerClass && v <= value) {
			continue
		}
		best, value = &rows[i], v
	}
	if best == nil {
		return nil, fmt.Errorf("experiment: no finished cell has the measure %s", measure)
	}
	k := slices.IndexFunc(r.ran.Methods, func(m Method) bool { return m.Name == best.Method })
	c := &Choice{Method: best.Method, method: r.ran.Methods[k]}
	if c.method.Fit != nil {
		return nil, fmt.Errorf("experiment: the best method, %q, is a function; call it yourself", c.Method)
	}
	count := make(map[string]int)
	for _, cell := range r.Cells {
		if cell.Error == "" && cell.Method == best.Method && cell.PerClass == best.PerClass && (cell.Chosen || cell.Point == best.Point) {
			if count[cell.Point]++; count[cell.Point] > count[c.Point] {
				c.Point = cell.Point
			}
		}
	}
	points, err := c.method.points(r.ran.Seed)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if p.String() == c.Point {
			c.point = p.ofMethod()
		}
	}
	return c, nil
}

// String names the method and its point.
func (c *Choice) String() string {
	if c.Point == "" {
		return c.Method
	}
	return c.Method + ", " + c.Point
}

// Fit trains the method. It is an error if the method's models are not of type *classifier.Model.
func (c *Choice) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if d == nil {
		return nil, errors.New("experiment: there are no data to train on")
	}
	v, err := c.method.at(c.point, d.Taxonomy)
	if err != nil {
		return nil, err
	}
	e, ok := v.Interface().(classifier.Estimator)
	if !ok {
		return nil, fmt.Errorf("experiment: the models of method %q are not of type *classifier.Model; train a %s yourself", c.Method, v.Type())
	}
	return e.Fit(ctx, d)
}
