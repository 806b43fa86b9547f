//go:build unix

package svm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// Processes of this machine solve a share of the classes each. On a cluster it would be
// farm.Slurm{Options: []string{"--mem=4G"}}, with a directory that its machines share. A training
// that was interrupted goes on there without this process; the same again waits for it.
func ExampleOneVsRest_farm() {
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	c, err := synthetic.TextLike{Levels: []int{2, 6}, Train: 100, Test: 20, Features: 200}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	s := solver.Settings{Farm: farm.Local{}, Directory: filepath.Join(directory, "texts.parts")}
	m, err := svm.OneVsRest{Settings: s}.Fit(context.Background(), c.Train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %v: the gap of all classes is at most %g\n", m.Name, m.Training.Certificate.Status, solver.DefaultGap)
	// Output: one-vs-rest SVM, converged: the gap of all classes is at most 0.001
}
