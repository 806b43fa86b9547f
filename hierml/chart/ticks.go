package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundTicks marks some five round numbers: multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct {
	whole bool // whole numbers only
}

// Ticks implements plot.Ticker.
func (r roundTicks) Ticks(low, high float64) []plot.Tick {
	const about = 5
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 6, 64)}}
	}
	raw := (high - low) / about
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, k := range []float64{1, 2, 5} {
		if k*power >= raw {
			step = k * power
			break
		}
	}
	if r.whole {
		step = max(step, 1)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		v := k*step + 0 // no negative zero
		label := strconv.FormatFloat(v, 'f', decimals, 64)
		if len(label) > 9 {
			label = strconv.FormatFloat(v, 'g', 4, 64)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// decadeTicks marks the powers of ten.
type decadeTicks struct{}

// Ticks implements plot.Ticker.
func (decadeTicks) Ticks(low, high float64) []plot.Tick {
	first, last := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	step := 1 + (last-first)/8
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (e-first)%step == 0 {
			t.Label = "1e" + strconv.Itoa(e)
			if -3 <= e && e <= 3 {
				t.Label = strconv.FormatFloat(t.Value, 'g', -1, 64)
			}
		}
		ticks = append(ticks, t)
	}
	return ticks
}
