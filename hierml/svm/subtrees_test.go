//go:build unix

package svm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// inSubtrees trains on processes of this machine.
func inSubtrees(t *testing.T, s svm.HR, processes int, d *dataset.Dataset) (*classifier.Model, string) {
	t.Helper()
	s.Settings.Farm, s.Settings.Directory = farm.Local{Processes: processes}, filepath.Join(t.TempDir(), "a.parts")
	m, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if n := jobsOf(t, s.Settings.Directory); n != 1 {
		t.Errorf("%d jobs", n)
	}
	again, err := s.Fit(t.Context(), d) // nothing is left to do
	if err != nil {
		t.Fatal(err)
	}
	if bits(t, again) != bits(t, m) || jobsOf(t, s.Settings.Directory) != 1 {
		t.Errorf("the second time %v, before %v", again.Training.Certificate, m.Training.Certificate)
	}
	return m, s.Settings.Directory
}

// partsOf returns the problems of each part of the first job in a directory.
func partsOf(t *testing.T, directory string) [][]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "jobs", "0001-1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var job struct{ Parts [][]int }
	if err := json.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	return job.Parts
}

// checkHRValue holds the certificate against the definition, in which inner nodes are where the value is
// smallest: that is not above what is certified for the weights, nor below the dual.
func checkHRValue(t *testing.T, m *classifier.Model, d *dataset.Dataset, s svm.HR) {
	t.Helper()
	const rounding = 1e-6
	r := m.Training.Certificate
	if v := hrValue(t, m, d, s); v > r.Primal*(1+rounding) || v < r.Dual*(1-rounding) {
		t.Errorf("value by definition %v, certified %v", v, r)
	}
}

// TestHRInSubtrees trains trees of several shapes by processes that go from round to round together: the
// certified value is that of the definition, and differs from that of one process by no more than the gap.
func TestHRInSubtrees(t *testing.T) {
	two, err := taxonomy.New([]string{"a", "b", "c", "d", "e", "f", "g"}, [][2]int{{0, 2}, {0, 3}, {3, 4}, {3, 5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		tree      *taxonomy.Taxonomy
		c         float64
		loss      solver.MarginLoss
		gap       float64
		processes int
	}{
		{"three levels", example.Tree(3, 4, 3), 0.1, solver.Hinge, 1e-3, 3},
		{"little C", example.Tree(3, 4, 3), 0.01, solver.Hinge, 1e-3, 3},
		{"float64", example.Tree(3, 3), 0.02, solver.Hinge, 1e-7, 2},
		{"squared hinge", example.Tree(16), 0.1, solver.SquaredHinge, 1e-3, 4},
		{"logistic", example.Tree(2, 2, 2, 2), 1, solver.Logistic, 1e-3, 3},
		{"more processes than leaves", two, 0.1, solver.Hinge, 1e-3, 9},
		{"forest without a cut", two, 1, solver.Hinge, 1e-3, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := several(test.tree, 120, 30, 5)
			s := svm.HR{C: test.c, Loss: test.loss, Settings: solver.Settings{Gap: test.gap}}
			m, directory := inSubtrees(t, s, test.processes, d)
			r, here := m.Training.Certificate, fit(t, s, d).Training.Certificate
			if r.Gap > test.gap || r.Status != solver.Converged || math.Abs(r.Primal-here.Primal) > test.gap*here.Primal {
				t.Errorf("in subtrees %v, in one process %v", r, here)
			}
			checkHRValue(t, m, d, s)
			if groups := len(partsOf(t, directory)); groups != min(test.processes, len(test.tree.Leaves())) {
				t.Errorf("%d groups", groups)
			}
			if r.Epochs > 60 {
				t.Errorf("%d rounds", r.Epochs)
			}
		})
	}
}

// TestHRInFewRounds ends before the gap is reached, with a certificate of what there is.
func TestHRInFewRounds(t *testing.T) {
	d := several(example.Tree(3, 4, 3), 120, 30, 5)
	s := svm.HR{C: 0.1, Settings: solver.Settings{Gap: 1e-5, MaxEpochs: 2}}
	m, _ := inSubtrees(t, s, 3, d)
	r := m.Training.Certificate
	checkHRValue(t, m, d, s)
	if r.Status != solver.MaxEpochs || r.Epochs != 2 || r.Gap <= 1e-5 || r.Gap >= 1 {
		t.Errorf("certified %v", r)
	}
}

// TestHRInSubtreesLosesProcess has one of the processes killed in the fifth round. All begin anew, and go on
// behind the last round that was whole.
func TestHRInSubtreesLosesProcess(t *testing.T) {
	const round = 5
	death := filepath.Join(t.TempDir(), "death")
	if err := os.WriteFile(death, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(deathOfTest, death)
	t.Setenv(roundOfTest, fmt.Sprint(round))
	d := several(example.Tree(3, 4, 3), 120, 30, 5)
	s := svm.HR{C: 0.01, Settings: solver.Settings{Gap: 1e-4, Farm: farm.Local{Processes: 3}, Directory: filepath.Join(t.TempDir(), "a.parts")}}
	m, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Training.Certificate
	checkHRValue(t, m, d, s)
	if r.Gap > 1e-4 || r.Epochs <= round {
		t.Errorf("certified %v", r)
	}
	if n := jobsOf(t, s.Settings.Directory); n != 2 {
		t.Errorf("%d jobs, want 2", n)
	}
	starts, err := filepath.Glob(filepath.Join(s.Settings.Directory, "rounds", "*", "begun.json"))
	if err != nil || len(starts) != 1 {
		t.Fatalf("starts %v, %v", starts, err)
	}
	text, err := os.ReadFile(starts[0])
	if err != nil {
		t.Fatal(err)
	}
	var begun struct{ Round int }
	if err := json.Unmarshal(text, &begun); err != nil || begun.Round < round-1 || begun.Round > round {
		t.Errorf("the second start goes on behind round %d, %v; one was lost in round %d", begun.Round, err, round)
	}
}

func TestHROnFarmFaults(t *testing.T) {
	set := solver.Settings{Farm: farm.Local{}, Directory: filepath.Join(t.TempDir(), "a.parts")}
	for want, e := range map[string]classifier.Estimator{
		"on a farm HR has no Kernel, Method or Graph":       svm.HR{Kernel: gram.Linear{}, Settings: set},
		"on a farm HR is trained by subtrees, and nodes of": svm.HR{Settings: set},
	} {
		if _, err := e.Fit(t.Context(), several(example.Graph(15, 3), 60, 4, 5)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
