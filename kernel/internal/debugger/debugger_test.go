package debugger

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/magic"
)

// A trial is a debugger with a front end, and programs that are functions of the test.
type trial struct {
	t      *testing.T
	d      *Debugger
	events chan string // "name body"
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	printed strings.Builder
}

func newTrial(t *testing.T) *trial {
	tr := &trial{t: t, events: make(chan string, 100)}
	tr.ctx, tr.cancel = context.WithCancel(t.Context())
	tr.d = New(Config{
		Goroutine: goroutineOf,
		Context:   func() context.Context { return tr.ctx },
		End:       func() { panic(ended{}) },
		Print: func(text string) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			tr.printed.WriteString(text)
		},
		Event: func(event []byte) {
			var e struct {
				Event string
				Body  struct{ Reason, Text string }
			}
			if err := json.Unmarshal(event, &e); err != nil {
				t.Error(err)
			}
			tr.events <- strings.TrimSpace(e.Event + " " + e.Body.Reason + " " + e.Body.Text)
		},
		Globals: func() []Variable { return []Variable{{"session", "int", new(7)}} },
	})
	return tr
}

// ended is what a goroutine ends with.
type ended struct{}

// text is the cell of the tests; its hooks are in run.
const text = `func half(n int) int {
	return n / 2
}
func twice(n int) int {
	m := half(n)
	return 4 * m
}
x := 6
x = twice(x)
x++`

var hooks = &program.Hooks{
	Cell: 3, Title: "Cell [3]", Source: text, First: 10,
	Functions: []program.HookedFunction{{}, {Name: "half", Leaf: true}, {Name: "twice"}},
	Sites: []program.Site{
		{Function: 0, Line: 8, Column: 1, End: 8},
		{Function: 0, Line: 9, Column: 1, End: 9, Calls: true, Variables: []program.HookedVariable{{Name: "x", Type: "int"}}},
		{Function: 0, Line: 10, Column: 1, End: 10, Variables: []program.HookedVariable{{Name: "x", Type: "int"}}},
		{Function: 1, Line: 2, Column: 2, End: 2, Variables: []program.HookedVariable{{Name: "n", Type: "int"}}},
		{Function: 2, Line: 4, Column: 1, End: 4, Entry: true},
		{Function: 2, Line: 5, Column: 2, End: 5, Calls: true, Variables: []program.HookedVariable{{Name: "n", Type: "int"}}},
		{Function: 2, Line: 6, Column: 2, End: 6, Variables: []program.HookedVariable{{Name: "m", Type: "int"}, {Name: "n", Type: "int"}}},
	},
}

func hook(n int, variables ...*int) {
	if !magic.Stops(n) {
		return
	}
	copies, pointers := make([]int, len(variables)), make([]any, len(variables))
	for i, v := range variables {
		copies[i], pointers[i] = *v, &copies[i]
	}
	changed := magic.Stop(n, pointers...)
	for i, v := range variables {
		if changed&(1<<i) != 0 {
			*v = copies[i]
		}
	}
}

func half(n int) int {
	hook(13, &n)
	return n / 2
}

func twice(n int) (m int) {
	if magic.Stops(14) {
		defer magic.Leave(magic.Enter(14))
	}
	hook(15, &n)
	m = half(n)
	hook(16, &m, &n)
	return 4 * m
}

// run runs the cell, and returns what gives its x; -1 if it was ended.
func (tr *trial) run() (end func() int) {
	tr.d.Add([]*program.Hooks{hooks})
	result := make(chan int, 1)
	go func() {
		x := -1
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(ended); !ok {
					panic(r)
				}
				x = -1
			}
			tr.d.Ended(3)
			result <- x
		}()
		hook(10)
		x = 6
		hook(11, &x)
		x = twice(x)
		hook(12, &x)
		x++
	}()
	return func() int { return <-result }
}

// direct calls what a request needs as it is.
var direct = Caller{func(f func()) error { f(); return nil }, func() {}}

// ask returns the body of a response, or the message of one that fails.
func (tr *trial) ask(command, arguments string) string {
	tr.t.Helper()
	if arguments == "" {
		arguments = "{}"
	}
	var r struct {
		Success bool
		Message string
		Body    json.RawMessage
	}
	if err := json.Unmarshal(tr.d.Handle(fmt.Appendf(nil, `{"seq":1,"command":%q,"arguments":%s}`, command, arguments), direct), &r); err != nil {
		tr.t.Fatal(err)
	}
	if !r.Success {
		return r.Message
	}
	return string(r.Body)
}

func (tr *trial) want(what, got, want string) {
	tr.t.Helper()
	if got != want {
		tr.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// next is the next event.
func (tr *trial) next(want string) {
	tr.t.Helper()
	select {
	case got := <-tr.events:
		tr.want("event", got, want)
	case <-tr.t.Context().Done():
		tr.t.Fatalf("no event %s", want)
	}
}

// stack tells the calls and the variables of each.
func (tr *trial) stack() string {
	tr.d.mu.Lock()
	defer tr.d.mu.Unlock()
	var text []string
	for _, c := range tr.d.frames {
		line := fmt.Sprintf("%s:%d", c.place.function().Name, c.place.Line)
		for _, n := range c.names() {
			line += " " + n.name + "=" + n.value.text()
		}
		text = append(text, line)
	}
	return strings.Join(text, ", ")
}

func (tr *trial) attach(breakpoints string) {
	tr.ask("attach", "")
	tr.next("initialized")
	tr.ask("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[%s]}`, Path(text), breakpoints))
}

// TestSteps stops at a breakpoint and steps to the end.
func TestSteps(t *testing.T) {
	tr := newTrial(t)
	tr.attach(`{"line": 9}`)
	end := tr.run()
	for _, s := range []struct{ command, stack string }{
		{"", ":9 x=6"},
		{"stepIn", "twice:5 n=6, :9 x=6"},
		{"stepIn", "half:2 n=6, twice:5 n=6, :9 x=6"},
		{"stepOut", "twice:6 m=3 n=6, :9 x=6"},
		{"next", ":10 x=12"},
	} {
		if s.command != "" {
			tr.ask(s.command, `{"threadId":1}`)
			tr.next("continued")
			tr.next("stopped step")
		} else {
			tr.next("stopped breakpoint")
		}
		tr.want(s.command, tr.stack(), s.stack)
	}
	tr.ask("next", "")
	if x := end(); x != 13 {
		t.Errorf("x is %d", x)
	}
	tr.next("continued")
	for i := range magic.MaxStops {
		if magic.Stops(i) && i != 11 && i != 14 && i != 15 {
			t.Errorf("hook %d is on, and the program runs without steps", i)
		}
	}
	tr.want("continue", tr.ask("continue", ""), "the program is not stopped")
	tr.ask("disconnect", "")
	tr.next("terminated")
	for i := range magic.MaxStops {
		if magic.Stops(i) {
			t.Errorf("hook %d is on, and nothing is debugged", i)
		}
	}
}

// TestOver steps over a call.
func TestOver(t *testing.T) {
	tr := newTrial(t)
	tr.attach(`{"line": 9}`)
	end := tr.run()
	tr.next("stopped breakpoint")
	tr.ask("next", "")
	tr.next("continued")
	tr.next("stopped step")
	tr.want("stack", tr.stack(), ":10 x=12")
	tr.ask("disconnect", "")
	if x := end(); x != 13 {
		t.Errorf("x is %d", x)
	}
}

// TestBreakpoints has conditions, counts and log points.
func TestBreakpoints(t *testing.T) {
	for _, tt := range []struct {
		breakpoint, stack, printed string
	}{
		{`{"line": 1}`, "half:2 n=6, twice:5 n=6, :9 x=6", ""}, // the next line with a statement
		{`{"line": 6, "condition": "m == 3 && session == 7"}`, "twice:6 m=3 n=6, :9 x=6", ""},
		{`{"line": 6, "condition": "m > 3"}`, "", ""},
		{`{"line": 6, "condition": "q > 3"}`, "twice:6 m=3 n=6, :9 x=6", "breakpoint in line 6: undefined: q\n"},
		{`{"line": 2, "hitCondition": "1"}`, "half:2 n=6, twice:5 n=6, :9 x=6", ""},
		{`{"line": 2, "hitCondition": "> 1"}`, "", ""},
		{`{"line": 6, "logMessage": "m is {m}, half of {n + 0}"}`, "", "m is 3, half of 6\n"},
	} {
		t.Run(tt.breakpoint, func(t *testing.T) {
			tr := newTrial(t)
			tr.attach(tt.breakpoint)
			end := tr.run()
			if tt.stack != "" {
				tr.next("stopped breakpoint")
				tr.want("stack", tr.stack(), tt.stack)
				tr.ask("disconnect", "")
			}
			if x := end(); x != 13 {
				t.Errorf("x is %d", x)
			}
			tr.want("printed", tr.printed.String(), tt.printed)
		})
	}
}

// TestSet sets variables of the call that has stopped, and of no other.
func TestSet(t *testing.T) {
	tr := newTrial(t)
	tr.attach(`{"line": 6}`)
	end := tr.run()
	tr.next("stopped breakpoint")
	tr.ask("scopes", `{"frameId":1}`) // references 1 and 2
	tr.ask("scopes", `{"frameId":2}`) // 3 and 4
	tr.want("set", tr.ask("setVariable", `{"variablesReference":1,"name":"m","value":"n * 10"}`), `{"type":"int","value":"60","variablesReference":0}`)
	tr.want("set a caller's", tr.ask("setVariable", `{"variablesReference":3,"name":"x","value":"1"}`),
		"only variables of the function that has stopped can be changed, and not those of its callers")
	tr.want("set to text", tr.ask("setVariable", `{"variablesReference":1,"name":"m","value":"\"a\""}`), `"a" cannot be used as int`)
	tr.ask("continue", "")
	if x := end(); x != 241 {
		t.Errorf("x is %d", x)
	}
}

// TestLate asks for what is shown of a stop when the program goes on.
func TestLate(t *testing.T) {
	tr := newTrial(t)
	tr.attach("")
	for command, list := range map[string]string{"scopes": "scopes", "variables": "variables"} {
		response := string(tr.d.Handle(fmt.Appendf(nil, `{"seq":1,"command":%q,"arguments":{"frameId":1,"variablesReference":1}}`, command), direct))
		if !strings.Contains(response, `"success":false`) || !strings.Contains(response, `"body":{"`+list+`":[]}`) {
			t.Errorf("%s: %s", command, response)
		}
	}
}

// A stuck value waits before it tells what it is, and comes to a hook.
type stuck struct{ begun, told chan struct{} }

func (s stuck) String() string {
	close(s.begun)
	<-s.told
	twice(1)
	return "told"
}

// TestStuck asks for a value whose method waits for the program, which goes on meanwhile.
func TestStuck(t *testing.T) {
	tr := newTrial(t)
	tr.attach(`{"line": 9}`)
	s := stuck{make(chan struct{}), make(chan struct{})}
	tr.d.config.Globals = func() []Variable { return []Variable{{"s", "stuck", &s}} }
	tr.d.patience = time.Millisecond
	end := tr.run()
	tr.next("stopped breakpoint")
	tr.want("stuck", tr.ask("inspectVariables", ""), "the method that the debugger called has not returned within 1ms: it may wait for the stopped goroutine")
	<-s.begun
	tr.want("stack", tr.stack(), ":9 x=6")
	tr.ask("continue", "")
	if x := end(); x != 13 {
		t.Errorf("x is %d", x)
	}
	close(s.told)

	tr.d.patience = time.Hour
	s = stuck{make(chan struct{}), s.told}
	tr.ask("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line": 5}]}`, Path(text)))
	if got := tr.ask("inspectVariables", ""); !strings.Contains(got, `"value":"told"`) {
		t.Errorf("with hooks: %s", got)
	}
}

// TestConversions evaluates conversions, and says what it does not evaluate.
func TestConversions(t *testing.T) {
	tr := newTrial(t)
	tr.attach("")
	half := 7.5
	tr.d.config.Globals = func() []Variable {
		return []Variable{{"n", "int", new(7)}, {"half", "float64", &half}, {"len", "int", new(1)}}
	}
	for _, tt := range []struct{ expression, result string }{
		{"float64(n) / 2", "3.5"}, {"int(half)", "7"}, {"uint8(300)", "300 cannot be used as uint8"}, {"string(rune(65))", `"A"`}, {"uint8(n * 40)", "24"},
		{"float64(1)", "1"}, {`int("a")`, `"a" cannot be used as int`}, {"string(half)", "a float64 cannot be converted to string"},
		{"f(n)", "the debugger cannot evaluate a call of f here"},
		{"len(n)", "len is a variable of type int here, and the debugger cannot call it"},
	} {
		body := tr.ask("evaluate", fmt.Sprintf(`{"expression": %q}`, tt.expression))
		var told struct{ Result string }
		if json.Unmarshal([]byte(body), &told) == nil {
			body = told.Result
		}
		tr.want(tt.expression, body, tt.result)
	}
}

// TestInterrupt ends a program that is stopped.
func TestInterrupt(t *testing.T) {
	tr := newTrial(t)
	tr.attach(`{"line": 6}`)
	end := tr.run()
	tr.next("stopped breakpoint")
	tr.cancel()
	if x := end(); x != -1 {
		t.Errorf("x is %d", x)
	}
	tr.next("continued")
}

// TestHash has the hashes that ipykernel computes.
func TestHash(t *testing.T) {
	for _, tt := range []struct {
		text string
		seed uint32
		hash uint32
	}{
		{"", 0, 0}, {"", 1, 0x5bd15e36}, {"test", seed, 0x2ab0e07f}, {"Hello, world!", seed, 0xbeba9b12}, {"x := 1\n", 0xc70f6907, 0xe9c432e5},
	} {
		if got := murmur2([]byte(tt.text), tt.seed); got != tt.hash {
			t.Errorf("%q with %#x: %#x, want %#x", tt.text, tt.seed, got, tt.hash)
		}
	}
}

// TestPanelTypes compares what JupyterLab's list of variables shows of values, as its convertType
// reads them: the value, or the type of one that is long.
func TestPanelTypes(t *testing.T) {
	type point struct{ X, Y int }
	type celsius float64
	var null *point
	var failure error
	for _, tt := range []struct {
		value      any
		typ, shown string
	}{
		{3, "int", "3"}, {int8(-3), "int", "-3"}, {uint64(7), "int", "7"}, {1 << 53, "int", "9007199254740992"},
		{int64(1<<53 + 1), "", "9007199254740993"}, {uint64(math.MaxUint64), "", "18446744073709551615"},
		{2.5, "float", "2.5"}, {float32(0.1), "float", "0.1"}, {1e300, "float", "1e+300"}, {math.NaN(), "float", "NaN"},
		{math.Inf(-1), "", "-Inf"}, {true, "bool", "true"}, {"a\n", "str", `"a\n"`}, {"", "str", `""`}, {celsius(1.5), "", "1.5"},
		{2 * time.Second, "", "2s"}, {complex(1, 2), "", "(1+2i)"}, {[]int{1, 2}, "", "[1, 2]"}, {[2]string{"a", "b"}, "", `["a", "b"]`},
		{map[string]int{"a": 1}, "", `map["a":1]`}, {point{1, 2}, "", "debugger.point{X: 1, Y: 2}"}, {null, "", "nil"}, {failure, "", "nil"},
		{strings.Repeat("a", 300), "str", `"` + strings.Repeat("a", 199) + "..."},
		{make([]float64, 1000), "", "len 1000 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...]"}, {slices.Repeat([]string{"a text"}, 100), "[]string", "[]string"},
	} {
		n := variable{name: "x", value: valueOf(tt.value)}
		shown := n.value.text()
		typ := n.panelType(shown)
		if typ != "" && !slices.Contains([]string{"int", "float", "bool", "str"}, typ) {
			shown = typ
		}
		if typ != tt.typ || shown != tt.shown {
			t.Errorf("%v: type %q, shown as %q, want %q, %q", tt.value, typ, shown, tt.typ, tt.shown)
		}
	}
}
