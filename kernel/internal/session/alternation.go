package session

import (
	"sync"
	"time"
)

// Front ends need a message for each piece of text that switches the stream, and a tenth of a
// millisecond or more to show it. A cell may switch between standard output and standard error
// alternations times at once, and perSecond times a second in the long run. Beyond that its text
// stays in the current stream, in order.
const (
	alternations = 128
	perSecond    = 100
)

// An alternation decides which stream text goes to. The zero value is for a new cell.
type alternation struct {
	mu   sync.Mutex
	last string    // the stream of the text before
	used float64   // of the alternations
	at   time.Time // when they were counted
	told bool
}

// stream returns the stream for text that was written to the named one, and whether it differs from
// that for the first time.
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
