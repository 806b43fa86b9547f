package nb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A notebook is a host that notes what it is asked to show.
type notebook struct {
	ctx      context.Context
	shown    []string
	ids      []string
	data     []map[string]any
	metadata []map[string]any
	prompt   string
	failed   error // of Input

	mu    sync.Mutex
	comms []*host.CommMessage // as they are sent
	gone  error               // of Comm
	sinks []host.Sink         // that capture, the innermost last
	stop  func()              // ends ctx
}

func (n *notebook) Context() context.Context { return n.ctx }

func (n *notebook) sink() host.Sink {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.sinks) == 0 {
		return nil
	}
	return n.sinks[len(n.sinks)-1]
}

func (n *notebook) Capture(s host.Sink) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sinks = append(n.sinks, s)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.sinks = n.sinks[:len(n.sinks)-1]
	}
}

func (n *notebook) Here() host.Sink { return here{n} }

// here is the output of a notebook past what captures it.
type here struct{ n *notebook }

func (h here) Stream(name, text string) {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.n.shown = append(h.n.shown, name+" "+text)
}

func (h here) Display(b *display.Bundle, id string, update bool) bool {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.n.show(b, id, update)
	return true
}

func (h here) Clear(wait bool) { h.n.Clear(wait) }

func (n *notebook) Interrupter() func() { return n.stop }

func (n *notebook) Display(b *display.Bundle, id string, update bool) {
	if s := n.sink(); s != nil && s.Display(b, id, update) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.show(b, id, update)
}

func (n *notebook) show(b *display.Bundle, id string, update bool) {
	n.shown = append(n.shown, fmt.Sprintf("%v %s", update, b.Text()))
	n.ids = append(n.ids, id)
	n.data = append(n.data, b.Data)
	n.metadata = append(n.metadata, b.Metadata)
}

func (n *notebook) Clear(wait bool) {
	if s := n.sink(); s != nil {
		s.Clear(wait)
		return
	}
	n.shown = append(n.shown, fmt.Sprint("clear ", wait))
}

func (n *notebook) Input(prompt string, password bool) (string, error) {
	n.prompt = fmt.Sprint(prompt, password)
	return "answer", n.failed
}

func (n *notebook) Updates() bool { return true }

func (n *notebook) Comm(m *host.CommMessage) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gone != nil {
		return n.gone
	}
	n.comms = append(n.comms, m)
	return nil
}

func (n *notebook) Page(b *display.Bundle) { n.shown = append(n.shown, "page "+b.Text()) }

func (n *notebook) NextInput(source string, replace bool) {
	n.shown = append(n.shown, fmt.Sprintf("input %v %s", replace, source))
}

func open(t *testing.T) *notebook {
	n := &notebook{ctx: t.Context()}
	known = modelTable{}
	old := host.Current()
	host.Set(n)
	t.Cleanup(func() { host.Set(old) })
	return n
}

func TestDisplay(t *testing.T) {
	n := open(t)
	h := Display(1)
	h.Update("two")
	Clear(true)
	Display(nil)
	if got, want := strings.Join(n.shown, "|"), "false 1|true two|clear true|false "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n.ids[0] == "" || n.ids[0] != n.ids[1] || n.ids[1] == n.ids[2] {
		t.Errorf("ids %q", n.ids)
	}
	if display.Of(h) != nil {
		t.Error("a handle shows something")
	}
}

func TestContent(t *testing.T) {
	n := open(t)
	made := Content.HTML("<b>a</b>")
	if len(n.shown) > 0 {
		t.Errorf("it shows %s", n.shown)
	}
	if b := display.Of(made); b == nil || b.Data[display.HTML] != "<b>a</b>" {
		t.Errorf("as a value it is %v", b)
	}
	h := HTML("one")
	h.Update(Content.Markdown("*two*"))
	h.Update(Content.HTML("<i>three</i>"), 4)
	Display(Content.SVG("<svg/>"))
	Page(Content.Text("five"))
	if got, want := strings.Join(n.shown, "|"), "false one|true *two*|true three\n4|false (image/svg+xml, 6 bytes)|page five"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n.data[1][display.Markdown] != "*two*" || n.data[2][display.HTML] != "<i>three</i>\n<pre>4</pre>" || n.data[3][display.SVG] != "<svg/>" {
		t.Errorf("got %v", n.data)
	}
	made.Update("six")
	if b := display.Of(made); len(n.shown) != 5 || b.Text() != "six" {
		t.Errorf("what is not shown yet shows %v, and is %v", n.shown, b)
	}
	if new(Handle).MimeBundle() != nil {
		t.Error("a handle of nothing shows something")
	}
}

// What was shown for itself moves where it is given to Update.
func TestMoved(t *testing.T) {
	n := open(t)
	h, other := Text("one"), HTML("<b>two</b>")
	h.Update(other)
	if got, want := strings.Join(n.shown, "|"), "false one|false two|true |true two"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n.ids[2] != n.ids[1] || n.ids[3] != n.ids[0] || len(n.data[2]) > 0 {
		t.Errorf("ids %q, removed by %v", n.ids, n.data[2])
	}
}

// Handles that others show replace what is shown where they are.
func TestMovedHandles(t *testing.T) {
	for name, c := range map[string]struct {
		f    func()
		want string // what the displays show in the end, in the order in which they came
	}{
		"displayed":        {func() { h := Text("a"); Display(h); h.Update("b") }, "|b"},
		"displayed twice":  {func() { h := Text("a"); Display(h); g := Display(h); h.Update("b"); g.Update("c") }, "||c"},
		"after the other":  {func() { h := Text("a"); g := Display(h); g.Update("b"); h.Update("c") }, "c|b"},
		"with others":      {func() { h := Text("a"); Display(1, h, 2); h.Update("b") }, "|1\nb\n2"},
		"in an update":     {func() { h, g := Text("a"), Text("b"); h.Update(g); g.Update("c") }, "c|"},
		"moved on":         {func() { h, g, k := Text("a"), Text("b"), Text("c"); g.Update(h, 1); k.Update(h); h.Update("d") }, "|1|d"},
		"nested":           {func() { h := Text("a"); Display(Display(Display(h, 1)), 2); h.Update("b") }, "|||b\n1\n2"},
		"itself":           {func() { h := Text("a"); h.Update(h); h.Update(h, 1) }, "a\n1"},
		"each other":       {func() { h, g := Text("a"), Text("b"); h.Update(g); g.Update(h); g.Update("c") }, "c|"},
		"content":          {func() { h := Content.Text("a"); Display(h); h.Update("b") }, "a"},
		"nil":              {func() { h := Text("a"); h.Update(nil) }, ""},
		"nothing":          {func() { h := Text("a"); h.Update(); h.Update("b"); h.Update(nil, nil) }, ""},
		"a page":           {func() { h := Text("a"); Page(h); h.Update("b") }, "b"},
		"no longer within": {func() { h, g := Text("a"), Display(1); g.Update(h); g.Update(nil); h.Update("b") }, "b|"},
	} {
		n := open(t)
		c.f()
		var ids []string
		shows := map[string]string{}
		for i, shown := range slices.DeleteFunc(n.shown, func(shown string) bool { return strings.HasPrefix(shown, "page") }) {
			_, text, _ := strings.Cut(shown, " ")
			if shows[n.ids[i]] = text; !slices.Contains(ids, n.ids[i]) {
				ids = append(ids, n.ids[i])
			}
		}
		var got []string
		for _, id := range ids {
			got = append(got, shows[id])
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestMIME(t *testing.T) {
	n := open(t)
	Text("a")
	HTML("<b>x</b> &lt; <script>1 < 2</script>y")
	PNG([]byte("12345"))
	JSON(map[string]int{"a": 1})
	VegaLite(`{"mark": "bar"}`)
	want := []string{"false a", "false x < y", "false (image/png, 5 bytes)", "false {\n  \"a\": 1\n}", "false {\n  \"mark\": \"bar\"\n}"}
	if got := strings.Join(n.shown, "|"); got != strings.Join(want, "|") {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprintf("%s", n.data[4]["application/vnd.vegalite.v5+json"]); got != `{"mark": "bar"}` {
		t.Errorf("got %s", got)
	}
}

func TestMIMEOfJSON(t *testing.T) {
	for _, test := range []struct {
		name string
		show func() *Handle
		mime string
		want any
	}{
		{"value", func() *Handle { return JSON([]int{1}) }, "application/json", []int{1}},
		{"text that is JSON", func() *Handle { return JSON(`{"a": 1}`) }, "application/json", json.RawMessage(`{"a": 1}`)},
		{"bytes that are JSON", func() *Handle { return JSON([]byte(`[1]`)) }, "application/json", json.RawMessage(`[1]`)},
		{"text that is none", func() *Handle { return JSON("ab c") }, "application/json", "ab c"},
		{"plotly", func() *Handle { return MIME("application/vnd.plotly.v1+json", `{"data": []}`) },
			"application/vnd.plotly.v1+json", json.RawMessage(`{"data": []}`)},
		{"map", func() *Handle { return MIME("application/geo+json", []byte(`{"type": "Point"}`)) },
			"application/geo+json", json.RawMessage(`{"type": "Point"}`)},
		{"Vega", func() *Handle { return Vega(`{"marks": []}`) }, "application/vnd.vega.v5+json", json.RawMessage(`{"marks": []}`)},
		{"no JSON", func() *Handle { return MIME("application/pdf", []byte("%PDF")) }, "application/pdf", []byte("%PDF")},
	} {
		n := open(t)
		test.show()
		if got := n.data[0][test.mime]; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %T %s, want %T %s", test.name, got, got, test.want, test.want)
		}
		if text, ok := n.data[0][display.Text].(string); !ok || text == "" {
			t.Errorf("%s: no plain text", test.name)
		}
	}
}

func TestPage(t *testing.T) {
	n := open(t)
	Page("a", 1)
	NextInput("x := 1")
	ReplaceInput("y := 1")
	if got, want := strings.Join(n.shown, "|"), "page a 1|input false x := 1|input true y := 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInput(t *testing.T) {
	n := open(t)
	for want, ask := range map[string]func(string) string{"name?false": Input, "name?true": Password} {
		if line := ask("name?"); line != "answer" || n.prompt != want {
			t.Errorf("got %s after %s", line, n.prompt)
		}
	}
}

func TestInputFails(t *testing.T) {
	interrupt := errors.New("interrupted")
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(interrupt)
	refused := errors.New("nobody can be asked")
	for _, test := range []struct {
		name   string
		ctx    context.Context
		failed error
		want   string
	}{
		{"refused", t.Context(), refused, "nb.Input: nobody can be asked"},
		{"end", t.Context(), io.EOF, "nb.Input: the input has ended: EOF"},
		{"interrupted", interrupted, interrupt, "interrupted"},
	} {
		n := open(t)
		n.ctx, n.failed = test.ctx, test.failed
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || err.Error() != test.want || !errors.Is(err, test.failed) {
					t.Errorf("%s: panicked with %v, want %s", test.name, err, test.want)
				}
			}()
			Input("?")
		}()
	}
}

func TestProgressInANotebook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		n.ctx = ctx
		progress := watchedBy(t, 0.001, Progress("flat"))
		for i, gap := range []float64{1, 0.1, 0.01, 0.001} {
			if err := progress(solver.Progress{Epoch: i + 1, Gap: gap, Seconds: float64(i + 1)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(drawInterval)
		}
		want := []string{
			"false flat [························] epoch 1, gap 1, 1s, 1 epochs/s",
			"true flat [████████················] epoch 2, gap 0.1, 2s, 1 epochs/s, about 4s left",
			"true flat [████████████████········] epoch 3, gap 0.01, 3s, 1 epochs/s, about 1.5s left",
			"true flat [████████████████████████] epoch 4, gap 0.001, 4s, 1 epochs/s",
		}
		if got := strings.Join(n.shown, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s", got)
		}
		if html := n.data[1][display.HTML]; html != `<div>flat <progress value="0.333" max="1"></progress> epoch 2, gap 0.1, 2s, 1 epochs/s, about 4s left</div>` {
			t.Errorf("got %s", html)
		}
		stop := errors.New("interrupted")
		cancel(stop)
		if err := progress(solver.Progress{Epoch: 5, Gap: 1e-4}); err != stop {
			t.Errorf("got %v", err)
		}
	})
}

func TestBarInANotebook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		n.ctx = ctx
		bar := Bar("study")
		for _, done := range []float64{math.NaN(), 0.5, 2} {
			if err := bar(done, "cells"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(drawInterval)
		}
		want := []string{
			"false study [························] cells",
			"true study [████████████············] cells",
			"true study [████████████████████████] cells",
		}
		if got := strings.Join(n.shown, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s", got)
		}
		stop := errors.New("interrupted")
		cancel(stop)
		if err := bar(0, ""); err != stop {
			t.Errorf("got %v", err)
		}
	})
}

func TestProgressIsThrottled(t *testing.T) {
	n := open(t)
	progress := Progress()
	for i := range 10000 {
		if err := progress(solver.Progress{Epoch: i + 1, Gap: 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.shown) > 100 {
		t.Errorf("drawn %d times", len(n.shown))
	}
}

// watchedBy returns what a training to a gap tells, which has a function for its progress.
func watchedBy(t *testing.T, gap float64, progress func(solver.Progress) error) func(solver.Progress) error {
	set := &solver.Settings{Gap: gap, Progress: progress}
	_, end := set.Watch(t.Context())
	t.Cleanup(end)
	return set.Progress
}

func TestProgressInATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		progress := watchedBy(t, 0.01, training{&bar{ctx: t.Context(), stderr: &out, terminal: true}}.progress)
		for i, gap := range []float64{1, 0.01} {
			if err := progress(solver.Progress{Epoch: i + 1, Gap: gap, Seconds: 1}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(drawInterval)
		}
		if want := "\r\x1b[K[························] epoch 1, gap 1, 1s, 1 epochs/s" +
			"\r\x1b[K[████████████████████████] epoch 2, gap 0.01, 1s, 2 epochs/s\n"; out.String() != want {
			t.Errorf("got %q", out.String())
		}
		// In a log file: the last line only, as the training is short.
		out.Reset()
		progress = watchedBy(t, 0.01, training{&bar{ctx: t.Context(), stderr: &out}}.progress)
		for i, gap := range []float64{1, 0.01} {
			if err := progress(solver.Progress{Epoch: i + 1, Gap: gap, Seconds: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if want := "[████████████████████████] epoch 2, gap 0.01, 1s, 2 epochs/s\n"; out.String() != want {
			t.Errorf("got %q", out.String())
		}
	})
}

func ExampleDisplay() {
	Display([]float64{1, 2.5})
	Markdown("*as text, where there is no notebook*")
	// Output:
	// [1 2.5]
	// *as text, where there is no notebook*
}

func ExamplePage() {
	Page("what would stand beside the notebook")
	// Output: what would stand beside the notebook
}

// TestTable rounds each column of floating-point numbers by its largest number, and refuses what
// has no rows.
func TestTable(t *testing.T) {
	n := open(t)
	Table([]struct {
		Method           string
		Accuracy, Change float64
		Documents        int
	}{{"flat", 0.61803, -12.345, 12345}, {"shared", 0.7, 1, 7}}, 3)
	Table(map[string]float64{"a": math.Pi}, 2)
	want := []string{"false    Method  Accuracy  Change  Documents\n0  flat       0.618   -12.3      12345\n1  shared     0.700     1.0          7", "false key\na    3.1"}
	for i, w := range want {
		if i >= len(n.shown) || n.shown[i] != w {
			t.Errorf("got %q, want %q", n.shown, w)
		}
	}
	if html, _ := n.data[0][display.HTML].(string); !strings.Contains(html, "0.618") || !strings.Contains(html, "<table") {
		t.Errorf("HTML is %s", html)
	}
	for words, fail := range map[string]func(){
		"no rows":         func() { Table([]int{}, 3) },
		"an int":          func() { Table(3, 3) },
		"0 significant":   func() { Table([]int{1}, 0) },
		"must be 1 to 17": func() { Table([]int{1}, 99) },
	} {
		func() {
			defer func() {
				if f, ok := recover().(host.Failure); !ok || !strings.Contains(f.Error(), words) {
					t.Errorf("recovered %v, want %q", f, words)
				}
			}()
			fail()
		}()
	}
}
