//go:build unix

package worker

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestInterruptedWaits holds that an interrupt ends cells whose goroutines wait for each other, in
// each way there is.
func TestInterruptedWaits(t *testing.T) {
	waits := map[string]string{
		"receive":     "c := make(chan int)\n<-c",
		"send":        "c := make(chan int)\nc <- 1",
		"nil receive": "var c chan int\n<-c",
		"nil send":    "var c chan int\nc <- 1",
		"range":       "c := make(chan int)\nfor range c {\n}",
		"select":      "a, b := make(chan int), make(chan string)\nselect {\ncase <-a:\ncase b <- \"\":\n}",
		"no cases":    "select {}",
		"mutex":       "var m sync.Mutex\nm.Lock()\nm.Lock()",
		"write lock":  "var m sync.RWMutex\nm.RLock()\nm.Lock()",
		"read lock":   "var m sync.RWMutex\nm.Lock()\nm.RLock()",
		"condition":   "c := sync.NewCond(&sync.Mutex{})\nc.L.Lock()\nc.Wait()",
		"group":       "var g sync.WaitGroup\ng.Add(1)\ng.Wait()",
		"each other":  "a, b := make(chan int), make(chan int)\ngo func() { a <- <-b }()\nb <- <-a",
		"two groups":  "var a, b sync.WaitGroup\na.Add(1)\nb.Add(1)\ngo func() {\n\tdefer a.Done()\n\tb.Wait()\n}()\na.Wait()\nb.Done()",
	}
	inBoth(t, waits, func(t *testing.T, s *session, source string) {
		if shown, _, err := s.interrupted(t, "fmt.Println(\"begun\")\n"+source); err == nil {
			t.Errorf("the cell was not interrupted, and showed %q", shown)
		}
	})
}

// inBoth runs a test for each source, side by side, in sessions that are interpreted and compiled.
func inBoth(t *testing.T, sources map[string]string, test func(t *testing.T, s *session, source string)) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		for name, source := range sources {
			t.Run(mode.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, newSessionOfProgram(t, mode), source)
			})
		}
	}
}
