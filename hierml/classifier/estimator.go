package classifier

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
)

// Estimator is a method of learning with its settings: every struct of the packages svm, perceptron
// and bayes whose method Fit returns a Model.
//
// What else trains has a method Fit of its own with the same parameters, because its model is
// another: svm.NodeSets, forest.Tree, forest.Forest, decision.By, and clustering.Automatic,
// Balanced and Randomized.
type Estimator interface {
	// Fit trains on the instances of d, whose labels are nodes of its taxonomy. dataset.Dataset's
	// method Under puts instances under another one.
	//
	// If ctx ends or the progress function returns an error before the training does, Fit returns
	// that error together with the best model so far. If a bound of the settings ends the training
	// there is no error; the model tells. All other errors come without a model.
	Fit(ctx context.Context, d *dataset.Dataset) (*Model, error)
}
