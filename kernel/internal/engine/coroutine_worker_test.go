package engine_test

import (
	"context"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// coroutines are sessions in which a cell resumes a coroutine that another cell has made.
var coroutines = map[string][]beat{
	"exit": {
		{cell: "kept := 3\nnext, stop := iter.Pull(func(y func(int) bool) { y(1); os.Exit(5) })\nnext()"},
		{cell: "next()", err: "exit status 5"},
		{cell: "kept", value: "3"},
	},
	"Pull": {
		{cell: "next, stop := iter.Pull(func(y func(int) bool) {\n\tdefer fmt.Println(\"closed\")\n\tfor i := 0; y(i); i++ {\n\t\tfmt.Println(\"resumed\", i)\n\t}\n})"},
		{cell: "next()\nfmt.Println(\"cell 2\")\nnext()", out: "cell 2\nresumed 0\n"},
		{cell: "next()", out: "resumed 1\n", value: "2 true"},
		{cell: "stop()", out: "closed\n"},
		{cell: "next()", value: "0 false"},
	},
	"Pull2": {
		{cell: "next, stop := iter.Pull2(func(y func(string, int) bool) {\n\tfmt.Println(\"open\")\n\tfor i, s := range []string{\"a\", \"b\"} {\n\t\tif !y(s, i) {\n\t\t\tfmt.Println(\"stopped\")\n\t\t\treturn\n\t\t}\n\t}\n\tfmt.Println(\"end\")\n})"},
		{cell: "next()", out: "open\n", value: "a 0 true"},
		{cell: "next()", value: "b 1 true"},
		{cell: "next()", out: "end\n", value: " 0 false"},
		{cell: "stop()"},
	},
	"instance": {
		{cell: "type row struct{ n int }\nfunc rows(y func(row) bool) { for i := range 3 { fmt.Println(\"row\", i); if !y(row{i}) { return } } }\nnext, stop := iter.Pull[row](rows)"},
		{cell: "fmt.Sprint(next())", out: "row 0\n", value: "{0} true"},
		{cell: "_, stop2 := iter.Pull[row](rows)\nstop2()\nstop()\nfmt.Sprint(next())", value: "{0} false"},
	},
	"nested": {
		{cell: "inner, stopInner := iter.Pull(func(y func(int) bool) { for i := 0; ; i++ { fmt.Println(\"inner\", i); if !y(i) { return } } })"},
		{cell: "outer, stopOuter := iter.Pull(func(y func(int) bool) { for { v, _ := inner(); fmt.Println(\"outer\", v); if !y(v) { return } } })"},
		{cell: "outer()", out: "inner 0\nouter 0\n"},
		{cell: "inner()", out: "inner 1\n"},
		{cell: "outer()", out: "inner 2\nouter 2\n"},
		{cell: "stopOuter()\nstopInner()"},
	},
	"generic function": {
		{cell: "func merge[V any](a, b iter.Seq[V]) iter.Seq[V] {\n\treturn func(y func(V) bool) {\n\t\tnext, stop := iter.Pull(b)\n\t\tdefer stop()\n\t\tfor v := range a {\n\t\t\tw, ok := next()\n\t\t\tif !y(v) || !ok || !y(w) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}"},
		{cell: "func told(name string) iter.Seq[int] { return func(y func(int) bool) { for i := range 2 { fmt.Print(name, i, \" \"); if !y(i) { return } } } }"},
		{cell: "next, stop := iter.Pull(merge(told(\"a\"), told(\"b\")))"},
		{cell: "next()", out: "a0 b0 "},
		{cell: "next()\nnext()", out: "a1 b1 "},
		{cell: "stop()"},
	},
	"panic": {
		{cell: "next, _ := iter.Pull(func(y func(int) bool) { defer fmt.Println(\"deferred\"); y(1); panic(\"boom\") })"},
		{cell: "next()", value: "1 true"},
		{cell: "func() (r any) { defer func() { r = recover(); fmt.Println(\"recovered\") }(); next(); return }()", out: "deferred\nrecovered\n", value: "boom"},
		{cell: "next()", value: "0 false"},
		{cell: "again, _ := iter.Pull(func(y func(int) bool) { y(1); panic(\"boom\") })\nagain()"},
		{cell: "again()", err: "boom"},
	},
	"interrupt of the cell that made it": {
		{cell: "count := 0\nnext, stop := iter.Pull(func(y func(int) bool) { for i := 0; ; i++ { count++; if !y(i) { return } } })\nnext()\nfmt.Println(\"begun\")\nselect {}", stop: true, err: "Interrupted"},
		{cell: "next()\nnext()\nfmt.Println(\"goes on\")\ncount", out: "goes on\n", value: "3"},
		{cell: "stop()"},
	},
	"interrupt of the cell that resumes it": {
		{cell: "var ended []string\nlong := true\nnext, stop := iter.Pull(func(y func(int) bool) {\n\tdefer func() { ended = append(ended, \"coroutine\") }()\n\tfor y(0) {\n\t\tfmt.Println(\"begun\")\n\t\tfor long {\n\t\t}\n\t}\n})\nnext()"},
		{cell: "func() {\n\tdefer func() { for _, s := range []string{\"a\", \"b\"} { ended = append(ended, s) } }()\n\tnext()\n}()", stop: true, err: "Interrupted"},
		{cell: "long = false\nstop()\n1 + 1", value: "2"},
	},
}

// TestCoroutines resumes coroutines in other cells than the one that made them: what they write,
// and their interrupts, belong to the cell that resumes them.
func TestCoroutines(t *testing.T) { playInModes(t, coroutines) }

// TestCoroutineDefers interrupts a compiled cell in a coroutine: its own deferred calls are done to
// their end. (An interrupt of interpreted code leaves them out.)
func TestCoroutineDefers(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for _, b := range coroutines["interrupt of the cell that resumes it"][:2] {
		b.play(t, n)
	}
	beat{cell: "fmt.Sprint(ended)", value: "[coroutine a b]"}.play(t, n)
}

// TestCoroutineInGoroutine resumes a coroutine in a goroutine that an earlier cell has started,
// while another cell waits for it: the output is that of the earlier cell.
func TestCoroutineInGoroutine(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		beat{cell: "next, _ := iter.Pull(func(y func(int) bool) { for i := 0; ; i++ { fmt.Println(\"resumed\", i); y(i) } })\nask, told := make(chan bool), make(chan bool)"}.play(t, n)
		earlier := &enginetest.Recorder{}
		n.cell++
		cell := program.Cell{Number: n.cell, Source: "go func() {\n\tfor range ask {\n\t\tnext()\n\t\ttold <- true\n\t}\n}()"}
		if _, err := n.engine.Run(context.Background(), cell, earlier); err != nil {
			t.Fatal(err)
		}
		beat{cell: "ask <- true\n<-told\nfmt.Println(\"here\")", out: "here\n"}.play(t, n)
		beat{cell: "next()\nfmt.Println(\"here\")", out: "resumed 1\nhere\n"}.play(t, n)
		beat{cell: "ask <- true\n<-told\nfmt.Println(\"here\")", out: "here\n"}.play(t, n)
		if got, want := earlier.Out(), "resumed 0\nresumed 2\n"; got != want {
			t.Errorf("the cell of the goroutine has written %q, want %q", got, want)
		}
	})
}
