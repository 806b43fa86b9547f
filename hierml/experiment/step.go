package experiment

import (
	"fmt"
	"reflect"

	"github.com/hierml/notebook/hierml/dataset"
)

// transformer is what a step is after it was fitted.
type transformer interface {
	Transform(d *dataset.Dataset) (*dataset.Dataset, error)
}

// stepOf returns the method Fit of a step of Data.Steps as a function.
func stepOf(step any) (func(train *dataset.Dataset) (func(*dataset.Dataset) (*dataset.Dataset, error), error), error) {
	if name, ok := step.(string); ok {
		step = Named{Type: name}
	}
	if named, ok := step.(Named); ok {
		built, err := named.build(nil, stepTypes())
		if err != nil {
			return nil, err
		}
		step = built
	}
	fit := reflect.ValueOf(step)
	if fit.IsValid() {
		fit = fit.MethodByName("Fit")
	}
	datasetType := reflect.TypeFor[*dataset.Dataset]()
	if !fit.IsValid() || fit.Type().NumIn() != 1 || fit.Type().In(0) != datasetType || fit.Type().NumOut() != 2 || fit.Type().Out(1) != errorType ||
		!fit.Type().Out(0).Implements(reflect.TypeFor[transformer]()) {
		return nil, fmt.Errorf("experiment: %T is no step: it needs a method Fit(*dataset.Dataset) (T, error) whose T has Transform(*dataset.Dataset) (*dataset.Dataset, error)", step)
	}
	return func(train *dataset.Dataset) (func(*dataset.Dataset) (*dataset.Dataset, error), error) {
		out := fit.Call([]reflect.Value{reflect.ValueOf(train)})
		if err, ok := out[1].Interface().(error); ok && err != nil {
			return nil, err
		}
		return out[0].Interface().(transformer).Transform, nil
	}, nil
}
