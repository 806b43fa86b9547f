package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A frontEnd debugs the cells of a notebook.
type frontEnd struct {
	*notebook
	t      *testing.T
	seq    int
	events chan map[string]any
}

func newFrontEnd(t *testing.T, mode program.Mode) *frontEnd {
	f := &frontEnd{notebook: newWorkerNotebook(t, mode), t: t, events: make(chan map[string]any, 1000)}
	f.engine.DebugEvents(func(event []byte) {
		var e map[string]any
		if err := json.Unmarshal(event, &e); err != nil {
			t.Error(err)
		}
		f.events <- e
	})
	f.ask("initialize", "")
	f.ask("attach", "")
	f.await("initialized")
	return f
}

// request returns the response to a request.
func (f *frontEnd) request(command, arguments string) map[string]any {
	f.t.Helper()
	if arguments == "" {
		arguments = "{}"
	}
	f.seq++
	text, err := f.engine.Debug(context.Background(), fmt.Appendf(nil, `{"seq": %d, "type": "request", "command": %q, "arguments": %s}`, f.seq, command, arguments))
	if err != nil {
		f.t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(text, &r); err != nil {
		f.t.Fatal(err)
	}
	if r["request_seq"] != float64(f.seq) || r["command"] != command || r["type"] != "response" {
		f.t.Fatalf("%s is answered by %s", command, text)
	}
	return r
}

// ask returns the body of the response to a request that succeeds.
func (f *frontEnd) ask(command, arguments string) map[string]any {
	f.t.Helper()
	r := f.request(command, arguments)
	if r["success"] != true {
		f.t.Fatalf("%s %s: %v", command, arguments, r["message"])
	}
	return r["body"].(map[string]any)
}

// await returns the body of the next event of a name.
func (f *frontEnd) await(name string) map[string]any {
	f.t.Helper()
	for {
		select {
		case e := <-f.events:
			if e["event"] == name {
				body, _ := e["body"].(map[string]any)
				return body
			}
		case <-time.After(2 * time.Minute): // the cell has failed
			f.t.Fatalf("no event %s", name)
		}
	}
}

// breakAt sets breakpoints in a cell, as JSON, and returns its path.
func (f *frontEnd) breakAt(cell string, points ...string) (path string) {
	f.t.Helper()
	code, err := json.Marshal(cell)
	if err != nil {
		f.t.Fatal(err)
	}
	path = f.ask("dumpCell", fmt.Sprintf(`{"code": %s}`, code))["sourcePath"].(string)
	f.ask("setBreakpoints", fmt.Sprintf(`{"source": {"path": %q}, "breakpoints": [%s]}`, path, strings.Join(points, ", ")))
	return path
}

// start runs a cell, and returns what waits for its end.
func (f *frontEnd) start(cell string) (end func() (shown, out string, err error)) {
	type outcome struct {
		shown, out string
		err        error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.shown, o.out, o.err = f.run(cell)
		ended <- o
	}()
	return func() (string, string, error) {
		o := <-ended
		return o.shown, o.out, o.err
	}
}

// stack tells the calls: "name:line, ...", the innermost first.
func (f *frontEnd) stack() string {
	f.t.Helper()
	var calls []string
	for _, c := range f.ask("stackTrace", `{"threadId": 1}`)["stackFrames"].([]any) {
		c := c.(map[string]any)
		calls = append(calls, fmt.Sprintf("%v:%v", c["name"], c["line"]))
	}
	return strings.Join(calls, ", ")
}

// locals tells the variables of a call: "name=value type, ...".
func (f *frontEnd) locals(frame int) string {
	f.t.Helper()
	return f.listed(f.scope(frame, 0))
}

func (f *frontEnd) scope(frame, scope int) int {
	f.t.Helper()
	scopes := f.ask("scopes", fmt.Sprintf(`{"frameId": %d}`, frame))["scopes"].([]any)
	return int(scopes[scope].(map[string]any)["variablesReference"].(float64))
}

func (f *frontEnd) variables(reference int) (list []map[string]any) {
	f.t.Helper()
	for _, v := range f.ask("variables", fmt.Sprintf(`{"variablesReference": %d}`, reference))["variables"].([]any) {
		list = append(list, v.(map[string]any))
	}
	return list
}

func (f *frontEnd) listed(reference int) string {
	f.t.Helper()
	var told []string
	for _, v := range f.variables(reference) {
		text := fmt.Sprintf("%v=%v", v["name"], v["value"])
		if v["type"] != nil {
			text += fmt.Sprint(" ", v["type"])
		}
		told = append(told, text)
	}
	return strings.Join(told, ", ")
}

// resume resumes the program, and waits for the next stop.
func (f *frontEnd) resume(command string) {
	f.t.Helper()
	f.ask(command, `{"threadId": 1}`)
	f.await("stopped")
}

func (f *frontEnd) expect(what, got, want string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

const debugged = `type point struct{ X, y int }
func double(n int) int {
	m := 2 * n
	return m
}
func sum(list []int) (total int) {
	for i, n := range list {
		total += double(n) + i
	}
	return total
}
p := point{1, 2}
list := []int{3, 4, 5}
s := sum(list)
fmt.Println(s, p)`

// TestDebugger stops in a cell, looks at it, and steps, in both ways to run cells.
func TestDebugger(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		path := f.breakAt(debugged, `{"line": 8}`)
		end := f.start(debugged)
		stopped := f.await("stopped")
		f.expect("reason", fmt.Sprint(stopped["reason"], stopped["threadId"]), "breakpoint1")
		f.expect("stack", f.stack(), "sum:8, Cell [1]:14")
		frame := f.ask("stackTrace", `{"threadId": 1}`)["stackFrames"].([]any)[0].(map[string]any)
		f.expect("source", fmt.Sprint(frame["source"].(map[string]any)["path"]), path)
		f.expect("locals", f.locals(1), "n=3 int, i=0 int, total=0 int, list=[3, 4, 5]")
		f.expect("locals of the caller", f.locals(2), "list=[3, 4, 5], p=point{X: 1, y: 2}")

		f.resume("stepIn")
		f.expect("stepIn", f.stack(), "double:3, sum:8, Cell [1]:14")
		f.resume("next")
		f.expect("next", f.stack()+" "+f.locals(1), "double:4, sum:8, Cell [1]:14 m=6 int, n=3 int")
		reference := f.scope(1, 0)
		f.ask("setVariable", fmt.Sprintf(`{"variablesReference": %d, "name": "m", "value": "n + 97"}`, reference))
		f.resume("stepOut")
		f.expect("stepOut", f.stack()+" "+f.locals(1), "sum:8, Cell [1]:14 n=4 int, i=1 int, total=100 int, list=[3, 4, 5]")
		for _, tt := range []struct{ expression, result string }{
			{"total + i", "101"}, {"list[i]", "4"}, {"len(list) == 3 && n > 3", "true"}, {"list[1:]", "[4, 5]"}, {"float64(n) / 8", "0.5"}, {"double(n)", ""}, {"nothing", ""},
		} {
			text, _ := json.Marshal(tt.expression)
			r := f.request("evaluate", fmt.Sprintf(`{"frameId": 1, "expression": %s}`, text))
			if got, _ := r["body"].(map[string]any)["result"].(string); got != tt.result || (tt.result == "") == (r["success"] == true) {
				t.Errorf("%s: %v", tt.expression, r)
			}
		}
		f.breakAt(debugged)
		f.ask("continue", `{"threadId": 1}`)
		if _, out, err := end(); err != nil || out != "121 {1 2}\n" {
			t.Errorf("%s%v", out, err)
		}

		// What is declared with hooks stops for other cells.
		f.breakAt(debugged, `{"line": 4, "condition": "n == 8"}`)
		end = f.start("for i := range 10 {\n\tdouble(i)\n}")
		f.await("stopped")
		f.expect("condition", f.stack()+" "+f.locals(1), "double:4, Cell [2]:2 m=16 int, n=8 int")
		f.expect("globals", f.listed(f.scope(1, 1))[:18], "list=[3, 4, 5], p=")
		f.ask("disconnect", "")
		f.await("terminated")
		if _, _, err := end(); err != nil {
			t.Error(err)
		}
	})
}

// TestDebuggerFailures stops where a panic, or an error that the cell's rule stops at, ends a cell,
// if that is asked for.
func TestDebuggerFailures(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		const failing = "k := 3\nm := strconv.Itoa(k)\nv := strconv.Atoi(m + \"x\")\nfmt.Println(v)"
		const panicking = "list := []int{1}\nat := len(list)\nlist[at]++"
		for _, tt := range []struct{ filters, cell, stop string }{
			{`["panic"]`, failing, ""},
			{`["error"]`, panicking, ""},
			{`["error"]`, failing, `:3 *strconv.NumError: strconv.Atoi: parsing "3x": invalid syntax`},
			{`["panic", "error"]`, panicking, ":3 panic: runtime error: index out of range [1] with length 1"},
		} {
			f.ask("setExceptionBreakpoints", fmt.Sprintf(`{"filters": %s}`, tt.filters))
			end := f.start(tt.cell)
			if tt.stop != "" {
				stopped := f.await("stopped")
				_, line, _ := strings.Cut(f.stack(), "]")
				f.expect("stop", fmt.Sprint(line, " ", stopped["description"]), tt.stop)
				f.expect("reason", fmt.Sprint(stopped["reason"]), "exception")
				f.ask("continue", `{"threadId": 1}`)
			}
			if _, _, err := end(); err == nil {
				t.Errorf("%s does not fail", tt.cell)
			}
		}
	})
}

// TestDebuggerPause pauses a loop that nothing else would stop, and ends it while it is stopped.
func TestDebuggerPause(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		const cell = "n, on := 0, true\nfmt.Println(\"begun\")\nfor on {\n\tn++\n}\nn > 0"
		f.breakAt(cell, `{"line": 3}`)
		end := f.start(cell)
		f.await("stopped") // it has begun
		f.ask("continue", `{"threadId": 1}`)
		f.ask("pause", `{"threadId": 1}`)
		f.expect("reason", fmt.Sprint(f.await("stopped")["reason"]), "pause")
		if stack := f.stack(); stack != "Cell [1]:3" && stack != "Cell [1]:4" {
			t.Errorf("paused at %s", stack)
		}
		f.resume("next")
		for _, v := range f.variables(f.scope(1, 0)) {
			if v["name"] == "on" {
				f.ask("setVariable", fmt.Sprintf(`{"variablesReference": %d, "name": "on", "value": "false"}`, f.scope(1, 0)))
			}
		}
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "true" {
			t.Errorf("%s, %v", shown, err)
		}
	})
}

// TestDebuggerInterrupt interrupts a cell that is stopped in a function. What it has declared until
// then is there for the next one, which stops as well.
func TestDebuggerInterrupt(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		const cell = "func half(n int) int {\n\tdefer fmt.Println(\"left\")\n\treturn n / 2\n}\nk := 8\nm := half(k)\nfmt.Println(m)"
		f.breakAt(cell, `{"line": 3}`)
		ctx, interrupt := context.WithCancelCause(context.Background())
		ended := make(chan error, 1)
		r := &enginetest.Recorder{}
		f.cell++
		go func() {
			_, err := f.engine.Run(ctx, program.Cell{Number: f.cell, Source: cell}, r)
			ended <- err
		}()
		f.await("stopped")
		f.expect("stack", f.stack(), "half:3, Cell [1]:6")
		interrupt(errors.New("interrupted"))
		if err := <-ended; err == nil {
			t.Error("the cell does not fail")
		}
		f.await("continued")
		if out := r.Out(); strings.Contains(out, "4") {
			t.Errorf("it goes on and prints %s", out)
		}
		end := f.start("half(2 * k)")
		f.await("stopped")
		f.expect("stack", f.stack()+" "+f.locals(1), "half:3, Cell [2]:1 n=16 int")
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "8" {
			t.Errorf("%s, %v", shown, err)
		}
	})
}

// TestDebuggerRich shows variables as the last expression of a cell is shown, also where nothing is
// debugged, as the panel of variables asks for it.
func TestDebuggerRich(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		f.ask("disconnect", "")
		if _, _, err := f.run("m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})\ntree := must(taxonomy.FromPaths([]string{\"a/b\", \"a/c\"}, \"/\"))\nn := 3"); err != nil {
			t.Fatal(err)
		}
		for name, kind := range map[string]string{"m": "text/html", "tree": "application/vnd.vega.v5+json", "n": ""} {
			data := f.ask("richInspectVariables", fmt.Sprintf(`{"variableName": %q}`, name))["data"].(map[string]any)
			if text, _ := data["text/plain"].(string); text == "" || kind != "" && data[kind] == nil || kind == "" && len(data) > 1 {
				t.Errorf("%s: %v", name, data)
			}
		}
	})
}

// TestDebuggerCopies copies variables of a stopped call to variables of the session, which are
// declared if there are none of their type.
func TestDebuggerCopies(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		if info := f.ask("debugInfo", ""); info["copyToGlobals"] != true {
			t.Errorf("debugInfo says %v", info)
		}
		if _, _, err := f.run("type point struct{ X, y int }\nkept := 1\nother := \"a text\""); err != nil {
			t.Fatal(err)
		}
		const cell = "type inner struct{ n int }\nfunc f(n int, list []int, p point) int {\n\tin := inner{n}\n\treturn in.n + p.y\n}\nf(3, []int{4, 5}, point{6, 7})"
		f.breakAt(cell, `{"line": 4}`)
		end := f.start(cell)
		f.await("stopped")
		from := func(frame int, source, destination string) map[string]any {
			return f.request("copyToGlobals", fmt.Sprintf(`{"srcVariableName": %q, "dstVariableName": %q, "srcFrameId": %d}`, source, destination, frame))
		}
		for _, tt := range []struct{ source, destination, value, typ string }{
			{"n", "kept", "3", "int"},
			{"n", "other", "3", "int"},
			{"list", "numbers", "[4, 5]", "[]int"},
			{"p", "at", "point{X: 6, y: 7}", "point"},
		} {
			r := from(1, tt.source, tt.destination)
			if body, _ := r["body"].(map[string]any); r["success"] != true || body["value"] != tt.value || body["type"] != tt.typ {
				t.Errorf("%s to %s: %v", tt.source, tt.destination, r)
			}
		}
		for _, tt := range []struct {
			frame                        int
			source, destination, message string
		}{
			{1, "nothing", "kept", "no variable nothing"},
			{1, "n", "a b", "not a valid variable name"},
			{9, "n", "kept", "no longer stopped in this call"},
			{1, "in", "within", "the declarations of the stopped cell only after"},
		} {
			r := from(tt.frame, tt.source, tt.destination)
			if message, _ := r["message"].(string); r["success"] == true || !strings.Contains(message, tt.message) {
				t.Errorf("%s to %s: %v", tt.source, tt.destination, r)
			}
		}
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "10" {
			t.Errorf("%s, %v", shown, err)
		}
		if shown, _, err := f.run("fmt.Sprint(kept, other, numbers, at.y)"); err != nil || shown != "3 3 [4 5] 7" {
			t.Errorf("%s, %v", shown, err)
		}
		if _, _, err := f.run("type Pt struct{ X, Y int }\nstruck, led := Pt{1, 2}, &Pt{3, 4}"); err != nil {
			t.Fatal(err)
		}
		var listed []string
		for _, v := range f.ask("inspectVariables", "")["variables"].([]any) {
			if v := v.(map[string]any); v["name"] == "struck" || v["name"] == "led" {
				listed = append(listed, fmt.Sprint(v["name"], " ", v["value"]))
			}
		}
		slices.Sort(listed)
		f.expect("structs of the session", strings.Join(listed, ", "), "led &Pt{X: 3, Y: 4}, struck Pt{X: 1, Y: 2}")
	})
}

// TestDebuggerEarlier stops in functions and methods that were declared before the debugger was
// attached.
func TestDebuggerEarlier(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		f.ask("disconnect", "")
		const first = "calls := 0\ntype point struct{ X, y int }\nfunc (p *point) move(n int) {\n\tcalls++\n\tp.X += n\n}\ntype pair[T any] struct{ a, b T }\nfunc (p pair[T]) first() T {\n\treturn p.a\n}\nat := &point{1, 2}"
		const second = "%timeit -n1 -r1 at.move(1)\nfunc double(n int) int {\n\tat.move(point{X: n}.X)\n\treturn 2 * n\n}\nkept := func(n int) int { return double(n) }\nstart := calls"
		for _, cell := range []string{first, second} {
			if _, _, err := f.run(cell); err != nil {
				t.Fatal(err)
			}
		}
		f.ask("attach", "")
		path := f.breakAt(first, `{"line": 5}`, `{"line": 9}`)
		end := f.start("p := pair[string]{\"a\", \"b\"}\nx := kept(3) + double(1)\nfmt.Println(p.first(), x, calls-start, at.X)")
		f.await("stopped")
		f.expect("stack", f.stack()+" "+f.locals(1), "(*point).move:5, double:3, Cell [3]:2 n=3 int, p=&point{X: 2, y: 2}")
		frame := f.ask("stackTrace", `{"threadId": 1}`)["stackFrames"].([]any)[0].(map[string]any)
		f.expect("source", fmt.Sprint(frame["source"].(map[string]any)["path"]), path)
		f.resume("stepOut")
		f.expect("stepOut", f.stack(), "double:4, Cell [3]:2")
		f.resume("continue")
		f.resume("continue")
		f.expect("generic", f.stack(), "pair.first:9, Cell [3]:3")
		f.ask("continue", `{"threadId": 1}`)
		if _, out, err := end(); err != nil || out != "a 8 2 6\n" {
			t.Errorf("%s%v", out, err)
		}
		// What follows a type that is declared anew keeps its hooks.
		f.breakAt(first)
		f.breakAt(second, `{"line": 4}`)
		if _, _, err := f.run("type point struct{ X, y, z int }"); err != nil {
			t.Error(err)
		}
		end = f.start("double(1)")
		f.await("stopped")
		f.expect("stack", f.stack(), "double:4, Cell [5]:1")
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "2" {
			t.Errorf("%s, %v", shown, err)
		}
	})
}

// TestDebuggerCalls calls functions and methods in expressions at a stop, and in conditions.
func TestDebuggerCalls(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		const types = `type point struct{ X, y int }
func (p point) Sum(n int) int { return p.X + p.y + n }
func (p *point) Move(n int) { p.X += n }
func (p point) Panic() int { panic("no sum") }
func (p point) Loop() int { for { p.X++ } }`
		if _, _, err := f.run(types); err != nil {
			t.Fatal(err)
		}
		const cell = `func f(name string, p point, q *point) string {
	loss, d := math.Sqrt(-1), 90*time.Second
	b := strings.NewReader(name)
	name += fmt.Sprint(p.X, q.X, b.Len(), d, loss)
	return name
}
f("text", point{1, 2}, &point{3, 4})`
		f.breakAt(cell, `{"line": 4, "condition": "math.IsNaN(loss) && p.Sum(1) == 4"}`)
		end := f.start(cell)
		f.await("stopped")
		for _, tt := range []struct{ expression, result, message string }{
			{expression: "strings.ToUpper(name)", result: `"TEXT"`},
			{expression: "fmt.Sprint(name, len(name), p.X)", result: `"text4 1"`},
			{expression: "fmt.Sprintf(\"%+v\", p)", result: `"{X:1 y:2}"`},
			{expression: "math.Max(math.Pi, 2)", result: "3.141592653589793"},
			{expression: "strconv.Atoi(\"12\")", result: "12"},
			{expression: "strconv.Atoi(name)", message: "invalid syntax"},
			{expression: "d.Minutes() + 1", result: "2.5"},
			{expression: "b.Len()", result: "4"},
			{expression: "strings.Join([]string{name, \"a\"}, name)", result: `"texttexta"`},
			{expression: "strings.Repeat(name, -1)", message: "negative Repeat count"},
			{expression: "strings.ToUpper()", message: "wants 1"},
			{expression: "strings.ToUpper(p)", message: "cannot be used as string"},
			{expression: "p.Sum(10)", result: "13"},
			{expression: "q.Sum(10)", result: "17"},
			{expression: "p.Panic()", message: "no sum"},
			{expression: "p.Loop()", message: "has not returned within"},
			{expression: "p.Move(4)"},
			{expression: "p.X", result: "5"},
			{expression: "q.Move(4)"},
		} {
			text, _ := json.Marshal(tt.expression)
			r := f.request("evaluate", fmt.Sprintf(`{"frameId": 1, "expression": %s}`, text))
			body, _ := r["body"].(map[string]any)
			message, _ := r["message"].(string)
			if tt.result != "" && body["result"] != tt.result || (tt.message == "") != (r["success"] == true) || !strings.Contains(message, tt.message) {
				t.Errorf("%s: %v", tt.expression, r)
			}
		}
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "text5 7 4 1m30s NaN" {
			t.Errorf("%s, %v", shown, err)
		}
	})
}

// TestDebuggerEvaluates evaluates expressions at a stop that call functions and methods of cells,
// as cells that do not stop.
func TestDebuggerEvaluates(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		f := newFrontEnd(t, mode)
		const before = `type point struct{ X, y int }
func (p point) sum(n int) int {
	return p.X + p.y + n
}
func (p *point) flip() { p.X, p.y = p.y, p.X }
func double(n int) int {
	return 2 * n
}
func fail(n int) int { panic(fmt.Sprint("fails at ", n)) }
func forever(n int) int { for { n++ } }
n, scale := 100, 10`
		if _, _, err := f.run(before); err != nil {
			t.Fatal(err)
		}
		const cell = "func own(n int) int { return n }\nfunc f(n int, p point, q *point) int {\n\tm := own(n)\n\treturn m + q.sum(0) + p.X\n}\nf(3, point{1, 2}, &point{3, 4})"
		f.breakAt(before, `{"line": 3}`, `{"line": 7}`)
		f.breakAt(cell, `{"line": 4}`)
		f.ask("setExceptionBreakpoints", `{"filters": ["panic", "error"]}`)
		end := f.start(cell)
		f.await("stopped")
		for _, tt := range []struct{ expression, result, typ, message string }{
			{"double(n) + scale", "16", "int", ""},
			{"p.sum(n)", "6", "int", ""},
			{"point{n, double(n)}", "point{X: 3, y: 6}", "point", ""},
			{"point{X: double(p.X)}.sum(q.X)", "5", "int", ""},
			{"q.flip()", "nil", "", ""},
			{"q.X", "4", "int", ""},
			{"max(double(n), p.y)", "6", "int", ""},
			{"fail(n)", "", "", "fails at 3"},
			{"double(\"a\")", "", "", "cannot use"},
			{"nothing(n)", "", "", "undefined: nothing"},
			{"own(n)", "", "", "the declarations of the stopped cell only after"},
			{"func() int { return double(n) }()", "", "", "cannot evaluate function literals"},
			{"double(func() int { return n }())", "", "", "cannot evaluate function literals"},
			{"forever(n)", "", "", "not finished within"},
			{"double(m)", "6", "int", ""},
		} {
			text, _ := json.Marshal(tt.expression)
			r := f.request("evaluate", fmt.Sprintf(`{"frameId": 1, "expression": %s}`, text))
			body, _ := r["body"].(map[string]any)
			message, _ := r["message"].(string)
			if r["success"] != (tt.message == "") || !strings.Contains(message, tt.message) || tt.message == "" && (body["result"] != tt.result || tt.typ != "" && body["type"] != tt.typ) {
				t.Errorf("%s: %v", tt.expression, r)
			}
		}
		f.breakAt(before)
		f.ask("continue", `{"threadId": 1}`)
		if shown, _, err := end(); err != nil || shown != "11" {
			t.Errorf("%s, %v", shown, err)
		}
		if shown, _, err := f.run("n"); err != nil || shown != "100" {
			t.Errorf("%s, %v", shown, err)
		}
	})
}
