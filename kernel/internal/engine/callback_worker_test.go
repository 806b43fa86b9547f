package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// callers are cells in which compiled code calls a function of the cell more often than anybody
// could wait for. It writes when it is called first.
var callers = map[string]string{
	"sort.Slice":        "sort.Slice(make([]struct{}, 1<<50), func(i, j int) bool { say(); return false })",
	"declared":          "func less(i, j int) bool { say(); return false }\nsort.Slice(make([]struct{}, 1<<50), less)",
	"a variable":        "type order func(i, j int) bool\nvar less order = func(i, j int) bool { say(); return false }\nsort.SliceStable(make([]struct{}, 1<<50), less)",
	"a method":          "type rule struct{ n int }\nfunc (r *rule) less(i, j int) bool { r.n++; say(); return false }\nsort.Slice(make([]struct{}, 1<<50), new(rule).less)",
	"sort.Sort":         "type all struct{ n int }\nfunc (a all) Len() int { return a.n }\nfunc (a all) Less(i, j int) bool { say(); return false }\nfunc (a all) Swap(i, j int) {}\nsort.Sort(all{1 << 50})",
	"slices.SortFunc":   "slices.SortFunc(make([]struct{}, 1<<50), func(a, b struct{}) int { say(); return 0 })",
	"ordered elements":  "slices.SortFunc(make([]byte, 1<<27), func(a, b byte) int { say(); return int(a) - int(b) })",
	"strings.Map":       "strings.Map(func(r rune) rune { say(); return r }, strings.Repeat(\"a\", 1<<27))",
	"of any type":       "mat.NewDense(1<<12, 1<<14, nil).Apply(func(i, j int, v float64) float64 { say(); return v }, mat.NewDense(1<<12, 1<<14, nil))",
	"a reader":          "import \"bufio\"\ntype endless struct{}\nfunc (endless) Read(p []byte) (int, error) { say(); p[0] = 'a'; return 1, nil }\ns := bufio.NewScanner(endless{})\ns.Buffer(make([]byte, 1<<27), 1<<27)\ns.Scan()",
	"in another":        "sort.Slice(make([]struct{}, 1<<50), func(i, j int) bool {\n\treturn strings.IndexFunc(\"abc\", func(r rune) bool { say(); return r == 'c' }) < 0\n})",
	"a loop within":     "sort.Slice(make([]struct{}, 1<<50), func(i, j int) bool {\n\tsay()\n\tfor {\n\t}\n})",
	"in a field":        "p := sync.Pool{New: func() any { say(); return nil }}\nfor {\n\tp.Get()\n}",
	"walk":              "import \"testing/fstest\"\nfiles := fstest.MapFS{}\nfor i := range 2000 {\n\tfiles[fmt.Sprint(i)] = &fstest.MapFile{}\n}\nfor {\n\tfs.WalkDir(files, \".\", func(path string, d fs.DirEntry, err error) error { say(); return nil })\n}",
	"in its goroutines": "import \"gonum.org/v1/gonum/optimize\"\nproblem := optimize.Problem{Func: func(x []float64) float64 { say(); return rand.Float64() }}\noptimize.Minimize(problem, []float64{3, 2}, &optimize.Settings{Converger: optimize.NeverTerminate{}}, &optimize.NelderMead{})",
	"in a goroutine":    "var wg sync.WaitGroup\nwg.Go(func() {\n\tsort.Slice(make([]struct{}, 1<<50), func(i, j int) bool { say(); return false })\n})\nwg.Wait()",
	"deferred":          "func() {\n\tdefer func() { recover() }()\n\tsort.Slice(make([]struct{}, 1<<50), func(i, j int) bool { say(); return false })\n}()",
}

// TestInterruptReachesCallbacks interrupts cells whose functions compiled code calls, in both
// executors. Variables stay, also those that the functions have changed.
func TestInterruptReachesCallbacks(t *testing.T) {
	for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
		n := newWorkerNotebook(t, mode)
		beat{cell: "calls := 0\nfunc say() {\n\tif calls++; calls == 1 {\n\t\tfmt.Println(\"begun\")\n\t}\n}"}.play(t, n)
		for _, name := range slices.Sorted(maps.Keys(callers)) {
			t.Run(fmt.Sprint(mode)+"/"+name, func(t *testing.T) {
				beat{cell: "calls = 0"}.play(t, n) // no goroutine of the case before counts on
				beat{cell: callers[name], stop: true, err: "Interrupted"}.play(t, n)
				beat{cell: "s := []int{3, 1, 2}\nsort.Slice(s, func(i, j int) bool { return s[i] < s[j] })\nfmt.Sprint(calls > 0, s)", value: "true [1 2 3]"}.play(t, n)
			})
		}
	}
}
