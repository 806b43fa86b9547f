package classifier_test

import (
	"fmt"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// TestResultsSayWhatTheyAre prints what a cell that ends with them shows.
func TestResultsSayWhatTheyAre(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 60, 50, 10, 1)
	m := fit(t, svm.Hierarchical{}, d)
	beam, err := m.NewBeam(2)
	if err != nil {
		t.Fatal(err)
	}
	linear := calibration.Linear{Coefficients: make([]float64, 6), Intercept: 0.5}
	for want, result := range map[string]any{
		"beam of width 2 of a model, hierarchical SVM":                                  beam,
		"weights of 8 nodes for 50 features in float32":                                 m.Training.Certificate.Weights,
		"attributes of 6 candidates over 9 nodes, 8 of them with weights":               m.Attributes(),
		"scores above a linear function of 6 scores, intercept 0.5":                     calibration.LinearThreshold{Linear: linear},
		"as many of the highest scores as a linear function of 6 scores, intercept 0.5": calibration.LinearSize{Linear: linear},
	} {
		if got := fmt.Sprint(result); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
