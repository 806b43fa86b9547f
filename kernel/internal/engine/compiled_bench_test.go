package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// BenchmarkCell runs cells that were not there before, %d being the number of each.
func BenchmarkCell(b *testing.B) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		for _, c := range []struct{ name, cell string }{
			{"trivial", "%d + 1"},
			{"fmt", "fmt.Println(%d + 1)"},
			{"gonum", "mat.Sum(mat.NewDense(1, 2, []float64{%d, 1}))"},
		} {
			b.Run(mode.String()+"/"+c.name, func(b *testing.B) {
				n := newWorkerNotebook(b, mode)
				run := func(i int) {
					if _, _, err := n.run(fmt.Sprintf(c.cell, i)); err != nil {
						b.Fatal(err)
					}
				}
				run(0)
				for i := 1; b.Loop(); i++ {
					run(i)
				}
			})
		}
	}
}

// speeds are programs that say how many seconds they needed.
var speeds = []struct{ name, source string }{
	{"fib", `package main

import (
	"fmt"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	begun := time.Now()
	if fib(35) != 9227465 {
		panic("wrong")
	}
	fmt.Println(time.Since(begun).Seconds())
}
`},
	{"sort", `package main

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"time"
)

type item struct {
	key  float64
	name string
}

func less(a, b item) bool { return a.key < b.key }

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	items := make([]item, 1_000_000)
	for i := range items {
		items[i].key = r.Float64()
	}
	begun := time.Now()
	sort.Slice(items, func(i, j int) bool { return less(items[i], items[j]) })
	fmt.Println(time.Since(begun).Seconds())
}
`},
	{"channel", `package main

import (
	"fmt"
	"time"
)

func main() {
	to, from := make(chan int), make(chan int)
	go func() {
		for v := range to {
			from <- v + 1
		}
	}()
	begun := time.Now()
	for i := range 1_000_000 {
		to <- i
		if <-from != i+1 {
			panic("wrong")
		}
	}
	fmt.Println(time.Since(begun).Seconds())
	close(to)
}
`},
	{"buffered channel", `package main

import (
	"fmt"
	"time"
)

func main() {
	c := make(chan int, 100)
	begun := time.Now()
	go func() {
		defer close(c)
		for i := range 5_000_000 {
			c <- i
		}
	}()
	n := 0
	for range c {
		n++
	}
	if n != 5_000_000 {
		panic("wrong")
	}
	fmt.Println(time.Since(begun).Seconds())
}
`},
	{"map", `package main

import (
	"fmt"
	"time"
)

func main() {
	begun := time.Now()
	counts := map[int]int{}
	for i := range 5_000_000 {
		counts[i*7919%100_003]++
	}
	if len(counts) != 100_003 {
		panic("wrong")
	}
	fmt.Println(time.Since(begun).Seconds())
}
`},
	{"string", `package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	begun := time.Now()
	n := 0
	for range 20 {
		var b strings.Builder
		for i := range 100_000 {
			b.WriteString("word")
			b.WriteByte(byte('a' + i%26))
			b.WriteByte(' ')
		}
		for _, word := range strings.Fields(b.String()) {
			if word[4] == 'e' {
				n++
			}
		}
	}
	if n == 0 {
		panic("wrong")
	}
	fmt.Println(time.Since(begun).Seconds())
}
`},
}

// BenchmarkSpeed compares a program in a compiled cell with the same program that go build has
// compiled: ratio is the least time of the one by that of the other.
func BenchmarkSpeed(b *testing.B) {
	for _, s := range speeds {
		b.Run(s.name, func(b *testing.B) {
			dir := b.TempDir()
			source, p := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
			if err := os.WriteFile(source, []byte(s.source), 0o644); err != nil {
				b.Fatal(err)
			}
			if out, err := exec.Command("go", "build", "-o", p, source).CombinedOutput(); err != nil {
				b.Fatalf("go build: %v\n%s", err, out)
			}
			n := newWorkerNotebook(b, program.CompiledMode)
			if _, _, err := n.run(s.source); err != nil {
				b.Fatal(err)
			}
			least := map[string]float64{}
			note := func(what, text string, err error) {
				var seconds float64
				if _, scanErr := fmt.Sscan(text, &seconds); err != nil || scanErr != nil {
					b.Fatalf("%s: %q, %v, %v", what, text, err, scanErr)
				}
				if old, ok := least[what]; !ok || seconds < old {
					least[what] = seconds
				}
			}
			for b.Loop() {
				out, err := exec.Command(p).Output()
				note("program", string(out), err)
				_, text, err := n.run("main()")
				note("cell", text, err)
			}
			b.ReportMetric(least["cell"]*1e3, "cell-ms")
			b.ReportMetric(least["program"]*1e3, "program-ms")
			b.ReportMetric(least["cell"]/least["program"], "ratio")
		})
	}
}

// A watchedCompiler remembers where it builds.
type watchedCompiler struct {
	program.Compiler
	folder string
}

func (c *watchedCompiler) Build(ctx context.Context, units []toolchain.Unit) (string, error) {
	plugin, err := c.Compiler.Build(ctx, units)
	if err == nil {
		c.folder = filepath.Dir(plugin)
	}
	return plugin, err
}

// TestManyCells compiles many cells in one session: the plugins cannot be unloaded, and all else is
// let go of.
func TestManyCells(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("the race detector changes what cells need")
	}
	cells := 50
	if testrun.Long() {
		cells = 300
	}
	compiler := &watchedCompiler{}
	n := newWorkerNotebookWith(t, program.CompiledMode, func(c program.Compiler) program.Compiler {
		compiler.Compiler = c
		return compiler
	})
	run := func(source string) string {
		t.Helper()
		shown, _, err := n.run(source)
		if err != nil {
			t.Fatal(err)
		}
		return shown
	}
	run("func look(dir string) int { files, err := os.ReadDir(dir); if err != nil { panic(err) }; return len(files) }")
	run("func resident() int { text, err := os.ReadFile(\"/proc/self/statm\"); if err != nil { panic(err) }; pages, err := strconv.Atoi(strings.Fields(string(text))[1]); if err != nil { panic(err) }; return pages * os.Getpagesize() >> 20 }")
	run("total := 0")
	open := func() (files int) {
		_, err := fmt.Sscan(run("look(\"/proc/self/fd\")"), &files)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before := open()
	took := make([]time.Duration, cells)
	for i := range cells {
		begun := time.Now()
		run(fmt.Sprintf("func f%d(n int) int { return n + %d }\ntotal += f%d(1)\nfmt.Sprint(total)", i, i, i))
		took[i] = time.Since(begun)
		if i == 0 || (i+1)%50 == 0 {
			t.Logf("cell %d: %v, the worker holds %s MB and %d files", i+1, took[i].Round(time.Millisecond), run("resident()"), open())
		}
	}
	if got, want := run("total"), fmt.Sprint(cells+cells*(cells-1)/2); got != want {
		t.Errorf("the cells have computed %s, want %s", got, want)
	}
	if after := open(); after > before+10 {
		t.Errorf("the worker has %d open files, and had %d", after, before)
	}
	if compiler.folder == "" {
		t.Fatal("nothing was built")
	}
	left, err := filepath.Glob(filepath.Join(compiler.folder, "*.so"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 10 {
		t.Errorf("plugins that were loaded are left: %s", strings.Join(left, " "))
	}
	if err := n.engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler.folder); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", compiler.folder, err)
	}
}
