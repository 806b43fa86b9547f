//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/module"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A session is an engine with a worker of its own.
type session struct {
	*engine.Engine
	worker *Process
	cell   int
}

func newSession(t testing.TB) *session { return newSessionWith(t, Config{Grace: time.Second}) }

func newSessionWith(t testing.TB, config Config) *session {
	t.Helper()
	config.Command = []string{os.Args[0], "real-worker"}
	return startSession(t, config, engine.Config{})
}

// newSessionIn returns a session whose cells all run in one way.
func newSessionIn(t testing.TB, mode program.Mode) *session {
	t.Helper()
	if mode != program.CompiledMode {
		return newSession(t)
	}
	return newSessionOfProgram(t, mode)
}

// newSessionOfProgram is newSessionIn with hierml itself as the worker, and not this test.
func newSessionOfProgram(t testing.TB, mode program.Mode) *session {
	t.Helper()
	p := testprogram.Open(t, false)
	return startSession(t, Config{Command: []string{p.File, "worker"}, Grace: time.Second}, engine.Config{
		Mode: mode,
		Compiler: func(context.Context, func(string)) (program.Compiler, error) {
			kit, err := p.Kit()
			if err != nil {
				return nil, err
			}
			return module.NewCompiler(kit)
		},
	})
}

func startSession(t testing.TB, config Config, settings engine.Config) *session {
	t.Helper()
	p, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	settings.Executor, settings.Importer, settings.Preloaded = p, stdlib.Importer, stdlib.Preloaded
	s := &session{engine.New(settings), p, 0}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs a cell and returns what it shows, the value last.
func (s *session) run(ctx context.Context, source string) (string, error) {
	var out recorder
	shown, err := s.runTo(ctx, source, &out)
	text := out.String()
	if shown != nil {
		text += fmt.Sprint("=> ", shown.Data["text/plain"])
	}
	return text, err
}

// interrupted runs a cell, interrupts it once it has shown something, and returns what it shows in
// all, how long it then took to end, and its error.
func (s *session) interrupted(t *testing.T, source string) (shown string, took time.Duration, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	out := &interrupting{interrupt: func() {
		cancelled = time.Now()
		cancel()
	}}
	_, err = s.runTo(ctx, source, out)
	return out.String(), time.Since(cancelled), err
}

// An interrupting recorder interrupts once when it is shown a text.
type interrupting struct {
	recorder
	once      sync.Once
	interrupt func()
}

func (r *interrupting) Stream(name, text string) {
	r.recorder.Stream(name, text)
	r.once.Do(r.interrupt)
}

func (s *session) runTo(ctx context.Context, source string, out program.Output) (*program.Bundle, error) {
	s.cell++
	return s.Run(ctx, program.Cell{Number: s.cell, Source: source}, out)
}

func TestSession(t *testing.T) {
	s := newSession(t)
	for _, tt := range []struct{ source, want string }{
		{`1 + 1`, "=> 2"},
		{`x := []int{3, 1, 2}; fmt.Println("a"); fmt.Fprintln(os.Stderr, "b"); fmt.Println("c")`, "stdout: a\n|stderr: b\n|stdout: c\n"},
		{`nb.Display(len(x)); fmt.Print("d"); nb.Text("e"); x[0]`, "show: 3|stdout: d|show: e=> 3"},
		{`cmd := exec.Command("echo", "f"); cmd.Stdout = os.Stdout; fmt.Println("g"); cmd.Run(); nb.Text("h"); fmt.Println("i")`, "stdout: g\nf\n|show: h|stdout: i\n"},
		{`type T struct{ N int }; T{2}`, "=> T{N:2}"},
		{`type U struct{}; func (U) HTML() string { return "<b>" }; func (U) String() string { return "a U" }; U{}`, "=> a U"},
		{`nb.Display(U{}); h := nb.Display(T{1}); h.Update(T{2}); h`, "show: a U|show: T{N:1}|show: T{N:2}"},
		{`log.SetFlags(0); fmt.Println("j"); log.Print("k"); fmt.Println("l")`, "stdout: j\n|stderr: k\n|stdout: l\n"},
		{`var err error; err`, ""},
		{`_, err = strconv.Atoi("a"); err`, "=> strconv.Atoi: parsing \"a\": invalid syntax\n  wraps *errors.errorString: invalid syntax"},
		{`mat.NewDense(1, 2, []float64{1, 2})`, "=> [1  2]"},
		{`for i := range 3 { fmt.Fprint(os.Stdout, i); fmt.Fprint(os.Stderr, i) }`, "stdout: 0|stderr: 0|stdout: 1|stderr: 1|stdout: 2|stderr: 2"},
		{`os.Stderr.WriteString("n"); fmt.Print("o")`, "stderr: n|stdout: o"},
		{`json.NewEncoder(os.Stdout).Encode(1); fmt.Print("p")`, "stdout: 1\np"},
		{`os.Stdout.Close(); fmt.Print("q"); nb.Text("r")`, "stdout: q|show: r"},
		{`docs := &dataset.Corpus{Documents: []dataset.Document{{ID: "a", Labels: []int{1, 2}}, {ID: "b"}}}`, ""},
		{`[]string{docs.Documents[0].ID, "x", strings.ToUpper(docs.Documents[1].ID)}`, "=> [a x B]"},
		{`[...]any{2: docs.Documents[0].ID, docs.Documents[0].Labels[1:]}`, "=> [<nil> <nil> a [2]]"},
		{`[][]int{docs.Documents[0].Labels, {len(docs.Documents[0].ID)}}`, "=> [[1 2] [1]]"},
	} {
		got, err := s.run(t.Context(), tt.source)
		if err != nil || got != tt.want {
			t.Errorf("%s\nshows %q, %v\nwant  %q", tt.source, got, err, tt.want)
		}
	}
}

func TestSessionIsInterrupted(t *testing.T) {
	s := newSession(t)
	if _, err := s.run(t.Context(), `n := 7`); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`for { n++ }`,
		`<-nb.Context().Done(); nb.Context().Err()`,
		`select {}`,
		`var mu sync.Mutex; mu.Lock(); for { time.Sleep(time.Millisecond) }`,
		`exec.Command("sleep", "100").Run()`,
		`exec.Command("sh", "-c", "sleep 100 | cat; true").Run()`,
	} {
		out, took, err := s.interrupted(t, `fmt.Print("begun"); `+source)
		if out != "stdout: begun" || took > 30*time.Second {
			t.Errorf("%s shows %q and took %v to be interrupted", source, out, took)
		}
		var failure *program.Error
		if !errors.As(err, &failure) {
			t.Errorf("%s: %v", source, err)
		}
		if got, err := s.run(t.Context(), `n > 0`); got != "=> true" || err != nil {
			t.Errorf("after %s: %s, %v", source, got, err)
		}
	}
}

func BenchmarkSessionStart(b *testing.B) {
	for b.Loop() {
		s := newSession(b)
		if got, err := s.run(b.Context(), `1 + 1`); got != "=> 2" || err != nil {
			b.Fatal(got, err)
		}
		s.Close()
	}
}

func BenchmarkSessionCell(b *testing.B) {
	s := newSession(b)
	for b.Loop() {
		if _, err := s.run(b.Context(), `1 + 1`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSessionPrint(b *testing.B) {
	s := newSession(b)
	for b.Loop() {
		if _, err := s.run(b.Context(), `for i := 0; i < 10000; i++ { fmt.Println("line", i) }`); err != nil {
			b.Fatal(err)
		}
	}
}

// cells runs cells that show something, of which … stands for the rest, or fail.
func (s *session) cells(t *testing.T, cells []expected) {
	t.Helper()
	for _, c := range cells {
		got, err := s.run(t.Context(), c.source)
		start, cut := strings.CutSuffix(c.shows, "…")
		if got != c.shows && !(cut && strings.HasPrefix(got, start)) || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s\nshows %q, error %v\nwant  %q, %q", c.source, got, err, c.shows, c.fails)
		}
	}
}

type expected struct{ source, shows, fails string }

func TestFailuresThatCostTheCellOnly(t *testing.T) {
	newSession(t).cells(t, []expected{
		{`x := 5`, "", ""},
		{`fmt.Print("a"); os.Exit(3)`, "stdout: a", "exit status 3"},
		{`go func() { panic("in a goroutine") }(); select {}`, "", "in a goroutine"},
		{`log.SetFlags(0); log.Fatal("no")`, "stderr: no\n", "exit status 1"},
		{`var line string; fmt.Scanln(&line)`, "", "nobody can be asked"},
		{`runtime.Goexit()`, "", "Goexit"},
		{`[]int{}[x]`, "", "index out of range"},
		{`x`, "=> 5", ""},
	})
}

// What endless recursion leaves of a cell takes long to end under load. That of a goroutine is the
// finding worker_goroutine_overflow: what is said of the variables has to be true of the cells that
// follow.
func TestEndlessRecursion(t *testing.T) {
	needsMemory(t)
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		t.Run(mode.String(), func(t *testing.T) {
			const said = "the stack of a function that calls itself has grown above 1 GB; variables are kept"
			s := newSessionIn(t, mode)
			s.cells(t, []expected{{`x := 5; never := make(chan int); func f(n int) int { return f(n+1) + 1 }`, "", ""}})
			if mode == program.CompiledMode { // which is the faster one
				s.cells(t, []expected{{`fmt.Print("before"); f(0)`, "stdout: before", said}, {`x`, "=> 5", ""}})
			}
			_, err := s.run(t.Context(), `go func() { never <- f(0) }(); <-never`)
			switch {
			case err == nil:
				t.Fatal("no stack overflow")
			case strings.Contains(err.Error(), said):
				s.cells(t, []expected{{`x + 1`, "=> 6", ""}, {`x`, "=> 5", ""}})
			case mode == program.InterpretedMode && strings.Contains(err.Error(), "the worker process died: stack overflow"):
				s.cells(t, []expected{{`x`, "", "lost when the worker process died: stack overflow"}, {`20 + 1`, "=> 21", ""}})
			default:
				t.Fatal(err)
			}
		})
	}
}

func TestDeathOfASession(t *testing.T) {
	for _, tt := range []struct{ source, cause string }{
		{`fmt.Print("before"); m := map[int]int{}; for range 4 { go func() { for i := range 100_000_000 { m[i%7] = i } }() }; time.Sleep(time.Minute)`, "concurrent map writes"},
	} {
		newSession(t).cells(t, []expected{
			{`x := 1`, "", ""},
			{tt.source, "stdout: before", "the worker process died: " + tt.cause},
			{`x`, "", "the variable was lost when the worker process died: " + tt.cause},
		})
	}
}

func TestSessionOutputBelongsToItsCell(t *testing.T) {
	if raceEnabled {
		t.Skip("yaegi makes room for the variables of a cell without regard for the goroutines of earlier ones, which the race detector reports")
	}
	for _, tt := range []struct{ name, source string }{
		{"goroutine", `go func() { <-gate; late(); gate <- true }()`},
		{"goroutine of a goroutine", `go func() { var wg sync.WaitGroup; wg.Go(func() { <-gate; late(); gate <- true }); wg.Wait() }()`},
		{"timer", `time.AfterFunc(0, func() { <-gate; late(); gate <- true })`},
		{"function of a context", `ctx, cancel := context.WithCancel(context.Background()); context.AfterFunc(ctx, func() { <-gate; late(); gate <- true }); cancel()`},
		{"server", `server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gate; late(); gate <- true })); go http.Get(server.URL)`},
	} {
		s := newSession(t)
		var first, second recorder
		for _, cell := range []struct {
			source string
			out    *recorder
		}{
			{`gate := make(chan bool); func late() { fmt.Print("s"); nb.Text("d"); fmt.Fprint(os.Stderr, "e"); nb.Display(1); log.SetFlags(0); log.Print("l") }`, &recorder{}},
			{tt.source + `; fmt.Print("a")`, &first},
			{`fmt.Print("b"); gate <- true; <-gate; fmt.Print("c")`, &second},
		} {
			if _, err := s.runTo(t.Context(), cell.source, cell.out); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		first.has(t, "stdout: as|show: d|stderr: e|show: 1|stderr: l\n")
		second.has(t, "stdout: bc")
	}
}

func TestSessionMemory(t *testing.T) {
	needsMemory(t)
	s := newSessionWith(t, Config{Memory: 500 << 20})
	s.cells(t, []expected{
		{`x := 5; var held [][]byte`, "", ""},
		{`for { held = append(held, bytes.Repeat([]byte{1}, 1<<20)); time.Sleep(time.Millisecond) }`, "", "OutOfMemory: interrupted: the worker uses "},
		{`len(held) > 100`, "=> true", ""},
		{`held = nil; runtime.GC(); x`, "=> 5", ""},
		{`bytes.Repeat([]byte{1}, 1<<30)[0]`, "", "the worker process died: out of memory: it used "},
		{`x`, "", "the variable was lost when the worker process died: out of memory"},
		{`y := 6; y`, "=> 6", ""},
		{`make([]byte, 1<<46)[0]`, "", "the worker process died: out of memory"},
	})
}

func TestDeathNamesItsCell(t *testing.T) {
	s := newSession(t)
	if _, err := s.run(t.Context(), `func f() { make([]byte, 1<<46)[0] = 1 }`); err != nil {
		t.Fatal(err)
	}
	_, err := s.run(t.Context(), `f()`)
	var failure *program.Error
	if !errors.As(err, &failure) || !strings.Contains(strings.Join(failure.Traceback, "\n"), "Cell [2]") {
		t.Errorf("got %#v", err)
	}
}

func TestSessionComms(t *testing.T) {
	s := newSession(t)
	run := func(want, source string) {
		t.Helper()
		if got, err := s.run(t.Context(), source); got != want || err != nil {
			t.Errorf("%s\nshows %q, %v\nwant  %q", source, got, err, want)
		}
	}
	number := 1000
	deliver := func(ctx context.Context, want, fails string, m *program.CommMessage) {
		t.Helper()
		number++
		var out recorder
		err := s.Deliver(ctx, number, m, &out)
		if got := out.String(); got != want || (err == nil) != (fails == "") || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s %s shows %q, %v\nwant %q, %s", m.Kind, m.ID, got, err, want, fails)
		}
	}
	run("", `heard := 0
nb.HandleComm("here", func(c *nb.Comm, m nb.Message) {
	c.OnMessage(func(c *nb.Comm, m nb.Message) {
		heard++
		switch string(m.Data) {
		case `+"`{\"a\":1}`"+`:
			panic("no")
		case `+"`{\"a\":2}`"+`:
			fmt.Print("begun")
			for { time.Sleep(time.Millisecond) }
		}
		fmt.Print("heard ", len(m.Buffers))
		if err := c.Send(nil, m.Buffers...); err != nil { fmt.Print(err) }
	})
	fmt.Print("opened")
})`)
	deliver(t.Context(), "comm: close u", "", &program.CommMessage{Kind: "open", ID: "u", Target: "elsewhere"})
	deliver(t.Context(), "stdout: opened", "", &program.CommMessage{Kind: "open", ID: "c", Target: "here"})
	deliver(t.Context(), "stdout: heard 2|comm: msg c", "", &program.CommMessage{Kind: "msg", ID: "c", Buffers: [][]byte{{1}, {2}}})
	deliver(t.Context(), "", "panic: no", &program.CommMessage{Kind: "msg", ID: "c", Data: []byte(`{"a":1}`)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	endless := &interrupting{interrupt: cancel}
	number++
	err := s.Deliver(ctx, number, &program.CommMessage{Kind: "msg", ID: "c", Data: []byte(`{"a":2}`)}, endless)
	if endless.String() != "stdout: begun" || err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an endless handler shows %q, %v", endless.String(), err)
	}
	run("=> 3", `heard`)
	if got, err := s.run(t.Context(), `_, err := nb.OpenComm("there", nil, nil); err`); !strings.HasPrefix(got, "comm: open ") || strings.Contains(got, "=>") || err != nil {
		t.Errorf("a comm of the session's own: %q, %v", got, err)
	}
	var out recorder
	out.alone = true
	if shown, err := s.runTo(t.Context(), `_, err = nb.OpenComm("there", nil, nil); fmt.Sprint(err)`, &out); err != nil || shown == nil || !strings.Contains(fmt.Sprint(shown.Data["text/plain"]), "no front end") {
		t.Errorf("without a front end: %v, %v", shown, err)
	}
}

// TestStructsOfCells shows values of types that cells declare.
func TestStructsOfCells(t *testing.T) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		t.Run(mode.String(), func(t *testing.T) {
			s := newSessionIn(t, mode)
			if _, err := s.run(t.Context(), `type Mark struct{ v float64 }
func (m Mark) String() string { return fmt.Sprintf("<%g>", m.v) }
type Bold string
func (b Bold) HTML() string { return "<b>" + string(b) + "</b>" }
type Student struct {
	Name string
	born time.Time
	took time.Duration
	Mark Mark
	Next *Student
}
type Page struct { Title Bold; n int }
type Own struct { A int }
func (Own) HTML() string { return "<i>own</i>" }
ann := Student{"Ann", time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC), time.Second / 4, Mark{1.5}, nil}
bob := Student{Name: "Bob", Next: &ann}
ring := Student{Name: "O"}
ring.Next = &ring
type Small struct { A int; in struct{ d time.Duration }; f func() }`); err != nil {
				t.Fatal(err)
			}
			for _, test := range []struct{ source, text, html string }{
				{`ann`, "Student{Name:Ann born:2001-02-03 04:05:06 +0000 UTC took:250ms Mark:<1.5> Next:<nil>}", "<th*>born</th><td*>2001-02-03 04:05:06 +0000 UTC</td>"},
				{`&ann`, "&Student{Name:Ann born:2001-02-03 04:05:06 +0000 UTC took:250ms Mark:<1.5> Next:<nil>}", "<th*>took</th><td*>250ms</td>"},
				{`bob`, "Student\nName  Bob\nborn  0001-01-01 00:00:00 +0000 UTC\ntook  0s\nMark  <0>\nNext  &{Name:Ann born:2001-02-03 04:05:06 +0000 UTC took:250ms Mark:<1.5> Next:<nil>}", ""},
				{`Small{A: 1}`, "Small{A:1 in:{d:0s} f:<nil>}", "<th*>in</th><td*>{d:0s}</td>"},
				{`struct{ D time.Duration }{time.Second}`, "{D:1s}", "<th*>D</th><td*>1s</td>"},
				{`Page{"x", 1}`, "Page{Title:x n:1}", "<th*>Title</th><td*><b>x</b></td>"},
				{`[]Page{{"x", 1}}`, "[{Title:x n:1}]", "<td*><b>x</b></td><td*>1</td>"},
				{`Own{1}`, "Own{A:1}", "<i>own</i>"},
				{`ann.Mark`, "<1.5>", "none"},
			} {
				var out recorder
				shown, err := s.runTo(t.Context(), test.source, &out)
				if err != nil {
					t.Errorf("%s: %v", test.source, err)
					continue
				}
				if got := fmt.Sprint(shown.Data["text/plain"]); got != test.text {
					t.Errorf("%s\nshows %s\nwant  %s", test.source, got, test.text)
				}
				html, has := shown.Data["text/html"].(string)
				html = regexp.MustCompile(`(<t[dh])[^>]*`).ReplaceAllString(html, "$1*")
				if test.html == "none" && has || test.html != "none" && !strings.Contains(html, test.html) {
					t.Errorf("%s\nshows %s\nwant %s in it", test.source, html, test.html)
				}
			}
			got, err := s.run(t.Context(), `ring`)
			if err != nil || strings.Contains(got, "0x") || !strings.Contains(got, "&{…}") && !strings.Contains(got, "…") {
				t.Errorf("the ring shows %s, %v", got, err)
			}
		})
	}
}
