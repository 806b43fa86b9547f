package nb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// front does with a value what the slider of the front end does: it moves it to the nearest step,
// and writes seven digits.
func front(lo, hi, step, value float64) float64 {
	moved := math.Min(hi, lo+math.Round((value-lo)/step)*step)
	return math.Round(moved*1e7) / 1e7
}

func TestStepReachesTheValue(t *testing.T) {
	for _, c := range []struct{ lo, hi, value, want float64 }{
		{0, 2, 0.5, 0.02}, {0, 1, 0, 0.01}, {0, 1, 1, 0.01}, {0, 1, 0.333, 0.001}, {1.05, 10, 2, 0.05}, {-1, 3, math.Log10(3), 0.03992},
	} {
		if got := stepTo(c.lo, c.hi, c.value); math.Abs(got-c.want) > 1e-4*c.want {
			t.Errorf("from %v to %v by %v to %v, want by %v", c.lo, c.hi, got, c.value, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for range 10000 {
		size := math.Pow(10, float64(rng.IntN(5)-2))
		lo := math.Round(size*rng.NormFloat64()*1000) / 1000
		hi := lo + size*(1+rng.Float64())
		value := lo + rng.Float64()*(hi-lo)
		if rng.IntN(2) == 0 {
			value = math.Max(lo, math.Round(value*100)/100)
		}
		if value > hi {
			continue
		}
		step := stepTo(lo, hi, value)
		if math.Abs(front(lo, hi, step, value)-value) > written(lo, hi) {
			t.Fatalf("from %v to %v by %v: %v is moved to %v", lo, hi, step, value, front(lo, hi, step, value))
		}
		if step > (hi-lo)/40 || step <= 0 {
			t.Errorf("from %v to %v by %v", lo, hi, step)
		}
	}
}

// A slider keeps the value it was given, and nobody is told of the digits with which the front end
// writes it.
func TestSliderKeepsItsValue(t *testing.T) {
	n := open(t)
	s, l := Slider(0, 1, 1.0/3), LogSlider(0.1, 1000, 3)
	for _, c := range []*FloatControl{s, l} {
		c.OnChange(func(v float64) { t.Errorf("told of %v", v) })
	}
	Display(HBox(s, l))
	p := n.look(t, nil)
	update(p.find("FloatSliderModel"), "value", 0.3333333)
	update(p.find("FloatLogSliderModel"), "value", 3.0000001)
	if s.Value() != 1.0/3 || l.Value() != 3 {
		t.Errorf("values %v and %v", s.Value(), l.Value())
	}
	if err := s.Set(0.1234); err != nil {
		t.Fatal(err)
	}
	n.look(t, p)
	step, ok := p.models[p.find("FloatSliderModel")]["step"].(float64)
	if got := front(0, 1, step, 0.1234); !ok || math.Abs(got-0.1234) > 1e-9 {
		t.Errorf("0.1234 is moved to %v by steps of %v", got, step)
	}
}
