// Package estimator takes any value that trains as an estimator, whatever the type of its models: Go has no
// interface for methods whose results only implement one.
package estimator

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Scorer is a trained model.
type Scorer interface {
	LeafScores(x *dataset.Matrix) *mat.Dense
}

// Fit trains. A model that is nil comes with an error.
type Fit func(context.Context, *taxonomy.Taxonomy, *dataset.Dataset) (Scorer, error)

var (
	contextType  = reflect.TypeFor[context.Context]()
	taxonomyType = reflect.TypeFor[*taxonomy.Taxonomy]()
	datasetType  = reflect.TypeFor[*dataset.Dataset]()
	scorerType   = reflect.TypeFor[Scorer]()
	errorType    = reflect.TypeFor[error]()
)

// New returns the method Fit of a value, or the function that it is.
func New(value any) (Fit, error) {
	if value == nil {
		return nil, errors.New("there is no estimator to train with")
	}
	v := reflect.ValueOf(value)
	if (v.Kind() == reflect.Func || v.Kind() == reflect.Pointer) && v.IsNil() {
		return nil, fmt.Errorf("the estimator is a %T that is nil", value)
	}
	if v.Kind() != reflect.Func {
		fit := v.MethodByName("Fit")
		if !fit.IsValid() {
			pointer := reflect.New(v.Type())
			pointer.Elem().Set(v)
			fit = pointer.MethodByName("Fit")
		}
		if !fit.IsValid() {
			return nil, fmt.Errorf("the estimator is a %T, which has no method Fit; that of a type that an interpreted cell declares is not seen: give a function that calls it", value)
		}
		v = fit
	}
	f := v.Type()
	if f.IsVariadic() || f.NumIn() != 3 || f.In(0) != contextType || f.In(1) != taxonomyType || f.In(2) != datasetType ||
		f.NumOut() != 2 || !f.Out(0).Implements(scorerType) || f.Out(1) != errorType {
		return nil, fmt.Errorf("the Fit of %T is a %v; it has to be a func(context.Context, *taxonomy.Taxonomy, *dataset.Dataset) (M, error) with an M that has LeafScores, as classifier.Model has", value, f)
	}
	return func(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (Scorer, error) {
		out := v.Call([]reflect.Value{reflect.ValueOf(&ctx).Elem(), reflect.ValueOf(t), reflect.ValueOf(d)})
		err, _ := out[1].Interface().(error)
		if m := out[0]; (m.Kind() == reflect.Pointer || m.Kind() == reflect.Interface) && m.IsNil() {
			if err == nil {
				err = fmt.Errorf("the Fit of %T returned neither a model nor an error", value)
			}
			return nil, err
		}
		return out[0].Interface().(Scorer), err
	}, nil
}
