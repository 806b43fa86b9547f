package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

var (
	randomPrograms = flag.Int("random", 0, "run so many generated programs, and not the usual number")
	keepWhole      = flag.Bool("whole", false, "whether random programs that differ are not made smaller")
	randomSeed     = flag.Uint64("seed", 1, "the seed of the first of them")
)

// programCount is how many programs a test runs that usually runs so many.
func programCount(usual int) int {
	switch {
	case *randomPrograms > 0:
		return *randomPrograms
	case testrun.Long():
		return 10 * usual
	}
	return usual
}

// usualPrograms is how many uncut programs are run.
const usualPrograms = 200

// together is how many programs are built as one, to learn what they print.
const together = 250

// TestRandomPrograms runs programs that nobody wrote: what they print in a session of
// compiled cells is what they print when the Go compiler has compiled them.
func TestRandomPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	runRandom(t, everything, func(t *testing.T) *notebook {
		return newWorkerNotebook(t, program.CompiledMode)
	})
}

// TestInterpretedPrograms runs programs of all that Go has in the interpreter: each prints what it
// should, or is refused. The refusals are counted.
func TestInterpretedPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	refused := map[string]int{}
	g := everything
	g.inCell, g.refused = 1, func(reason string) { refused[reason]++ }
	runRandom(t, g, func(t *testing.T) *notebook { return newNotebook(t) })
	total := 0
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%d refused: %s", refused[reason], reason)
		total += refused[reason]
	}
	if number := programCount(usualPrograms); total*2 > number {
		t.Errorf("%d of %d programs are refused", total, number)
	}
}

// runRandom runs programs in sessions, many in each: a cell with what they all declare, and cells
// with a few programs each. It shows the smallest one it finds that prints something else than it
// should.
func runRandom(t *testing.T, g generator, begin func(t *testing.T) *notebook) {
	number := programCount(usualPrograms)
	for first := 0; first < number; first += together {
		var seeds []uint64
		for i := first; i < min(first+together, number); i++ {
			seeds = append(seeds, *randomSeed+uint64(i))
		}
		t.Run(fmt.Sprint(seeds[0]), func(t *testing.T) {
			programs := make([]string, len(seeds))
			functions := make([]string, len(seeds))
			for i, seed := range seeds {
				functions[i] = g.function(seed)
				programs[i] = functions[i] + g.call(seed) + "\n"
			}
			want := printedTogether(t, g, seeds, functions)
			var cells []string
			for few := range slices.Chunk(programs, g.inCell) {
				cells = append(cells, strings.Join(few, ""))
			}
			n := begin(t)
			if text := n.printed(g.declarations, nil); text != "" {
				t.Fatal(text)
			}
			for i, cell := range cells {
				from := i * g.inCell
				few := want[from:min(from+g.inCell, len(seeds))]
				got := n.printed(cell, func() []string { return cells[i+1:] })
				if got == strings.Join(few, "") {
					continue
				}
				if reason, ok := g.refusal(got); ok {
					g.refused(reason)
					continue
				}
				for k := range few {
					differs(t, g, seeds[from+k], begin)
				}
				t.Errorf("a cell with the programs from %d on prints something else", seeds[from])
			}
		})
	}
}

// differs reports an error if a program, in a session of its own, prints something else than it
// should.
func differs(t *testing.T, g generator, seed uint64, begin func(t *testing.T) *notebook) {
	t.Helper()
	source := g.program(seed)
	got := begin(t).printed(source+"\nmain()", nil)
	want, ok := printedByGo(t, source)
	if ok && got == want {
		return
	}
	t.Errorf("program %d prints\n%s\nand not\n%s", seed, got, want)
	if *keepWhole {
		return
	}
	smallest := shrink(source, func(source string) bool {
		got := begin(t).printed(source+"\nmain()", nil)
		if _, refused := g.refusal(got); refused {
			return false
		}
		want, ok := printedByGo(t, source)
		return ok && got != want
	})
	t.Fatalf("the smallest program that differs:\n%s", smallest)
}

// refusal returns why a cell that printed text was refused, if programs may be.
func (g generator) refusal(text string) (reason string, ok bool) {
	if g.refused == nil || !strings.HasPrefix(text, "refused: Refused: ") {
		return "", false
	}
	return refusedPlace.ReplaceAllString(strings.TrimSpace(text), ""), true
}

// refusedPlace matches what is before the reason of a refusal.
var refusedPlace = regexp.MustCompile(`^refused: Refused: (Cell \[\d+\]:\d+:\d+: )?`)

// printed returns what a cell prints, and by what it ends, as printedByGo does.
func (n *notebook) printed(source string, next func() []string) string {
	n.cell++
	r := &enginetest.Recorder{}
	_, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: source, Next: next}, r)
	text := r.Out()
	var failed *program.RuntimeError
	switch {
	case errors.As(err, &failed):
		text += "panic: " + failed.Message + "\n"
	case err != nil:
		text += "refused: " + err.Error() + "\n"
	}
	return text
}

// printedTogether returns what programs print, and by what panics they end, that the Go compiler
// makes one of.
func printedTogether(t *testing.T, g generator, seeds []uint64, functions []string) []string {
	t.Helper()
	const mark = "\x00"
	var source strings.Builder
	source.WriteString(g.declarations + strings.Join(functions, ""))
	source.WriteString("func alone(program func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(\"panic:\", r)\n\t\t}\n\t\tfmt.Print(\"\\x00\")\n\t}()\n\tprogram()\n}\n\nfunc main() {\n")
	for _, seed := range seeds {
		fmt.Fprintf(&source, "\talone(func() { %s })\n", g.call(seed))
	}
	source.WriteString("}\n")
	text, ok := printedByGo(t, source.String())
	printed := strings.SplitAfter(text, mark)
	if !ok || len(printed) != len(seeds)+1 {
		t.Fatalf("%d of %d programs ended: %.2000s", len(printed)-1, len(seeds), text)
	}
	for i := range printed {
		printed[i] = strings.TrimSuffix(printed[i], mark)
	}
	return printed
}
