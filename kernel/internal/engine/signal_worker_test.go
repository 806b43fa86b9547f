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
		{cell: "import \"os/signal\"\nfunc serve() (n int) {\n\tdefer fmt.Println(\"closed\")\n\tc := make(chan os.Signal, 100) // a signal that finds no room is lost\n\tsignal.Notify(c)\n\tdefer signal.Stop(c)\n\tdone := make(chan bool)\n\tgo func() {\n\t\tfor <-c != os.Interrupt { // the runtime sends SIGURG, too\n\t\t}\n\t\tdone <- true\n\t}()\n\tfmt.Println(\"begun\")\n\t<-done\n\treturn 7\n}"},
		{cell: "serve()", stop: true, out: "begun\nclosed\n", value: "7"},
	},
	"another signal": {
		{cell: "import (\"os/signal\"; \"syscall\")\nc := make(chan os.Signal, 1)\nsignal.Notify(c, syscall.SIGUSR1)\nfmt.Println(\"begun\")\n<-c", stop: true, err: "Interrupted"},
		{cell: "syscall.Kill(os.Getpid(), syscall.SIGUSR1)\nfmt.Println(<-c)", out: "user defined signal 1\n"},
	},
	"an error of the program": {
		{cell: "import \"os/signal\"\nfunc serve() error {\n\tctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)\n\tdefer stop()\n\tfmt.Println(\"begun\")\n\t<-ctx.Done()\n\treturn nil\n}\nserve()\nfmt.Println(\"served\")", stop: true, out: "begun\nserved\n"},
	},
	"nobody reads any more": {
		{cell: "import \"os/signal\"\ndone := make(chan os.Signal, 1)\nsignal.Notify(done, os.Interrupt)\ndone <- os.Interrupt\nfmt.Println(\"begun\")\nselect {}", stop: true, err: "Interrupted"},
		{cell: "fmt.Println(\"begun\")\nselect {}", stop: true, err: "Interrupted"},
		{cell: "<-done\nfmt.Println(\"begun\")\nfmt.Println(<-done)", stop: true, out: "begun\ninterrupt\n"},
	},
	"reset": {
		{cell: "import \"os/signal\"\nc := make(chan os.Signal, 1)\nsignal.Notify(c, os.Interrupt)\nsignal.Reset(os.Interrupt)\nfmt.Println(\"begun\")\n<-c", stop: true, err: "Interrupted"},
	},
}

// TestSignals interrupts programs that wait for the signal: their own code ends the cell.
func TestSignals(t *testing.T) { playInModes(t, signalled) }

// TestInterruptedPipes interrupts cells that wait for pipes, which work afterwards.
func TestInterruptedPipes(t *testing.T) {
	pipe := beat{cell: "r, w, err := os.Pipe()\nb := make([]byte, 1)"}
	playInModes(t, map[string][]beat{
		"read":           {pipe, {cell: "fmt.Println(\"begun\")\nr.Read(b)\nfmt.Println(\"read\")", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "fmt.Fprint(w, \"x\")\nr.Read(b)\nstring(b)", value: "x"}},
		"in a function":  {pipe, {cell: "type ends struct{ in, out *os.File }\nfunc (e ends) wait(b []byte) (int, error) { return e.in.Read(b) }\nfmt.Println(\"begun\")\nends{r, w}.wait(b)", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "w.WriteString(\"y\")\nr.Read(b)\nstring(b)", value: "y"}},
		"a full pipe":    {pipe, {cell: "w.Write(make([]byte, 1<<16))\nfmt.Println(\"begun\")\nfor {\n\tw.Write(make([]byte, 1<<16))\n}", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "io.ReadFull(r, make([]byte, 1<<16))\nw.Write(b)", value: "1"}},
		"captured":       {pipe, {cell: "old := os.Stdout\nfmt.Println(\"begun\")\nos.Stdout = w\nfor {\n\tfmt.Println(strings.Repeat(\"x\", 1<<12))\n}", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "os.Stdout = old\nfmt.Print(1)", out: "1"}},
		"standard input": {pipe, {cell: "old := os.Stdin\nvar s string\nos.Stdin = r\nfmt.Println(\"begun\")\nfmt.Scan(&s)", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "w.WriteString(\"a \")\nfmt.Scan(&s)\nos.Stdin = old\ns", value: "a"}},
		"a goroutine":    {pipe, {cell: "done := make(chan bool)\ngo func() {\n\tdefer close(done)\n\tfmt.Println(\"begun\")\n\tr.Read(b)\n}()\n<-done", stop: true, out: "begun\n", err: "Interrupted"}, {cell: "<-done\nw.WriteString(\"z\")\nr.Read(b)\nstring(b)", value: "z"}},
	})
}

// TestInterruptedPipeDeferred interrupts a cell whose deferred calls write to a pipe, and put
// standard output back.
func TestInterruptedPipeDeferred(t *testing.T) {
	playInModes(t, map[string][]beat{"": {
		{cell: "r, w, err := os.Pipe()\nold := os.Stdout\nb := make([]byte, 1)\nfunc() {\n\tdefer func() { os.Stdout = old }()\n\tdefer w.WriteString(\"y\")\n\tfmt.Println(\"begun\")\n\tos.Stdout = w\n\tr.Read(b)\n}()", stop: true, out: "begun\n", err: "Interrupted"},
		{cell: "r.Read(b)\nfmt.Print(string(b))", out: "y"},
	}})
}

// TestSecondInterrupt interrupts a program that goes on after the signal: the second interrupt ends
// the cell, and the variables stay.
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

// asking is an output on which a question waits until the cell is interrupted.
type asking struct {
	enginetest.Recorder
	interrupt func()
}

func (a *asking) Input(ctx context.Context, _ string, _ bool) (string, error) {
	a.interrupt()
	<-ctx.Done()
	return "", ctx.Err()
}

// TestInterruptedInput interrupts cells that ask for a line. They don't go on without it.
func TestInterruptedInput(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		beat{cell: "done := \"nothing\"\nvar s string"}.play(t, n)
		for _, ask := range []string{"fmt.Scanln(&s)", "for in := bufio.NewScanner(os.Stdin); in.Scan(); {\n}", "func() {\n\tdefer func() { done += \"!\" }()\n\tbufio.NewReader(os.Stdin).ReadString('\\n')\n\tdone = \"the rest of the function\"\n}()"} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			n.cell++
			_, err := n.engine.Run(ctx, program.Cell{Number: n.cell, Source: ask + "\ndone = \"the rest\""}, &asking{interrupt: cancel})
			if err == nil || !strings.Contains(err.Error(), "Interrupted") {
				t.Errorf("%s: %v", ask, err)
			}
			cancel()
		}
		beat{cell: "done", value: "nothing!"}.play(t, n)
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
			{cell: "order = nil\nfunc() {\n\tdefer func() {\n\t\tc := make(chan string)\n\t\tgo func() { time.Sleep(time.Millisecond); c <- \"waited\" }()\n\t\torder = append(order, <-c)\n\t\ttime.Sleep(time.Millisecond)\n\t\tnote(\"slept\", 1)\n\t}()\n\tfmt.Println(\"begun\")\n\tfor {\n\t}\n}()", stop: true, err: "Interrupted"},
			{cell: "fmt.Sprint(order)", value: "[waited slept1]"},
		} {
			b.play(t, n)
		}
	})
}
