package experiment

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Method is a training method with a grid of its settings. Set one of Estimator, Named and Fit.
type Method struct {
	// Name is the name in tables. The default value is the type of the estimator.
	Name string
	// Estimator is an estimator of this library, such as svm.Flat{}, or one of your own. Its field
	// Settings.Seed, or Seed, is set to the seed of a cell unless it is already set, and
	// Settings.Workers, or Workers, to the number of workers; so are those of an estimator in its
	// field Estimator.
	Estimator classifier.Estimator
	// Named is an estimator by its name, in the same way: what a study in JSON has as Estimator,
	// and svm.NodeSets, decision.By, the estimators of forest and those of clustering, whose models
	// are of types of their own.
	Named Named
	// Fit is a training function; p has the point of the grid. See Version.
	Fit func(ctx context.Context, d *dataset.Dataset, p Params) (metric.Scorer, error)
	// Grid has the values to try.
	Grid Grid
	// Draws, if not 0, is the number of points drawn at random from the grid instead of trying all:
	// for each setting one of its values, or a number from a Range. With several settings of which
	// only some matter, drawn points find better values than a grid with the same number of points
	// [BB12]. Points are distinct. The points of fewer draws are the first of more draws, so a
	// study can be extended.
	Draws int
	// Version identifies the code of Fit, or of your estimator's Fit. Change it when the code
	// changes, so that saved cells of the old version are not used.
	Version string
}

func (m *Method) defaultName(i int) string {
	switch {
	case m.Named.Type != "":
		return m.Named.Type
	case m.Estimator != nil:
		return fmt.Sprintf("%T", m.Estimator)
	}
	return fmt.Sprintf("method %d", i+1)
}

// estimator is Estimator or Named.
func (m *Method) estimator() any {
	if m.Named.Type != "" {
		return m.Named
	}
	return m.Estimator
}

// identity is what a method is known by, whatever it is called; own functions are known by their
// names.
func (m *Method) identity() string {
	if m.Fit != nil {
		return canonical(map[string]any{"Fit": m.Name, "Version": m.Version})
	}
	return canonical(map[string]any{"Estimator": []any{m.estimator()}, "Version": m.Version})
}

// blind tells whether what the method does cannot be seen from its identity.
func (m *Method) blind() bool {
	if m.Fit != nil {
		return true
	}
	if m.Named.Type != "" {
		return false
	}
	_, known := estimatorTypes()[reflect.Indirect(reflect.ValueOf(m.Estimator)).Type().String()]
	d := &describer{seen: make(map[uintptr]bool)}
	d.of(reflect.ValueOf(m.Estimator))
	return !known || d.blind
}

// check returns an error if the method cannot be set to the points of its grid. It trains nothing.
func (m *Method) check(studySeed uint64) error {
	set := 0
	for _, is := range []bool{m.Estimator != nil, m.Named.Type != "", m.Fit != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("experiment: method %q has %d of Estimator, Named and Fit; set exactly one", m.Name, set)
	}
	points, err := m.points(studySeed)
	if err != nil {
		return fmt.Errorf("experiment: method %q: %s", m.Name, strings.TrimPrefix(err.Error(), "experiment: "))
	}
	if m.Fit != nil {
		return nil
	}
	for _, p := range points {
		if _, err := m.fitter(p.ofMethod(), 1, 1, nil); err != nil {
			return fmt.Errorf("experiment: method %q: %s", m.Name, strings.TrimPrefix(err.Error(), "experiment: "))
		}
	}
	return nil
}

var errNothing = errors.New("neither a model nor an error was returned by Fit")

// fit trains the method at a point. A model that comes with an error is of a training that was
// stopped.
func (m *Method) fit(ctx context.Context, d *dataset.Dataset, p point, seed uint64, workers int) (metric.Scorer, error) {
	if m.Fit != nil {
		model, err := m.Fit(ctx, d, Params{Values: p.values(), Seed: seed, Workers: workers})
		if err == nil && model == nil {
			err = errNothing
		}
		return model, err
	}
	fit, err := m.fitter(p, seed, workers, d.Taxonomy)
	if err != nil {
		return nil, err
	}
	return fit(ctx, d)
}

// fitter returns the method Fit of a copy of the estimator at the point. Without a taxonomy, losses
// by name are not set.
func (m *Method) fitter(p point, seed uint64, workers int, t *taxonomy.Taxonomy) (fitter, error) {
	v, err := m.at(p, t)
	if err != nil {
		return nil, err
	}
	setWhere(v, "Seed", reflect.ValueOf(seed), false)
	setWhere(v, "Workers", reflect.ValueOf(workers), true)
	return fitterOf(v.Interface())
}

// at returns a copy of the estimator, or a pointer to one, with the settings of the point.
func (m *Method) at(p point, t *taxonomy.Taxonomy) (reflect.Value, error) {
	value := m.estimator()
	if named, ok := value.(Named); ok {
		var err error
		if value, err = named.build(t, estimatorTypes()); err != nil {
			return reflect.Value{}, err
		}
	}
	given := reflect.ValueOf(value)
	v := reflect.New(given.Type()).Elem()
	v.Set(given)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return reflect.Value{}, fmt.Errorf("experiment: the estimator is a %T that is nil", value)
		}
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		v.Set(copied)
	}
	for _, s := range p {
		if err := (setter{t: t, build: true}).path(v, s.path, s.value, given.Type().String()); err != nil {
			return reflect.Value{}, err
		}
	}
	return v, nil
}

// fitter is the method Fit of an estimator.
type fitter func(ctx context.Context, d *dataset.Dataset) (metric.Scorer, error)

// fitterOf returns the method Fit of an estimator of estimatorTypes, or of one's own.
func fitterOf(e any) (fitter, error) {
	switch e := e.(type) {
	case classifier.Estimator:
		return scored(e.Fit), nil
	case svm.NodeSets:
		return scored(e.Fit), nil
	case forest.Tree:
		return scored(e.Fit), nil
	case forest.Forest:
		return scored(e.Fit), nil
	case clustering.Automatic:
		return scored(e.Fit), nil
	case clustering.Balanced:
		return scored(e.Fit), nil
	case clustering.Huffman:
		return scored(e.Fit), nil
	case clustering.Randomized:
		return scored(e.Fit), nil
	case decision.By:
		return scored(e.Fit), nil
	}
	return nil, fmt.Errorf("experiment: a %T is not an estimator that trains a model", e)
}

// scored returns the function with models of any type, and none beside an error.
func scored[M any, P interface {
	*M
	metric.Scorer
}](fit func(context.Context, *dataset.Dataset) (P, error)) fitter {
	return func(ctx context.Context, d *dataset.Dataset) (metric.Scorer, error) {
		model, err := fit(ctx, d)
		if err == nil && model == nil {
			err = errNothing
		}
		if err != nil {
			return nil, err
		}
		return model, nil
	}
}

// setWhere sets the field Settings.NAME or NAME of a struct, and of the struct in its field
// Estimator, if it has one of the value's type; over what is set, only if told.
func setWhere(v reflect.Value, name string, value reflect.Value, over bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for _, holder := range []reflect.Value{v.FieldByName("Settings"), v} {
		if !holder.IsValid() || holder.Kind() != reflect.Struct {
			continue
		}
		if f := holder.FieldByName(name); f.IsValid() && f.CanSet() && f.Type() == value.Type() && (over || f.IsZero()) {
			f.Set(value)
		}
	}
	if inner := v.FieldByName("Estimator"); inner.IsValid() && inner.CanSet() && inner.Kind() == reflect.Interface && !inner.IsNil() && inner.Elem().Kind() == reflect.Struct {
		copied := reflect.New(inner.Elem().Type()).Elem()
		copied.Set(inner.Elem())
		setWhere(copied, name, value, over)
		inner.Set(copied)
	}
}
