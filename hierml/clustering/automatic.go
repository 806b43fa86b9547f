package clustering

import (
	"context"
	"errors"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/estimator"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Automatic is an estimator that learns the hierarchy from the data it is trained on: it puts the instances under it,
// trains with them, and translates the model back, so that it is judged by the true taxonomy as any other, like the
// perceptrons with an automatic hierarchy in [Cai08, tables 7.23 and 7.24].
type Automatic struct {
	// Estimator trains under the hierarchy: an estimator of this library, such as perceptron.Hierarchical{}, or any
	// value with a method
	//
	//	Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (M, error)
	//
	// whose M is a Scorer, or a function with these parameters and results.
	Estimator any

	// Agglomerative clusters the classes. The default value is that of [Cai08, Algorithm 8].
	Agglomerative Agglomerative

	// CoOccurrence clusters them by the instances that they have in common instead of by centroids.
	CoOccurrence bool

	// Cuts are the levels of the hierarchy. The default value is the cut of [Cai08, Algorithm 8].
	Cuts []Cut
}

// Fit learns a hierarchy, trains with it, and returns the model as one that predicts leaves of t, the taxonomy of d. If
// the estimator returns a model together with an error, as when ctx ends, so does Fit.
func (a Automatic) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, a.Estimator, t, d, a.Hierarchy)
}

// Hierarchy returns the taxonomy that Fit trains with.
func (a Automatic) Hierarchy(ctx context.Context, d *dataset.Dataset) (*taxonomy.Taxonomy, error) {
	cluster := a.Agglomerative.Fit
	if a.CoOccurrence {
		cluster = a.Agglomerative.CoOccurrence
	}
	dendrogram, err := cluster(ctx, d)
	if err != nil {
		return nil, err
	}
	return dendrogram.Taxonomy(a.Cuts...)
}

// Randomized is an estimator that trains under a random hierarchy of the shape of the true one, and whose model is
// judged by the true one, as in [Cai08, tables 7.17 to 7.19].
type Randomized struct {
	// Estimator trains under the hierarchy, as in Automatic.
	Estimator any
	// OneChildEach and Seed are those of Random.
	OneChildEach bool
	Seed         uint64
}

// Fit draws a hierarchy, trains with it, and returns the model as Automatic's Fit does.
func (r Randomized) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, r.Estimator, t, d, func(ctx context.Context, d *dataset.Dataset) (*taxonomy.Taxonomy, error) {
		return Random{OneChildEach: r.OneChildEach, Seed: r.Seed}.Like(ctx, d.Taxonomy)
	})
}

// fitUnder trains under another hierarchy than t.
func fitUnder(ctx context.Context, train any, t *taxonomy.Taxonomy, d *dataset.Dataset, hierarchy func(context.Context, *dataset.Dataset) (*taxonomy.Taxonomy, error)) (*Translated, error) {
	fit, err := estimator.New(train)
	if err != nil {
		return nil, fmt.Errorf("clustering: %w", err)
	}
	if t == nil || d == nil || d.Taxonomy == nil {
		return nil, errors.New("clustering: Fit needs a taxonomy and a dataset")
	}
	other, err := hierarchy(ctx, d)
	if err != nil {
		return nil, err
	}
	under, err := d.Under(other)
	if err != nil {
		return nil, err
	}
	model, err := fit(ctx, other, under)
	if model == nil {
		return nil, err
	}
	translated, wrong := Translate(model, other, t)
	return translated, errors.Join(err, wrong)
}
