package clustering_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// benchmarkClasses returns the number of classes of the benchmarks, HIERML_CLASSES or 2000.
func benchmarkClasses(b *testing.B) int {
	if text := os.Getenv("HIERML_CLASSES"); text != "" {
		q, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		return q
	}
	return 2000
}

// distance is a matrix of distances that is not kept.
type distance struct {
	n  int
	of func(i, j int) float64
}

func (d distance) Dims() (r, c int) { return d.n, d.n }
func (d distance) T() mat.Matrix    { return d }
func (d distance) At(i, j int) float64 {
	if i == j {
		return 0
	}
	return d.of(min(i, j), max(i, j))
}

// hash returns a number in [0, 1) for a pair.
func hash(i, j int) float64 {
	x := uint64(i)*0x9e3779b97f4a7c15 ^ uint64(j)*0xbf58476d1ce4e5b9
	x = (x ^ x>>30) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// BenchmarkLink clusters distances without ties; whole numbers, most of which tie; and distances of
// which nearly all are 1, as Jaccard distances of labels are.
func BenchmarkLink(b *testing.B) {
	q := benchmarkClasses(b)
	rng := rand.New(rand.NewPCG(1, 1))
	points := make([][3]float64, q)
	for i := range points {
		points[i] = [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	for _, c := range []struct {
		name string
		of   func(i, j int) float64
	}{
		{"points", func(i, j int) float64 {
			var sum float64
			for k := range 3 {
				sum += (points[i][k] - points[j][k]) * (points[i][k] - points[j][k])
			}
			return sum
		}},
		{"random", hash},
		{"ten values", func(i, j int) float64 { return 1 + float64(int(10*hash(i, j))) }},
		{"line", func(i, j int) float64 { return float64(j - i) }},
		{"one near all", func(i, j int) float64 {
			if j == q-1 {
				return 1
			}
			return 2
		}},
		{"nearly all 1", func(i, j int) float64 {
			if h := hash(i, j); h < 0.002 {
				return 500 * h
			}
			return 1
		}},
	} {
		for _, linkage := range []clustering.Linkage{clustering.Average, clustering.Complete, clustering.Single} {
			b.Run(fmt.Sprintf("%s/%v", c.name, linkage), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := (clustering.Agglomerative{Linkage: linkage}).Link(context.Background(), distance{q, c.of}, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFit clusters classes of three sparse instances of 100 features each.
func BenchmarkFit(b *testing.B) {
	q := benchmarkClasses(b)
	rng := rand.New(rand.NewPCG(1, 1))
	names := make([]string, q)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	flat, err := taxonomy.New(names, nil)
	if err != nil {
		b.Fatal(err)
	}
	d := &dataset.Dataset{Name: "random", Taxonomy: flat, X: &dataset.Matrix{Rows: 3 * q, Cols: 40000, Indptr: []int{0}}}
	for i := range 3 * q {
		d.Labels = append(d.Labels, []int{i % q})
		for f := range 100 {
			d.X.Indices = append(d.X.Indices, int32(400*f+int(400*rng.Float64()*rng.Float64())))
			d.X.Values = append(d.X.Values, rng.Float32())
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (clustering.Agglomerative{}).Fit(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
}
