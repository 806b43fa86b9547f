//go:build !js

package zmq

import (
	"sync"

	"github.com/hierml/notebook/kernel/internal/wire/guard"
)

// origins is the set of origins of messages that were signed with the key.
type origins struct {
	mu  sync.RWMutex
	set map[guard.Origin]struct{}
}

// add adds an origin unless it is unknown.
func (o *origins) add(origin guard.Origin) {
	if origin == "" || o.has(origin) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.set == nil {
		o.set = make(map[guard.Origin]struct{})
	}
	o.set[origin] = struct{}{}
}

func (o *origins) has(origin guard.Origin) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, known := o.set[origin]
	return known
}
