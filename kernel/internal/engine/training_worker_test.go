package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestInterruptedTraining interrupts trainings whose error the cell leaves out, and says how to
// keep the model; and one that keeps it as the message says.
func TestInterruptedTraining(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		for cell, says := range map[string]string{
			"m := e.Fit(nb.Context(), d)":                                          "m, err := ….Fit(…) keeps the model",
			"m = e.Fit(nb.Context(), d)":                                           "m, err = ….Fit(…) keeps the model",
			"var k = e.Fit(nb.Context(), d)":                                       "k, err := ….Fit(…) keeps the model",
			"e.Fit(nb.Context(), d)":                                               "m, err := ….Fit(…) keeps the model",
			"metric.Evaluate(e.Fit(nb.Context(), d), d)":                           "m, err := ….Fit(…) keeps the model",
			"kept, err := e.Fit(nb.Context(), d)\nfor { if err == nil { break } }": "",
			"fmt.Print(\"begins\")\n<-nb.Context().Done()\nfor {}\nx := 1\nk := e.Fit(nb.Context(), d)": "",
		} {
			t.Run(cell, func(t *testing.T) {
				n := newWorkerNotebook(t, mode)
				if _, _, err := n.run(endlessTraining); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				r := &enginetest.Recorder{}
				go func() {
					defer cancel()
					r.Await(ctx, "")
				}()
				_, err := n.engine.Run(ctx, program.Cell{Number: 2, Source: cell}, r)
				if err == nil || strings.Contains(err.Error(), "keeps the model") != (says != "") || !strings.Contains(err.Error(), says) {
					t.Errorf("error %v, want one that says %q", err, says)
				}
				n.cell = 2
				if !strings.HasPrefix(cell, "kept") {
					return
				}
				if shown, _, err := n.run("kept != nil"); shown != "true" || err != nil {
					t.Errorf("the model is kept: %s, %v", shown, err)
				}
			})
		}
	})
}

// endlessTraining declares a training that goes on until it is interrupted, and says that it has
// begun.
const endlessTraining = `t := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "car"}, "/")
leaf := func(name string) []int { n, _ := t.Node(name); return []int{n} }
d := &dataset.Dataset{Taxonomy: t, Vocabulary: []string{"fur", "wheels"},
	X: &dataset.Matrix{Rows: 4, Cols: 2, Indptr: []int{0, 1, 2, 3, 5}, Indices: []int32{0, 0, 1, 0, 1}, Values: []float32{1, 2, 1, 1, 3}},
	Labels: [][]int{leaf("animal/cat"), leaf("animal/dog"), leaf("car"), leaf("animal/cat")}}
begun := false
e := svm.Flat{C: 10, Method: solver.Pegasos{}, Settings: solver.Settings{Gap: 1e-14, MaxEpochs: 1 << 40, Progress: func(solver.Progress) error {
	if !begun {
		begun = true
		fmt.Print("begins")
	}
	return nil
}}}
var m *classifier.Model
`

// TestLoopingProgress interrupts trainings while a Progress function of the cells loops, waits, or
// is in a function of a package that calls others of the cells. The training returns its model when
// the function has returned.
func TestLoopingProgress(t *testing.T) {
	const until = "say()\n\tfor nb.Context().Err() == nil {\n\t}\n\t"
	sessions := map[string][]beat{}
	for name, function := range map[string]string{
		"a loop":                 until + "for range 100000 {\n\t\tn++\n\t}",
		"a loop that prints":     until + "for i := range 50 {\n\t\tfmt.Println(i)\n\t}",
		"a function that does":   until + "again(1000)",
		"functions in each":      until + "for range 100 {\n\t\tslices.SortFunc([]int{3, 1, 2}, func(a, b int) int { n++; return a - b })\n\t}",
		"a function called back": until + "slices.SortFunc([]int{3, 1, 2}, func(a, b int) int {\n\t\tfor range 300_000 {\n\t\t}\n\t\treturn a - b\n\t})",
		"a wait":                 "say()\n\tfor range 3 {\n\t\ttime.Sleep(50 * time.Millisecond)\n\t}",
	} {
		var beats []beat
		for _, method := range []string{"solver.Pegasos{}", "solver.DualAscent{}"} {
			beats = append(beats,
				beat{cell: endlessTraining},
				beat{cell: "n := 0\nsaid := false\nfunc say() {\n\tif !said {\n\t\tsaid = true\n\t\tfmt.Println(\"begun\")\n\t}\n}\nfunc again(k int) {\n\tfor range 100 {\n\t\tn++\n\t}\n\tif k > 0 {\n\t\tagain(k - 1)\n\t}\n}"},
				beat{cell: "func progress(p solver.Progress) error {\n\tif p.Epoch < 3 {\n\t\treturn nil\n\t}\n\t" + function + "\n\treturn nil\n}"},
				beat{cell: "e.Method, e.Settings.Progress = " + method + ", progress\nkept, err := e.Fit(nb.Context(), d)\nfor {\n}", stop: true, err: "nterrupted"},
				beat{cell: "kept != nil", value: "true"},
			)
		}
		sessions[name] = beats
	}
	playInModes(t, sessions)
}
