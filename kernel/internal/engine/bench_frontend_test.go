package engine_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// typical is a cell as notebooks have them: a type with a method, a function that uses an earlier
// one, variables, and a value.
func typical(i int) string {
	return fmt.Sprintf(`type T%d struct { X, Y float64; Name string }
func (t T%d) Norm() float64 { return t.X*t.X + t.Y*t.Y }
func f%d(n int) int { if n > 1 { return f%d(n-1) }; return n }
t%d := T%d{1, 2, strings.Repeat("a", 3)}
sum%d := 0.0
for i := range 3 { sum%d += t%d.Norm() * float64(i) }
sum%d`, i, i, i, max(0, i-1), i, i, i, i, i, i)
}

// mixed returns the i-th cell of a long session: each tenth of its kind.
func mixed(i int) string {
	switch decade := i / 10; i % 10 {
	case 1: // declared again and again, with callers
		return fmt.Sprintf("func again(n int) int { return n + %d }\nagain(1)", i)
	case 2:
		return fmt.Sprintf("func caller%d(n int) int { return again(n) + 1 }\ncaller%d(2)", i, i)
	case 3: // a type that is another each time
		return fmt.Sprintf("type Row struct { A, B%d int }\nrows := []Row{{A: 1}, {A: %d}}\nlen(rows)", i, i)
	case 4:
		return fmt.Sprintf(`import "gonum.org/v1/plot/plotter"
func curve%d() *plot.Plot {
	p := plot.New()
	p.Title.Text = "curve %d"
	points := make(plotter.XYs, 50)
	for i := range points { points[i].X = float64(i); points[i].Y = math.Sin(float64(i) / 5) }
	line, err := plotter.NewLine(points)
	if err != nil { panic(err) }
	p.Add(line)
	return p
}
curve%d()`, i, i, i)
	case 5:
		return fmt.Sprintf(`func mapped%d[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, x := range list { out = append(out, f(x)) }
	return out
}
mapped%d([]int{1, 2}, func(n int) string { return fmt.Sprint(n) })`, i, i)
	case 6:
		return "x, y := 1.5, math.Sqrt(2)\nx += y\nfmt.Println(x, y)"
	case 7:
		return "rows = append(rows, Row{A: again(len(rows))})\nslices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.A, b.A) })\nrows[0].A"
	case 8:
		return fmt.Sprintf("words%d := strings.Fields(\"a b c\")\ncount := map[string]int{}\nfor _, w := range words%d { count[w]++ }\ncount[\"a\"]", i, i)
	case 9:
		return fmt.Sprintf("var err error\nif t%d.Norm() < 0 { err = fmt.Errorf(\"cell %%d\", f%d(%d)) }\nerr", decade, decade, i)
	default:
		return typical(decade)
	}
}

// BenchmarkFrontEnd measures parsing, checking and lowering of the cells of long sessions: the
// times of the first hundred cells and of the last, and how much memory a cell takes for good.
func BenchmarkFrontEnd(b *testing.B) {
	for _, length := range []int{100, 500, 2000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			lowerTypical(b) // what is loaded once
			for b.Loop() {
				n := newNotebook(b)
				start := heap()
				var times []time.Duration
				for i := range length {
					cell := program.Cell{Number: i + 1, Source: mixed(i)}
					start := time.Now()
					if _, err := n.engine.Lower(cell); err != nil {
						b.Fatalf("%s\n%v", cell.Source, err)
					}
					times = append(times, time.Since(start))
				}
				b.ReportMetric(float64(heap()-start)/float64(length), "kept-B/cell")
				first, last := slices.Sorted(slices.Values(times[:100])), slices.Sorted(slices.Values(times[length-100:]))
				b.ReportMetric(float64(first[50].Microseconds()), "first-p50-µs")
				b.ReportMetric(float64(last[50].Microseconds()), "last-p50-µs")
				b.ReportMetric(float64(last[98].Microseconds()), "last-p99-µs")
			}
		})
	}
}

// lowerTypical has a session of its own load what the cells of mixed import.
func lowerTypical(b *testing.B) {
	n := newNotebook(b)
	for i := range 30 {
		if _, err := n.engine.Lower(program.Cell{Number: i + 1, Source: mixed(i)}); err != nil {
			b.Fatal(err)
		}
	}
}

// heap returns how much memory is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// twenty are imports as a large notebook has them.
const twenty = `import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)`

// BenchmarkComplete measures completions in a session of 300 cells with 20 imports, at every place
// of a cell: of one with some lines, of one with 400, and of such a one with wrong lines in it.
func BenchmarkComplete(b *testing.B) {
	const last = "\nfmt.Println(strings.Repeat(t29.Name, 3), mat.NewDense(2, 2, nil).T(), http.DefaultClient.Timeout)"
	var long strings.Builder
	for i := 1000; strings.Count(long.String(), "\n") < 400; i++ {
		long.WriteString(typical(i) + "\n")
	}
	for _, bench := range []struct {
		name, source string
		step         int
	}{
		{"short", typical(500) + last, 1},
		{"long", long.String() + last, 97},
		{"broken", strings.Replace(strings.ReplaceAll(long.String(), "sum1007 := 0.0", "sum1007 := 0.0 0"), "for i := range 3 {", "for i := range {", 5) + last, 97},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := newEngine(b)
			if _, err := e.Lower(program.Cell{Number: 1, Source: twenty}); err != nil {
				b.Fatal(err)
			}
			for i := range 300 {
				if _, err := e.Lower(program.Cell{Number: i + 2, Source: mixed(i)}); err != nil {
					b.Fatal(err)
				}
			}
			for path := range strings.FieldsSeq(strings.NewReplacer("import (", "", ")", "", `"`, "").Replace(twenty)) {
				if _, err := stdlib.Importer.Import(path); err != nil {
					b.Fatal(err)
				}
			}
			var times []time.Duration
			for b.Loop() {
				for cursor := 0; cursor < len(bench.source); cursor += bench.step {
					start := time.Now()
					e.Complete(bench.source, cursor)
					times = append(times, time.Since(start))
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(times[len(times)-1].Microseconds()), "max-µs")
		})
	}
}
