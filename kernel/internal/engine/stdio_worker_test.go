package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// captures are sessions that put files of their own in the place of the standard ones.
var captures = map[string][]beat{
	"a pipe for standard output": {
		{cell: "r, w, _ := os.Pipe()\nold := os.Stdout\nos.Stdout = w\nfmt.Println(\"hi\")\nfmt.Fprintln(os.Stdout, \"there\")\nos.Stdout.WriteString(\"x\")\nw.Close()\nos.Stdout = old\nb, _ := io.ReadAll(r)\nstring(b)", value: "hi\nthere\nx"},
		{cell: "fmt.Print(\"again\")", out: "again"},
	},
	"a function that captures": {
		{cell: "func capture(f func()) string {\n\tr, w, _ := os.Pipe()\n\told := os.Stdout\n\tdefer func() { os.Stdout = old }()\n\tos.Stdout = w\n\tf()\n\tw.Close()\n\tb, _ := io.ReadAll(r)\n\treturn string(b)\n}"},
		{cell: "capture(func() {\n\tp := fmt.Println\n\tfmt.Print(\"a\", 1)\n\tfmt.Printf(\"%d\", 3)\n\tp(\"v\")\n\tprintln(\"shown\")\n})", value: "a13v\n", notes: "shown\n"},
		{cell: "fmt.Print(2)", out: "2"},
	},
	"a temporary file over several cells": {
		{cell: "file, _ := os.CreateTemp(\"\", \"\")\ndefer os.Remove(file.Name())\nold := os.Stdout\nos.Stdout = file"},
		{cell: "fmt.Println(\"to the file\")\nfmt.Fprint(io.MultiWriter(os.Stdout), os.Stdout == file, os.Stdout == old)"},
		{cell: "os.Stdout = old\nfile.Seek(0, io.SeekStart)\nb, _ := io.ReadAll(file)\nfmt.Print(string(b))", out: "to the file\ntrue false"},
	},
	"standard error": {
		{cell: "r, w, _ := os.Pipe()\nold := os.Stderr\nos.Stderr = w\nfmt.Fprint(os.Stderr, \"a\")\nlog.New(os.Stderr, \"b\", 0).Print(1)\nlog.Print(\"logged\")\nos.Stderr = old\nw.Close()\nb, _ := io.ReadAll(r)\nstring(b)", value: "ab1\n", notes: "logged\n"},
	},
	"standard input": {
		{cell: "r, w, _ := os.Pipe()\nold := os.Stdin\nos.Stdin = r\nfmt.Fprint(w, \"3 4\\n5\\n6\\n7\\n\")\nw.Close()\nvar a, b, c, d, e int\nfmt.Scan(&a, &b)\nfmt.Scanf(\"%d\\n\", &c)\nfmt.Scanln(&d)\nfmt.Fscan(os.Stdin, &e)\nos.Stdin = old\nfmt.Print(a, b, c, d, e)", out: "3 4 5 6 7"},
	},
}

// TestReplacedFiles reads and writes standard files that cells have replaced.
func TestReplacedFiles(t *testing.T) { playInModes(t, captures) }

// TestVariablesOfPackages changes variables of the standard library, and reads them in the same
// cell.
func TestVariablesOfPackages(t *testing.T) {
	playInModes(t, map[string][]beat{
		"pointer":   {{cell: "old := http.DefaultClient\nhttp.DefaultClient = &http.Client{Timeout: 3}\nhttp.DefaultClient.Timeout++\np := &http.DefaultClient\n(*p).Timeout++\nfmt.Print(old == http.DefaultClient, int(http.DefaultClient.Timeout), p == &http.DefaultClient)", out: "false 5 true"}},
		"slice":     {{cell: "os.Args = []string{\"a\", \"b\"}\nos.Args[1] = \"c\"\nfmt.Print(os.Args, len(os.Args))\nos.Args = append(os.Args, \"d\")\nfmt.Print(os.Args[1:])", out: "[a c] 2[c d]"}},
		"interface": {{cell: "old := http.DefaultTransport\nhttp.DefaultTransport = nil\nfmt.Print(http.DefaultTransport == nil, old == http.DefaultTransport)", out: "true false"}},
		"number":    {{cell: "old := runtime.MemProfileRate\nruntime.MemProfileRate = 7\nruntime.MemProfileRate++\n*&runtime.MemProfileRate *= 2\nfmt.Print(runtime.MemProfileRate, runtime.MemProfileRate == 16, any(runtime.MemProfileRate))\nruntime.MemProfileRate = old", out: "16 true 16"}},
	})
}

// TestFlagsOfPrograms runs programs with flags again. Each begins package flag anew.
func TestFlagsOfPrograms(t *testing.T) {
	const first = "package main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\t\"os\"\n)\n\nvar n = flag.Int(\"n\", 3, \"how many\")\n\nfunc main() {\n\tflag.Parse()\n\tfmt.Println(*n, flag.NArg(), len(os.Args), flag.CommandLine.Name())\n}"
	playInModes(t, map[string][]beat{
		"the same":       {{cell: first, out: "3 0 1 main\n"}, {cell: first, out: "3 0 1 main\n"}},
		"another":        {{cell: first, out: "3 0 1 main\n"}, {cell: "package main\nfunc main() {\n\tn := flag.Bool(\"n\", true, \"\")\n\tflag.Parse()\n\tfmt.Print(*n)\n}\nmain()", out: "true"}},
		"usage":          {{cell: "package main\nfunc main() {\n\tflag.Bool(\"b\", true, \"what\")\n\tflag.CommandLine.SetOutput(os.Stdout)\n\tflag.Usage()\n}", out: "Usage of main:\n  -b\twhat (default true)\n"}},
		"not a program":  {{cell: "flag.Bool(\"n\", true, \"\")"}, {cell: "flag.Bool(\"n\", true, \"\")", err: "flag redefined: n"}, {cell: "%args -n=false\nn := flag.Bool(\"n\", true, \"\")\nflag.Parse()\n*n", value: "false"}},
		"within a cell":  {{cell: "flag.Bool(\"n\", true, \"\")\nflag.Bool(\"n\", true, \"\")", err: "flag redefined: n"}},
		"a default mux":  {{cell: "http.HandleFunc(\"/\", http.NotFound)"}, {cell: "http.HandleFunc(\"/\", http.NotFound)", err: "conflicts with pattern"}, {cell: "http.DefaultServeMux = http.NewServeMux()\nhttp.HandleFunc(\"/\", http.NotFound)"}},
		"a flag set":     {{cell: "set := flag.NewFlagSet(\"own\", flag.ContinueOnError)\nn := set.Int(\"n\", 1, \"\")\nset.Parse([]string{\"-n\", \"2\"})\n*n", value: "2"}},
		"of the session": {{cell: "old := flag.CommandLine\nflag.CommandLine = flag.NewFlagSet(\"own\", flag.ContinueOnError)\nn := flag.Int(\"n\", 1, \"\")\nfmt.Print(flag.CommandLine.Lookup(\"n\") != nil, old.Lookup(\"n\") != nil)", out: "true false"}},
	})
}

// TestRegisteredOnce looks at what the traceback of a second registration tells to do.
func TestRegisteredOnce(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for cell, want := range map[string]string{
		"flag.Bool(\"n\", true, \"\")":          "run %args --",
		"http.HandleFunc(\"/\", http.NotFound)": "run http.DefaultServeMux = http.NewServeMux() first",
	} {
		n.runOn(t, cell)
		if _, _, err := n.run(cell); !strings.Contains(strings.Join(traceback(err), "\n"), want) {
			t.Errorf("%s a second time: %v, want %q in it", cell, traceback(err), want)
		}
	}
}
