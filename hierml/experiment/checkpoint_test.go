package experiment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// Each cell of a study keeps a checkpoint of its own and leaves none, and a study that has cells
// without one knows them again with one.
func TestCheckpointsOfCells(t *testing.T) {
	folder := t.TempDir()
	var runs [2]*Results
	for k, path := range []string{"", filepath.Join(folder, "checkpoint")} {
		runs[k] = complete(t, &Study{
			Data:    []Data{{Name: "one", Set: linearTree(t, 60)}},
			Methods: []Method{{Estimator: svm.Flat{Settings: solver.Settings{Gap: 1e-2, Checkpoint: path}}, Grid: Grid{"C": {0.1, 1}}}},
			Split:   Split{Folds: 2}, Inner: Split{HeldOut: 0.4}, Workers: 2,
		})
	}
	for k, c := range runs[1].Cells {
		if c.Error != "" || c.Key != runs[0].Cells[k].Key {
			t.Errorf("cell %s: %q; without a checkpoint it is %s", c.Key, c.Error, runs[0].Cells[k].Key)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("%v are left, %v", files, err)
	}
}
