package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/enginetest/local"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// deaf is standard input where nobody can be asked.
type deaf struct{}

func (deaf) Read([]byte) (int, error) { return 0, errors.New("nobody can be asked") }

// TestStandardFiles reads and writes os.Stdin, os.Stdout and os.Stderr.
func TestStandardFiles(t *testing.T) {
	for name, c := range map[string]struct{ cell, in, out, stderr, fails string }{
		"scanner":      {cell: "s := bufio.NewScanner(os.Stdin)\nfor s.Scan() {\n\tfmt.Println(s.Text())\n}", in: "a\nb", out: "a\nb\n"},
		"reader":       {cell: "r := bufio.NewReader(os.Stdin)\nl, _ := r.ReadString('\\n')\nfmt.Print(l)", in: "a\nb\n", out: "a\n"},
		"read all":     {cell: "b, _ := io.ReadAll(os.Stdin)\nfmt.Print(len(b))", in: "a\nb\n", out: "4"},
		"read":         {cell: "p := make([]byte, 8)\nn, _ := os.Stdin.Read(p)\nfmt.Print(n)", in: "abc", out: "3"},
		"copy":         {cell: "io.Copy(os.Stdout, os.Stdin)", in: "abc", out: "abc"},
		"scan to end":  {cell: "var s string\nfor {\n\tif _, err := fmt.Scan(&s); err != nil {\n\t\tfmt.Print(err == io.EOF)\n\t\tbreak\n\t}\n}", in: "a b", out: "true"},
		"writer":       {cell: "w := bufio.NewWriter(os.Stdout)\nfmt.Fprint(w, 1)\nw.Flush()\nfmt.Print(2)", out: "12"},
		"methods":      {cell: "os.Stdout.Write([]byte(\"a\"))\nos.Stdout.WriteString(\"b\")\nf := os.Stdout.WriteString\nf(\"c\")", out: "abc"},
		"variable":     {cell: "var w io.Writer = os.Stdout\nfmt.Fprint(w, w == os.Stdout)", out: "true"},
		"field":        {cell: "type T struct{ W io.Writer }\nfmt.Fprint(T{os.Stdout}.W, \"a\")", out: "a"},
		"own type":     {cell: "type W interface{ Write([]byte) (int, error) }\nvar w W = os.Stdout\nw.Write([]byte(\"a\"))", out: "a"},
		"result":       {cell: "func out() io.Writer { return os.Stdout }\nfmt.Fprint(out(), \"a\")", out: "a"},
		"logger":       {cell: "log.New(os.Stderr, \"p \", 0).Print(\"a\")", stderr: "p a\n"},
		"command":      {cell: "c := exec.Command(\"echo\", \"a\")\nc.Stdin, c.Stdout = os.Stdin, os.Stdout\nfmt.Print(c.Run())", out: "a\n<nil>"},
		"file":         {cell: "var f *os.File = os.Stdout\nfmt.Print(f == os.Stdout, os.Stdout.Fd())", out: "true 1"},
		"fatal":        {cell: "defer func() { recover() }()\nlog.SetFlags(0)\nfunc() {\n\tdefer func() { recover() }()\n\tlog.Fatalf(\"no %d\", 1)\n}()\nfmt.Print(1)", stderr: "no 1\n", fails: "exit status 1"},
		"fatal method": {cell: "type T struct{ *log.Logger }\nx := T{log.New(os.Stderr, \"\", 0)}\nfunc() {\n\tdefer func() { recover() }()\n\tx.Fatal(\"no\", 1)\n}()\nfmt.Print(1)", stderr: "no1\n", fails: "exit status 1"},
		"exit aside":   {cell: "done := make(chan bool)\ngo func() {\n\tdefer close(done)\n\tos.Stderr.WriteString(\"a \")\n\tos.Exit(3)\n}()\nselect {}", stderr: "a ", fails: "exit status 3"},
		"println nils": {cell: "var p *int\nvar s []int\nvar m map[int]int\nvar c chan int\nvar f func()\nvar e any\nvar err error\nprintln(p, s, m, c, f, e, err)", stderr: "0x0 [0/0]0x0 0x0 0x0 0x0 (0x0,0x0) (0x0,0x0)\n"},
		"println":      {cell: "type T int\nfunc (T) String() string { return \"no\" }\ntype L []string\nvar l L\nprintln(T(3), l, 1.5, float32(0.1), 'x', uint8(200), complex(1, 2), 1e100, 123456789.0, \"a\", true)", stderr: "3 [0/0]0x0 1.5 0.1 120 200 (1+2i) 1e+100 1.23456789e+08 a true\n"},
		"print":        {cell: "print(1, 2, \"a\", \"b\", 3.5, true, int8(-4), \"\\n\")\nprint()\nfunc() {\n\tdefer println(\"deferred\")\n\tprintln()\n}()", stderr: "12ab3.5true-4\n\ndeferred\n"},
		"goexit":       {cell: "runtime.Goexit()", fails: "runtime.Goexit ended the goroutine of the cell"},
	} {
		t.Run(name, func(t *testing.T) {
			out, stderr, err := runWith(t, interpreted.Config{Symbols: stdlib.Symbols(), Stdin: strings.NewReader(c.in)}, c.cell)
			if out != c.out || stderr != c.stderr || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("stdout %q, stderr %q, error %v", out, stderr, err)
			}
		})
	}
}

// TestNobodyToAsk reads where that fails, with programs that do not look.
func TestNobodyToAsk(t *testing.T) {
	for _, cell := range []string{
		"var s string\nfmt.Scanln(&s)\nfmt.Print(1)",
		"bufio.NewScanner(os.Stdin).Scan()\nfmt.Print(1)",
		"os.Stdin.Read(make([]byte, 1))\nfmt.Print(1)",
	} {
		out, _, err := runWith(t, interpreted.Config{Symbols: stdlib.Symbols(), Stdin: deaf{}}, cell)
		if out != "" || err == nil || !strings.Contains(err.Error(), "nobody can be asked") {
			t.Errorf("%s: stdout %q, error %v", cell, out, err)
		}
	}
}

// runWith runs a cell in a session of its own, and another to see that it lives.
func runWith(t *testing.T, config interpreted.Config, cell string) (stdout, stderr string, err error) {
	t.Helper()
	executor, err := local.New(config)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Executor: executor, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	var r, after enginetest.Recorder
	_, err = e.Run(context.Background(), program.Cell{Number: 1, Source: cell}, &r)
	if _, err := e.Run(context.Background(), program.Cell{Number: 2, Source: "fmt.Print(2)"}, &after); err != nil || after.Out() != "2" {
		t.Errorf("after %s: %q, %v", cell, after.Out(), err)
	}
	return r.Out(), r.Notes(), err
}
