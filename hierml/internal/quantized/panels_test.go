package quantized

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// Panels score within the bound of sums in float32, features that are frequent among the examples
// and others.
func TestPanelsScoreLikeExamples(t *testing.T) {
	x := example.Texts(example.Tree(3, 4), 300, 500, 25, 1).X
	const columns = 1100
	w := New(columns, x.Cols)
	fill(rand.New(rand.NewPCG(9, 1)), 0.15, w, zeros(x.Cols, columns))
	longest := w.MaxColumnNorm(2)
	p := NewPanels(w, x)
	got, want := make([]float64, w.Stride()), make([]float64, w.Stride())
	for n, part := range [][2]int{{0, 1}, {1, 40}, {40, 300}, {7, 9}, {0, 1}, {1, 40}, {40, 300}, {7, 9}} {
		precise, share := n >= 4, 2e-3
		if precise {
			share = 1e-5
		}
		var examples []int
		for i := part[0]; i < part[1]; i++ {
			examples = append(examples, i)
		}
		p.Load(examples, 1+part[0]%3, precise)
		if part[1] == 300 && (len(p.features) == 0 || len(p.rows) == 0) {
			t.Errorf("%d features that are not frequent and %d rows of others; want both", len(p.features), len(p.rows))
		}
		for k, i := range examples {
			clear(want)
			var square float64
			features, values := x.Row(i)
			for j, f := range features {
				w.AddScores(int(f), float64(values[j]), want)
				square += float64(values[j]) * float64(values[j])
			}
			bound := p.Bound(k, math.Sqrt(square), longest)
			if !(bound <= share*math.Sqrt(square)*longest) {
				t.Errorf("example %d: scores may be wrong by %v, where the longest column has the norm %v", i, bound, longest)
			}
			p.Scores(k, got)
			for c, v := range got {
				if !(math.Abs(v-want[c]) <= bound) {
					t.Fatalf("example %d, column %d: %v, want %v within %v", i, c, v, want[c], bound)
				}
			}
		}
	}
}

// Values of an example are rounded within the error that left returns, and sums of them have room.
func TestPanelsRoundWithinTheirError(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	row := make([]int16, 1)
	for n := range 200 {
		p := &Panels{}
		for range n {
			unit := math.Ldexp(1, rng.IntN(20)-30)
			p.units, p.exact = append(p.units, unit), append(p.exact, rng.NormFloat64()*unit)
			p.rows = append(p.rows, &row[0])
		}
		exact, units := slices.Clone(p.exact), slices.Clone(p.units)
		p.round()
		p.starts = append(p.starts, len(p.rows))
		var square float64
		for g := range len(p.starts) - 1 {
			sum := 0
			for j := p.starts[g]; j < p.starts[g+1]; j++ {
				k := int(int16(p.factors[j/2] >> (j % 2 * 16)))
				sum += max(k, -k)
				if j < n {
					e := (exact[j] - float64(k)*float64(p.steps[0])) / units[j]
					square += e * e
				} else if k != 0 {
					t.Errorf("%d values: another of %d steps", n, k)
				}
			}
			if sum*maxUnits > math.MaxInt32 {
				t.Errorf("%d values: a group of %d steps has no room", n, sum)
			}
		}
		if got, want := p.left(), math.Sqrt(square); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%d values: an error of %v, want %v", n, got, want)
		}
	}
}
