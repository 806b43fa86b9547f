package nb

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The front end has the buttons and the slider, joined, and the slider has the label.
func TestPlay(t *testing.T) {
	n := open(t)
	c := Play(1, 30, 5, "epochs")
	if _, err := c.MimeBundle(); err != nil {
		t.Fatal(err)
	}
	p := n.look(t, nil)
	buttons, slider := p.find("PlayModel"), p.find("IntSliderModel")
	link := p.models[p.find("LinkModel")]
	if got, want := fmt.Sprint(link["source"], link["target"]), fmt.Sprintf("[IPY_MODEL_%s value] [IPY_MODEL_%s value]", buttons, slider); got != want {
		t.Errorf("joined are %s, want %s", got, want)
	}
	if s := p.models[buttons]; fmt.Sprintln(s["value"], s["min"], s["max"], s["playing"], s["_view_name"]) != "5 1 30 false PlayView\n" || p.models[slider]["description"] != "epochs" {
		t.Errorf("the buttons are %v, the slider %v", s, p.models[slider])
	}
	moved := 0
	c.OnChange(func(v int) { moved = v })
	update(buttons, "value", 6) // and the front end moves the slider
	update(slider, "value", 6)
	p.called(n)
	if moved != 6 || c.Value() != 6 {
		t.Errorf("told %d, has %d, want 6", moved, c.Value())
	}
	if err := c.Set(31); err == nil || c.Value() != 6 {
		t.Errorf("set beyond the end: %v, has %d", err, c.Value())
	}
	if err := c.Set(9); err != nil || c.Value() != 9 {
		t.Errorf("set: %v, has %d", err, c.Value())
	}
	if n.look(t, p); fmt.Sprint(p.models[buttons]["value"], p.models[slider]["value"]) != "9 9" {
		t.Errorf("the front end has %v and %v", p.models[buttons]["value"], p.models[slider]["value"])
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n.look(t, p); len(p.models) != 0 || len(known.models) != 0 {
		t.Errorf("left: %v", p.models)
	}
}

// A run goes on to its end when the slider moves by itself, and then there is one for the number
// that it stands at.
func TestInteractWithPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		var began, ended []int
		var p *page_
		InteractLabelled([]string{"epoch"}, func(epoch int) int {
			began = append(began, epoch)
			if epoch == 2 { // meanwhile the slider moves on, twice
				for _, next := range []int{3, 4} {
					update(p.find("IntSliderModel"), "value", next)
					time.Sleep(rest + 1)
				}
			}
			if Context().Err() == nil {
				ended = append(ended, epoch)
			}
			return epoch
		}, Play(1, 9, 1))
		p = n.look(t, nil)
		if got := p.models[p.find("IntSliderModel")]["description"]; got != "epoch" {
			t.Errorf("the label is %v", got)
		}
		update(p.find("IntSliderModel"), "value", 2)
		time.Sleep(rest + 1)
		for n.look(t, p); len(p.calls) > 0; n.look(t, p) {
			p.called(n)
		}
		if got, want := fmt.Sprint(began, ended), "[1 2 4] [1 2 4]"; got != want {
			t.Errorf("began and ended %s, want %s", got, want)
		}
	})
}

func ExamplePlay() {
	Interact(func(epochs int) string { return fmt.Sprint("after ", epochs, " epochs") }, Play(1, 10, 3, "epochs"))
	// Output:
	// epochs: 3
	// after 3 epochs
}
