package stdlib

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/stdlib/internal/hierml"
	"gonum.org/v1/gonum/mat"
)

// TestNothingGiven calls all functions of the library, and all methods of settings, that take data,
// a matrix or a taxonomy and return an error, with nil. It is an error, and no panic.
func TestNothingGiven(t *testing.T) {
	data := map[reflect.Type]bool{
		reflect.TypeFor[*dataset.Dataset](): true, reflect.TypeFor[*dataset.Corpus](): true, reflect.TypeFor[*dataset.Matrix](): true,
		reflect.TypeFor[*taxonomy.Taxonomy](): true, reflect.TypeFor[mat.Matrix](): true,
	}
	given := map[reflect.Type]reflect.Value{
		reflect.TypeFor[context.Context](): reflect.ValueOf(t.Context()),
		reflect.TypeFor[io.Writer]():       reflect.ValueOf(io.Discard),
		reflect.TypeFor[io.Reader]():       reflect.ValueOf(strings.NewReader("")),
	}
	called := 0
	try := func(name string, f reflect.Value) {
		in, n := f.Type(), f.Type().NumOut()
		if n == 0 || in.Out(n-1) != reflect.TypeFor[error]() {
			return
		}
		var args []reflect.Value
		takes := false
		for i := range in.NumIn() {
			of := in.In(i)
			takes = takes || data[of]
			arg, ok := given[of]
			switch {
			case in.IsVariadic() && i == in.NumIn()-1:
				continue
			case !ok:
				arg = reflect.Zero(of)
			}
			args = append(args, arg)
		}
		if !takes {
			return
		}
		called++
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s panics: %v", name, r)
			}
		}()
		f.Call(args)
	}
	for _, p := range hierml.Packages {
		for name, v := range p.Symbols() {
			_, constructor := needMore[p.Name+"."+name]
			switch {
			case v.Kind() == reflect.Func && !constructor:
				try(p.Name+"."+name, v)
			case v.Kind() == reflect.Pointer && v.IsNil() && settings(v.Type().Elem()):
				zero := reflect.New(v.Type().Elem())
				for m := range zero.Type().Methods() {
					try(p.Name+"."+name+"."+m.Name, zero.MethodByName(m.Name))
				}
			}
		}
	}
	if called < 50 {
		t.Errorf("%d functions called", called)
	}
}

// needMore are functions for those who write methods: what they are given beside data is part of
// the method.
var needMore = map[string]bool{
	"classifier.NewConstant": true, "classifier.NewKernel": true, "classifier.NewKernelConstant": true, "classifier.FitOccurring": true, "classifier.FitLinear": true, "classifier.FitAll": true,
}

// settings reports whether a type is one of settings, whose zero value is ready.
func settings(of reflect.Type) bool {
	if of.Kind() != reflect.Struct || strings.HasPrefix(of.Name(), "_") || data(of) {
		return false
	}
	for f := range of.Fields() {
		if f.Anonymous || !f.IsExported() {
			return false
		}
	}
	return true
}

// data reports whether a type is one of data, which is no setting.
func data(of reflect.Type) bool {
	return of == reflect.TypeFor[dataset.Dataset]() || of == reflect.TypeFor[dataset.Matrix]() || of == reflect.TypeFor[dataset.Corpus]()
}
