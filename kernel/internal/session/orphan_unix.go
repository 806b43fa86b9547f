//go:build unix

package session

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire/early"
)

// orphanhood returns a channel that is closed when the process that started this kernel is gone. If
// the kernel should end with Jupyter, Jupyter passes its process id in JPY_PARENT_PID; otherwise
// the channel stays open.
func orphanhood(ctx context.Context, starter string) <-chan struct{} {
	orphaned := make(chan struct{})
	parent := early.Parent()
	// If a wrapper started the kernel, the parent is another process, whose end tells nothing.
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
