//go:build unix

package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// signalled are sessions whose programs wait for interrupts themselves.
var signalled = map[string][]beat{
	"NotifyContext": {
		{cell: "import \"os/signal\"\nctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)\nfmt.Println(\"begun\")\n<-ctx.Done()\nfmt.Println(\"shutting down\", ctx.Err())\nstop()", stop: true, out: "begun\nshutting down context canceled\n"},
		{cell: "fmt.Println(\"begun\")\nfor {\n}", stop: true, err: "Interrupted"},
	},
	"Notify in an earlier cell": {
		{cell: "import \"os/signal\"\nsignals := make(chan os.Signal, 1)\nsignal.Notify(signals, os.Interrupt)"},
		{cell: "fmt.Println(\"begun\")\nfmt.Println(<-signals)", stop: true, out: "begun\ninterrupt\n"},
		{cell: "signal.Stop(signals)"},
		{cell: "fmt.Println(\"begun\")\n<-signals", stop: true, err: "Interrupted"},
	},
	"all signals, in a function with a goroutine": {
		{cell: "import \"os/signal\"\nfunc serve() (n int) {\n\tdefer fmt.Println(\"closed\")\n\tc := make(chan os.Signal, 1)\n\tsignal.Notify(c)\n\tdefer signal.Stop(c)\n\tdone := make(chan bool)\n\tgo func() { <-c; done <- true }()\n\tfmt.Println(\"begun\")\n\t<-done\n\treturn 7\n}"},
		{cell: "serve()", stop: true, out: "begun\nclosed\n", value: "7"},
	},
	"another signal": {
		{cell: "import (\"os/signal\"; \"syscall\")\nc := make(chan os.Signal, 1)\nsignal.Notify(c, syscall.SIGUSR1)\nfmt.Println(\"begun\")\n<-c", stop: true, err: "Interrupted"},
		{cell: "syscall.Kill(os.Getpid(), syscall.SIGUSR1)\nfmt.Println(<-c)", out: "user defined signal 1\n"},
	},
	"an error of the program": {
		{cell: "import \"os/signal\"\nfunc serve() error {\n\tctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)\n\tdefer stop()\n\tfmt.Println(\"begun\")\n\t<-ctx.Done()\n\treturn nil\n}\nserve()\nfmt.Println(\"served\")", stop: true, out: "begun\nserved\n"},
	},
	"reset": {
		{cell: "import \"os/signal\"\nc := make(chan os.Signal, 1)\nsignal.Notify(c, os.Interrupt)\nsignal.Reset(os.Interrupt)\nfmt.Println(\"begun\")\n<-c", stop: true, err: "Interrupted"},
	},
}

// TestSignals interrupts programs that wait for the signal: their own code ends the cell.
func TestSignals(t *testing.T) { playInModes(t, signalled) }

// TestSecondInterrupt interrupts a program that goes on after the signal: the second interrupt ends the
// cell, and the variables stay.
func TestSecondInterrupt(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		beat{cell: "import \"os/signal\"\nx := 3\nc := make(chan os.Signal, 1)\nsignal.Notify(c, os.Interrupt)"}.play(t, n)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		out := &enginetest.Recorder{}
		go func() {
			for _, step := range []struct {
				seen string
				do   func()
			}{{"begun", cancel}, {"got", n.engine.Kill}} {
				out.Await(t.Context(), step.seen)
				step.do()
			}
		}()
		n.cell++
		_, err := n.engine.Run(ctx, program.Cell{Number: n.cell, Source: "fmt.Println(\"begun\")\n<-c\nfmt.Println(\"got\")\nfor {\n}"}, out)
		if err == nil || !strings.Contains(err.Error(), "Interrupted") {
			t.Errorf("got %v", err)
		}
		beat{cell: "signal.Stop(c)\nx", value: "3"}.play(t, n)
	})
}

// TestInterruptMakesDeferredCalls interrupts functions with deferred calls, which are made.
func TestInterruptMakesDeferredCalls(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		for _, b := range []beat{
			{cell: "var mu sync.Mutex\nvar order []string\nsem := make(chan bool, 1)\nfunc outer() { defer func() { order = append(order, \"outer\"); mu.Unlock() }(); mu.Lock(); inner() }\nfunc inner() {\n\tdefer note(\"first\", 1)\n\tdefer func() { order = append(order, fmt.Sprint(recover())) }()\n\tsem <- true\n\tdefer func() { <-sem }()\n\tfmt.Println(\"begun\")\n\tfor {\n\t}\n}\nfunc note(s string, n int) { order = append(order, fmt.Sprint(s, n)) }"},
			{cell: "defer note(\"cell\", 2)\nouter()", stop: true, err: "Interrupted"},
			{cell: "mu.Lock()\nmu.Unlock()\nsem <- true\n<-sem\nfmt.Sprint(order)", value: "[<nil> first1 outer cell2]"},
			{cell: "order = nil\nmu.Lock()\ngo func() { defer mu.Unlock(); fmt.Println(\"begun\"); select {} }()\nselect {}", stop: true, err: "Interrupted"},
			{cell: "mu.Lock()\nmu.Unlock()\n\"free\"", value: "free"},
		} {
			b.play(t, n)
		}
	})
}
