package experiment

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Named is a value of this library by its name, as a study in JSON has it: a method of svm, bayes,
// perceptron, forest, clustering or decision, a generator or a step of dataset. In JSON it is
// "svm.Flat", or {"svm.Flat": {"C": 10}} with fields.
type Named struct {
	// Type is the name of a type as Go has it: svm.Normalized.
	Type string
	// Fields are set, by their names in Go. Where a field is of an interface its value is the name
	// of a type or, of losses, a name of loss.Named, and fields of a type are set as here:
	// {"weighting.Path": {"Directional": true}}.
	Fields map[string]any
}

// build returns a value of the type with its fields set, and without a taxonomy all but those that
// need one.
func (n Named) build(t *taxonomy.Taxonomy, types map[string]reflect.Type) (any, error) {
	kind, ok := types[n.Type]
	if !ok {
		return nil, fmt.Errorf("experiment: nothing is called %q here; there are %s", n.Type, list(types))
	}
	v := reflect.New(kind).Elem()
	if err := (setter{t: t, build: true}).fields(v, n.Fields, n.Type); err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

// Fit trains the method on the instances of d and returns the model, with the type of the method's
// own Fit. Losses are created for the taxonomy of d. Studies train in the same way, but set the
// seed and the workers.
//
// It returns an error if the type or a field does not exist. If ctx is cancelled, it returns that
// error and no model.
func (n Named) Fit(ctx context.Context, d *dataset.Dataset) (metric.Scorer, error) {
	if d == nil {
		return nil, fmt.Errorf("experiment: %s needs data to learn from", n.Type)
	}
	estimator, err := n.build(d.Taxonomy, estimatorTypes())
	if err != nil {
		return nil, err
	}
	fit, err := fitterOf(estimator)
	if err != nil {
		return nil, err
	}
	return fit(ctx, d)
}

func list[V any](names map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func byName(types ...reflect.Type) map[string]reflect.Type {
	m := make(map[string]reflect.Type, len(types))
	for _, t := range types {
		m[t.String()] = t
	}
	return m
}

// estimatorTypes are the methods that a study may name.
var estimatorTypes = sync.OnceValue(func() map[string]reflect.Type {
	return byName(
		reflect.TypeFor[svm.Flat](), reflect.TypeFor[svm.Hierarchical](), reflect.TypeFor[svm.Normalized](),
		reflect.TypeFor[svm.Shared](), reflect.TypeFor[svm.Orthogonal](), reflect.TypeFor[svm.Recursive](),
		reflect.TypeFor[svm.OneVsRest](), reflect.TypeFor[svm.GlobalMargin](), reflect.TypeFor[svm.Transfer](),
		reflect.TypeFor[svm.TreeLoss](), reflect.TypeFor[svm.HR](), reflect.TypeFor[svm.HM3](), reflect.TypeFor[svm.MaxConstraint](), reflect.TypeFor[svm.NodeSets](),
		reflect.TypeFor[svm.PLT](), reflect.TypeFor[svm.HierarchicalSoftmax](), reflect.TypeFor[svm.Ridge](), reflect.TypeFor[svm.LogitAdjusted](), reflect.TypeFor[svm.Balanced](), reflect.TypeFor[svm.Described](),
		reflect.TypeFor[forest.Tree](), reflect.TypeFor[forest.Forest](), reflect.TypeFor[decision.By](),
		reflect.TypeFor[clustering.Automatic](), reflect.TypeFor[clustering.Balanced](), reflect.TypeFor[clustering.Huffman](), reflect.TypeFor[clustering.Randomized](),
		reflect.TypeFor[bayes.Shrinkage](), reflect.TypeFor[bayes.Multinomial](),
		reflect.TypeFor[perceptron.Flat](), reflect.TypeFor[perceptron.Hierarchical](), reflect.TypeFor[perceptron.Hieron](), reflect.TypeFor[perceptron.HRLS](),
	)
})

// generatorTypes are the generators that a study may name.
var generatorTypes = sync.OnceValue(func() map[string]reflect.Type {
	return byName(reflect.TypeFor[synthetic.LinearTree](), reflect.TypeFor[synthetic.Gaussians](), reflect.TypeFor[synthetic.Hyperplanes](), reflect.TypeFor[synthetic.TextLike]())
})

// stepTypes are the steps that a study may name.
var stepTypes = sync.OnceValue(func() map[string]reflect.Type {
	return byName(reflect.TypeFor[features.Scaling](), reflect.TypeFor[features.ChiSquare](), reflect.TypeFor[features.DocumentFrequency](), reflect.TypeFor[features.Weighing]())
})

// fieldTypes are the values that fields of interfaces may have.
var fieldTypes = sync.OnceValue(func() map[string]reflect.Type {
	return byName(
		reflect.TypeFor[weighting.Path](), reflect.TypeFor[weighting.MaxMin](), reflect.TypeFor[weighting.Shared](),
		reflect.TypeFor[solver.BCFW](), reflect.TypeFor[solver.DualAscent](), reflect.TypeFor[solver.Pegasos](),
		reflect.TypeFor[solver.RDA](), reflect.TypeFor[solver.VariableSelection](),
		reflect.TypeFor[farm.Slurm](), reflect.TypeFor[farm.Local](),
		reflect.TypeFor[decision.LeastLoss](), reflect.TypeFor[decision.LargestF](), reflect.TypeFor[decision.TopDown](), reflect.TypeFor[decision.NodeThresholds](), reflect.TypeFor[decision.SetF](),
		reflect.TypeFor[gram.Linear](), reflect.TypeFor[gram.RBF](), reflect.TypeFor[gram.Exponential](), reflect.TypeFor[gram.Polynomial](),
	)
})

// implementing returns the types of fieldTypes and estimatorTypes that implement an interface.
func implementing(i reflect.Type) map[string]reflect.Type {
	found := make(map[string]reflect.Type)
	for _, types := range []map[string]reflect.Type{fieldTypes(), estimatorTypes()} {
		for name, t := range types {
			if t.Implements(i) {
				found[name] = t
			}
		}
	}
	return found
}

// lossNamed returns a loss for a field of an interface of losses, nil without a taxonomy, and false
// for other interfaces.
func lossNamed(i reflect.Type, name string, t *taxonomy.Taxonomy) (value any, err error, ok bool) {
	switch i {
	case reflect.TypeFor[loss.Loss]():
		if t != nil {
			value, err = loss.Named(name, t)
		} else if !slices.Contains(loss.Names(), name) {
			err = fmt.Errorf("no loss is called %q; the names are %s", name, strings.Join(loss.Names(), ", "))
		}
		return value, err, true
	case reflect.TypeFor[loss.SetLoss](), reflect.TypeFor[loss.Decomposing]():
		if t != nil {
			value, err = loss.NamedSet(name, t)
		} else if !slices.Contains(loss.SetNames(), name) {
			err = fmt.Errorf("no loss of sets is called %q; the names are %s", name, strings.Join(loss.SetNames(), ", "))
		}
		if value != nil && !reflect.TypeOf(value).Implements(i) {
			err = fmt.Errorf("the loss of sets %q is not a sum over nodes, and this field needs one", name)
		}
		return value, err, true
	}
	return nil, nil, false
}
