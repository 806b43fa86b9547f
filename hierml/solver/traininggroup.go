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

// trainingGroup are trainings that may have the same Checkpoint.
type trainingGroup struct {
	name string

	mu    sync.Mutex
	files map[string]bool
}

type trainingGroupKey struct{}

// TrainingGroup returns a context for several trainings with the same Settings, such as those of a
// grid or of folds. Each that has a Checkpoint keeps a file of its own, named by Checkpoint, the
// name of the whole and the problem: trainings of other wholes do not go on from it. The function
// that is returned is to be called with the outcome of the whole. Where that is no error it removes
// the files; otherwise they stay for the next time. One that cannot be removed is told of in a note
// (package progress). Within several trainings further ones belong to the same whole.
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
				progress.Note(ctx, fmt.Sprintf("The checkpoint %s is not needed any more, and could not be removed: %v.", path, failed))
			}
		}
	}
}

// pathOf returns the path of the checkpoint of a problem: the one given, or that of one of several
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
