package session

import (
	"sync"
	"time"
)

// Front ends take a message for each piece of text that goes to another stream than the piece
// before, and need a tenth of a millisecond or more for it. A cell that alternates between standard
// output and standard error may do so alternations times at once, and perSecond times a second in
// the long run; beyond that its text goes on in the stream that it is in, so that it keeps its
// order.
const (
	alternations = 128
	perSecond    = 100
)

// An alternation decides to which stream text goes. The zero value is that of a new cell.
type alternation struct {
	mu   sync.Mutex
	last string    // the stream of the text before
	used float64   // of the alternations
	at   time.Time // when they were counted
	told bool
}

// stream returns the stream for text that was written to the one of a name, and whether it is
// another one for the first time.
func (a *alternation) stream(name string, now time.Time) (to string, first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name == a.last {
		return name, false
	}
	if a.last != "" {
		a.used = max(0, a.used-perSecond*now.Sub(a.at).Seconds())
		a.at = now
		if a.used+1 > alternations {
			first, a.told = !a.told, true
			return a.last, first
		}
		a.used++
	}
	a.last = name
	return name, false
}
