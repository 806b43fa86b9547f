package svm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

var errStop = errors.New("stop")

// What trains several times keeps a checkpoint of each training: called again after it was stopped
// in the third, it does not do the two before again, goes on with the third, and leaves no file.
func TestSeveralTrainingsKeepTheirCheckpoints(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 150, 100, 10, 1)
	for name, fit := range map[string]func(ctx context.Context, s solver.Settings) error{
		"choosing C": func(ctx context.Context, s solver.Settings) error {
			_, err := svm.Search{Grid: []float64{0.1, 1, 10}}.ChooseC(ctx, svm.Flat{Settings: s}, d)
			return err
		},
		"node sets": func(ctx context.Context, s solver.Settings) error {
			_, err := svm.NodeSets{Method: svm.Hierarchical{Settings: s}, Grid: []float64{0.1, 1}, Folds: 2}.Fit(ctx, d)
			return err
		},
		"calibration in a study": func(ctx context.Context, s solver.Settings) error {
			ctx, ended := solver.TrainingGroup(ctx, "cell")
			_, err := svm.Calibration{Folds: 3}.Fit(ctx, svm.Normalized{Settings: s}, d)
			ended(err)
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		run := func(checkpoint string, stop int) (epochs, trainings int, err error) {
			err = fit(t.Context(), solver.Settings{Gap: 1e-4, Checkpoint: checkpoint, Progress: func(p solver.Progress) error {
				epochs++
				if p.Epoch == 1 {
					trainings++
				}
				if trainings == stop && p.Epoch == 3 {
					return errStop
				}
				return nil
			}})
			return epochs, trainings, err
		}
		whole, trainings, err := run("", 0)
		if err != nil || trainings < 4 {
			t.Fatalf("%s: %d trainings, %v", name, trainings, err)
		}
		first, _, err := run(path, 3)
		if !errors.Is(err, errStop) {
			t.Fatalf("%s: %v", name, err)
		}
		if files, err := filepath.Glob(path + "-*"); err != nil || len(files) != 3 {
			t.Errorf("%s: files %q, %v after three trainings", name, files, err)
		}
		rest, again, err := run(path, 0)
		if err != nil || again != trainings-2 || first+rest > whole*5/4 {
			t.Errorf("%s: %d of %d trainings again, %v; %d epochs, then %d, and %d without a stop", name, again, trainings, err, first, rest, whole)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 0 {
			t.Errorf("%s: %v are left, %v", name, files, err)
		}
	}
}

// Trainings of another whole, of the same problem, do not go on from a file.
func TestCheckpointsOfAnotherWhole(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 50, 10, 1)
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, cell := range []string{"one", "two"} {
		ctx, _ := solver.TrainingGroup(t.Context(), cell) // not ended
		if m, err := (svm.Flat{Settings: solver.Settings{Checkpoint: path}}).Fit(ctx, d); err != nil || m.Training.Certificate.Epochs == 0 {
			t.Errorf("cell %s: %v, %v", cell, m, err)
		}
	}
	if files, err := filepath.Glob(path + "-*"); err != nil || len(files) != 2 {
		t.Errorf("%q, %v", files, err)
	}
}
