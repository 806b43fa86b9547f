package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// hookedLoops are those of loops, and one whose statements do more; n is how often each is
// repeated.
var hookedLoops = map[string]string{
	"perceptron": `func loop() int {
	r := rand.New(rand.NewPCG(1, 2))
	w, updates := make([]float64, 20), 0
	x := make([]float64, 20)
	for i := 0; i < 5000; i++ {
		y, score := 1.0, 0.0
		for j := range x {
			x[j] = r.NormFloat64()
		}
		if x[0]+x[1] < 0 {
			y = -1
		}
		for j, v := range x {
			score += w[j] * v
		}
		if score*y <= 0 {
			updates++
			for j, v := range x {
				w[j] += y * v
			}
		}
	}
	return updates
}`,
}

// BenchmarkHooks compares loops with the hooks of a debugger that is attached, and stops nowhere,
// with those without. The ratio is to stay below 3 compiled, and below 1.5 interpreted.
func BenchmarkHooks(b *testing.B) {
	all := map[string]string{}
	for _, list := range []map[string]string{loops, hookedLoops} {
		for name, source := range list {
			all[name] = source
		}
	}
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		for name, source := range all {
			b.Run(mode.String()+"/"+name, func(b *testing.B) {
				n := newWorkerNotebook(b, mode)
				call := "loop()"
				if mode == program.CompiledMode {
					call = "for range 100 { loop() }"
				}
				run := func(cell string) time.Duration {
					begun := time.Now()
					if _, _, err := n.run(cell); err != nil {
						b.Fatal(err)
					}
					return time.Since(begun)
				}
				run(source)
				run("func plain() { " + call + " }")
				n.engine.Hook(true)
				run(strings.ReplaceAll(strings.ReplaceAll(source, "loop()", "looped()"), "fib(", "fibbed("))
				run("func hooked() { " + strings.ReplaceAll(call, "loop()", "looped()") + " }")
				n.engine.Hook(false)
				plain, hooked := time.Hour, time.Hour
				for b.Loop() {
					plain = min(plain, run("plain()"))
					hooked = min(hooked, run("hooked()"))
				}
				b.ReportMetric(hooked.Seconds()/plain.Seconds(), "ratio")
				b.ReportMetric(plain.Seconds()*1e3, "ms-plain")
			})
		}
	}
}
