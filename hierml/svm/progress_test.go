package svm_test

import (
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// A training that has reached what ends it has told that all is done: the gap that it was asked
// for or, of a training that is not one of several parts, the number of epochs.
func TestProgressDone(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 60, 80, 10, 1)
	for name, ends := range map[string]solver.Settings{"gap": {Gap: 0.2}, "smaller gap": {Gap: 0.01}, "epochs": {Gap: 1e-12, MaxEpochs: 3}} {
		var told []solver.Progress
		ends.Progress = func(p solver.Progress) error {
			told = append(told, p)
			return nil
		}
		for _, e := range []classifier.Estimator{
			svm.Flat{Settings: ends}, svm.Normalized{Settings: ends}, svm.Shared{Settings: ends}, svm.Orthogonal{Settings: ends},
			svm.OneVsRest{Settings: ends}, svm.HierarchicalSoftmax{Settings: ends}, svm.HR{Settings: ends}, svm.Recursive{Settings: ends},
		} {
			told = nil
			m := fit(t, e, d)
			if len(told) == 0 {
				t.Fatalf("%s of %s: nothing told", name, m.Name)
			}
			before := 0.0
			for _, p := range told {
				if !(p.Done() >= 0 && p.Done() <= 1) {
					t.Errorf("%s of %s: %v done", name, m.Name, p.Done())
				}
				before = max(before, p.Done())
			}
			// A shared SVM computes the bound that ends its training after the last epoch.
			_, shared := e.(svm.Shared)
			if status := m.Training.Certificate.Status; status == solver.Converged && !shared && told[len(told)-1].Done() != 1 {
				t.Errorf("%s of %s: converged with %v done, %v", name, m.Name, told[len(told)-1].Done(), told[len(told)-1])
			} else if _, whole := e.(svm.Flat); whole && status == solver.MaxEpochs && before < 1 {
				t.Errorf("%s of %s: after the last epoch %v is done", name, m.Name, before)
			}
		}
	}
}
