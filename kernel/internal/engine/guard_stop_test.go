package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestCompiledCellsEnd interrupts compiled cells that would not end by themselves, in one session,
// whose variables stay as they are.
func TestCompiledCellsEnd(t *testing.T) {
	cells := maps.Clone(endless)
	maps.Copy(cells, map[string]string{
		"recursion":       "func deep(n int) int { if n == 0 { return 0 }; return deep(n-1) + deep(n-1) }\ny := 2\ndeep(100)",
		"by a library":    "y := 2\nslices.ContainsFunc(make([]struct{}, 1<<60), func(struct{}) bool { return false })",
		"small function":  "func never(struct{}) bool { return false }\ny := 2\nslices.ContainsFunc(make([]struct{}, 1<<60), never)",
		"iterator":        "y := 2\nfor range func(yield func(int) bool) { for yield(1) { } } {\n}",
		"set by a loop":   "y := 2\nc := make(chan int)\nvar s struct{ v int }\nfor s.v = range c {\n}",
		"both results":    "y := 2\nc := make(chan string)\nv, ok := <-c\n_, _ = v, ok",
		"sent elsewhere":  "y := 2\nc := make(chan any)\nc <- 1",
		"two cases":       "y := 2\na, b := make(chan int), make(chan int)\nselect {\ncase <-a:\ncase b <- 1:\n}",
		"in a goroutine":  "y := 2\nvar wg sync.WaitGroup\nwg.Go(func() { for { } })\nwg.Wait()",
		"deferred unlock": "y := 2\nvar mu sync.Mutex\nfunc() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\t<-make(chan int)\n}()",
		"background":      "y := 2\n<-context.Background().Done()\nselect {}",
		"goto":            "y := 2\nagain:\n\tgoto again",
		"labels":          "y := 2\nagain:\nfor {\n\tfor range 3 {\n\t\tcontinue again\n\t}\n}",
	})
	n := newWorkerNotebook(t, program.CompiledMode)
	beat{cell: "x := 1\ninc := func() int { x++; return x }\nch := make(chan int, 1)\nsend := func() int { ch <- 5; return <-ch }"}.play(t, n)
	beat{cell: "y := 0"}.play(t, n)
	for _, name := range slices.Sorted(maps.Keys(cells)) {
		t.Run(name, func(t *testing.T) {
			cell := strings.Replace(cells[name], "y := 2\n", "y = 2\nfmt.Println(\"begun\")\n", 1)
			beat{cell: cell, stop: true, err: "Interrupted"}.play(t, n)
			beat{cell: "x = 1\nfmt.Sprint(inc(), y, send())", value: "2 2 5"}.play(t, n)
		})
	}
}

// TestInterruptAmongChannels interrupts cells whose goroutines wait for channels of the session,
// for which those of an earlier cell wait, too. No value is lost or made up, and what is deferred
// is done.
func TestInterruptAmongChannels(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	beat{cell: "shared, got, out := make(chan int), make(chan int, 300), make(chan int)\nvar ended sync.WaitGroup\n" +
		"go func() {\n\tfor v := range shared {\n\t\tgot <- v\n\t}\n}()"}.play(t, n)
	for range 3 {
		for _, operation := range []string{"<-shared", "out <- 1"} {
			beat{cell: "ended.Add(100)\nfor range 100 {\n\tgo func() {\n\t\tdefer ended.Done()\n\t\t" + operation + "\n\t}()\n}\nfmt.Println(\"begun\")\n" + operation, stop: true, err: "Interrupted"}.play(t, n)
			beat{cell: "ended.Wait()\nsum := 0\nfor i := range 100 {\n\tshared <- i\n}\nfor range 100 {\n\tsum += <-got\n}\nselect {\ncase sum = <-out:\ndefault:\n}\nsum", value: "4950"}.play(t, n)
		}
	}
}

// TestCompiledTop has guards at the top of compiled cells, where variables are those of the
// session.
func TestCompiledTop(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for _, b := range []beat{
		{cell: "ch := make(chan int, 3)\nch <- 1\nch <- 2\nv, ok := <-ch\nvar w, ok2 = <-ch\nfmt.Sprint(v, ok, w, ok2)", value: "1 true 2 true"},
		{cell: "ch <- 7\n<-ch", value: "7"},
		{cell: "close(ch)\nvar x any\nx, ok = <-ch\nfmt.Sprint(x, ok)", value: "0 false"},
		{cell: "type kind string\nfunc kinds() chan kind { c := make(chan kind, 2); c <- \"a\"; c <- \"b\"; close(c); return c }"},
		{cell: "all := \"\"\nfor k := range kinds() { all += string(k) }\nvar last kind\nfor last = range kinds() {}\nfmt.Sprintf(\"%s %s %T\", all, last, last)", value: "ab b main.kind"},
		{cell: "done := make(chan kind)\nsay := func(k kind, n int) { done <- k + kind(fmt.Sprint(n)) }\nconst three = 3"},
		{cell: "go say(\"c\", three)\n<-done", value: "c3"},
		{cell: "func tell[T any](c chan T, v T) { c <- v }\ngo tell(done, \"constant\")\ngo tell(done, kind(\"typed\"))\nlen(<-done) + len(<-done)", value: "13"},
		{cell: "again:\nselect {\ncase k := <-done:\n\tlast = k\ndefault:\n\tgo say(\"d\", 1)\n\ttime.Sleep(time.Millisecond)\n\tgoto again\n}\nlast", value: "d1"},
		{cell: "type held struct{ sync.Mutex; n int }\nvar h held\nh.Lock()\nh.n++\nh.Unlock()\nh.n", value: "1"},
		{cell: "func same(a, b kind) int { return strings.Compare(string(a), string(b)) }\nlist := []kind{\"b\", \"a\"}"},
		{cell: "slices.SortFunc(list, same)\nlist", value: "[a b]"},
		{cell: "fmt.Fprint(os.Stdout, \"\")\nvar out io.Writer = os.Stdout\nout == os.Stdout", value: "true"},
	} {
		b.play(t, n)
	}
}

// TestCompiledGoroutinesFail has goroutines of compiled cells panic: the cell fails, and the
// session goes on.
func TestCompiledGoroutinesFail(t *testing.T) {
	goroutinesFail(t, newWorkerNotebook(t, program.CompiledMode))
}

// TestInterpretedGoroutinesFail has those of interpreted cells panic, alike.
func TestInterpretedGoroutinesFail(t *testing.T) {
	goroutinesFail(t, newNotebook(t))
}

func goroutinesFail(t *testing.T, n *notebook) {
	beat{cell: "x := 1\ntype T struct{ n int }\nfunc (t T) fail(m int) { panic(fmt.Sprint(\"failed \", t.n, m)) }\n" +
		"func fail(text string, more ...any) { panic(text + fmt.Sprint(more...)) }\nfunc each[V any](v V, f func(V)) { f(v) }"}.play(t, n)
	for name, c := range map[string]struct{ cell, err string }{
		"literal":    {"go func() { panic(\"failed\") }()\nselect {}", "failed"},
		"function":   {"go fail(\"failed\", 1, nil)\nselect {}", "failed1 <nil>"},
		"method":     {"go T{1}.fail(2)\nselect {}", "failed 1 2"},
		"generic":    {"go each(T{1}, func(t T) { t.fail(3) })\nselect {}", "failed 1 3"},
		"builtin":    {"c := make(chan int)\nclose(c)\ngo close(c)\nselect {}", "close of closed channel"},
		"group":      {"var wg sync.WaitGroup\nwg.Go(func() { fail(\"failed\") })\nwg.Wait()\nselect {}", "failed"},
		"value":      {"var wg sync.WaitGroup\nf := func() { fail(\"failed\") }\nwg.Go(f)\nselect {}", "failed"},
		"timer":      {"time.AfterFunc(time.Millisecond, func() { fail(\"failed\") })\nselect {}", "failed"},
		"index":      {"go func(list []int) { list[3] = 1 }(nil)\nselect {}", "index out of range [3] with length 0"},
		"nil":        {"var f func()\ngo f()\nselect {}", "nil pointer dereference"},
		"of others":  {"go func() { go func() { fail(\"failed\") }() }()\nselect {}", "failed"},
		"context":    {"ctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() { fail(\"failed\") })\ncancel()\nselect {}", "failed"},
		"deferred":   {"var wg sync.WaitGroup\nwg.Add(1)\ngo func() {\n\tdefer wg.Done()\n\tfail(\"failed\")\n}()\nwg.Wait()\nselect {}", "failed"},
		"exit":       {"go os.Exit(3)\nselect {}", "exit status 3"},
		"exit later": {"go func() {\n\tdefer fmt.Println(\"not reached\")\n\tos.Exit(4)\n}()\nselect {}", "exit status 4"},
	} {
		t.Run(name, func(t *testing.T) {
			beat{cell: c.cell, err: c.err}.play(t, n)
			beat{cell: "x", value: "1"}.play(t, n)
		})
	}
}
