package structured

import (
	"sync/atomic"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// chunk is the number of rows a worker takes at a time. It is fixed, so that results that depend on
// chunk borders do not depend on the number of workers.
const chunk = 128

// parallel calls do for every chunk of 0..n-1, on the given number of goroutines numbered from 0.
func parallel(n, workers int, do func(worker, lo, hi int)) {
	workers = min(workers, (n+chunk-1)/chunk)
	if workers <= 1 {
		for lo := 0; lo < n; lo += chunk {
			do(0, lo, min(lo+chunk, n))
		}
		return
	}
	var next atomic.Int64
	var wait guarded.Group
	for worker := range workers {
		wait.Go(func() {
			for {
				lo := int(next.Add(chunk)) - chunk
				if lo >= n {
					return
				}
				do(worker, lo, min(lo+chunk, n))
			}
		})
	}
	wait.Wait()
}
