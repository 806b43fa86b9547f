package solver

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/internal/machine"
)

// memory is what the machine has.
var memory = machine.Memory

// muchMemory is from how many bytes on the watcher of a training is told what it takes.
const muchMemory = 2e9

// fits returns an error where the weights of a problem cannot have room in the memory of the machine, and tells
// the watcher of ctx of those that take much of it.
func fits(ctx context.Context, o *structured.Oracle, wide bool) error {
	least, about := o.Memory(wide)
	has := memory()
	if has > 0 && least > has {
		advice := "choose features (features.ChiSquare, features.DocumentFrequency), or train part by part (svm.Recursive)"
		if wide {
			advice = fmt.Sprintf("take a Gap of %g or more, for which single precision does, or %s", wideGap, advice)
		}
		return fmt.Errorf("solver: the weights of %d nodes take %s at least, and the machine has %s; %s", len(o.Columns()), gigabytes(least), gigabytes(has), advice)
	}
	if about >= muchMemory {
		text := fmt.Sprintf("The weights of %d nodes will take about %s of memory", len(o.Columns()), gigabytes(about))
		if has > 0 {
			text += fmt.Sprintf("; the machine has %s", gigabytes(has))
		}
		progress.Note(ctx, text+".")
	}
	return nil
}

func gigabytes(n int64) string { return fmt.Sprintf("%.3g GB", float64(n)/1e9) }
