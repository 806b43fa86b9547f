package nb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A page is what a front end knows of widgets: the last state of each.
type page_ struct {
	t      *testing.T
	models map[string]map[string]any
	order  []string // in which they were opened
	calls  []string // asked for, by the ID of the comm
	seen   int      // messages
}

// look takes in what the kernel has sent since, and returns the page.
func (n *notebook) look(t *testing.T, p *page_) *page_ {
	t.Helper()
	if p == nil {
		p = &page_{t: t, models: map[string]map[string]any{}}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.comms[p.seen:] {
		var content struct {
			Method string
			State  map[string]any
		}
		if m.Kind == "open" || m.Kind == "msg" {
			if err := json.Unmarshal(m.Data, &content); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case m.Kind == "open":
			if m.Target != "jupyter.widget" || string(m.Metadata) != `{"version":"2.1.0"}` {
				t.Errorf("opened %s with the metadata %s", m.Target, m.Metadata)
			}
			p.models[m.ID] = content.State
			p.order = append(p.order, m.ID)
		case m.Kind == "msg" && content.State != nil:
			for key, v := range content.State {
				p.models[m.ID][key] = v
			}
		case m.Kind == "close":
			delete(p.models, m.ID)
		case m.Kind == "call":
			p.calls = append(p.calls, m.ID)
		}
	}
	p.seen = len(n.comms)
	return p
}

// find returns the ID of the only model of that name.
func (p *page_) find(name string) string {
	p.t.Helper()
	found := ""
	for id, state := range p.models {
		if state["_model_name"] == name {
			if found != "" {
				p.t.Fatalf("two of %s", name)
			}
			found = id
		}
	}
	if found == "" {
		p.t.Fatalf("no %s", name)
	}
	return found
}

// tell sends the kernel a message about a model.
func tell(id string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	receive(&host.CommMessage{Kind: "msg", ID: id, Data: text})
}

func update(id, key string, value any) {
	tell(id, map[string]any{"method": "update", "state": map[string]any{key: value}, "buffer_paths": []any{}})
}

// called carries out the oldest call that was asked for, as the kernel does.
func (p *page_) called(n *notebook) {
	p.t.Helper()
	n.look(p.t, p)
	if len(p.calls) == 0 {
		p.t.Fatal("no call was asked for")
	}
	id := p.calls[0]
	p.calls = p.calls[1:]
	defer func() {
		if r := recover(); r != nil {
			data, err := json.Marshal(host.Failed{Name: "panic", Value: fmt.Sprint(r), Traceback: []string{"where"}})
			if err != nil {
				p.t.Fatal(err)
			}
			receive(&host.CommMessage{Kind: "failed", ID: id, Data: data})
		}
		n.look(p.t, p)
	}()
	receive(&host.CommMessage{Kind: "call", ID: id})
}

func TestWidgetsAsTheFrontEndHasThem(t *testing.T) {
	for _, test := range []struct {
		widget Widget
		name   string
		state  string // without what all have
	}{
		{Slider(0, 2, 0.5, "lambda"), "FloatSlider", `continuous_update:true description:lambda disabled:false max:2 min:0 orientation:horizontal readout:true readout_format:.3~g step:0.02 value:0.5`},
		{LogSlider(0.01, 100, 1), "FloatLogSlider", `base:10 continuous_update:true description: disabled:false max:2 min:-2 orientation:horizontal readout:true readout_format:.3~g step:0.04 value:1`},
		{IntSlider(1, 6, 3, "depth"), "IntSlider", `continuous_update:true description:depth disabled:false max:6 min:1 orientation:horizontal readout:true readout_format:d step:1 value:3`},
		{Dropdown([]string{"a", "b"}), "Dropdown", `_options_labels:[a b] description: disabled:false index:0`},
		{Checkbox(true, "on"), "Checkbox", `description:on disabled:false indent:true value:true`},
		{TextInput("x"), "Text", `continuous_update:false description: disabled:false placeholder: value:x`},
		{FloatProgress(), "FloatProgress", `bar_style: description: disabled:false max:1 min:0 orientation:horizontal value:0`},
		{Button("go", func() {}), "Button", `button_style: description:go disabled:false icon: tooltip:<nil>`},
		{Output(), "Output", `msg_id: outputs:[]`},
		{HBox(), "HBox", `box_style: children:[]`},
	} {
		n := open(t)
		bundle := display.Of(test.widget)
		p := n.look(t, nil)
		id := p.find(test.name + "Model")
		if got := fmt.Sprint(bundle.Data["application/vnd.jupyter.widget-view+json"]); got != fmt.Sprintf("map[model_id:%s version_major:2 version_minor:0]", id) {
			t.Errorf("%s is shown as %s", test.name, got)
		}
		state := p.models[id]
		if state["_view_name"] != test.name+"View" || state["_view_module"] != state["_model_module"] || state["_model_module_version"] == nil {
			t.Errorf("%s: %v", test.name, state)
		}
		layout, _ := strings.CutPrefix(fmt.Sprint(state["layout"]), "IPY_MODEL_")
		if p.models[layout]["_model_name"] != "LayoutModel" {
			t.Errorf("%s has no layout: %v", test.name, state)
		}
		if style, has := state["style"]; has {
			id, _ := strings.CutPrefix(fmt.Sprint(style), "IPY_MODEL_")
			if m := p.models[id]; m["_view_name"] != "StyleView" || !strings.HasSuffix(fmt.Sprint(m["_model_name"]), "StyleModel") {
				t.Errorf("%s has the style %v", test.name, m)
			}
		}
		var own []string
		for key, v := range state {
			if !slices.Contains([]string{"layout", "style"}, key) && !strings.HasPrefix(key, "_model") && !strings.HasPrefix(key, "_view") {
				own = append(own, fmt.Sprintf("%s:%v", key, v))
			}
		}
		slices.Sort(own)
		if got := strings.Join(own, " "); got != test.state {
			t.Errorf("%s\ngot  %s\nwant %s", test.name, got, test.state)
		}
		// Again it is the same one.
		display.Of(test.widget)
		if again := n.look(t, p); len(again.order) != len(p.models) {
			t.Errorf("%s was opened again", test.name)
		}
		if err := test.widget.Close(); err != nil {
			t.Error(err)
		}
		if n.look(t, p); len(p.models) != 0 {
			t.Errorf("%s leaves %v", test.name, p.models)
		}
	}
	if states, err := known.states(); err != nil || len(states) != 0 {
		t.Errorf("closed widgets are kept: %v, %v", states, err)
	}
}

func TestControlMovedByTheUser(t *testing.T) {
	n := open(t)
	s := IntSlider(0, 10, 5)
	d := Dropdown([]string{"a", "b"})
	var heard []string
	s.OnChange(func(v int) {
		heard = append(heard, fmt.Sprint(v))
		Text(fmt.Sprint("moved to ", v))
		if v == 9 {
			panic("no")
		}
	})
	d.OnChange(func(v string) { heard = append(heard, v) })
	Display(HBox(s, d))
	p := n.look(t, nil)
	slider, list := p.find("IntSliderModel"), p.find("DropdownModel")
	before := len(n.sent())
	update(slider, "value", 7)
	check(t, n.sent()[before:], `msg  {"buffer_paths":[],"method":"echo_update","state":{"value":7}}  []`, `call    []`)
	if s.Value() != 7 || heard != nil {
		t.Errorf("the value is %d, heard %q before the call", s.Value(), heard)
	}
	// Several at once: nothing is lost, and the order kept.
	update(slider, "value", 8)
	update(slider, "value", 8)
	update(slider, "value", 9)
	update(list, "index", 1)
	p.called(n)
	p.called(n)
	p.called(n)
	p.called(n)
	if got := strings.Join(heard, " "); got != "7 8 b 9" && got != "7 b 8 9" {
		t.Errorf("heard %s", got)
	}
	if len(p.calls) != 0 {
		t.Errorf("%d calls too many", len(p.calls))
	}
	if got := strings.Join(n.shown[1:], "|"); got != "false moved to 7|false moved to 8|false moved to 9|stderr where\n" {
		t.Errorf("shown %q", got)
	}
	// What cannot be is taken back.
	before = len(n.sent())
	for _, v := range []any{11, -1, "x", 1.5, nil} {
		update(slider, "value", v)
	}
	for _, v := range []any{2, -1} {
		update(list, "index", v)
	}
	update(slider, "children", 1)
	update(slider, "unknown", 1)
	update(slider, "description", "named")
	tell(slider, map[string]any{"method": "custom", "content": 1})
	tell(slider, "no object")
	refused := `msg  {"buffer_paths":[],"method":"update","state":{"value":9}}  []`
	check(t, n.sent()[before:], refused, refused, refused, refused, refused,
		`msg  {"buffer_paths":[],"method":"update","state":{"index":1}}  []`,
		`msg  {"buffer_paths":[],"method":"update","state":{"index":1}}  []`,
		`msg  {"buffer_paths":[],"method":"echo_update","state":{"description":"named"}}  []`)
	if s.Value() != 9 || d.Value() != "b" {
		t.Errorf("%d, %s", s.Value(), d.Value())
	}
}

func TestControlSetByACell(t *testing.T) {
	n := open(t)
	s, d := LogSlider(0.1, 10, 1, "C"), Dropdown([]string{"a", "b"})
	if err := s.Set(2); err != nil {
		t.Error(err)
	}
	if got := display.Of(s).Text(); got != "C: 2" {
		t.Errorf("shown as %q", got)
	}
	Display(d)
	s.OnChange(func(float64) { t.Error("called") })
	if err := errors.Join(s.Set(10), d.Set("b")); err != nil {
		t.Error(err)
	}
	p := n.look(t, nil)
	if v, i := p.models[p.find("FloatLogSliderModel")]["value"], p.models[p.find("DropdownModel")]["index"]; v != 10.0 || i != 1.0 {
		t.Errorf("the front end has %v and %v", v, i)
	}
	for _, err := range []error{s.Set(11), s.Set(math.NaN()), d.Set("c")} {
		if err == nil {
			t.Error("set to what cannot be")
		}
	}
	if s.Value() != 10 || d.Value() != "b" || len(p.calls) > 0 {
		t.Errorf("%g, %s, %d calls", s.Value(), d.Value(), len(p.calls))
	}
}

func TestButton(t *testing.T) {
	n := open(t)
	pressed := 0
	b := Button("go", func() { pressed++ })
	Display(b)
	p := n.look(t, nil)
	for range 3 {
		tell(p.find("ButtonModel"), map[string]any{"method": "custom", "content": map[string]string{"event": "click"}})
	}
	for range 3 {
		p.called(n)
	}
	if pressed != 3 || len(p.calls) != 0 {
		t.Errorf("pressed %d times, %d calls", pressed, len(p.calls))
	}
}

// TestPageLoadedAgain gives a page that knows nothing all it needs.
func TestPageLoadedAgain(t *testing.T) {
	n := open(t)
	out := Output(1)
	s := IntSlider(0, 10, 5, "n")
	Display(VBox(s, out))
	p := n.look(t, nil)
	update(p.find("IntSliderModel"), "value", 6)
	n.look(t, p)
	receive(&host.CommMessage{Kind: "open", ID: "control", Target: "jupyter.widget.control", Data: json.RawMessage(`{}`)})
	tell("control", map[string]string{"method": "request_states"})
	sent := n.comms[len(n.comms)-1]
	var answer struct {
		Method string
		States map[string]struct {
			Name    string `json:"model_name"`
			Module  string `json:"model_module"`
			Version string `json:"model_module_version"`
			State   map[string]any
		}
		BufferPaths []any `json:"buffer_paths"`
	}
	if err := json.Unmarshal(sent.Data, &answer); err != nil || sent.ID != "control" || answer.Method != "update_states" || answer.BufferPaths == nil {
		t.Fatalf("%v: %s", err, sent.Data)
	}
	if len(answer.States) != len(p.models) {
		t.Errorf("%d of %d models", len(answer.States), len(p.models))
	}
	for id, want := range p.models {
		got := answer.States[id]
		if got.Name != want["_model_name"] || got.Module != want["_model_module"] || got.Version != want["_model_module_version"] || !reflect.DeepEqual(got.State, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	}
	// The way of older front ends.
	for id, want := range p.models {
		tell(id, map[string]string{"method": "request_state"})
		var state struct{ State map[string]any }
		last := n.comms[len(n.comms)-1]
		if err := json.Unmarshal(last.Data, &state); err != nil || last.ID != id || !reflect.DeepEqual(state.State, want) {
			t.Errorf("%v, got %s\nwant %v", err, last.Data, want)
		}
	}
	receive(&host.CommMessage{Kind: "close", ID: "control"})
	tell("control", map[string]string{"method": "request_states"})
}

func TestWidgetClosedByTheFrontEnd(t *testing.T) {
	n := open(t)
	s := Slider(0, 1, 0.5)
	Display(s)
	p := n.look(t, nil)
	receive(&host.CommMessage{Kind: "close", ID: p.find("FloatSliderModel")})
	if n.look(t, p); len(p.models) != 1 {
		t.Errorf("left: %v", p.models)
	}
	if err := s.Set(0.7); err != nil {
		t.Error(err)
	}
	Display(s)
	again := n.look(t, &page_{t: t, models: map[string]map[string]any{}})
	if again.models[again.order[len(again.order)-1]]["value"] != 0.7 {
		t.Errorf("not shown anew: %v", again.models)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	n := open(t)
	out := Output()
	Display(out)
	p := n.look(t, nil)
	id := p.find("OutputModel")
	outputs := func() string {
		n.look(t, p)
		text, err := json.Marshal(p.models[id]["outputs"])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	out.Run(func() {
		n.sink().Stream("stdout", "a")
		n.sink().Stream("stdout", "b\n")
		h := Display(1)
		PNG([]byte("p"))
		h.Update(2)
		n.sink().Stream("stdout", "c")
	})
	if got, want := outputs(), `[{"name":"stdout","output_type":"stream","text":"ab\n"},`+
		`{"data":{"text/plain":"2"},"metadata":{},"output_type":"display_data"},`+
		`{"data":{"image/png":"cA==","text/plain":"(image/png, 1 bytes)"},"metadata":{},"output_type":"display_data"},`+
		`{"name":"stdout","output_type":"stream","text":"c"}]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	out.Show("only", nil)
	Text("beside")
	if got, want := outputs(), `[{"data":{"text/plain":"\"only\""},"metadata":{},"output_type":"display_data"}]`; got != want && got != `[{"data":{"text/plain":"only"},"metadata":{},"output_type":"display_data"}]` {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	out.Run(func() { Text("x"); Clear(); Text("y"); Clear(true) })
	if got := outputs(); got != "[]" {
		t.Errorf("got %s", got)
	}
	out.Run(func() {
		for range maxOutput/1000 + 5 {
			n.sink().Stream("stdout", strings.Repeat("x", 1000))
		}
	})
	if got := outputs(); len(got) > maxOutput+1000 || !strings.Contains(got, "the rest is not shown") {
		t.Errorf("%d bytes", len(got))
	}
	out.Clear()
	if got := outputs(); got != "[]" {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(n.shown[1:], "|"); got != "false beside" {
		t.Errorf("shown past the area: %q", got)
	}
}

// TestWidgetsWithoutAFrontEnd shows what files and terminals have.
func TestWidgetsWithoutAFrontEnd(t *testing.T) {
	n := open(t)
	n.gone = host.ErrNoFrontEnd
	out := Output()
	out.Run(func() { PNG([]byte("picture")) })
	for _, test := range []struct {
		shown any
		want  string
	}{
		{Slider(0, 1, 0.5, "lambda"), "map[text/plain:lambda: 0.5]"},
		{out, "map[image/png:[112 105 99 116 117 114 101] text/plain:(image/png, 7 bytes)]"},
		{VBox(HBox(IntSlider(0, 9, 3, "n"), Checkbox(true)), out), "map[image/png:[112 105 99 116 117 114 101] text/plain:n: 3\ntrue\n(image/png, 7 bytes)]"},
		{VBox(out, out), "map[text/html:<div><img src=\"data:image/png;base64,cGljdHVyZQ==\" alt=\"(image/png, 7 bytes)\"></div>\n<div><img src=\"data:image/png;base64,cGljdHVyZQ==\" alt=\"(image/png, 7 bytes)\"></div> text/plain:(image/png, 7 bytes)\n(image/png, 7 bytes)]"},
	} {
		if got := fmt.Sprint(display.Of(test.shown).Data); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	n.gone = errors.New("too many")
	if got := display.Of(Checkbox(true)).Text(); !strings.Contains(got, "too many") {
		t.Errorf("shown as %q", got)
	}
}

func TestControlRefusals(t *testing.T) {
	for want, make := range map[string]func(){
		"nb.Slider: 2 is not between 0 and 1":               func() { Slider(0, 1, 2) },
		"nb.Slider: there is no range from 1 to 1":          func() { Slider(1, 1, 1) },
		"nb.LogSlider: 0 is not positive":                   func() { LogSlider(0, 1, 1) },
		"nb.IntSlider: 5 is not between 0 and 3":            func() { IntSlider(0, 3, 5) },
		"nb.Dropdown: there are no options":                 func() { Dropdown(nil) },
		`nb.Button: the button "x" has no function to call`: func() { Button("x", nil) },
	} {
		func() {
			defer func() {
				if f, ok := recover().(host.Failure); !ok || f.Error() != want {
					t.Errorf("got %v, want %s", f, want)
				}
			}()
			make()
		}()
	}
}

// TestWidgetsAtTheSameTime is for the race detector.
func TestWidgetsAtTheSameTime(t *testing.T) {
	n := open(t)
	s := IntSlider(0, 100, 5)
	out := Output()
	s.OnChange(func(int) {})
	b := VBox(s, out)
	Display(b)
	id := n.look(t, nil).find("IntSliderModel")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 50 {
				update(id, "value", i)
				if err := s.Set(g + i); err != nil {
					t.Error(err)
				}
				out.Show(i)
				s.Value()
				if _, err := known.states(); err != nil {
					t.Error(err)
				}
				receive(&host.CommMessage{Kind: "call", ID: id})
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
