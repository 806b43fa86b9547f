package svm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// A training that was interrupted goes on where it was, in the same process or in another.
func Example_checkpoint() {
	folder, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	c, err := synthetic.TextLike{Seed: 1}.Generate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	train := func(ctx context.Context, interrupt func()) {
		settings := solver.Settings{Checkpoint: filepath.Join(folder, "flat.checkpoint"), Progress: func(p solver.Progress) error {
			if p.Epoch == 3 {
				interrupt()
			}
			return nil
		}}
		m, err := svm.Flat{C: 10, Settings: settings}.Fit(ctx, c.Train)
		fmt.Printf("%v, error: %v\n", m.Training.Status, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	train(ctx, cancel)
	train(context.Background(), func() {})
	// Output:
	// cancelled, error: solver: stopped in epoch 4: context canceled
	// converged, error: <nil>
}

// Of several trainings with the same settings each keeps a checkpoint of its own, until all have
// ended.
func Example_checkpoints() {
	folder, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	c, err := synthetic.TextLike{Seed: 1}.Generate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	files := func() int {
		names, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is right
		return len(names)
	}
	ctx, ended := solver.TrainingGroup(context.Background(), "two methods")
	settings := solver.Settings{Checkpoint: filepath.Join(folder, "checkpoint")}
	_, err = svm.Flat{Settings: settings}.Fit(ctx, c.Train)
	if err == nil {
		_, err = svm.Hierarchical{Settings: settings}.Fit(ctx, c.Train)
	}
	fmt.Println(files(), "files, error:", err)
	ended(err)
	fmt.Println(files(), "files")
	// Output:
	// 2 files, error: <nil>
	// 0 files
}
