package clustering

import (
	"context"
	"errors"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Automatic is an estimator that learns the hierarchy from the training data. It puts the instances
// under it, trains, and translates the model back, so that it is evaluated on the true taxonomy
// like any other model, like the perceptrons with an automatic hierarchy in [Cai08, tables 7.23 and
// 7.24].
type Automatic struct {
	// Estimator trains under the hierarchy.
	Estimator classifier.Estimator

	// Agglomerative clusters the classes. The default value is that of [Cai08, Algorithm 8].
	Agglomerative Agglomerative

	// CoOccurrence clusters them by their common instances instead of by centroids.
	CoOccurrence bool

	// Cuts are the levels of the hierarchy. The default value is the cut of [Cai08, Algorithm 8].
	Cuts []Cut
}

// Fit learns a hierarchy, trains with it, and returns the model as one that predicts leaves of the
// taxonomy of d. If the estimator returns a model together with an error, for example because ctx
// was cancelled, so does Fit.
func (a Automatic) Fit(ctx context.Context, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, a.Estimator, d, a.Hierarchy)
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

// Randomized is an estimator that trains under a random hierarchy with the shape of the true one,
// and whose model is evaluated on the true one, as in [Cai08, tables 7.17 to 7.19].
type Randomized struct {
	// Estimator trains under the hierarchy, as in Automatic.
	Estimator classifier.Estimator
	// OneChildEach and Seed are those of Random.
	OneChildEach bool
	Seed         uint64
}

// Fit draws a hierarchy, trains with it, and returns the model as Automatic's Fit does.
func (r Randomized) Fit(ctx context.Context, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, r.Estimator, d, func(ctx context.Context, d *dataset.Dataset) (*taxonomy.Taxonomy, error) {
		return Random{OneChildEach: r.OneChildEach, Seed: r.Seed}.Like(ctx, d.Taxonomy)
	})
}

// fitUnder trains under another hierarchy than that of d.
func fitUnder(ctx context.Context, e classifier.Estimator, d *dataset.Dataset, hierarchy func(context.Context, *dataset.Dataset) (*taxonomy.Taxonomy, error)) (*Translated, error) {
	if e == nil {
		return nil, errors.New("clustering: there is no estimator to train with")
	}
	if d == nil || d.Taxonomy == nil {
		return nil, errors.New("clustering: the dataset is nil or has no taxonomy; Fit needs both")
	}
	other, err := hierarchy(ctx, d)
	if err != nil {
		return nil, err
	}
	under, err := d.Under(other)
	if err != nil {
		return nil, err
	}
	model, err := e.Fit(ctx, under)
	if model == nil {
		return nil, err
	}
	translated, wrong := Translate(model, other, d.Taxonomy)
	return translated, errors.Join(err, wrong)
}
