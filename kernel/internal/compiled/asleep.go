//go:build go1.26 && !go1.27 && (amd64 || arm64)

package compiled

import (
	"strings"
	"sync/atomic"
)

// asleep has the reasons to wait for what another goroutine has to do.
var asleep = [256]bool{
	fromNil: true, toNil: true, noCases: true, selects: true, receiving: true, sending: true,
	condition: true, mutex: true, readLock: true, writeLock: true, group: true,
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
