package features

import (
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// inParallel calls f for consecutive parts of 0..n-1, each in a goroutine of its own.
func inParallel(n, parts int, f func(part, from, to int)) {
	var wait guarded.Group
	for part := range parts {
		wait.Go(func() { f(part, part*n/parts, (part+1)*n/parts) })
	}
	wait.Wait()
}
