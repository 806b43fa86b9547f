package svm_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// Every training whose weights, or kernel values, have no room in the machine is refused by what
// they take.
func TestNoRoomForWeights(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 50, 10, 1) // 6 leaves, 9 nodes
	before := memory.Machine
	t.Cleanup(func() { memory.Machine = before })
	for _, c := range []struct {
		e    classifier.Estimator
		has  int64
		want string
	}{
		{svm.Flat{}, 1000, "solver: the weights of 6 nodes take"},
		{svm.OneVsRest{}, 1000, "solver: the weights of 6 nodes take at least 1.2e-06 GB"},
		{svm.OneVsRest{Loss: solver.Logistic}, 1000, "solver: the weights of 6 nodes take"},
		{svm.OneVsRest{Method: solver.BCFW{}, Settings: solver.Settings{Gap: 1e-6}}, 1000, "take at least 2.4e-06 GB, and the machine has 1e-06 GB; set a Gap of 1e-05 or more"},
		{svm.PLT{}, 1000, "solver: the weights of 9 nodes take"},
		{svm.Recursive{}, 1000, "solver: the weights of"},
		{svm.HierarchicalSoftmax{}, 1000, "solver: the weights of"},
		{svm.HierarchicalSoftmax{Settings: solver.Settings{Workers: 1}}, 2000, "solver: the weights of 3 classes take"}, // of the largest node, which comes first
		{svm.HR{}, 1000, "solver: the weights of 6 tasks take"},
		{svm.Orthogonal{}, 1000, "solver: the weights of 9 nodes take"},
		{svm.Flat{Kernel: gram.Polynomial{Degree: 2}}, 1000, "gram: the kernel values of 60 by 60 instances take at least 2.88e-05 GB"},
		{svm.Flat{Kernel: gram.Polynomial{Degree: 2}}, 29000, "in addition to the 2.88e-05 GB of their data"},
		{svm.Orthogonal{Kernel: gram.Polynomial{Degree: 2}}, 29000, "in addition to the 2.88e-05 GB of their data"},
		{svm.Ridge{}, 1000, "gram: the kernel values of"},
		{svm.HM3{}, 1000, "solver: the weights of"},
		{svm.MaxConstraint{}, 1000, "svm: the dual variables of 60 instances and 9 nodes take"},
		{svm.Shared{}, 1000, "solver: the weights of"},
	} {
		memory.Machine = func() int64 { return c.has }
		m, err := c.e.Fit(t.Context(), d)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "at least") {
			t.Errorf("%T with %d bytes: %v, want %q", c.e, c.has, err, c.want)
		}
		memory.Machine = func() int64 { return 1e6 }
		if _, err := c.e.Fit(t.Context(), d); err != nil {
			t.Errorf("%T with a megabyte: %v", c.e, err)
		}
	}
}
