package cell

import (
	"runtime"
	"sync"
)

// tries is how often a lock is tried before a goroutine is started to wait for it.
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

// Lock is m.Lock. When the cell is stopped first, the lock is not held.
func Lock(m *sync.Mutex) {
	if !m.TryLock() && !try(m.TryLock) {
		host().Apart("", m.Lock, m.Unlock)
	}
}

// LockRW is m.Lock. When the cell is stopped first, the lock is not held.
func LockRW(m *sync.RWMutex) {
	if !m.TryLock() && !try(m.TryLock) {
		host().Apart("", m.Lock, m.Unlock)
	}
}

// RLock is m.RLock. When the cell is stopped first, the lock is not held.
func RLock(m *sync.RWMutex) {
	if !m.TryRLock() && !try(m.TryRLock) {
		host().Apart("", m.RLock, m.RUnlock)
	}
}

// LockAny is l.Lock. When the cell is stopped first, the lock is not held.
func LockAny(l sync.Locker) {
	if t, ok := l.(interface{ TryLock() bool }); ok && (t.TryLock() || try(t.TryLock)) {
		return
	}
	host().Apart("", l.Lock, l.Unlock)
}

// Wait is g.Wait. The stop of the cell ends it.
func Wait(g *sync.WaitGroup) { host().Apart("", g.Wait, func() {}) }

// WaitCond is c.Wait. The stop of the cell ends it as soon as the lock is held again, as deferred
// calls will give it up.
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
