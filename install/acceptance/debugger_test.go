package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A debuggedCell is what testdata/debugger.py debugs.
type debuggedCell struct {
	Cell       string   `json:"cell"`
	Line       int      `json:"line"`
	List       string   `json:"list"`
	Expression string   `json:"expression"`
	Set        string   `json:"set"`
	Value      string   `json:"value"`
	Complete   string   `json:"complete"`
	Answers    bool     `json:"answers"` // to what is asked on shell while it is stopped
	Arguments  []string `json:"arguments"`
}

var inPython = debuggedCell{
	Cell: `def double(n):
    m = 2 * n
    return m
def total(values):
    s = 0
    for n in values:
        s += n
        s += double(n)
    return s
values = [3, 4, 5]
t = total(values)
print(t)`,
	Line: 7, List: "values", Expression: "s + n", Set: "s", Value: "100", Complete: "val",
}

var inGo = debuggedCell{
	Cell: `func double(n int) int {
	m := 2 * n
	return m
}
func total(values []int) int {
	s := 0
	for _, n := range values {
		s += n
		s += double(n)
	}
	return s
}
values := []int{3, 4, 5}
t := total(values)
fmt.Println(t)`,
	Line: 8, List: "values", Expression: "s + n", Set: "s", Value: "100", Complete: "fmt.Printl", Answers: true,
}

// A message is what the script has asked, or an event, with the answer.
type message struct {
	Message string
	Content any
}

// debug has the script debug a cell in a kernel.
func debug(t *testing.T, kernel string, cell debuggedCell) []message {
	t.Helper()
	interpreter, data := jupyter(t), kernelData(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	private := t.TempDir()
	plan, err := json.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(private, "plan.json")
	if err := os.WriteFile(file, plan, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := interpreter.Command(ctx, private, script(t, "debugger.py"), kernel, file)
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the script ended with %v\n%s\n%s", err, out, stderr.Bytes())
	}
	var all []message
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var m message
		if err := lines.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

// kinds tells what a content consists of: the kinds of values by their places.
func kinds(content any, place string, into map[string]string) {
	switch x := content.(type) {
	case map[string]any:
		into[place] = "object"
		for key, value := range x {
			kinds(value, place+"."+key, into)
		}
	case []any:
		into[place] = "list"
		for _, value := range x {
			kinds(value, place+"[]", into)
		}
	default:
		into[place] = fmt.Sprintf("%T", x)
	}
}

// beyond are what debugpy tells and the protocol leaves open, or which is Python's.
var beyond = []string{"body.supports", "presentationHint", "sourceReference", "scopes[].source", "hitBreakpointIds", "exceptionPaths[]", "exceptionBreakpointFilters[]"}

// TestDebugger debugs the same cell in Go, in both ways to run cells, and in ipykernel. All that
// ipykernel tells is told here in kind.
func TestDebugger(t *testing.T) {
	want := debug(t, "python3", inPython)
	for _, engine := range []string{"interpreted", "compiled"} {
		t.Run(engine, func(t *testing.T) {
			cell := inGo
			cell.Arguments = []string{"--engine", engine}
			got := debug(t, "hierml", cell)
			if len(got) != len(want) {
				t.Fatalf("%d messages, want %d", len(got), len(want))
			}
			told := map[string]any{}
			for i, w := range want {
				g := got[i]
				told[g.Message] = g.Content
				if g.Message != w.Message {
					t.Fatalf("message %d is %q, want %q", i, g.Message, w.Message)
				}
				switch g.Message {
				case "kernel_info", "complete", "output", "inspectVariables":
					continue
				}
				a, b := map[string]string{}, map[string]string{}
				kinds(g.Content, "", a)
				kinds(w.Content, "", b)
				for _, place := range slices.Sorted(maps.Keys(b)) {
					if a[place] != b[place] && !slices.ContainsFunc(beyond, func(s string) bool { return strings.Contains(place, s) }) {
						t.Errorf("%s: %s is %q, want %s", g.Message, place, a[place], b[place])
					}
				}
			}
			text := func(name string) string {
				content, err := json.Marshal(told[name])
				if err != nil {
					t.Fatal(err)
				}
				return string(content)
			}
			for _, w := range []struct{ message, part string }{
				{"kernel_info", `"debugger":true`},
				{"kernel_info", `"supported_features":["debugger",`},
				{"stopped stackTrace", `"line":8,"name":"total"`},
				{"stopped variables", `"name":"n","type":"int","value":"3"`},
				{"evaluate", `"result":"3"`},
				{"parts", `"name":"[1]","type":"int","value":"4"`},
				{"next stackTrace", `"line":9,"name":"total"`},
				{"next variables", `"name":"s","type":"int","value":"103"`},
				{"stepIn stackTrace", `"line":2,"name":"double"`},
				{"stepOut stackTrace", `"line":8,"name":"total"`},
				{"complete", `"Println"`},
				{"output", `"136\n"`},
				{"copyToGlobals", `"type":"[]int","value":"[3, 4, 5]"`},
				{"inspectVariables", `"name":"copied","value":"[3, 4, 5]"`},
				{"inspectVariables", `"name":"values","value":"[3, 4, 5]"`},
			} {
				if !strings.Contains(text(w.message), w.part) {
					t.Errorf("%s lacks %s: %s", w.message, w.part, text(w.message))
				}
			}
		})
	}
}
