package magic

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A page is what is written, and the text that is proposed for the cell.
type page struct {
	host.Host // a magic does not ask for the rest
	ctx       context.Context

	mu    sync.Mutex
	text  bytes.Buffer
	input string
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// take returns what was written since the last call.
func (p *page) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.text.Reset()
	return p.text.String()
}

func (p *page) Context() context.Context              { return p.ctx }
func (*page) Display(*display.Bundle, string, bool)   {}
func (*page) Clear(bool)                              {}
func (*page) Input(string, bool) (string, error)      { return "", errors.New("nobody is there") }
func (*page) Updates() bool                           { return false }
func (*page) Comm(*host.CommMessage) error            { return host.ErrNoFrontEnd }
func (*page) Page(*display.Bundle)                    {}
func (p *page) NextInput(source string, replace bool) { p.input = source }

func open(t *testing.T) *page {
	t.Helper()
	p := &page{ctx: t.Context()}
	before, out, errs := host.Current(), host.Stdout(), host.Stderr()
	host.Set(p)
	host.SetOutput(p, p)
	t.Cleanup(func() {
		host.Set(before)
		host.SetOutput(out, errs)
	})
	return p
}

// failure returns what f fails with; nil if it does not.
func failure(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(host.Failure)
		}
	}()
	f()
	return nil
}

func TestFolders(t *testing.T) {
	p := open(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	t.Setenv("HOME", home)
	if err := os.Mkdir("in", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"in", home + "/in\n"}, {"", home + "\n"}, {"-", home + "/in\n"}, {"~/in/..", home + "\n"},
	} {
		if err := failure(func() { Chdir(c.path) }); err != nil || p.take() != c.want {
			t.Errorf("%q: %v", c.path, err)
		}
	}
	if err := failure(func() { Chdir("nowhere") }); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestEnvironment(t *testing.T) {
	p := open(t)
	t.Setenv("MAGIC_A", "")
	t.Setenv("MAGIC_KEY", "")
	Setenv("MAGIC_A", "x y")
	Setenv("MAGIC_KEY", "z")
	ExpandEnv("MAGIC_A", "$MAGIC_KEY ${MAGIC_KEY}$MAGIC_UNSET$ ")
	if got := os.Getenv("MAGIC_A"); got != "z z$MAGIC_UNSET$ " {
		t.Errorf("expanded to %q", got)
	}
	os.Setenv("MAGIC_A", "x y")
	Getenv("MAGIC_KEY")
	if got := p.take(); got != "MAGIC_A=x y\nMAGIC_KEY=(hidden)\nMAGIC_A=(hidden)\nz\n" {
		t.Error(got)
	}
	Environ()
	if got := p.take(); !strings.Contains(got, "\nMAGIC_A=x y\nMAGIC_KEY=(hidden)\n") {
		t.Error(got)
	}
	if err := failure(func() { Getenv("MAGIC_NONE") }); err == nil {
		t.Error("there is MAGIC_NONE")
	}
	if err := failure(func() { Setenv("a=b", "c") }); err == nil {
		t.Error("a=b is set")
	}
}

func TestFiles(t *testing.T) {
	p := open(t)
	t.Chdir(t.TempDir())
	WriteFile("a", "1\n")
	AppendFile("a", "2\n")
	Load("a")
	if p.input != "// %load a\n1\n2\n" {
		t.Errorf("%q", p.input)
	}
	WriteFile("a", "3\n")
	AppendFile("b", "4\n")
	if got := p.take(); got != "Wrote a\nAppended to a\nOverwrote a\nAppended to b\n" {
		t.Error(got)
	}
	for name, f := range map[string]func(){
		"load":   func() { Load("c") },
		"write":  func() { WriteFile("no/c", "") },
		"append": func() { AppendFile("no/c", "") },
	} {
		if err := failure(f); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShell(t *testing.T) {
	p := open(t)
	for _, c := range []struct{ command, want, failure string }{
		{"echo a; cat; echo b", "a\nb\n", ""},
		{"echo a; exit 3", "a\n", "exit status 3"},
		{"head -c 1000000 /dev/zero | tr '\\0' x", strings.Repeat("x", 1000000), ""},
		{"(sleep 2; echo late) & echo now", "now\n", ""},
	} {
		err := failure(func() { Shell(c.command) })
		if got := p.take(); got != c.want {
			t.Errorf("%s writes %.100q", c.command, got)
		}
		if (err == nil) != (c.failure == "") || err != nil && err.Error() != c.failure {
			t.Errorf("%s: %v", c.command, err)
		}
	}
	if err := failure(func() { Shell("nosuchcommand") }); err == nil || !strings.Contains(err.Error(), "in parentheses") {
		t.Error(err)
	}
}

// TestBackground holds that what is left in the background is still shown.
func TestBackground(t *testing.T) {
	p := open(t)
	t.Chdir(t.TempDir())
	Shell("(until [ -e go ]; do sleep 0.01; done; echo late) & echo now")
	if got := p.take(); got != "now\n" {
		t.Fatal(got)
	}
	if err := os.WriteFile("go", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var late string
	testrun.Await(t, "the command prints", func() bool { late = p.take(); return late != "" })
	if late != "late\n" {
		t.Error(late)
	}
}

func TestTimers(t *testing.T) {
	p := open(t)
	StartTimer()
	StartTimer()
	StopTimer()
	StopTimer()
	if got := strings.Count(p.take(), "Wall time: "); got != 2 {
		t.Errorf("%d times", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a timer stops that was not started")
		}
	}()
	StopTimer()
}

func TestTimeIt(t *testing.T) {
	p := open(t)
	runs, loops := 0, 0
	TimeIt(3, 2, func(n int) { runs++; loops += n })
	if got := p.take(); runs != 2 || loops != 6 || !strings.HasSuffix(got, " per loop (mean ± std. dev. of 2 runs, 3 loops each)\n") {
		t.Errorf("%d runs, %d loops: %s", runs, loops, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.ctx = ctx
	TimeIt(0, 0, func(n int) { cancel() })
	if got := p.take(); got != "" {
		t.Errorf("when it is interrupted, it prints %s", got)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 s"}, {7, "7 ns"}, {999, "999 ns"}, {1234, "1.23 µs"}, {12345, "12.3 µs"}, {123456, "123 µs"},
		{999999, "1.00 ms"}, {time.Second, "1.00 s"}, {59900 * time.Millisecond, "59.9 s"}, {90 * time.Second, "1m30s"},
		{2*time.Hour + 3*time.Second/10, "2h0m0s"},
	} {
		if got := duration(c.d); got != c.want {
			t.Errorf("%d: %s, want %s", c.d, got, c.want)
		}
	}
	for _, c := range []struct {
		mean, deviation float64
		want            string
	}{
		{1.234e-6, 5e-8, "1.23 µs ± 0.05 µs"}, {5e-10, 1e-10, "0.50 ns ± 0.10 ns"}, {0.1234, 0, "123 ms ± 0 ms"}, {75, 2, "75.0 s ± 2.0 s"},
	} {
		if got := spread(c.mean, c.deviation); got != c.want {
			t.Errorf("%g ± %g: %s, want %s", c.mean, c.deviation, got, c.want)
		}
	}
	for n, want := range map[int]string{1: "1 loop", 999: "999 loops", 1000: "1,000 loops", 1234567: "1,234,567 loops"} {
		if got := plural(n, "loop"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if mean, deviation := statistics([]float64{1, 3}); mean != 2 || deviation != 1 {
		t.Errorf("%g ± %g", mean, deviation)
	}
	for step, want := range []int{1, 2, 5, 10, 20, 50, 100} {
		if got := round(step); got != want {
			t.Errorf("step %d: %d", step, got)
		}
	}
}

func TestBrief(t *testing.T) {
	long := strings.Repeat("é", 200)
	if got := Brief(1, "a\nb", time.Second, errors.New("a\nb")); got != "1\n\"a\\nb\"\n1s\na b" {
		t.Errorf("%q", got)
	}
	if got := Brief(long); got != "\""+strings.Repeat("é", 99) {
		t.Errorf("%q", got)
	}
}

func ExampleTimeIt() {
	// What it prints begins like "1.23 µs ± 0.05 µs per loop".
	TimeIt(0, 0, func(n int) {
		for range n {
			_ = strings.Repeat("a", 100)
		}
	})
}

func TestProfile(t *testing.T) {
	p := open(t)
	p.ctx = t.Context()
	if err := failure(func() {
		StartProfile()
		StartProfile() // the cell of the first one has failed
		for begun, s := time.Now(), 0; time.Since(begun) < 200*time.Millisecond; s++ {
			_ = strings.Repeat("a", s%1000)
		}
		StopProfile()
	}); err != nil {
		t.Fatal(err)
	}
	samples := []stackSample{{[]string{"main.a", "main.b<T>"}, 30 * time.Millisecond}, {[]string{"main.a", "main.a"}, 10 * time.Millisecond}}
	b := profileBundle(samples, time.Second)
	text := b.Text()
	want := "40.0 ms of processor time, 1.00 s elapsed\n" +
		"  itself        with calls         function\n" +
		" 30.0 ms  75.0%    30.0 ms  75.0%  main.b<T>\n" +
		" 10.0 ms  25.0%    40.0 ms 100.0%  main.a\n"
	if text != want {
		t.Errorf("the table is\n%s\nwant\n%s", text, want)
	}
	page, _ := b.Data["text/html"].(string)
	for _, part := range []string{"main.b&lt;T&gt;: 30.0 ms, 75.0 %", `width="720.0"`, `viewBox="0 0 960 36"`} {
		if !strings.Contains(page, part) {
			t.Errorf("the picture lacks %s: %s", part, page)
		}
	}
	if text := profileBundle(nil, 0).Text(); !strings.Contains(text, "too short") {
		t.Error(text)
	}
	for _, wrong := range []string{"", "x"} {
		if _, err := readProfile([]byte(wrong)); err == nil {
			t.Errorf("%q is a profile", wrong)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a profile ends that was not begun")
		}
	}()
	StopProfile()
}
