package nb

import (
	"encoding/json"
	"sync"
	"time"
)

// A PlayControl is a slider over whole numbers that moves by itself.
type PlayControl struct {
	*Box
	slider *IntControl
	button *model
	lo, hi int

	mu      sync.Mutex
	playing *time.Timer // of the next move; nil at rest
	busy    func() bool // whether what the last move has begun goes on; nil for never
}

// playInterval is the least time that a PlayControl stays at a number.
const playInterval = 400 * time.Millisecond

// Play returns a slider over the whole numbers from lo to hi, which starts at value, with a button.
// The button moves it number by number to hi, from lo if it is at hi; press it again to stop. As a
// control of [Interact], it shows a development, such as a training:
//
//	nb.Interact(func(epochs int) any {
//		return regionsAfter(epochs)
//	}, nb.Play(1, 30, 1))
//
// There the slider moves on when the function has returned.
func Play(lo, hi, value int, label ...string) *PlayControl {
	must("nb.Play", between(lo, hi, value))
	c := &PlayControl{slider: IntSlider(lo, hi, value, label...), lo: lo, hi: hi}
	b := Button("", func() {})
	c.button = b.model
	c.button.state["icon"], c.button.state["tooltip"] = "play", "play"
	c.button.width = "3em"
	c.button.custom = func(content json.RawMessage) {
		var event struct{ Event string }
		if json.Unmarshal(content, &event) == nil && event.Event == "click" {
			c.pressed()
		}
	}
	c.Box = HBox(b, c.slider)
	c.still = c.slider.still
	return c
}

// Value returns the current number of the slider. It is always the newest one, even while a cell
// runs.
func (c *PlayControl) Value() int { return c.slider.Value() }

// Set moves the slider to a number in its range. It does not call OnChange's function.
func (c *PlayControl) Set(v int) error { return c.slider.Set(v) }

// OnChange sets the function that is called with the number after each move of the slider, by the
// user or by itself. See [Button] for when and how; a later call replaces f.
func (c *PlayControl) OnChange(f func(int)) { c.slider.OnChange(f) }

// Close implements [Widget].
func (c *PlayControl) Close() error {
	c.mu.Lock()
	c.rest()
	c.mu.Unlock()
	return c.Box.Close()
}

// pressed starts or stops the motion. The caller holds the lock of the button.
func (c *PlayControl) pressed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	plays := c.playing == nil
	c.show(plays)
	if !plays {
		c.rest()
		return
	}
	if c.slider.Value() == c.hi {
		c.slider.move(c.lo)
	} else {
		c.slider.move(c.slider.Value() + 1)
	}
	c.playing = time.AfterFunc(playInterval, c.next)
}

// next moves the slider on.
func (c *PlayControl) next() {
	c.button.mu.Lock()
	defer c.button.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.playing == nil {
		return
	}
	if c.busy == nil || !c.busy() {
		v := c.slider.Value() + 1
		if v <= c.hi {
			c.slider.move(v)
		}
		if v >= c.hi {
			c.rest()
			c.show(false)
			return
		}
	}
	c.playing.Reset(playInterval)
}

// rest ends the play. The caller holds c.mu.
func (c *PlayControl) rest() {
	if c.playing != nil {
		c.playing.Stop()
		c.playing = nil
	}
}

// show sets the icon of the button. The caller holds its lock. An error means that the front end is
// gone, and then nobody sees the icon.
func (c *PlayControl) show(plays bool) {
	icon := "play"
	if plays {
		icon = "pause"
	}
	_ = c.button.set(map[string]any{"icon": icon, "tooltip": icon})
}
