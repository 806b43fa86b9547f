//go:build unix

package session

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire/early"
)

// orphanhood returns a channel that is closed when the process that started this kernel is gone.
// Jupyter names itself in JPY_PARENT_PID when the kernel is to end with it; otherwise the channel
// stays open.
func orphanhood(ctx context.Context, starter string) <-chan struct{} {
	orphaned := make(chan struct{})
	parent := early.Parent()
	// Behind a wrapper the parent is another process, whose end says nothing.
	if pid, err := strconv.Atoi(starter); err != nil || pid != parent {
		return orphaned
	}
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for os.Getppid() == parent {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		close(orphaned)
	}()
	return orphaned
}
