package estimator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/estimator"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type model struct{}

func (*model) LeafScores(*dataset.Matrix) *mat.Dense { return nil }

// learner returns a model, an error, or both, or neither.
type learner struct {
	trains bool
	err    error
}

func (l learner) Fit(context.Context, *taxonomy.Taxonomy, *dataset.Dataset) (*model, error) {
	if l.trains {
		return new(model), l.err
	}
	return nil, l.err
}

// byPointer has its method at a pointer.
type byPointer struct{ learner learner }

func (p *byPointer) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*model, error) {
	return p.learner.Fit(ctx, t, d)
}

func TestFit(t *testing.T) {
	stopped := errors.New("stopped")
	for name, c := range map[string]struct {
		value  any
		trains bool
		says   string
	}{
		"value":              {learner{trains: true}, true, ""},
		"pointer":            {&byPointer{learner{trains: true}}, true, ""},
		"value of a pointer": {byPointer{learner{trains: true}}, true, ""},
		"function":           {learner{trains: true}.Fit, true, ""},
		"model and error":    {learner{true, stopped}, true, "stopped"},
		"error":              {learner{false, stopped}, false, "stopped"},
		"neither":            {learner{}, false, "neither a model nor an error"},
	} {
		fit, err := estimator.New(c.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m, err := fit(context.Background(), nil, nil)
		if (m != nil) != c.trains || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: model %v, error %v", name, m, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		says  string
	}{
		"nothing":      {nil, "no estimator"},
		"nil function": {(func())(nil), "that is nil"},
		"nil pointer":  {(*byPointer)(nil), "that is nil"},
		"a number":     {3, "no method Fit"},
		"other form":   {func() error { return nil }, "it has to be a func"},
		"no scores":    {func(context.Context, *taxonomy.Taxonomy, *dataset.Dataset) (int, error) { return 0, nil }, "LeafScores"},
	} {
		if fit, err := estimator.New(c.value); fit != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
