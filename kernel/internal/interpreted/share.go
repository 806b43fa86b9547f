package interpreted

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"time"
)

// A sampler finds out how long calls compute in interpreted code: once they have lasted for a while
// it looks, every now and then, at what goroutines do. That costs the calls next to nothing.
type sampler struct {
	begun       time.Time
	quit, ended chan struct{}
	looks, hits int
}

// The sampler's times: when it looks first, how often then, and how much longer than a look it waits
// for the next. The program stands still while it looks, for a time that grows with its goroutines.
const (
	firstLook = time.Second
	nextLook  = 100 * time.Millisecond
	perLook   = 50
)

// pause returns how long to wait after a look that has taken so long.
func pause(look time.Duration) time.Duration { return max(nextLook, perLook*look) }

// newSampler begins to look.
func newSampler() *sampler {
	s := &sampler{begun: time.Now(), quit: make(chan struct{}), ended: make(chan struct{})}
	go s.look()
	return s
}

func (s *sampler) look() {
	pprof.SetGoroutineLabels(context.Background()) // those of the cell it would have inherited
	defer close(s.ended)
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	var stacks []byte
	for {
		select {
		case <-s.quit:
			return
		case <-timer.C:
		}
		if stacks == nil {
			stacks = make([]byte, 1<<20)
		}
		s.looks++
		began := time.Now()
		if interprets(stacks[:runtime.Stack(stacks, true)]) {
			s.hits++
		}
		timer.Reset(pause(time.Since(began)))
	}
}

// stop ends the looking, and returns how long interpreted code computed.
func (s *sampler) stop() time.Duration {
	close(s.quit)
	<-s.ended
	if s.looks == 0 {
		return 0
	}
	return time.Since(s.begun) * time.Duration(s.hits) / time.Duration(s.looks)
}

// interprets reports whether one of the goroutines, whose stacks these are, computes in the
// interpreter, and not in compiled code that it has called, nor waits.
func interprets(stacks []byte) bool {
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		head, calls, _ := bytes.Cut(stack, []byte("\n"))
		if !bytes.Contains(head, []byte("[runnable")) && !bytes.Contains(head, []byte("[running")) {
			continue
		}
		for line := range bytes.Lines(calls) {
			if line[0] == '\t' || of(line, "runtime.") || of(line, "reflect.") || of(line, "internal/") {
				continue
			}
			if of(line, "github.com/traefik/yaegi/interp.") {
				return true
			}
			break
		}
	}
	return false
}

func of(call []byte, pkg string) bool { return bytes.HasPrefix(call, []byte(pkg)) }
