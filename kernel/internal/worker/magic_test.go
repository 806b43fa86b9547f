//go:build unix

package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// measured is what differs from one run of %time and %timeit to the next.
var measured = regexp.MustCompile(`[0-9][0-9.]* (s|ms|µs|ns)\b`)

func TestMagics(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := newSessionWith(t, Config{Grace: time.Second, Dir: dir})
	for _, tt := range []struct{ source, want string }{
		{"!echo a >&2", "stderr: a\n"},
		{"!printf é; cat; echo $PWD", "stdout: é" + dir + "\n"},
		{"fmt.Println(1)\n!echo 2\nfmt.Println(3)", "stdout: 1\n2\n3\n"},
		{"!sleep 100 & echo on", "stdout: on\n"},
		{"%%bash\nfor i in 1 2; do\n\techo \"$i `pwd`\"\ndone", "stdout: 1 " + dir + "\n2 " + dir + "\n"},
		{"%env MAGIC=a b\n!echo $MAGIC\nos.Getenv(\"MAGIC\")", "stdout: MAGIC=a b\na b\n=> a b"},
		{"%env MAGIC", "stdout: a b\n"},
		{"%env MAGIC_TOKEN=a", "stdout: MAGIC_TOKEN=(hidden)\n"},
		{"%%writefile a.txt\na `b`\n  %c\n", "stdout: Wrote a.txt\n"},
		{"%%writefile -a a.txt\nd", "stdout: Appended to a.txt\n"},
		{"text, _ := os.ReadFile(\"a.txt\"); string(text)", "=> a `b`\n  %c\nd\n"},
		{"%%writefile a.txt", "stdout: Overwrote a.txt\n"},
		{"%cd ..\n%cd -", "stdout: " + filepath.Dir(dir) + "\n" + dir + "\n"},
		{"x := 2\n%time x *= 21\nx", "stdout: CPU times: user T, sys T, total T\nWall time: T\n=> 42"},
		{"%time x + 1", "stdout: CPU times: user T, sys T, total T\nWall time: T\n=> 43"},
		{"%time x + 1;", "stdout: CPU times: user T, sys T, total T\nWall time: T\n"},
		{"%%time\ny := x\nfunc f() int { return y }\nf() // shown", "stdout: CPU times: user T, sys T, total T\nWall time: T\n=> 42"},
		{"%time f := func() int {\n\treturn 1\n}\nf()", "stdout: CPU times: user T, sys T, total T\nWall time: T\n=> 1"},
		{"%timeit -n 10 -r 3 x++\nx", "stdout: T ± T per loop (mean ± std. dev. of 3 runs, 10 loops each)\n=> 72"},
		{"%%timeit -n 1 -r 1\nz := x\nx = z + 1\nx", "stdout: T ± T per loop (mean ± std. dev. of 1 run, 1 loop each)\n"},
		{"x", "=> 73"},
		{"magic := 1; magic__ := 2\n!echo $((1+1))\nmagic + magic__", "stdout: 2\n=> 3"},
		{"!echo again", "stdout: again\n"},
		{"magic.Shell(\"echo called\")", "stdout: called\n"},
	} {
		if strings.HasPrefix(tt.source, "magic.") {
			if _, err := s.run(t.Context(), "%reset"); err != nil { // the variable hides the package
				t.Fatal(err)
			}
		}
		got, err := s.run(t.Context(), tt.source)
		got = measured.ReplaceAllString(got, "T")
		if err != nil || got != tt.want {
			t.Errorf("%s\nshows %q, %v\nwant  %q", tt.source, got, err, tt.want)
		}
	}
}

func TestMagicsThatFail(t *testing.T) {
	s := newSession(t)
	for _, tt := range []struct{ source, name, message, traceback string }{
		{"!exit 3", "error", "exit status 3", "1 | !exit 3"},
		{"\n%cd no/where", "error", "chdir no/where: no such file or directory", "2 | %cd no/where"},
		{"!nosuchcommand", "error", "exit status 127 (the shell does not know", ""},
		{"!kill -9 $$", "error", "signal: killed", ""},
		{"%%bash\ntrue\nfalse", "error", "exit status 1", "1 | %%bash"},
		{"%load no/where", "error", "open no/where: no such file or directory", ""},
		{"%env NO_SUCH_VARIABLE", "error", "there is no environment variable NO_SUCH_VARIABLE", ""},
		{"%cd -", "error", "there is no directory to go back to", ""},
		{"%%writefile no/where\n", "error", "open no/where: no such file or directory", ""},
		{"x := 1\n%time func() {\n\tpanic(\"oh\")\n}()", "panic", "oh", "3 | \tpanic(\"oh\")"},
		{"%timeit -n 1 -r 1 []int{}[len(os.Args)-len(os.Args)]++", "panic", "runtime error: index out of range", "1 | %timeit"},
		{"%time os.Exit(3)", "exit", "exit status 3", ""},
	} {
		_, err := s.run(t.Context(), tt.source)
		var failure *program.Error
		if !errors.As(err, &failure) || failure.Name != tt.name || !strings.HasPrefix(failure.Message, tt.message) ||
			!strings.Contains(strings.ReplaceAll(strings.Join(failure.Traceback, "\n"), "\x1b[0m", ""), tt.traceback) {
			t.Errorf("%s: %#v", tt.source, err)
		}
	}
	if got, err := s.run(t.Context(), "x"); got != "=> 1" || err != nil {
		t.Errorf("x: %s, %v", got, err)
	}
}

func TestMagicsAreInterrupted(t *testing.T) {
	s := newSession(t)
	for _, source := range []string{
		"!echo begun; sleep 100",
		"!echo begun; sleep 100 | cat",
		"%%bash\necho begun\nsleep 100\n",
		"!echo begun; trap '' INT; sleep 100",
		"fmt.Println(\"begun\")\n%timeit time.Sleep(time.Millisecond)",
		"fmt.Println(\"begun\")\n%timeit for { }",
		"fmt.Println(\"begun\")\n%time for { }",
		"%time !echo begun; sleep 100",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &recorder{}
		ended := make(chan error, 1)
		go func() {
			_, err := s.runTo(ctx, source, out)
			ended <- err
		}()
		out.has(t, "stdout: begun\n")
		cancel()
		select {
		case err := <-ended:
			var failure *program.Error
			if !errors.As(err, &failure) || failure.Name != "Interrupted" {
				t.Errorf("%s: %v", source, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s is not interrupted", source)
		}
	}
	if got, err := s.run(t.Context(), "1"); got != "=> 1" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestReset(t *testing.T) {
	s := newSession(t)
	cells := func(cells ...string) (shown string, err error) {
		for _, cell := range cells {
			shown, err = s.run(t.Context(), cell)
		}
		return shown, err
	}
	if _, err := cells("x := 1\ntype T struct{ X int }\nfunc f() int { return x }", "pid := os.Getpid()", "go func() { for { time.Sleep(time.Millisecond); fmt.Print(\"late\") } }()"); err != nil {
		t.Fatal(err)
	}
	before, err := s.run(t.Context(), "os.Getpid();pid")
	if err != nil {
		t.Fatal(err)
	}
	// It may come behind statements, and before others.
	if got, err := cells("y := 2\n%reset"); err != nil || !strings.Contains(got, "5 names are forgotten") {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := cells("%reset\nx := \"new\"\nx"); err != nil || !strings.HasSuffix(got, "=> new") {
		t.Errorf("%s, %v", got, err)
	}
	for _, gone := range []string{"f()", "T{}", "y", "pid"} {
		if _, err := cells(gone); err == nil || !strings.Contains(err.Error(), "undefined: ") || strings.Contains(err.Error(), "lost") {
			t.Errorf("%s: %v", gone, err)
		}
	}
	if after, err := cells("os.Getpid()"); err != nil || after == before {
		t.Errorf("the process is the same: %s, %v", after, err)
	}
	if got, err := cells("slices.Max([]int{1, 2})", "type T struct{ Y int }\nT{3}"); got != "=> T{Y:3}" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestShellIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s := newSession(t)
	if _, err := s.run(t.Context(), "%%bash\nls\n"); err == nil || !strings.Contains(err.Error(), "there is no bash on this machine") {
		t.Error(err)
	}
	if _, err := os.Stat("bash"); err == nil {
		t.Fatal("a program bash is in this folder")
	}
}
