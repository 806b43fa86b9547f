package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// Balanced is an estimator that trains with the weights of dataset.Dataset.Balanced. In a study,
// ChooseC and Calibrate, only the training instances get these weights; measures use the weights of
// the data.
type Balanced struct {
	// Estimator trains.
	Estimator Regularized
	// Balance says what has equal weight. By default it is the classes.
	Balance dataset.Balance
}

// Fit sets the weights of the instances and trains; see [classifier.Estimator].
func (s Balanced) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if s.Estimator == nil || d == nil || d.Taxonomy == nil {
		return nil, fmt.Errorf("svm: Balanced needs an Estimator and a dataset with its taxonomy")
	}
	if err := checkRows(d); err != nil {
		return nil, err
	}
	balanced, err := d.Balanced(s.Balance)
	if err != nil {
		return nil, withPackage(err)
	}
	m, err := s.Estimator.Fit(ctx, balanced)
	if m != nil {
		m.Name = "balanced " + m.Name
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s Balanced) WithC(c float64) Regularized {
	if s.Estimator != nil {
		s.Estimator = s.Estimator.WithC(c)
	}
	return s
}
