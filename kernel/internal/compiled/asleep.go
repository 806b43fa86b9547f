//go:build go1.26 && !go1.27 && (amd64 || arm64)

package compiled

import (
	"strings"
	"sync/atomic"
)

// asleep are the reasons for which a goroutine waits that another one has to end. The numbers are
// those of runtime2.go; TestAsleep waits for each of them.
var asleep = [256]bool{
	15: true, 16: true, 17: true, // a nil channel to receive from, or to send to; no cases
	18: true, receiving: true, sending: true, // a select statement; a channel
	21: true, 22: true, 23: true, 24: true, 25: true, // a condition, mutex, lock to read or to write, group
}

// asleep reports whether all goroutines that bear labels, as those of cells do, wait for others of
// them, in what the user's code does. There is at least one.
func (c *census) asleep() (all bool) {
	if !c.allSleep((*runtimeG).seemsAsleep) {
		return false
	}
	alone(func() { all = c.allSleep((*runtimeG).sleeps) })
	return all
}

//go:norace
func (c *census) allSleep(sleeps func(*runtimeG) bool) bool {
	found := false
	for _, g := range c.goroutines() {
		if atomic.LoadPointer(&g.labels) == nil {
			continue
		}
		if !sleeps(g) {
			return false
		}
		found = true
	}
	return found
}

// seemsAsleep looks at what changes meanwhile.
//
//go:norace
func (g *runtimeG) seemsAsleep() bool {
	return atomic.LoadUint32(&g.status) == waiting && asleep[g.waitReason]
}

// sleeps reports whether a goroutine waits for others, and not for the channel of a timer, nor in a
// package of this module that waits for the kernel. It is called alone.
//
//go:norace
//go:nocheckptr
func (g *runtimeG) sleeps() bool {
	if !g.seemsAsleep() {
		return false
	}
	for w := g.waiting; w != nil; w = w.waitlink {
		if c := (*runtimeChannel)(w.channel.pointer); c != nil && c.timer != nil {
			return false
		}
	}
	waits := g.operation("sync", "internal/sync", "reflect")
	if waits == "" {
		return false
	}
	own := strings.HasPrefix(waits, module+"/")
	return !own || strings.HasPrefix(waits, packagePath) || strings.HasPrefix(waits, module+"/kernel/internal/interpreted")
}

const module = "github.com/hierml/notebook"
