package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// hard is a text that shells take for much else unless it is quoted.
const hard = "a 'b' $HOME \"c`\\; #*"

// TestHabits runs what people who come from other kernels write, by both back ends.
func TestHabits(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		folder := t.TempDir()
		n := newWorkerNotebook(t, mode, func(c *engine.Config) { c.Cells = cellsOf })
		for _, c := range []struct{ source, want string }{
			{"%cd " + folder + "\n!touch a.txt", folder + "\n"},
			// The lines of a command.
			{"files := !ls *.txt\nfiles", "=> [a.txt]"},
			{"var none []string\nnone = !true; :\nlen(none)", "=> 0"},
			{"both, err := !echo a; echo b\nfmt.Print(len(both), err)", "2 <nil>"},
			{"_, err := !echo a; exit 3\nerr", "=> exit status 3"},
			{"ok := true\nnot := !ok\nisNot := !strings.HasPrefix(\"a\", \"b\")\nfmt.Print(not, isNot)", "false true"},
			{"no := !later()\nfunc later() bool { return true }\nno", "=> false"},
			{"ready := !(ok &&\n\tnot)\nready", "=> true"},
			{"sorted := !sort a.txt\nlen(sorted)", "=> 0"},
			// Values in a command.
			{"type Level int\nfunc (l Level) String() string { return \"level \" + strconv.Itoa(int(l)) }", ""},
			{"name := \"a 'b' $HOME \\\"c`\\\\; #*\"\n!printf '<%s>' {name} \"{name}\" '{name}' x{name}", "<" + hard + "><" + hard + "><" + hard + "><x" + hard + ">"},
			{"!printf '<%s>' \"$(printf %s {name})\"", "<" + hard + ">"},
			{"!printf '<%s>' {files} {len(files)+1} {fmt.Sprint(Level(3))} \"{[]int{1, 2}[1]}\" {3.5}", "<a.txt><2><level 3><{[]int{1, 2}[1]}><{3.5}>"},
			{"!printf '%s ' {{name}} {} {nope} ${HOME:+set} {1..3} | awk '{print $1 $2 $4}'", "{name}{}set\n"},
			{"lines := !printf '%s' {name}\nlines[0] == name", "=> true"},
			{"%time !printf %s {len(files)}", "1CPU times"},
			// Arguments.
			{"%args -n 3 'a b'", ""},
			{"n := flag.Int(\"n\", 1, \"\")\nflag.Parse()\nfmt.Println(*n, flag.Args(), len(os.Args))\n%args", "3 [a b] 4\n[\"-n\" \"3\" \"a b\"]\n"},
			{"%args --\nlen(os.Args)", "=> 1"},
			// What is forgotten.
			{"u := 1\nuses := func() int { return u }", ""},
			{"%rm u\nuses()", "=> 1"},
			{"u := \"anew\"\nfmt.Print(u, uses())", "anew1"},
			{"type T struct{ A int }\nfunc (T) M() int { return 7 }\nv := T{1}", ""},
			{"%rm T u\nfmt.Print(v.A, v.M())", "1 7"},
			{"type T int\nT(3)", "=> 3"},
			{"strings := 1", ""},
			{"%rm strings\nstrings.ToUpper(\"a\")", "=> A"},
			// What is caught.
			{"%%capture log\nfmt.Println(1)\nnb.Display(2)\n!echo 3\n2 + 2", ""},
			{"log", "=> 1\n2\n3\n4\n"},
			{"%%capture\nfmt.Println(1)\nw := 5", ""},
			{"%history -n 2\nw", "  29: log\n  30: %%capture\n      fmt.Println(1)\n      w := 5\n=> 5"},
			// Files.
			{"%%writefile helper.go\nfunc twice(x int) int { return 2 * x }\nfmt.Println(\"helps\")\ntwice(1)\n", "Wrote helper.go\n"},
			{"%run helper.go\ntwice(w)", "helps\n=> 10"},
			{"%%writefile 'said args.go'\nfmt.Println(os.Args[1:], len(os.Args))\n", "Wrote said args.go\n"},
			{"%run 'said args.go' -n 3 \"a b\"", "[-n 3 a b] 4\n"},
			{"%run said args.go\nlen(os.Args)", "[-n 3 a b] 4\n=> 4"},
			{"%%writefile exits.go\nfmt.Println(1)\nos.Exit(0)\nfmt.Println(2)\n", "Wrote exits.go\n"},
			{"%run exits.go\nfmt.Println(3)", "1\n3\n"},
			// Variables of the environment.
			{"%env HABIT_A=/a:'b'\n%env HABIT_B=$HABIT_A:${HABIT_A}:$HABIT_NONE/x", "HABIT_A=/a:'b'\nHABIT_B=/a:'b':/a:'b':$HABIT_NONE/x\n"},
			{"%env HABIT_C='$HABIT_A'\n%env HABIT_D \"$HABIT_A\"\nos.Getenv(\"HABIT_C\") + os.Getenv(\"HABIT_D\")", "HABIT_C=$HABIT_A\nHABIT_D=/a:'b'\n=> $HABIT_A/a:'b'"},
			{"%%writefile main.go\npackage main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"main\") }\n", "Wrote main.go\n"},
			{"%run main.go", "main\n"},
			{"%%html\n<b>x</b>", ""},
		} {
			shown, out, err := n.run(c.source)
			if shown != "" {
				out += "=> " + shown
			}
			if strings.HasPrefix(c.want, "1CPU") {
				out = out[:min(len(out), len(c.want))]
			}
			if err != nil || out != c.want {
				t.Errorf("%s\nshows %q, %v\nwant  %q", c.source, out, err, c.want)
			}
		}
		n.runOn(t, "func busy(n int) (s int) {\n\tfor i := range n {\n\t\ts += i % 7 * (s & 3)\n\t}\n\treturn s\n}")
		n.runOn(t, "spent, used := 0, syscall.Rusage{}\nprocessors := func() int64 {\n\tmust(0, syscall.Getrusage(syscall.RUSAGE_SELF, &used))\n\treturn used.Utime.Nano()\n}")
		cell := "%prof for begun := processors(); processors()-begun < 300_000_000; {\n\tspent += busy(1_000_000)\n}"
		profile := n.runOn(t, cell)
		if len(profile.shown) != 1 {
			t.Fatalf("a profile shows %d things", len(profile.shown))
		}
		text, _ := profile.shown[0].Data["text/plain"].(string)
		if page, _ := profile.shown[0].Data["text/html"].(string); !strings.Contains(page, "<svg") || !strings.Contains(text, "of processor time") {
			t.Errorf("a profile shows\n%s\n%s", text, page)
		}
		if mode == program.CompiledMode && !strings.Contains(text, "busy") {
			t.Errorf("a profile does not name the function:\n%s", text)
		}
		d := n.runOn(t, "%%markdown\n**bold** text")
		if len(d.shown) != 1 || d.shown[0].Data["text/markdown"] != "**bold** text" {
			t.Errorf("%v", d.shown)
		}
	})
}

// cellsOf reads a file as a cell.
func cellsOf(path string) ([]program.Cell, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return []program.Cell{{Name: filepath.Base(path), Source: string(text), Plain: strings.HasPrefix(string(text), "package main\n")}}, nil
}

// TestHabitErrors looks at what is said of wrong magics, and that nothing is done then.
func TestHabitErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("wrong.go", []byte("x := 1\nnope()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("itself.go", []byte("%run itself.go\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	n := &notebook{t: t}
	n.engine = engine.New(engine.Config{Executor: newExecutor(t, n), Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Cells: cellsOf})
	for _, c := range []struct{ source, want string }{
		{"%rm", "Cell [1]:1:1: %rm needs the names to remove"},
		{"a := 1", ""},
		{"%rm a b", "Cell [3]:1:7: no cell has declared b"},
		{"a", ""},
		{"%run", "Cell [5]:1:1: %run needs the name of a file"},
		{"%run none.go", "Cell [6]:1:6: open "},
		{"%run wrong.go", "wrong.go:2:1: undefined: nope"},
		{"%run itself.go", "itself.go:1:6: the files run each other in an endless loop"},
		{"%history -n", "Cell [9]:1:10: %history takes no argument, or -n and a number of inputs"},
		{"%args 'a", "Cell [10]:1:7: a quotation mark is not closed"},
		{"%%capture 1\n2", "Cell [11]:1:11: \"1\" is not the name of a variable"},
		{"%%html x\ny", "Cell [12]:1:8: the text that %%html shows begins on the next line"},
		{"!echo `echo {a}`", "Cell [13]:1:13: no value can be inserted between backquotes: write $(...) instead of them"},
		{"!echo {a.B}", "Cell [14]:1:10: a.B undefined (type int has no field or method B)"},
		{"files := !", "Cell [15]:1:10: a command is missing after !"},
		{"%rm a\na", "Cell [16]:2:1: undefined: a"},
	} {
		_, _, err := n.run(c.source)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.source, err)
			}
			continue
		}
		var e *program.Error
		if !errors.As(err, &e) || e.Name != "CompileError" || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%s\nerror %v\nwant  %s", c.source, err, c.want)
		}
	}
	if shown, out, err := n.run("%%capture kept\nfmt.Println(\"seen\")\npanic(\"fails\")"); err == nil || out != "seen\n" {
		t.Errorf("a failure shows %q, %q, %v", shown, out, err)
	}

	n.runOn(t, "kept := 1\nkeeper := 2")
	found := n.engine.Complete("%rm kept ke", 11)
	var names []string
	for _, f := range found.Candidates {
		names = append(names, f.Text)
	}
	if !slices.Equal(names, []string{"keeper", "kept"}) || found.Start != 9 {
		t.Errorf("%v at %d", names, found.Start)
	}
}
