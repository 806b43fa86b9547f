package structured

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/synthetic"
)

// largeProblem returns test rows of a problem of DMOZ's size, and random weights of which a feature that is in more
// training rows has more: as many as where each of them has coefficients of 30 columns.
func largeProblem(b *testing.B, columns int) (*Weights, *dataset.Matrix) {
	g := synthetic.DMOZLike()
	g.Train, g.Test = 20000, 8192
	data, err := g.Generate(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	often := make([]float64, g.Features)
	for _, f := range data.Train.X.Indices {
		often[f] += 163000 / 20000.
	}
	w := newMixedWeights(make([]int, columns), g.Features)
	rng := rand.New(rand.NewPCG(1, 1))
	normal := make([]int16, 1<<16)
	for k := range normal {
		normal[k] = int16(max(-full, min(full, rng.NormFloat64()*full/8)))
	}
	var at []int32
	var values []int16
	rows := 0
	for f, n := range often {
		share := -math.Expm1(-30 * n / float64(columns))
		at, values = at[:0], values[:0]
		for c := 0; share > 0; c++ {
			if share < 0.9 {
				c += int(rng.ExpFloat64() / -math.Log1p(-share))
			}
			if c >= columns {
				break
			}
			at, values = append(at, int32(c)), append(values, normal[(c*40503+f*31337)>>3&(1<<16-1)])
		}
		w.mixed.setFeature(f, at, values)
		w.mixed.units[f] = float32(math.Ldexp(1, -15-rng.IntN(3)))
		if w.mixed.rows[f] != nil {
			rows++
		}
	}
	x := data.Test.X
	tables := 0
	for _, f := range x.Indices {
		if w.mixed.tables[f] != nil {
			tables++
		}
	}
	b.Logf("%d columns: %d rows, %.1f features a text, %.1f of them with tables of up to %d slots", columns, rows,
		float64(x.NonZeros())/float64(x.Rows), float64(tables)/float64(x.Rows), w.mixed.most)
	return w, x
}

func perText(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/text")
}

func BenchmarkScoreLarge(b *testing.B) {
	for _, columns := range []int{12294, 17217} {
		w, x := largeProblem(b, columns)
		l := &Linear{x: x}
		s := &linearState{Weights: w, linear: l}
		scores := make([]float64, w.Stride)
		b.Run(fmt.Sprintf("rows/%d", columns), func(b *testing.B) {
			for b.Loop() {
				for i := range 500 {
					s.Scores(i, scores)
				}
			}
			perText(b, 500)
		})
		for _, n := range []int{1, 32, 512, 8192} {
			var examples []int
			for i := range n {
				examples = append(examples, i)
			}
			p := s.panelsOf()
			b.Run(fmt.Sprintf("panels/%d/%d", columns, n), func(b *testing.B) {
				for b.Loop() {
					p.load(examples, 1)
				}
				perText(b, n)
			})
			b.Run(fmt.Sprintf("loaded/%d/%d", columns, n), func(b *testing.B) {
				for b.Loop() {
					for k, i := range examples {
						p.of(k, i, scores)
					}
				}
				perText(b, n)
			})
		}
	}
}
