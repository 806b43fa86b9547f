//go:build unix

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// modelsIn returns the states of the widgets that the messages tell of, by the names of their
// models.
func modelsIn(t *testing.T, messages []*program.CommMessage) map[string]map[string]any {
	t.Helper()
	byID, byName := map[string]map[string]any{}, map[string]map[string]any{}
	for _, m := range messages {
		var content struct{ State map[string]any }
		if len(m.Data) > 0 {
			if err := json.Unmarshal(m.Data, &content); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case m.Kind == "open":
			content.State["id"] = m.ID
			byID[m.ID] = content.State
			byName[content.State["_model_name"].(string)] = content.State
		case byID[m.ID] != nil:
			for key, v := range content.State {
				byID[m.ID][key] = v
			}
		}
	}
	return byName
}

// TestInteract moves the controls of a function of the session's.
func TestInteract(t *testing.T) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		t.Run(mode.String(), func(t *testing.T) { testInteract(t, newSessionIn(t, mode)) })
	}
}

func testInteract(t *testing.T, s *session) {
	var cell recorder
	begun := fifo(t)
	source := `runs := 0
nb.Interact(func(lambda float64, method string) any {
	runs++
	fmt.Println("run", runs)
	switch lambda {
	case 2:
		os.WriteFile("` + begun.path + `", []byte("begun"), 0)
		for {
		}
	case 3:
		var none []int
		return none[runs]
	}
	return method
}, nb.Slider(0, 3, 1), []string{"flat", "normalized"})`
	if _, err := s.runTo(t.Context(), source, &cell); err != nil {
		t.Fatal(err)
	}
	all := cell.messages
	models := modelsIn(t, all)
	slider, output := models["FloatSliderModel"], models["OutputModel"]
	if slider == nil || output == nil || slider["description"] != "lambda" || models["DropdownModel"]["description"] != "method" {
		t.Fatalf("%v", models)
	}
	number := 1000
	// answered tells of a call that has failed, and keeps what was sent meanwhile.
	answered := func(m *program.CommMessage, err error, out *recorder) {
		if m.Kind == "call" && err != nil {
			text, encoding := json.Marshal(host.Failed{Name: "failed", Value: err.Error()})
			if encoding != nil {
				t.Fatal(encoding)
			}
			number++
			if err := s.Deliver(t.Context(), number, &program.CommMessage{Kind: "failed", ID: m.ID, Data: text}, out); err != nil {
				t.Error(err)
			}
		}
		out.mu.Lock()
		defer out.mu.Unlock()
		all = append(all, out.messages...)
	}
	deliver := func(ctx context.Context, m *program.CommMessage) error {
		number++
		var out recorder
		err := s.Deliver(ctx, number, m, &out)
		if m.Kind == "msg" {
			testrun.Await(t, "the model asks for a call", func() bool { return ctx.Err() != nil || strings.Contains(out.String(), "comm: call") })
		}
		answered(m, err, &out)
		return err
	}
	id := output["id"].(string)
	move := func(value string) {
		t.Helper()
		if err := deliver(t.Context(), &program.CommMessage{Kind: "msg", ID: slider["id"].(string), Data: []byte(`{"method": "update", "state": {"value": ` + value + `}}`)}); err != nil {
			t.Error(err)
		}
	}
	shows := func(want string) {
		t.Helper()
		text, err := json.Marshal(modelsIn(t, all)["OutputModel"]["outputs"])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("the area shows %s, want %s", text, want)
		}
	}
	shows(`"run 1\n"},{"data":{"text/plain":"flat"}`)
	move("3")
	var failure *program.Error
	if err := deliver(t.Context(), &program.CommMessage{Kind: "call", ID: id}); !errors.As(err, &failure) || !strings.Contains(strings.Join(failure.Traceback, "\n"), "return none[runs]") {
		t.Errorf("failed with %v", err)
	}
	shows("index out of range")
	// A run that never ends is interrupted by the next change.
	move("2")
	ended := make(chan error, 1)
	var endless recorder
	call := &program.CommMessage{Kind: "call", ID: id}
	go func() { ended <- s.Deliver(t.Context(), 5000, call, &endless) }()
	begun.hear(t)
	move("1.5")
	if err := <-ended; err == nil {
		t.Error("the endless run ended well")
	}
	if err := deliver(t.Context(), &program.CommMessage{Kind: "call", ID: id}); err != nil {
		t.Error(err)
	}
	shows(`"text/plain":"flat"`)
	// The user's interrupt is said.
	move("2")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped recorder
	go func() { ended <- s.Deliver(ctx, 5001, call, &stopped) }()
	begun.hear(t)
	cancel()
	err := <-ended
	if err == nil {
		t.Error("not interrupted")
	}
	answered(call, err, &stopped)
	shows("nterrupted")
	if got, err := s.run(t.Context(), "runs"); err != nil || got != "=> 5" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestCallbackShowsBelowItsCell has a button print.
func TestCallbackShowsBelowItsCell(t *testing.T) {
	s := newSession(t)
	var cell, other recorder
	if _, err := s.runTo(t.Context(), `nb.Display(nb.Button("go", func() { fmt.Println("pressed"); nb.Text("shown") }))`, &cell); err != nil {
		t.Fatal(err)
	}
	if _, err := s.runTo(t.Context(), `1`, &other); err != nil {
		t.Fatal(err)
	}
	id := modelsIn(t, cell.messages)["ButtonModel"]["id"].(string)
	var click, call recorder
	if err := s.Deliver(t.Context(), 100, &program.CommMessage{Kind: "msg", ID: id, Data: []byte(`{"method": "custom", "content": {"event": "click"}}`)}, &click); err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver(t.Context(), 101, &program.CommMessage{Kind: "call", ID: id}, &call); err != nil {
		t.Fatal(err)
	}
	testrun.Await(t, "the cell shows the press", func() bool { return strings.HasSuffix(cell.String(), "stdout: pressed\n|show: shown") })
	if got := cell.String(); !strings.HasSuffix(got, "stdout: pressed\n|show: shown") || click.String() != "comm: call "+id || call.String() != "" || other.String() != "" {
		t.Errorf("the cell shows %q, the click %q, the call %q, the other cell %q", got, click.String(), call.String(), other.String())
	}
}

// TestInteractWithTypesOfCells has functions of types that cells declare.
func TestInteractWithTypesOfCells(t *testing.T) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		t.Run(mode.String(), func(t *testing.T) {
			s := newSessionIn(t, mode)
			for _, source := range []string{
				`type Shape struct{ Name string; F func(float64) float64 }
shapes := []Shape{{"sine", math.Sin}, {"cosine", math.Cos}}`,
				`type Kind int
func (k Kind) String() string { return fmt.Sprint("kind ", int(k)) }
type Text string
type Animal interface { Speak() string; Legs() int }
type Dog struct{ Age int }
func (d Dog) Speak() string { return fmt.Sprint("bow ", d.Age) }
func (Dog) Legs() int { return 4 }
type Bird struct{}
func (*Bird) Speak() string { return "tweet" }
func (*Bird) Legs() int { return 2 }
type Node struct { Name string; Next *Node }
type Pair[T any] struct { A, B T }
type Grid struct{ n int }
func (g Grid) Dims() (int, int) { return g.n, g.n }
func (g Grid) At(i, j int) float64 { return float64(i + j) }
func (g Grid) T() mat.Matrix { return g }`,
				`named := func(s Shape) string { return s.Name }
func declared(s Shape) string { return s.Name }`,
			} {
				if _, err := s.run(t.Context(), source); err != nil {
					t.Fatal(err)
				}
			}
			for _, test := range []struct {
				source, options, shown string
			}{
				{`nb.Interact(func(s Shape) string { return s.Name }, shapes)`, "[sine cosine]", "sine"},
				{`nb.Interact(func(s Shape) float64 { return s.F(0) }, map[string]Shape{"b": shapes[0], "a": shapes[1]})`, "[a b]", "1"},
				{`nb.Interact(func(s *Shape) string { return s.Name }, []*Shape{&shapes[1], nil})`, "[cosine nil]", "cosine"},
				{`nb.Interact(named, shapes)`, "[sine cosine]", "sine"},
				{`nb.Interact(declared, shapes)`, "[sine cosine]", "sine"},
				{`nb.Interact(func(s any) string { return s.(Shape).Name }, shapes)`, "[sine cosine]", "sine"},
				{`nb.Interact(func(s Shape) Dog { return Dog{len(s.Name)} }, shapes)`, "[sine cosine]", "Dog{Age:4}"},
				{`nb.Interact(func(x float64) (Kind, error) { return Kind(4 * x), nil })`, "", "kind 2"},
				{`nb.Interact(func(k Kind) Kind { return k })`, "", "kind 5"},
				{`nb.Interact(func(k Kind) Kind { return k }, Kind(3))`, "", "kind 3"},
				{`nb.Interact(func(k Kind) int { return int(k) }, []Kind{2, 1})`, "[kind 2 kind 1]", "2"},
				{`nb.Interact(func(k Kind) int { return int(k) }, []int{2, 1})`, "[2 1]", "2"},
				{`nb.Interact(func(t Text) Text { return t + "!" }, []string{"a", "b"})`, "[a b]", "a!"},
				{`nb.Interact(func(a Animal) string { return a.Speak() }, []Animal{Dog{2}, &Bird{}, Dog{3}})`, "[Dog 0 *Bird Dog 2]", "bow 2"},
				{`nb.Interact(func(a Animal) Animal { return a }, []any{&Bird{}})`, "[*Bird]", "&Bird{}"},
				{`nb.Interact(func(a Animal) string { return a.Speak() }, map[string]Dog{"d": {7}})`, "[d]", "bow 7"},
				{`nb.Interact(func(n *Node) string { return n.Next.Name }, []*Node{{"a", &Node{"b", nil}}})`, "[a]", "b"},
				{`nb.Interact(func(n Node) string { return n.Name }, []Node{{"a", &Node{"b", nil}}})`, "[a]", "a"},
				{`nb.Interact(func(p Pair[int]) int { return p.A }, []Pair[int]{{1, 2}, {3, 4}})`, "", "1"},
				{`nb.Interact(func(s []Shape) int { return len(s) }, [][]Shape{shapes, nil})`, "[0 1]", "2"},
				{`nb.Interact(func(f func(Shape) string) string { return f(shapes[1]) }, map[string]func(Shape) string{"n": named})`, "[n]", "cosine"},
				{`nb.Interact(func(m mat.Matrix) float64 { return mat.Sum(m) }, []Grid{{2}, {3}})`, "[Grid 0 Grid 1]", "4"},
				{`nb.Interact(func(s fmt.Stringer) string { return s.String() }, []Kind{8})`, "[kind 8]", "kind 8"},
				// What is no value of the parameter.
				{`nb.Interact(func(s Shape) string { return s.Name })`, "", "nb.Interact: parameter s: Shape has no default control; pass a choice: []Shape{…} or map[string]Shape{…}"},
				{`nb.Interact(func(s Shape) string { return s.Name }, shapes[0])`, "", "nb.Interact: parameter s: a Shape is not a control for a Shape; pass a choice: []Shape{…} or map[string]Shape{…}"},
				{`nb.Interact(func(s Shape) string { return s.Name }, []Dog{{1}})`, "", "nb.Interact: parameter s: Dog is not a Shape"},
				{`nb.Interact(func(a Animal) string { return a.Speak() }, []any{shapes[0]})`, "", "nb.Interact: parameter a: Shape is not an Animal"},
				{`nb.Interact(func(a Animal) string { return a.Speak() }, []any{Bird{}})`, "", "nb.Interact: parameter a: Bird is not an Animal"},
				{`nb.Interact(func(a Animal) string { return a.Speak() }, nb.Slider(0, 1, 0))`, "", "nb.Interact: parameter a: the control has a float64, and the parameter needs an Animal; pass a choice: []Animal{…} or map[string]Animal{…}"},
				{`nb.Interact(shapes)`, "", "nb.Interact: []Shape is not a function"},
			} {
				var cell recorder
				_, err := s.runTo(t.Context(), test.source, &cell)
				if err != nil {
					if !strings.HasSuffix(err.Error(), test.shown) {
						t.Errorf("%s\nfails with %v\nwant %s", test.source, err, test.shown)
					}
					continue
				}
				models := modelsIn(t, cell.messages)
				text, err := json.Marshal(models["OutputModel"]["outputs"])
				if err != nil {
					t.Fatal(err)
				}
				want, err := json.Marshal(test.shown)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(text), `"text/plain":`+string(want)) {
					t.Errorf("%s\nshows %s\nwant  %s", test.source, text, want)
				}
				if options := models["DropdownModel"]; test.options != "" && fmt.Sprint(options["_options_labels"]) != test.options {
					t.Errorf("%s\nlets choose from %v\nwant %v", test.source, options["_options_labels"], test.options)
				}
			}
		})
	}
}
