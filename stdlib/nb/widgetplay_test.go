package nb

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The button moves the slider, a number after the other, until it is pressed again or at the end.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		c := Play(1, 5, 2, "epochs")
		var moved []int
		c.OnChange(func(v int) { moved = append(moved, v) })
		if _, err := c.MimeBundle(); err != nil {
			t.Fatal(err)
		}
		p := n.look(t, nil)
		button, slider := p.find("ButtonModel"), p.find("IntSliderModel")
		press := func() { click(button) }
		after := func(intervals int, icon string, value int) {
			t.Helper()
			time.Sleep(time.Duration(intervals)*playInterval + 1)
			for n.look(t, p); len(p.calls) > 0; n.look(t, p) {
				p.called(n)
			}
			if got, want := fmt.Sprintln(p.models[button]["icon"], p.models[slider]["value"], c.Value()), fmt.Sprintln(icon, value, value); got != want {
				t.Errorf("there are %swant %s", got, want)
			}
		}
		after(3, "play", 2)
		press()
		after(0, "pause", 3)
		press()
		after(3, "play", 3)
		press()
		after(0, "pause", 4)
		after(1, "play", 5)
		after(3, "play", 5)
		press() // at the end: from the beginning
		after(0, "pause", 1)
		after(9, "play", 5)
		if got := fmt.Sprint(moved); got != "[3 4 5 1 2 3 4 5]" {
			t.Errorf("told %s", got)
		}
		if p.models[slider]["description"] != "epochs" {
			t.Errorf("the slider is %v", p.models[slider])
		}
		if err := c.Set(6); err == nil || c.Set(4) != nil || c.Value() != 4 {
			t.Errorf("set to 6 and 4, it is %d: %v", c.Value(), err)
		}
		press()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(3 * playInterval)
		if n.look(t, p); len(p.models) != 0 || len(known.models) != 0 {
			t.Errorf("left: %v", p.models)
		}
	})
}

// The slider waits for the function, however long that takes.
func TestInteractWithPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		var ended []int
		InteractLabelled([]string{"epoch"}, func(epoch int) int {
			time.Sleep(5 * playInterval)
			if Context().Err() == nil {
				ended = append(ended, epoch)
			}
			return epoch
		}, Play(1, 4, 1))
		p := n.look(t, nil)
		if got := p.models[p.find("IntSliderModel")]["description"]; got != "epoch" {
			t.Errorf("the label is %v", got)
		}
		click(p.find("ButtonModel"))
		for range 30 {
			time.Sleep(playInterval)
			if n.look(t, p); len(p.calls) > 0 {
				p.called(n)
			}
		}
		if got, want := fmt.Sprint(ended), "[1 2 3 4]"; got != want {
			t.Errorf("ended %s, want %s", got, want)
		}
	})
}

func ExamplePlay() {
	Interact(func(epochs int) string { return fmt.Sprint("after ", epochs, " epochs") }, Play(1, 10, 3, "epochs"))
	// Output:
	// epochs: 3
	// after 3 epochs
}

func click(button string) {
	tell(button, map[string]any{"method": "custom", "content": map[string]string{"event": "click"}})
}
