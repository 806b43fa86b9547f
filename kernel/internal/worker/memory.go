package worker

import (
	"fmt"
	"time"

	"github.com/hierml/notebook/internal/machine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// limit returns the bytes of memory that a child may use, 0 for no limit, for a setting of Config.
func limit(memory int64) int64 {
	switch {
	case memory < 0:
		return 0
	case memory > 0:
		return memory
	}
	return machine.Memory() / 5 * 4
}

// DefaultMemory returns the default limit for the memory of cells in bytes, 0 for no limit.
func DefaultMemory() int64 { return limit(0) }

// margin is how far the child may exceed the limit for a moment, so that its cells can be
// interrupted.
func margin(limit int64) int64 { return max(limit/10, 64<<20) }

// watch keeps the memory of the child below the limit, while jobs run or the memory is high. Above
// the limit it interrupts the jobs. Jobs that come after them may free memory, and are interrupted
// only if they use half of the remaining margin. It kills the child if interrupted jobs do not end,
// or at the end of the margin.
func (c *connection) watch() {
	const patience = time.Second
	most := c.memory + margin(c.memory)
	bar := c.memory // above which jobs are interrupted
	stopped := map[*job]time.Time{}
	for {
		used := resident(c.cmd.Process.Pid)
		running := c.running()
		late := false
		for j, since := range stopped {
			switch {
			case !j.ended():
				late = late || time.Since(since) > patience
			case len(stopped) == 1:
				_ = c.send(0, &pipe.Free{}) // can be encoded
				bar = max(bar, used+(most-used)/2)
				fallthrough
			default:
				delete(stopped, j)
			}
		}
		switch {
		case used > most, late && used > c.memory:
			c.kill("out of memory: it used " + c.excess(used))
			return
		case used > bar:
			for _, j := range running {
				if _, again := stopped[j]; !again {
					stopped[j] = time.Now()
					j.cancel(&program.StoppedError{Name: "OutOfMemory", Message: "interrupted: the worker uses " + c.excess(used) + "; variables are kept. Set large ones to nil to free memory"})
				}
			}
		case used < c.memory:
			bar = c.memory
		}
		if len(running) == 0 && used < c.memory/2 && c.endWatch() {
			return
		}
		select {
		case <-c.gone:
			return
		case <-time.After(pause(bar - used)):
		}
	}
}

// endWatch ends the watch unless a job has begun.
func (c *connection) endWatch() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		if !j.ended() {
			return false
		}
	}
	c.watching = false
	return true
}

// pause is how long the watch may sleep: a part of the time that a program takes to fill the
// remaining memory, at some gigabytes per second.
func pause(left int64) time.Duration {
	return min(max(time.Duration(left)/4, 2*time.Millisecond), 50*time.Millisecond)
}

func (c *connection) excess(used int64) string {
	return fmt.Sprintf("%s, more than the limit of %s", size(used), size(c.memory))
}

// size formats a number of bytes.
func size(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
