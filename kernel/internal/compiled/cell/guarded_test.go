package cell_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// The benchmarks compare code as the user writes it with what it is compiled as: checks where
// functions that call others and the bodies of loops begin.

func multiply(c, a, b [][]float64) {
	for i := range a {
		for j := range b[0] {
			s := 0.0
			for k := range b {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
}

func multiplyChecked(c, a, b [][]float64) {
	for i := range a {
		cell.Check()
		for j := range b[0] {
			cell.Check()
			s := 0.0
			for k := range b {
				cell.Check()
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
}

func BenchmarkMultiply(b *testing.B) {
	matrix := func() [][]float64 {
		m := make([][]float64, 100)
		for i := range m {
			m[i] = make([]float64, 100)
			for j := range m[i] {
				m[i][j] = float64(i ^ j)
			}
		}
		return m
	}
	x, y, z := matrix(), matrix(), matrix()
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			multiply(z, x, y)
		}
	})
	b.Run("checked", func(b *testing.B) {
		for b.Loop() {
			multiplyChecked(z, x, y)
		}
	})
}

func distance(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		d := x[i] - y[i]
		s += d * d
	}
	return math.Sqrt(s)
}

func distanceChecked(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		cell.Check()
		d := x[i] - y[i]
		s += d * d
	}
	return math.Sqrt(s)
}

func BenchmarkDistance(b *testing.B) {
	x, y := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i], y[i] = float64(i), float64(i*i)
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			distance(x, y)
		}
	})
	b.Run("checked", func(b *testing.B) {
		for b.Loop() {
			distanceChecked(x, y)
		}
	})
}

func BenchmarkSort(b *testing.B) {
	random := make([]int, 100_000)
	state := uint32(1)
	for i := range random {
		state = state*1664525 + 1013904223
		random[i] = int(state >> 8)
	}
	list := make([]int, len(random))
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			copy(list, random)
			slices.SortFunc(list, func(a, b int) int { return a - b })
		}
	})
	b.Run("checked", func(b *testing.B) {
		for b.Loop() {
			copy(list, random)
			slices.SortFunc(list, func(a, b int) int {
				cell.Check()
				return a - b
			})
		}
	})
}

func BenchmarkChannel(b *testing.B) {
	c := make(chan int, 1)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			c <- 1
			<-c
		}
	})
	b.Run("guarded", func(b *testing.B) {
		for b.Loop() {
			cell.Send(c, 1)
			cell.Receive(c)
		}
	})
	anything := make(chan any, 1)
	b.Run("converted", func(b *testing.B) {
		for b.Loop() {
			cell.SendTo(anything)(b)
			cell.Receive(anything)
		}
	})
}
