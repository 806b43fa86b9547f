package quantized

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The portable kernels and those in assembly give the same bits.
func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for k := range v {
			v[k] = float32(rng.NormFloat64())
		}
		return v
	}
	const columns = 3 * panelWidth
	var rows []*int16
	for range 30 {
		row := make([]int16, columns)
		for c := range row {
			row[c] = int16(rng.Uint32())
		}
		rows = append(rows, &row[0])
		x, got := rng.NormFloat64(), make([]float64, columns)
		want := slices.Clone(got)
		addScaled(got, x, row)
		addScaledGo(want, x, row)
		if !slices.Equal(got, want) {
			t.Errorf("%v times a row: %v, want %v", x, got, want)
		}
	}
	for n := range len(rows) - rowsAhead {
		values := random(n)
		for offset := 0; offset < columns; offset += panelWidth {
			scores, got, want := random(panelWidth), random(panelWidth), random(panelWidth)
			factors := make([]uint32, n/2)
			for k := range factors {
				factors[k] = rng.Uint32()
			}
			scorePanel(got, scores, rows[:n/2*2], factors, 0.25, offset)
			scorePanelGo(want, scores, rows[:n/2*2], factors, 0.25, offset)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows, column %d: %v, want %v", n, offset, got, want)
			}
			got = random(10 * panelWidth)
			want = slices.Clone(got)
			var slots []int32
			for range n {
				slots = append(slots, int32(rng.IntN(10)))
			}
			spreadPanel(got, slots, values, rows[n], rows[n+1])
			spreadPanelGo(want, slots, values, rows[n])
			if !slices.Equal(got, want) {
				t.Errorf("%d examples: %v, want %v", n, got, want)
			}
		}
	}
}
