package export_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/export"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestProgramIsLinear writes cells of 1,000 and 4,000 items: of four times as many, about four
// times as much is allocated and written.
func TestProgramIsLinear(t *testing.T) {
	for name, item := range map[string]func(i int) string{
		"types":      func(i int) string { return fmt.Sprintf("type t%d int\n", i) },
		"constants":  func(i int) string { return fmt.Sprintf("const c%d = 1\n", i) },
		"functions":  func(i int) string { return fmt.Sprintf("func f%d() { f%d() }\n", i, max(0, i-1)) },
		"statements": func(int) string { return "fmt.Println(1)\n" },
		"commands":   func(int) string { return "!ls\n" },
	} {
		cost := func(n int) (written, allocated int) {
			var b strings.Builder
			for i := range n {
				b.WriteString(item(i))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text, err := exportProgram(t, []export.Cell{{Cell: program.Cell{Number: 1, Source: b.String()}}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			runtime.ReadMemStats(&after)
			return len(text), int(after.TotalAlloc - before.TotalAlloc)
		}
		less, few := cost(1000)
		if more, much := cost(4000); more > 6*less || much > 6*few {
			t.Errorf("%s: %d bytes instead of %d, for which %d MB are allocated instead of %d", name, more, less, much>>20, few>>20)
		}
	}
}

// TestGenericCopies declares a generic function 200 times, and a long one that calls it: the
// program would have the long one 200 times.
func TestGenericCopies(t *testing.T) {
	cells := []export.Cell{
		{Cell: program.Cell{Number: 1, Source: "func f[T any]() {}"}},
		{Cell: program.Cell{Number: 2, Source: "func g() {\n" + strings.Repeat("// a long comment\n", 1000) + "f[int]()\n}"}},
	}
	for i := range 200 {
		cells = append(cells, export.Cell{Cell: program.Cell{Number: 3 + i, Source: fmt.Sprintf("func f[T any]() { _ = %d }", i)}})
	}
	if text, err := exportProgram(t, cells[:10]); err != nil || len(text) > 1<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if text, err := exportProgram(t, cells); err == nil || !strings.Contains(err.Error(), "f is generic and is declared 201 times") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
