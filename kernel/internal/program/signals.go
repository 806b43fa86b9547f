package program

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
)

// Signals has the functions of package os/signal for cells. It records the code that waits for
// interrupts. The first interrupt of a cell is then a signal to the program, and does not end it.
type Signals struct {
	mu      sync.Mutex
	waiting map[any]bool // by channels, and contexts of NotifyContext
}

// CellSignals are those of the cells of this process.
var CellSignals Signals

// Wanted reports whether cell code waits for interrupts. Go sends none to a full channel.
func (s *Signals) Wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for who := range s.waiting {
		if c, ok := who.(chan<- os.Signal); !ok || cap(c) == 0 || len(c) < cap(c) {
			return true
		}
	}
	return false
}

func (s *Signals) note(who any, all []os.Signal) {
	if len(all) > 0 && !slices.Contains(all, os.Interrupt) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[any]bool{}
	}
	s.waiting[who] = true
}

func (s *Signals) forget(who any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, who)
}

// forgetAll is for functions that undo the effect of Notify.
func (s *Signals) forgetAll(all []os.Signal) {
	if len(all) > 0 && !slices.Contains(all, os.Interrupt) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.waiting)
}

// Notify is signal.Notify.
func (s *Signals) Notify(c chan<- os.Signal, all ...os.Signal) {
	signal.Notify(c, all...)
	s.note(c, all)
}

// NotifyContext is signal.NotifyContext.
func (s *Signals) NotifyContext(parent context.Context, all ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, all...)
	s.note(ctx, all)
	context.AfterFunc(ctx, func() { s.forget(ctx) })
	return ctx, stop
}

// Stop is signal.Stop.
func (s *Signals) Stop(c chan<- os.Signal) {
	signal.Stop(c)
	s.forget(c)
}

// Ignore is signal.Ignore.
func (s *Signals) Ignore(all ...os.Signal) {
	signal.Ignore(all...)
	s.forgetAll(all)
}

// Reset is signal.Reset.
func (s *Signals) Reset(all ...os.Signal) {
	signal.Reset(all...)
	s.forgetAll(all)
}
