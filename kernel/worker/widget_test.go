package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/stdlib/host"
)

// modelsIn returns the states of the widgets that the messages tell of, by the
// names of their models.
func modelsIn(t *testing.T, messages []*engine.CommMessage) map[string]map[string]any {
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
	for _, mode := range []engine.Mode{engine.InterpretedMode, engine.CompiledMode} {
		t.Run(mode.String(), func(t *testing.T) { testInteract(t, newSessionIn(t, mode)) })
	}
}

func testInteract(t *testing.T, s *session) {
	var cell recorder
	const source = `runs := 0
nb.Interact(func(lambda float64, method string) any {
	runs++
	fmt.Println("run", runs)
	switch lambda {
	case 2:
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
	deliver := func(ctx context.Context, m *engine.CommMessage) error {
		number++
		var out recorder
		err := s.Deliver(ctx, number, m, &out)
		deadline := time.Now().Add(10 * time.Second)
		for ctx.Err() == nil && m.Kind == "msg" && !strings.Contains(out.String(), "comm: call") && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if m.Kind == "call" && err != nil {
			text, encoding := json.Marshal(host.Failed{Name: "failed", Value: err.Error()})
			if encoding != nil {
				t.Fatal(encoding)
			}
			number++
			if err := s.Deliver(t.Context(), number, &engine.CommMessage{Kind: "failed", ID: m.ID, Data: text}, &out); err != nil {
				t.Error(err)
			}
		}
		out.mu.Lock()
		defer out.mu.Unlock()
		all = append(all, out.messages...)
		return err
	}
	id := output["id"].(string)
	move := func(value string) {
		t.Helper()
		if err := deliver(t.Context(), &engine.CommMessage{Kind: "msg", ID: slider["id"].(string), Data: []byte(`{"method": "update", "state": {"value": ` + value + `}}`)}); err != nil {
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
	var failure *engine.Error
	if err := deliver(t.Context(), &engine.CommMessage{Kind: "call", ID: id}); !errors.As(err, &failure) || !strings.Contains(strings.Join(failure.Traceback, "\n"), "return none[runs]") {
		t.Errorf("failed with %v", err)
	}
	shows("index out of range")
	// A run that never ends is interrupted by the next change.
	move("2")
	ended := make(chan error, 1)
	var endless recorder
	go func() { ended <- s.Deliver(t.Context(), 5000, &engine.CommMessage{Kind: "call", ID: id}, &endless) }()
	for range 1000 {
		if endless.String() != "" || strings.Contains(cell.String(), "run 3") { // what it prints has been drawn
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	move("1.5")
	if err := <-ended; err == nil {
		t.Error("the endless run ended well")
	}
	if err := deliver(t.Context(), &engine.CommMessage{Kind: "call", ID: id}); err != nil {
		t.Error(err)
	}
	shows(`"text/plain":"flat"`)
	// The user's interrupt is said.
	move("2")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := deliver(ctx, &engine.CommMessage{Kind: "call", ID: id}); err == nil {
		t.Error("not interrupted")
	}
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
	if err := s.Deliver(t.Context(), 100, &engine.CommMessage{Kind: "msg", ID: id, Data: []byte(`{"method": "custom", "content": {"event": "click"}}`)}, &click); err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver(t.Context(), 101, &engine.CommMessage{Kind: "call", ID: id}, &call); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if strings.HasSuffix(cell.String(), "stdout: pressed\n|show: shown") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := cell.String(); !strings.HasSuffix(got, "stdout: pressed\n|show: shown") || click.String() != "comm: call "+id || call.String() != "" || other.String() != "" {
		t.Errorf("the cell shows %q, the click %q, the call %q, the other cell %q", got, click.String(), call.String(), other.String())
	}
}
