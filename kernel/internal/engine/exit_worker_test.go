package engine_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestExitZero runs cells that call os.Exit(0): they end there, and do not fail.
func TestExitZero(t *testing.T) {
	const program = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n"
	playInModes(t, map[string][]beat{
		"a program": {
			{cell: "kept := 3"},
			{cell: program + "func main() {\n\tdefer fmt.Println(\"deferred\")\n\tfmt.Println(\"ok\")\n\tos.Exit(0)\n\tfmt.Println(\"behind\")\n}", out: "ok\n"},
			{cell: program + "func run() int {\n\tfmt.Println(\"run\")\n\treturn 0\n}\n\nfunc main() { os.Exit(run()) }", out: "run\n"},
			{cell: program + "func run() int { return 3 }\n\nfunc main() { os.Exit(run()) }", err: "exit status 3"},
			{cell: "kept", value: "3"},
		},
		"statements": {
			{cell: "a := 1\nfmt.Print(a)\nos.Exit(0)\na = 2\nb := 3\nfmt.Print(b)\nb", out: "1"},
			{cell: "a", value: "1"},
			{cell: "b", err: "ended before the statement that declares it"},
			{cell: "b := 4\nb", value: "4"},
			{cell: "exit := os.Exit\nexit(0)\npanic(1)"},
			{cell: "syscall.Exit(0)\npanic(1)"},
			{cell: "%time os.Exit(0)\npanic(1)"},
			{cell: "os.Exit(0)\n%run no/such/file.go"},
			{cell: "for i := range 3 {\n\tdefer func() { recover() }()\n\tfmt.Print(i)\n\tif i == 1 {\n\t\tos.Exit(0)\n\t}\n}", out: "01"},
			{cell: "os.Exit(1)", err: "exit status 1"},
			{cell: "log.Fatal(\"fatal\")", err: "exit status 1", notes: "fatal"},
			{cell: "panic(\"exit status 0\")", err: "exit status 0"},
			{cell: "runtime.Goexit()", err: "runtime.Goexit ended the goroutine of the cell"},
		},
		"goroutines": {
			{cell: "go os.Exit(0)\nselect {}"},
			{cell: "done := make(chan bool)\ngo func() {\n\tdefer close(done)\n\tos.Exit(0)\n}()\n<-done\npanic(1)"},
			{cell: "var group sync.WaitGroup\ngroup.Go(func() { os.Exit(0) })\ngroup.Wait()\npanic(1)"},
			{cell: "slices.SortFunc([]int{2, 1}, func(a, b int) int {\n\tos.Exit(0)\n\treturn 0\n})\npanic(1)"},
			{cell: "for range func(yield func() bool) { os.Exit(0) } {\n}\npanic(1)"},
		},
		"captured": {
			{cell: "%%capture text\nfmt.Print(\"before\")\nos.Exit(0)"},
			{cell: "text", value: "before"},
		},
	})
}

// TestFlagsExit parses flags that end a program, which end the cell and keep the variables.
func TestFlagsExit(t *testing.T) {
	const (
		program = "package main\n\nimport \"flag\"\n\nfunc main() {\n\tflag.Int(\"n\", 1, \"how many\")\n\tflag.Parse()\n\tprintln(flag.NArg(), flag.CommandLine.ErrorHandling() == flag.ExitOnError)\n}"
		usage   = "Usage of main:\n  -n int\n    \thow many (default 1)\n"
	)
	playInModes(t, map[string][]beat{
		"a program": {
			{cell: "kept := 3"},
			{cell: "%args -zz\n" + program, err: "exit status 2", notes: "flag provided but not defined: -zz\n" + usage},
			{cell: "%args -n x\n" + program, err: "exit status 2", notes: "invalid value \"x\" for flag -n: parse error\n" + usage},
			{cell: "%args -n\n" + program, err: "exit status 2", notes: "flag needs an argument: -n\n" + usage},
			{cell: "%args -h\n" + program, notes: usage},
			{cell: "%args -n 2 a b\n" + program, notes: "2 true\n"},
			{cell: "kept", value: "3"},
		},
		"the command line": {
			{cell: "kept := 3"},
			{cell: "flag.CommandLine.Parse([]string{\"-zz\"})\nkept = 4", err: "exit status 2"},
			{cell: "parse := flag.Parse\nos.Args = []string{\"a\", \"--help\"}\nparse()\nkept = 4", notes: "Usage of "},
			{cell: "flag.CommandLine.Init(\"own\", flag.ContinueOnError)\nerr := flag.CommandLine.Parse([]string{\"-zz\"})\nfmt.Print(err, kept)", out: "flag provided but not defined: -zz 3"},
			{cell: "flag.CommandLine.Init(\"own\", flag.PanicOnError)\nfunc() {\n\tdefer func() { fmt.Print(recover()) }()\n\tflag.Parse()\n}()", out: "flag: help requested"},
			{cell: "flag.CommandLine = flag.NewFlagSet(\"next\", flag.ExitOnError)\nflag.Parse()\nkept = 4", notes: "Usage of next:\n"},
			{cell: "kept", value: "3"},
		},
		"sets": {
			{cell: "set := flag.NewFlagSet(\"own\", flag.ExitOnError)\nn := set.Int(\"n\", 1, \"how many\")\nset.Parse([]string{\"-n\", \"2\", \"x\"})\nfmt.Print(*n, set.Args(), set.ErrorHandling() == flag.ExitOnError)", out: "2 [x] true"},
			{cell: "set.Parse([]string{\"-zz\"})\n*n = 7", err: "exit status 2", notes: "flag provided but not defined: -zz\nUsage of own:\n"},
			{cell: "defer fmt.Print(\"deferred\")\ndefer func() { recover() }()\nif err := set.Parse([]string{\"-help\"}); err != nil {\n\t*n = 7\n}\n*n = 8", notes: "Usage of own:\n"},
			{cell: "go set.Parse([]string{\"-zz\"})\nselect {}", err: "exit status 2"},
			{cell: "parse := set.Parse\nfmt.Print(parse([]string{\"-n\", \"2\"}))\nparse([]string{\"-zz\"})", out: "<nil>", err: "exit status 2"},
			{cell: "commands := map[string]func([]string) error{\"own\": set.Parse}\ncommands[\"own\"]([]string{\"-h\"})\n*n = 9", notes: "Usage of own:\n"},
			{cell: "defer set.Parse([]string{\"-zz\"})\nfmt.Print(1)", out: "1", err: "exit status 2"},
			{cell: "set.ErrorHandling() == flag.ExitOnError && *n == 2", value: "true"},
			{cell: "type command struct {\n\t*flag.FlagSet\n\tname string\n}\nc := command{set, \"c\"}\nc.Parse([]string{\"-zz\"})", err: "exit status 2"},
			{cell: "check := func(parse func([]string) error) { parse([]string{\"-zz\"}) }\ncheck(c.Parse)", err: "exit status 2"},
			{cell: "var zero flag.FlagSet\nzero.Init(\"zero\", flag.ExitOnError)\nzero.Parse([]string{\"-zz\"})", err: "exit status 2", notes: "Usage of zero:\n"},
			{cell: "var silent flag.FlagSet\nsilent.SetOutput(io.Discard)\nfmt.Print(silent.Parse([]string{\"-zz\"}))", out: "flag provided but not defined: -zz"},
		},
		"exits of its functions": {
			{cell: "kept := 3\nset := flag.NewFlagSet(\"own\", flag.ExitOnError)\nset.Usage = func() {\n\tprintln(\"own usage\")\n\tos.Exit(5)\n}\nset.BoolFunc(\"version\", \"\", func(string) error {\n\tprintln(\"v1\")\n\tos.Exit(0)\n\treturn nil\n})"},
			{cell: "set.Parse([]string{\"-zz\"})\nkept = 4", err: "exit status 5", notes: "own usage\n"},
			{cell: "set.Parse([]string{\"-version\"})\nkept = 4", notes: "v1\n"},
			{cell: "set.Usage = func() { println(\"usage\") }\nset.Parse([]string{\"-zz\"})\nkept = 4", err: "exit status 2", notes: "usage\n"},
			{cell: "set.Usage = func() { panic(\"no usage\") }\nset.Parse([]string{\"-h\"})", err: "panic: no usage"},
			{cell: "set.Usage = nil\nset.BoolFunc(\"again\", \"\", func(string) error { return set.Parse([]string{\"-h\"}) })\nset.Parse([]string{\"-again\"})\nkept = 4", notes: "Usage of own:\n"},
			{cell: "set.Parse([]string{\"-zz\"})\nkept = 4", err: "exit status 2"},
			{cell: "kept", value: "3"},
		},
	})
}

// TestInterpretedMethodValues calls values of methods that interpreted cells have in another form.
func TestInterpretedMethodValues(t *testing.T) {
	n := newWorkerNotebook(t, program.InterpretedMode)
	for _, b := range []beat{
		{cell: "var mu sync.Mutex\nlock, unlock := mu.Lock, mu.Unlock\nlock()\nunlock()\nvar l sync.Locker = &mu\nlock = l.Lock\nlock()\nmu.TryLock()", value: "false"},
		{cell: "fmt.Println(\"begun\")\nlock()", stop: true, err: "Interrupted"},
		{cell: "n := 0\nvar group sync.WaitGroup\nstart, wait := group.Go, group.Wait\nstart(func() { n++ })\nwait()\nn", value: "1"},
		{cell: "fatal := log.Default().Fatalf\nfatal(\"no %d\", 1)", err: "exit status 1", notes: "no 1\n"},
		{cell: "n", value: "1"},
	} {
		b.play(t, n)
	}
}
