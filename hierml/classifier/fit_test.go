package classifier_test

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
)

// fit trains on the data's own taxonomy.
func fit(t testing.TB, e svm.Estimator, d *dataset.Dataset) *classifier.Model {
	t.Helper()
	m, err := e.Fit(context.Background(), d.Taxonomy, d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
