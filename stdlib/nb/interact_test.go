package nb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/plot"

	"github.com/hierml/notebook/stdlib/host"
)

// texts returns what an area shows, as text.
func (p *page_) texts(n *notebook) string {
	p.t.Helper()
	n.look(p.t, p)
	text, err := json.Marshal(p.models[p.find("OutputModel")]["outputs"])
	if err != nil {
		p.t.Fatal(err)
	}
	var outputs []struct {
		Text   string
		Data   map[string]any
		Evalue string
	}
	if err := json.Unmarshal(text, &outputs); err != nil {
		p.t.Fatal(err)
	}
	var all []string
	for _, o := range outputs {
		all = append(all, fmt.Sprint(o.Text, o.Evalue))
		if o.Data != nil {
			all[len(all)-1] += fmt.Sprint(o.Data["text/plain"])
		}
	}
	return strings.Join(all, "|")
}

// The first result is kept in the notebook, with a picture for pages made of it. What follows is
// seen on the screen alone, and no time is spent on pictures.
func TestInteractPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		InteractLabelled([]string{"x"}, func(x int) *plot.Plot {
			p := plot.New()
			p.X.Max, p.Y.Max = float64(x), 1
			return p
		}, IntSlider(1, 9, 2))
		p := n.look(t, nil)
		pictures := func() string {
			n.look(t, p)
			text, err := json.Marshal(p.models[p.find("OutputModel")]["outputs"])
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, mime := range []string{"image/png", "image/svg+xml"} {
				all = append(all, fmt.Sprint(strings.Count(string(text), `"`+mime+`":"`)))
			}
			return strings.Join(all, " ")
		}
		if first := n.data[len(n.data)-1]; pictures() != "1 0" || first["image/png"] == nil {
			t.Errorf("the first result has %s pictures, the cell shows %v", pictures(), first)
		}
		update(p.find("IntSliderModel"), "value", 3)
		time.Sleep(rest + 1)
		p.called(n)
		if got := pictures(); got != "0 1" {
			t.Errorf("the second result has %s pictures", got)
		}
	})
}

func TestInteract(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		i := InteractLabelled([]string{"lambda", "method", "normalize", ""}, func(lambda float64, method string, normalize bool, n int) (string, int, error) {
			Text("trained")
			if n == 7 {
				panic("seven")
			}
			if n == 8 {
				return "", 0, errors.New("eight")
			}
			return fmt.Sprint(lambda, method, normalize), n, nil
		}, LogSlider(0.1, 10, 1), []string{"flat", "normalized"})
		p := n.look(t, nil)
		if got, want := p.texts(n), `trained|1flatfalse|5`; got != want {
			t.Errorf("shown %s", got)
		}
		first := n.data[len(n.data)-1]
		if len(n.shown) != 1 || first["text/plain"] != "lambda: 1\nmethod: flat\nnormalize: false\nint 4: 5\n"+strings.ReplaceAll(p.texts(n), "|", "\n") {
			t.Errorf("shown in the cell: %q, %q", n.shown, first["text/plain"])
		}
		if first[viewType].(map[string]any)["model_id"] != p.find("VBoxModel") {
			t.Errorf("the view is %v", first[viewType])
		}
		for name, want := range map[string]string{"FloatLogSliderModel": "lambda", "DropdownModel": "method", "CheckboxModel": "normalize", "IntSliderModel": "int 4"} {
			if got := p.models[p.find(name)]["description"]; got != want {
				t.Errorf("%s is labelled %v", name, got)
			}
		}
		// Many changes, one run with the last values.
		slider := p.find("IntSliderModel")
		for v := range 5 {
			update(slider, "value", v)
			time.Sleep(rest / 2)
		}
		update(p.find("DropdownModel"), "index", 1)
		if n.look(t, p); len(p.calls) != 0 {
			t.Error("called before the controls rest")
		}
		time.Sleep(rest + 1)
		p.called(n)
		if got := p.texts(n); !strings.HasSuffix(got, "1normalizedfalse|4") || len(p.calls) != 0 {
			t.Errorf("shown %s, %d calls", got, len(p.calls))
		}
		// Controls that never rest.
		for v := range 20 {
			update(slider, "value", v%2)
			time.Sleep(rest / 2)
		}
		if n.look(t, p); len(p.calls) != 1 {
			t.Errorf("%d calls are asked for", len(p.calls))
		}
		p.called(n)
		synctest.Wait()
		time.Sleep(time.Second)
		// Errors and panics are shown, and the next run tries again.
		for v, want := range map[int]string{7: "trained|seven", 8: "trained|eight"} {
			update(slider, "value", v)
			time.Sleep(rest + 1)
			for n.look(t, p); len(p.calls) > 0; {
				p.called(n)
			}
			if got := p.texts(n); got != want {
				t.Errorf("shown %s, want %s", got, want)
			}
		}
		update(slider, "value", 9)
		time.Sleep(rest + 1)
		p.called(n)
		if got := p.texts(n); !strings.HasSuffix(got, "|9") {
			t.Errorf("shown %s", got)
		}
		if err := i.Close(); err != nil {
			t.Error(err)
		}
		if n.look(t, p); len(p.models) != 0 || len(known.models) != 0 {
			t.Errorf("left: %v", p.models)
		}
	})
}

// TestInteractInterruptsTheRunBefore changes a control while the function runs.
func TestInteractInterruptsTheRunBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		var ended []int
		running := 0
		Interact(func(v int) int {
			if running++; running > 1 {
				t.Error("two run at a time")
			}
			defer func() { running-- }()
			if v == 6 {
				Text("waits")
				<-Context().Done()
			}
			ended = append(ended, v)
			return v
		})
		p := n.look(t, nil)
		slider := p.find("IntSliderModel")
		ctx, cancel := context.WithCancel(t.Context())
		n.ctx, n.stop = ctx, cancel
		update(slider, "value", 6)
		time.Sleep(rest + 1)
		done := make(chan bool)
		go func() {
			p.called(n)
			close(done)
		}()
		synctest.Wait()
		update(slider, "value", 7)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("interrupted before the controls rest")
		}
		time.Sleep(rest + 1)
		<-done
		if ctx.Err() == nil || fmt.Sprint(ended) != "[5 6]" {
			t.Errorf("not interrupted: %v", ended)
		}
		n.ctx, n.stop = t.Context(), func() { t.Error("interrupted") }
		p.called(n)
		if got := p.texts(n); got != "7" {
			t.Errorf("shown %s", got)
		}
	})
}

// TestInteractThatIsSlow shows the controls while the first run lasts.
func TestInteractThatIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		Interact(func(v int) int {
			time.Sleep(showControls + 1)
			n.mu.Lock()
			defer n.mu.Unlock()
			if len(n.shown) != 1 {
				t.Errorf("shown while it runs: %q", n.shown)
			}
			return v
		})
		if len(n.shown) != 2 || !strings.HasPrefix(n.shown[1], "true int 1: 5\n5") || n.ids[0] != n.ids[1] {
			t.Errorf("shown %q", n.shown)
		}
	})
}

// TestInteractThatFailsAtOnce leaves the error to the cell, and the controls work.
func TestInteractThatFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		func() {
			defer func() {
				if f, ok := recover().(host.Failure); !ok || f.Error() != "five" {
					t.Errorf("recovered %v", f)
				}
			}()
			Interact(func(v int) (int, error) {
				if v == 5 {
					return 0, errors.New("five")
				}
				return v, nil
			})
		}()
		p := n.look(t, nil)
		if len(n.shown) != 1 {
			t.Errorf("shown %q", n.shown)
		}
		update(p.find("IntSliderModel"), "value", 6)
		time.Sleep(rest + 1)
		p.called(n)
		if got := p.texts(n); got != "6" {
			t.Errorf("shown %s", got)
		}
	})
}

func TestInteractWithoutAFrontEnd(t *testing.T) {
	n := open(t)
	n.gone = host.ErrNoFrontEnd
	Interact(func(x float64) (float64, any) { return x, nil }, 2)
	if got := strings.Join(n.shown, "|"); got != "false float64 1: 2|false 2" {
		t.Errorf("shown %s", got)
	}
	n.shown = nil
	InteractLabelled([]string{"C", "machine"}, func(c int, machine string) int { return c }, 3, []string{"Cai-Hofmann", "flat"})
	if got := strings.Join(n.shown, "|"); got != "false C: 3, machine: Cai-Hofmann|false 3" {
		t.Errorf("shown %s", got)
	}
	n.shown = nil
	Interact(func() int { return 1 })
	if got := strings.Join(n.shown, "|"); got != "false 1" {
		t.Errorf("shown %s", got)
	}
}

func TestInteractControls(t *testing.T) {
	type method string
	n := open(t)
	n.gone = host.ErrNoFrontEnd
	for _, test := range []struct {
		f       any
		control any
		want    string
	}{
		{func(v float64) any { return v }, nil, "0.5"},
		{func(v float32) any { return v }, [2]float64{1, 2}, "1.5"},
		{func(v float64) any { return v }, [2]int{1, 4}, "2.5"},
		{func(v float64) any { return v }, -3, "-3"},
		{func(v float64) any { return v }, []float64{0.5, 1}, "0.5"},
		{func(v float64) any { return v }, []int{4}, "4"},
		{func(v float64) any { return v }, IntSlider(0, 9, 3), "3"},
		{func(v uint8) any { return v }, nil, "5"},
		{func(v int) any { return v }, [2]int{1, 4}, "2"},
		{func(v int) any { return v }, 0, "0"},
		{func(v string) any { return Text(v) }, nil, ""},
		{func(v string) any { return Text(v) }, "text", "text"},
		{func(v method) any { return Text(string(v)) }, []string{"b", "a"}, "b"},
		{func(v bool) any { return v }, true, "true"},
		{func(v any) any { return v }, map[string]any{"b": 1, "a": 2}, "2"},
		{func(v fmt.Stringer) any { return v.String() }, []time.Duration{time.Second}, "1s"},
		{func(v []int) any { return len(v) }, [][]int{{1, 2}, {3}}, "2"},
	} {
		n.shown = nil
		Interact(test.f, test.control)
		if got, _ := strings.CutPrefix(strings.Join(n.shown[1:], "|"), "false "); strings.Trim(got, `"`) != test.want {
			t.Errorf("%T of %v shows %q, want %q", test.f, test.control, got, test.want)
		}
	}
	for _, test := range []struct {
		f        any
		controls []any
		want     string
	}{
		{1, nil, "int is not a function"},
		{(func())(nil), nil, "func() is not a function"},
		{func(...int) {}, nil, "the function is variadic; its parameters must be fixed"},
		{func(int) {}, []any{1, 2}, "there are 2 controls for 1 parameter"},
		{func(error) {}, nil, "parameter error 1: error has no default control; pass a choice: []error{…} or map[string]error{…}"},
		{func(int) {}, []any{"x"}, "parameter int 1: a string is not a control for an int; use nb.IntSlider, nb.Play or a whole number"},
		{func(int) {}, []any{Slider(0, 1, 0)}, "parameter int 1: the control has a float64, and the parameter needs an int; use nb.IntSlider, nb.Play or a whole number"},
		{func(int) {}, []any{[]float64{1}}, "parameter int 1: float64 is not an int"},
		{func(int) {}, []any{[]int{}}, "parameter int 1: the list of choices is empty"},
		{func(int) {}, []any{map[int]int{1: 1}}, "parameter int 1: map[int]int has no names for its values; use a map[string]…"},
		{func(int) {}, []any{[2]int{2, 1}}, "parameter int 1: there is no range from 2 to 1"},
		{func() {}, []any{1}, "there is 1 control for 0 parameters"},
		{func(method) {}, []any{true}, "parameter nb.method 1: a bool is not a control for a nb.method; use nb.TextInput, or a choice: []string{…}"},
		{func(bool) {}, []any{"x"}, "parameter bool 1: a string is not a control for a bool; use nb.Checkbox or true"},
		{func(float64) {}, []any{"x"}, "parameter float64 1: a string is not a control for a float64; use nb.Slider or a number"},
		{func(struct{}) {}, []any{nil}, "parameter struct {} 1: struct {} has no default control; pass a choice: []struct {}{…} or map[string]struct {}{…}"},
		{func(int) {}, []any{HBox()}, "parameter int 1: *nb.Box has no value"},
	} {
		func() {
			defer func() {
				if f, ok := recover().(host.Failure); !ok || f.Error() != "nb.Interact: "+test.want {
					t.Errorf("got %v, want %s", f, test.want)
				}
			}()
			Interact(test.f, test.controls...)
		}()
	}
}

// The function runs once, as there is nobody to move the slider; in a notebook it runs again
// whenever somebody does.
func ExampleInteract() {
	Interact(func(n int, of string) string { return strings.Repeat(of, n) }, IntSlider(1, 20, 3), []string{"ab", "c"})
	// Output:
	// int 1: 3, string 2: ab
	// ababab
}

// A button draws what a control asks for.
func ExampleButton() {
	size := IntSlider(1, 9, 3, "size")
	out := Output()
	draw := Button("draw", func() { out.Run(func() { fmt.Println(strings.Repeat("*", size.Value())) }) })
	Display(VBox(HBox(size, draw), out))
	// Output:
	// size: 3
	// [draw]
}
