package classifier

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
)

// Estimator is a learning method with its settings: every struct of the packages svm, perceptron
// and bayes whose method Fit returns a Model.
//
// Methods with other models have a method Fit with the same parameters: svm.NodeSets, forest.Tree,
// forest.Forest, decision.By, and clustering.Automatic, Balanced and Randomized.
type Estimator interface {
	// Fit trains on the instances of d, whose labels are nodes of its taxonomy. To use another
	// taxonomy, call dataset.Dataset.Under.
	//
	// If ctx is cancelled or the progress function returns an error during training, Fit returns
	// that error together with the best model so far. If training reaches a bound of the settings,
	// there is no error, and the model says so. With any other error the model is nil.
	Fit(ctx context.Context, d *dataset.Dataset) (*Model, error)
}
