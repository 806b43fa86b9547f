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

// largeProblem returns test rows of a problem of DMOZ's size, and random weights of which a feature
// that is in more training rows has more: as many as where each of them has coefficients of 30
// columns.
func largeProblem(b *testing.B, data *dataset.Collection, nodes []int) (*Weights, *dataset.Matrix) {
	features, columns := data.Train.X.Cols, len(nodes)
	often := make([]float64, features)
	for _, f := range data.Train.X.Indices {
		often[f]++
	}
	w := newQuantizedWeights(nodes, features)
	rng := rand.New(rand.NewPCG(1, 1))
	normal := make([]float64, 1<<16)
	for k := range normal {
		normal[k] = max(-8, min(8, rng.NormFloat64()))
	}
	var at []int32
	var values []float64
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
		w.addRow(int32(f), math.Ldexp(1, -rng.IntN(3)), at, values)
	}
	x := data.Test.X
	b.Logf("%d columns, %.1f features a text", columns, float64(x.NonZeros())/float64(x.Rows))
	return w, x
}

// BenchmarkHighest finds the leaf with the highest score of texts, by the scores of one text after
// the other, and by shortlists of one and of thousands at a time.
func BenchmarkHighest(b *testing.B) {
	g := synthetic.DMOZLike()
	g.Test = 8192
	data, err := g.Generate(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		attributes *Attributes
	}{{"flat", Flat(data.Test.Taxonomy)}, {"hierarchical", Ancestors(data.Test.Taxonomy)}} {
		a := c.attributes
		w, all := largeProblem(b, data, a.Columns())
		w.quantized.MaxColumnNorm(0)
		leaves := make([]float64, len(a.Candidates()))
		perText := func(b *testing.B, n int) {
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/text")
		}
		const alone = 500
		b.Run(c.name+"/alone", func(b *testing.B) {
			s := NewScorer(a, w)
			for b.Loop() {
				for i := range alone {
					indices, values := all.Row(i)
					s.Leaves(indices, values, leaves)
					Argmax(leaves)
				}
			}
			perText(b, alone)
		})
		for _, n := range []int{1, all.Rows} {
			b.Run(fmt.Sprintf("%s/shortlist of %d", c.name, n), func(b *testing.B) {
				candidates, texts := 0, min(all.Rows, alone*n)
				for b.Loop() {
					for from := 0; from < texts; from += n {
						x := all
						if n == 1 {
							x = all.Subset([]int{from})
						}
						err := Shortlist(context.Background(), a, w, nil, x, 1, 1, func(_ int, s *Shortlisted) {
							near := s.Candidates()
							candidates += len(near)
							if len(near) > 1 {
								s.Scores(leaves[:len(near)])
							}
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				perText(b, texts)
				b.ReportMetric(float64(candidates)/float64(b.N*texts), "candidates/text")
			})
		}
	}
}
