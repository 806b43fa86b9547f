package experiment

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/estimator"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Method is a way to train, with a grid of its settings. One of Estimator and Fit is set.
type Method struct {
	// Name is what tables call it. The default value is the type of the estimator.
	Name string
	// Estimator is an estimator of this library, such as svm.Flat{}, or its name as text or Named, or any value with a
	// method
	//
	//	Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (M, error)
	//
	// whose M is a metric.Scorer, or a function of this form, for which see Version. Its field Settings.Seed, or Seed, gets the seed of a cell unless it is set, and
	// Settings.Workers, or Workers, the number of workers; so have those of an estimator in its field Estimator.
	Estimator any
	// Fit trains in the words of a function, whose grid is in p. See Version.
	Fit func(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset, p Params) (metric.Scorer, error)
	// Grid has the values to try.
	Grid Grid
	// Version stands for what Fit, or the estimator's own Fit, does. Change it when that changes, so that cells that were
	// kept of it are not used.
	Version string
}

func (m *Method) defaultName(i int) string {
	switch e := m.Estimator.(type) {
	case nil:
		return fmt.Sprintf("method %d", i+1)
	case string:
		return e
	case Named:
		return e.Type
	default:
		return fmt.Sprintf("%T", e)
	}
}

// identity is what a method is known by, whatever it is called; own functions are known by their names.
func (m *Method) identity() string {
	if m.Fit != nil {
		return canonical(map[string]any{"Fit": m.Name, "Version": m.Version})
	}
	value := m.Estimator
	if name, ok := value.(string); ok {
		value = Named{Type: name}
	}
	if reflect.ValueOf(value).Kind() == reflect.Func {
		value = []any{"function", m.Name}
	}
	return canonical(map[string]any{"Estimator": []any{value}, "Version": m.Version})
}

// blind tells whether what the method does cannot be seen from its identity.
func (m *Method) blind() bool {
	if m.Fit != nil {
		return true
	}
	switch e := m.Estimator.(type) {
	case string, Named:
		return false
	default:
		t := reflect.TypeOf(e)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		_, known := estimatorTypes()[t.String()]
		d := &describer{seen: make(map[uintptr]bool)}
		d.of(reflect.ValueOf(e))
		return !known || d.blind
	}
}

// check trains nothing: it says whether the method can be set to the points of its grid.
func (m *Method) check() error {
	if (m.Estimator == nil) == (m.Fit == nil) {
		return fmt.Errorf("experiment: method %q needs either an Estimator or a Fit", m.Name)
	}
	points, err := m.Grid.points()
	if err != nil {
		return fmt.Errorf("experiment: method %q: %s", m.Name, strings.TrimPrefix(err.Error(), "experiment: "))
	}
	if m.Fit != nil {
		return nil
	}
	for _, p := range points {
		if _, err := m.fitter(p, 1, 1, nil); err != nil {
			return fmt.Errorf("experiment: method %q: %s", m.Name, strings.TrimPrefix(err.Error(), "experiment: "))
		}
	}
	return nil
}

var errNothing = errors.New("the function Fit returned neither a model nor an error")

// fit trains the method at a point.
func (m *Method) fit(ctx context.Context, d *dataset.Dataset, p point, seed uint64, workers int) (metric.Scorer, error) {
	if m.Fit != nil {
		model, err := m.Fit(ctx, d.Taxonomy, d, Params{Values: p.values(), Seed: seed, Workers: workers})
		if err == nil && model == nil {
			err = errNothing
		}
		return model, err
	}
	fit, err := m.fitter(p, seed, workers, d.Taxonomy)
	if err != nil {
		return nil, err
	}
	model, err := fit(ctx, d.Taxonomy, d)
	if err != nil {
		return nil, err // a model that comes with it is of a training that was stopped
	}
	return model, nil
}

// fitter returns the method Fit of a copy of the estimator at the point. Without a taxonomy, losses by name are not set.
func (m *Method) fitter(p point, seed uint64, workers int, t *taxonomy.Taxonomy) (estimator.Fit, error) {
	value := m.Estimator
	if name, ok := value.(string); ok {
		value = Named{Type: name}
	}
	if named, ok := value.(Named); ok {
		var err error
		if value, err = named.build(t, estimatorTypes()); err != nil {
			return nil, err
		}
	}
	if _, err := estimator.New(value); err != nil { // before what is said of its fields
		return nil, fmt.Errorf("experiment: %w", err)
	}
	given := reflect.ValueOf(value)
	v := reflect.New(given.Type()).Elem()
	v.Set(given)
	if v.Kind() == reflect.Pointer {
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		v.Set(copied)
	}
	for _, s := range p {
		if err := (setter{t: t, build: true}).path(v, s.path, s.value, given.Type().String()); err != nil {
			return nil, err
		}
	}
	setWhere(v, "Seed", reflect.ValueOf(seed), false)
	setWhere(v, "Workers", reflect.ValueOf(workers), true)
	return estimator.New(v.Interface())
}

// setWhere sets the field Settings.NAME or NAME of a struct, and of the struct in its field Estimator, if it has one of the value's
// type; over what is set, only if told.
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
