package engine_test

import (
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"
)

// loops are programs whose interpreted speed lowering must not spoil.
var loops = map[string]string{
	"sum":    "func loop() int { s := 0; for i := 0; i < 1000000; i++ { s += i }; return s }",
	"dot":    "func loop() int { a := make([]float64, 1000); s := 0.0; for k := 0; k < 300; k++ { for i := 0; i < 1000; i++ { s += a[i] * a[i] } }; return int(s) }",
	"matmul": "func loop() int { n := 50; a := make([][]float64, n); b := make([][]float64, n); c := make([][]float64, n); for i := 0; i < n; i++ { a[i] = make([]float64, n); b[i] = make([]float64, n); c[i] = make([]float64, n) }; for i := 0; i < n; i++ { for j := 0; j < n; j++ { for k := 0; k < n; k++ { c[i][j] += a[i][k] * b[k][j] } } }; return n }",
	"fib":    "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfunc loop() int { return fib(20) }",
	"sieve":  "func loop() int { n := 200000; p := make([]bool, n); c := 0; for i := 2; i < n; i++ { if p[i] { continue }; c++; for j := i * 2; j < n; j += i { p[j] = true } }; return c }",
	"map":    "func loop() int { m := map[int]int{}; for i := 0; i < 100000; i++ { m[i%1000] += i }; return len(m) }",
}

// BenchmarkLoops compares lowered loops with the interpreter's own. The ratio is to stay below 1.3.
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
