package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/engine"
)

// typical is a cell as notebooks have them: a type with a method, a function
// that uses an earlier one, variables, and a value.
func typical(i int) string {
	return fmt.Sprintf(`type T%d struct { X, Y float64; Name string }
func (t T%d) Norm() float64 { return t.X*t.X + t.Y*t.Y }
func f%d(n int) int { if n > 1 { return f%d(n-1) }; return n }
t%d := T%d{1, 2, strings.Repeat("a", 3)}
sum%d := 0.0
for i := range 3 { sum%d += t%d.Norm() * float64(i) }
sum%d`, i, i, i, max(0, i-1), i, i, i, i, i, i)
}

// BenchmarkFrontEnd measures parsing, checking and lowering of a cell in a
// session of 500, and how that compares with the first hundred.
func BenchmarkFrontEnd(b *testing.B) {
	for b.Loop() {
		n := newNotebook(b)
		var times []time.Duration
		for i := range 500 {
			start := time.Now()
			if _, err := n.engine.Lower(engine.Cell{Number: i + 1, Source: typical(i)}); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		first, last := slices.Sorted(slices.Values(times[:100])), slices.Sorted(slices.Values(times[400:]))
		b.ReportMetric(float64(first[50].Microseconds()), "first-p50-µs")
		b.ReportMetric(float64(last[50].Microseconds()), "last-p50-µs")
		b.ReportMetric(float64(last[98].Microseconds()), "last-p99-µs")
	}
}

// loops are programs whose interpreted speed lowering must not spoil.
var loops = map[string]string{
	"sum":    "func loop() int { s := 0; for i := 0; i < 1000000; i++ { s += i }; return s }",
	"dot":    "func loop() int { a := make([]float64, 1000); s := 0.0; for k := 0; k < 300; k++ { for i := 0; i < 1000; i++ { s += a[i] * a[i] } }; return int(s) }",
	"matmul": "func loop() int { n := 50; a := make([][]float64, n); b := make([][]float64, n); c := make([][]float64, n); for i := 0; i < n; i++ { a[i] = make([]float64, n); b[i] = make([]float64, n); c[i] = make([]float64, n) }; for i := 0; i < n; i++ { for j := 0; j < n; j++ { for k := 0; k < n; k++ { c[i][j] += a[i][k] * b[k][j] } } }; return n }",
	"fib":    "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfunc loop() int { return fib(20) }",
	"sieve":  "func loop() int { n := 200000; p := make([]bool, n); c := 0; for i := 2; i < n; i++ { if p[i] { continue }; c++; for j := i * 2; j < n; j += i { p[j] = true } }; return c }",
	"map":    "func loop() int { m := map[int]int{}; for i := 0; i < 100000; i++ { m[i%1000] += i }; return len(m) }",
}

// BenchmarkLoops compares lowered loops with the interpreter's own. The ratio
// is to stay below 1.3.
func BenchmarkLoops(b *testing.B) {
	for name, source := range loops {
		b.Run(name, func(b *testing.B) {
			raw := interp.New(interp.Options{})
			if _, err := raw.Eval(source); err != nil {
				b.Fatal(err)
			}
			n := newNotebook(b)
			if _, _, err := n.run(source); err != nil {
				b.Fatal(err)
			}
			var plain, lowered time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := raw.Eval("loop()"); err != nil {
					b.Fatal(err)
				}
				plain += time.Since(start)
				start = time.Now()
				if _, _, err := n.run("loop()"); err != nil {
					b.Fatal(err)
				}
				lowered += time.Since(start)
			}
			b.ReportMetric(lowered.Seconds()/plain.Seconds(), "ratio")
		})
	}
}
