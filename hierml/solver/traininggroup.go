package solver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/hierml/notebook/hierml/progress"
)

// trainingGroup is a group of trainings that may have the same Checkpoint.
type trainingGroup struct {
	name string

	mu    sync.Mutex
	files map[string]bool
}

type trainingGroupKey struct{}

// TrainingGroup returns a context for several trainings with the same Settings, such as those of a
// grid or of folds. Each training with a Checkpoint has its own file, named after Checkpoint, the
// name of the group and the problem, so trainings of other groups do not continue from it. Call the
// returned function with the error of the whole group. If it is nil, the files are removed;
// otherwise they stay for the next time. A note (package progress) reports a file that cannot be
// removed. Nested groups belong to the outer group.
func TrainingGroup(ctx context.Context, name string) (context.Context, func(err error)) {
	if _, within := ctx.Value(trainingGroupKey{}).(*trainingGroup); within {
		return ctx, func(error) {}
	}
	s := &trainingGroup{name: name, files: make(map[string]bool)}
	return context.WithValue(ctx, trainingGroupKey{}, s), func(err error) {
		if err != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for path := range s.files {
			if failed := os.Remove(path); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
				progress.Note(ctx, fmt.Sprintf("The checkpoint %s is no longer needed, but could not be removed: %v.", path, failed))
			}
		}
	}
}

// pathOf returns the path of the checkpoint of a problem: the given one, or that of one of several
// trainings.
func pathOf(ctx context.Context, path, problem string) string {
	s, ok := ctx.Value(trainingGroupKey{}).(*trainingGroup)
	if !ok {
		return path
	}
	const digits = 8 // bytes
	sum := sha256.Sum256([]byte(s.name + "\x00" + problem))
	path += "-" + hex.EncodeToString(sum[:digits])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = true
	return path
}
