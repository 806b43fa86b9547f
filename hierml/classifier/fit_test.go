package classifier_test

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// fit trains on the data's own taxonomy.
func fit(t testing.TB, e classifier.Estimator, d *dataset.Dataset) *classifier.Model {
	t.Helper()
	m, err := e.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
