//go:build unix

package solver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

// A checkpoint is neither read nor written through a link, whether the user names it or it is one
// of several, nor where it is no file.
func TestForeignCheckpoint(t *testing.T) {
	template := filepath.Join(t.TempDir(), "a.training")
	if err := os.Mkdir(template, 0o700); err != nil {
		t.Fatal(err)
	}
	train := func(directory string) error {
		_, err := Solve(t.Context(), kept(1, 1), &Settings{Gap: 1e-1, Checkpoint: filepath.Join(directory, "checkpoint")}, nil)
		return err
	}
	one := func(directory string) error {
		ctx, _ := TrainingGroup(t.Context(), "several") // that have not ended
		_, err := Solve(ctx, kept(1, 1), &Settings{Gap: 1e-1, Checkpoint: filepath.Join(directory, "checkpoint")}, nil)
		return err
	}
	if err := errors.Join(train(template), one(template), os.WriteFile(filepath.Join(template, "checkpoint.0123abcd.tmp"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	both := func(directory string) error { return errors.Join(train(directory), one(directory)) }
	testfault.Foreign(t, template, map[string]func(string) error{"training": both}, []string{"training"}, func(kind, path string) bool {
		return kind == "hard link" || strings.HasSuffix(path, ".tmp")
	})
	if err := train(template); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(template); err != nil || len(entries) != 2 {
		t.Errorf("there are %v, %v", entries, err)
	}
}
