package cell

import (
	"runtime"
	"sync"
)

// tries is how often to try a lock before starting a goroutine that waits for it.
const tries = 8

func try(lock func() bool) bool {
	for range tries {
		if lock() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// Lock is m.Lock. If the cell is stopped first, the lock is not held.
func Lock(m *sync.Mutex) {
	if !m.TryLock() && !try(m.TryLock) {
		host().Apart("", m.Lock, m.Unlock)
	}
}

// LockRW is m.Lock. If the cell is stopped first, the lock is not held.
func LockRW(m *sync.RWMutex) {
	if !m.TryLock() && !try(m.TryLock) {
		host().Apart("", m.Lock, m.Unlock)
	}
}

// RLock is m.RLock. If the cell is stopped first, the lock is not held.
func RLock(m *sync.RWMutex) {
	if !m.TryRLock() && !try(m.TryRLock) {
		host().Apart("", m.RLock, m.RUnlock)
	}
}

// LockAny is l.Lock. If the cell is stopped first, the lock is not held.
func LockAny(l sync.Locker) {
	if t, ok := l.(interface{ TryLock() bool }); ok && (t.TryLock() || try(t.TryLock)) {
		return
	}
	host().Apart("", l.Lock, l.Unlock)
}

// Wait is g.Wait, and ends when the cell is stopped.
func Wait(g *sync.WaitGroup) { host().Apart("", g.Wait, func() {}) }

// WaitCond is c.Wait. When the cell is stopped, it ends as soon as it holds the lock again, since
// deferred calls will unlock it.
func WaitCond(c *sync.Cond) {
	woken := make(chan struct{})
	left := make(chan struct{})
	go func() {
		c.Wait()
		select {
		case woken <- struct{}{}:
		case <-left:
			c.L.Unlock()
			c.Signal() // it may have been meant for another
		}
	}()
	select {
	case <-woken:
	case <-Done():
		close(left)
		c.L.Lock()
		Stop()
	}
}
