package nb

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A FloatControl is a control whose value is a number.
type FloatControl struct{ control[float64] }

// An IntControl is a control whose value is a whole number.
type IntControl struct{ control[int] }

// A BoolControl is a control that is on or off.
type BoolControl struct{ control[bool] }

// A TextControl is a control whose value is text.
type TextControl struct{ control[string] }

// Value returns the current value, also while a cell runs.
func (c *FloatControl) Value() float64 { return c.get() }

// Set sets the value, which must be in the control's range. It does not call OnChange's function.
func (c *FloatControl) Set(v float64) error { return c.put(v) }

// OnChange sets a function that is called with the value whenever the user changes it. See [Button]
// for when and how; a later call replaces f.
func (c *FloatControl) OnChange(f func(float64)) { c.onChange(f) }

// Value returns the current value, also while a cell runs.
func (c *IntControl) Value() int { return c.get() }

// Set sets the value, which must be in the control's range. It does not call OnChange's function.
func (c *IntControl) Set(v int) error { return c.put(v) }

// OnChange sets a function that is called with the value whenever the user changes it. See [Button]
// for when and how; a later call replaces f.
func (c *IntControl) OnChange(f func(int)) { c.onChange(f) }

// Value reports whether the control is currently on, also while a cell runs.
func (c *BoolControl) Value() bool { return c.get() }

// Set switches the control on or off. It does not call OnChange's function.
func (c *BoolControl) Set(v bool) error { return c.put(v) }

// OnChange sets a function that is called with the value whenever the user changes it. See [Button]
// for when and how; a later call replaces f.
func (c *BoolControl) OnChange(f func(bool)) { c.onChange(f) }

// Value returns the current text, also while a cell runs.
func (c *TextControl) Value() string { return c.get() }

// Set sets the text, which must be one of the options if there are any. It does not call OnChange's
// function.
func (c *TextControl) Set(v string) error { return c.put(v) }

// OnChange sets a function that is called with the text whenever the user changes it. See [Button]
// for when and how; a later call replaces f.
func (c *TextControl) OnChange(f func(string)) { c.onChange(f) }

// Slider returns a slider from lo to hi with an initial value. Its step is chosen such that every
// value set from Go is reachable: otherwise the front end would round the value and report a change
// by the user.
func Slider(lo, hi, value float64, label ...string) *FloatControl {
	must("nb.Slider", between(lo, hi, value))
	c := &FloatControl{control[float64]{value: value, key: "value"}}
	c.also = func(v float64) map[string]any { return map[string]any{"step": stepTo(lo, hi, v)} }
	c.same = func(a, b float64) bool { return math.Abs(a-b) <= written(lo, hi) }
	c.init("FloatSlider", "SliderStyle", label, map[string]any{
		"value": value, "min": lo, "max": hi, "step": stepTo(lo, hi, value), "readout": true, "readout_format": ".3~g",
		"orientation": "horizontal", "continuous_update": true,
	}, func(v float64) error { return between(lo, hi, v) })
	return c
}

// LogSlider returns a slider from lo to hi, both positive, with an initial value. It has a
// logarithmic scale: the middle is the geometric mean of the ends.
func LogSlider(lo, hi, value float64, label ...string) *FloatControl {
	err := between(lo, hi, value)
	if err == nil && lo <= 0 {
		err = fmt.Errorf("%g is not positive", lo)
	}
	must("nb.LogSlider", err)
	c := &FloatControl{control[float64]{value: value, key: "value"}}
	from, to := math.Log10(lo), math.Log10(hi)
	c.also = func(v float64) map[string]any { return map[string]any{"step": stepTo(from, to, math.Log10(v))} }
	c.same = func(a, b float64) bool { return math.Abs(math.Log10(a)-math.Log10(b)) <= written(from, to) }
	c.init("FloatLogSlider", "SliderStyle", label, map[string]any{
		"value": value, "base": 10, "min": from, "max": to, "step": stepTo(from, to, math.Log10(value)), "readout": true, "readout_format": ".3~g",
		"orientation": "horizontal", "continuous_update": true,
	}, func(v float64) error {
		// The front end computes with logarithms.
		const rounding = 1e-9
		return between(lo*(1-rounding), hi*(1+rounding), v)
	})
	return c
}

// written returns what a value from lo to hi may be changed by when the front end moves it to a
// step and writes it, which it does with seven digits after the point.
func written(lo, hi float64) float64 { return math.Max(1e-7, 1e-6*(hi-lo)) }

// stepTo returns the step of a slider from lo to hi, about a hundredth of the range, with which
// value is reachable: the front end would round any other value and report this as a change by the
// user.
func stepTo(lo, hi, value float64) float64 {
	reaches := func(step float64) bool {
		n := (value - lo) / step
		return math.Abs(n-math.Round(n)) <= 1e-9*math.Max(1, n)
	}
	step := (hi - lo) / 100
	if reaches(step) {
		return step
	}
	for decade := math.Pow(10, math.Floor(math.Log10(2*step))); decade > step/100; decade /= 10 {
		for _, times := range []float64{5, 2, 1} {
			if round := times * decade; round <= 2*step && reaches(round) {
				return round
			}
		}
	}
	return (value - lo) / math.Max(1, math.Round((value-lo)/step))
}

// IntSlider returns a slider over the whole numbers from lo to hi with an initial value.
func IntSlider(lo, hi, value int, label ...string) *IntControl {
	must("nb.IntSlider", between(lo, hi, value))
	c := &IntControl{control[int]{value: value, key: "value"}}
	c.init("IntSlider", "SliderStyle", label, map[string]any{
		"value": value, "min": lo, "max": hi, "step": 1, "readout": true, "readout_format": "d",
		"orientation": "horizontal", "continuous_update": true,
	}, func(v int) error { return between(lo, hi, v) })
	return c
}

// Dropdown returns a list of options to choose from. There must be at least one; initially the
// first is chosen.
func Dropdown(options []string, label ...string) *TextControl {
	if len(options) == 0 {
		must("nb.Dropdown", fmt.Errorf("there are no options"))
	}
	options = slices.Clone(options)
	c := &TextControl{control[string]{value: options[0], key: "index"}}
	c.decode = func(text json.RawMessage) (string, error) {
		var i int
		if err := json.Unmarshal(text, &i); err != nil {
			return "", err
		}
		if i < 0 || i >= len(options) {
			return "", fmt.Errorf("there is no option %d", i)
		}
		return options[i], nil
	}
	c.encode = func(v string) any { return slices.Index(options, v) }
	c.init("Dropdown", "DescriptionStyle", label, map[string]any{"_options_labels": options, "index": 0}, func(v string) error {
		if !slices.Contains(options, v) {
			return fmt.Errorf("%q is not among the options", v)
		}
		return nil
	})
	return c
}

// Checkbox returns a box that is checked or not.
func Checkbox(value bool, label ...string) *BoolControl {
	c := &BoolControl{control[bool]{value: value, key: "value"}}
	c.init("Checkbox", "CheckboxStyle", label, map[string]any{"value": value, "indent": true}, nil)
	return c
}

// TextInput returns a field for a line of text. A change counts when the user presses Enter or
// leaves the field.
func TextInput(value string, label ...string) *TextControl {
	c := &TextControl{control[string]{value: value, key: "value"}}
	c.init("Text", "TextStyle", label, map[string]any{"value": value, "placeholder": "", "continuous_update": false}, nil)
	return c
}

// FloatProgress returns a bar that shows how much is done, from 0 to 1. [Progress] and [Bar] need
// no widgets and say more.
func FloatProgress(label ...string) *FloatControl {
	c := &FloatControl{control[float64]{key: "value"}}
	c.init("FloatProgress", "ProgressStyle", label, map[string]any{
		"value": 0.0, "min": 0, "max": 1, "bar_style": "", "orientation": "horizontal",
	}, func(v float64) error { return between(0, 1, v) })
	return c
}

// A ButtonControl is a button.
type ButtonControl struct{ *model }

// Button returns a button that calls f when it is pressed.
//
// Functions called by widgets run like cells. Their output, errors and panics appear below the cell
// that registered them, here the one that calls Button, or in an [Output] that they use. An
// interrupt ends them and nb.Context. They run one at a time, in the order of the user's actions,
// and wait for the running cell, as a cell waits for them. So a cell must not wait for a button; it
// can read the Value of a control.
func Button(label string, f func()) *ButtonControl {
	if f == nil {
		must("nb.Button", fmt.Errorf("the button %q has no function to call", label))
	}
	b := &ButtonControl{&model{
		name: "Button", module: controlsModule, styleName: "ButtonStyle", style: map[string]any{},
		state: map[string]any{"description": label, "disabled": false, "tooltip": nil, "icon": "", "button_style": ""},
	}}
	b.still = func() map[string]any { return map[string]any{display.Text: "[" + label + "]"} }
	place := host.Current().Here()
	b.custom = func(content json.RawMessage) {
		var event struct{ Event string }
		if json.Unmarshal(content, &event) == nil && event.Event == "click" {
			b.post(at(place, f))
		}
	}
	return b
}

// A control is a widget with a value.
type control[T comparable] struct {
	*model
	key    string // of the property that holds the value
	decode func(json.RawMessage) (T, error)
	encode func(T) any
	check  func(T) error          // nil if all values will do
	also   func(T) map[string]any // other properties that belong to a value, nil if none do
	// reports whether a value of the front end equals the current one, nil for ==
	same func(a, b T) bool

	value T            // guarded by the model's mu
	react func(T) task // nil if nobody wants to know
	heed  []func()     // called with mu held when the user changes the value
}

func (c *control[T]) init(name, style string, label []string, state map[string]any, check func(T) error) {
	if c.decode == nil {
		c.decode = func(text json.RawMessage) (v T, err error) { return v, json.Unmarshal(text, &v) }
		c.encode = func(v T) any { return v }
	}
	c.check = check
	c.model = &model{
		name: name, module: controlsModule, styleName: style, style: map[string]any{"description_width": ""},
		state: described(state, label),
	}
	c.still = func() map[string]any { return c.stillText(fmt.Sprint(c.get())) }
	c.changed = c.update
}

func (c *control[T]) get() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

func (c *control[T]) put(v T) error {
	if c.check != nil {
		if err := c.check(v); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = v
	state := map[string]any{c.key: c.encode(v)}
	if c.also != nil {
		maps.Copy(state, c.also(v))
	}
	return c.set(state)
}

func (c *control[T]) onChange(f func(T)) {
	if f == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.react = nil
		return
	}
	place := host.Current().Here()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.react = func(v T) task { return at(place, func() { f(v) }) }
}

// update sets a property from the front end.
func (c *control[T]) update(key string, text json.RawMessage) (accepted bool, then func()) {
	if key != c.key {
		return true, nil
	}
	v, err := c.decode(text)
	if err == nil && c.check != nil {
		err = c.check(v)
	}
	if err != nil || string(text) == "null" {
		return false, nil
	}
	if v == c.value || c.same != nil && c.same(v, c.value) {
		return true, nil
	}
	c.value = v
	return true, c.tell
}

// tell says that the value has changed. The caller holds c.mu.
func (c *control[T]) tell() {
	for _, f := range c.heed {
		f()
	}
	if c.react != nil {
		c.post(c.react(c.value))
	}
}

// move sets the value, in the front end too, as if the user had done it.
func (c *control[T]) move(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.comm == nil {
		return
	}
	c.value = v
	_ = c.set(map[string]any{c.key: c.encode(v)}) // a front end that is gone needs none of it
	c.tell()
}

// watch has f called, with the lock of the model held, when the user changes the value.
func (c *control[T]) watch(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heed = append(c.heed, f)
}

// between returns an error unless lo < hi and v is between them.
func between[T int | float64](lo, hi, v T) error {
	switch {
	case !(lo < hi) || math.IsInf(float64(hi)-float64(lo), 0):
		return fmt.Errorf("there is no range from %v to %v", lo, hi)
	case !(v >= lo && v <= hi):
		return fmt.Errorf("%v is not between %v and %v", v, lo, hi)
	}
	return nil
}

// must ends the cell with the error of a function, if there is one.
func must(function string, err error) {
	if err != nil {
		panic(host.Failure{Err: fmt.Errorf("%s: %w", function, err)})
	}
}
