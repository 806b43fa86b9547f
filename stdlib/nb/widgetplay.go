package nb

import "errors"

// A PlayControl is a slider over whole numbers that moves by itself.
type PlayControl struct {
	*model
	slider, buttons *IntControl
}

// playInterval is how long a PlayControl stays at a number: milliseconds.
const playInterval = 500

// Play returns a slider over the whole numbers from lo to hi that stands at value, with buttons: one
// lets it move to hi, a number after the other, and others stop it and bring it back to lo. As a
// control of [Interact] it shows how something goes on, such as a training:
//
//	nb.Interact(func(epochs int) (any, error) {
//		return regionsAfter(epochs)
//	}, nb.Play(1, 30, 1))
//
// A call of the function is not interrupted by the next number, as it is by other controls. Numbers
// that the slider passes meanwhile are left out.
func Play(lo, hi, value int, label ...string) *PlayControl {
	must("nb.Play", between(lo, hi, value))
	slider := IntSlider(lo, hi, value, label...)
	buttons := &IntControl{control[int]{value: value, key: "value"}}
	buttons.init("Play", "DescriptionStyle", nil, map[string]any{
		"value": value, "min": lo, "max": hi, "step": 1, "interval": playInterval, "playing": false, "repeat": false, "show_repeat": true,
	}, func(v int) error { return between(lo, hi, v) })
	c := &PlayControl{
		&model{
			name: "HBox", module: controlsModule, children: []Widget{buttons, slider}, joined: true,
			state: map[string]any{"children": []string{}, "box_style": ""},
		}, slider, buttons,
	}
	c.still = slider.still
	return c
}

// Value returns the number at which the slider stands. It is the newest at all times, also while a
// cell runs.
func (c *PlayControl) Value() int { return c.slider.Value() }

// Set moves the slider to a number, which has to be in its range. OnChange's function is not called.
func (c *PlayControl) Set(v int) error { return errors.Join(c.slider.Set(v), c.buttons.Set(v)) }

// OnChange has f called with the number whenever the slider has moved, by itself or by the user. See
// [Button] for when and how; a later call replaces f.
func (c *PlayControl) OnChange(f func(int)) { c.slider.OnChange(f) }
