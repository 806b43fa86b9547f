//go:build unix

package worker

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestAsleep runs cells whose goroutines wait for each other, in each way there is: the user is told
// so, and interrupts them.
func TestAsleep(t *testing.T) {
	asleep := map[string]string{
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
	inBoth(t, asleep, func(t *testing.T, s *session, source string) {
		shown, _, err := s.interrupted(t, source)
		if !strings.HasPrefix(shown, "notes: note: all goroutines are asleep") || err == nil {
			t.Errorf("it showed %q, and ended with %v", shown, err)
		}
	})
}

// TestAwake runs cells that seem to sleep for longer than it takes to tell so.
func TestAwake(t *testing.T) {
	testrun.LeaveOutShort(t)
	awake := map[string]string{
		"sleep":        "time.Sleep(3 * time.Second)",
		"after":        "<-time.After(3 * time.Second)",
		"ticker":       "t := time.NewTicker(3 * time.Second)\nselect {\ncase <-t.C:\ncase <-make(chan int):\n}",
		"goroutine":    "c := make(chan int)\ngo func() {\n\ttime.Sleep(3 * time.Second)\n\tc <- 1\n}()\n<-c",
		"program":      `exec.Command("sleep", "3").Run()`,
		"connection":   "l, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\nl.(*net.TCPListener).SetDeadline(time.Now().Add(3 * time.Second))\nif _, err := l.Accept(); err == nil {\n\tfmt.Println(\"who?\")\n}",
		"computation":  "done := make(chan int)\ngo func() {\n\tfor begun := time.Now(); time.Since(begun) < 3*time.Second; {\n\t}\n\tclose(done)\n}()\n<-done",
		"another cell": "later := make(chan int)\ngo func() {\n\ttime.Sleep(3 * time.Second)\n\tlater <- 1\n}()" + anotherCell + "<-later",
	}
	inBoth(t, awake, func(t *testing.T, s *session, source string) {
		for cell := range strings.SplitSeq(source, anotherCell) {
			s.cells(t, []expected{{source: cell + ";"}}) // shows nothing
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

// anotherCell stands between the cells of a source.
const anotherCell = "\n%%\n"
