package engine_test

import "testing"

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
			{cell: "b", err: "ended before the statement that declares it was done"},
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
