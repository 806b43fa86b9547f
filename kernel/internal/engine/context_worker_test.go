package engine_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestBackground compares context.Background in cells with Go's: it is one value, which nothing
// ends, not even an interrupt of the cell that asked for it.
func TestBackground(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		n := newWorkerNotebook(t, mode)
		for _, b := range []beat{
			{cell: "ctx, todo := context.Background(), context.TODO()\nderived, cancel := context.WithCancel(ctx)\ntype key int\nfmt.Println(\"begun\")\nselect {}", stop: true, err: "Interrupted"},
			{cell: "fmt.Println(ctx == context.Background(), todo == context.TODO(), ctx == todo, ctx.Done() == nil, ctx.Err(), derived.Err())", out: "true true false true <nil> <nil>\n"},
			{cell: "fmt.Println(ctx, todo, derived)", out: "context.Background context.TODO context.Background.WithCancel\n"},
			{cell: "cancel()\nfmt.Println(derived.Err(), ctx.Err())", out: "context canceled <nil>\n"},
			{cell: "switch c := context.Context(ctx); c {\ncase context.Background():\n\tfmt.Println(\"background\")\n}", out: "background\n"},
			{cell: "seen := map[context.Context]int{context.Background(): 1}\nfmt.Println(seen[ctx], len(seen))", out: "1 1\n"},
			{cell: "func own(c context.Context) bool { return c == context.Background() }\nown(ctx)", value: "true"},
			{cell: "req, err := http.NewRequestWithContext(context.Background(), \"GET\", \"http://localhost\", nil)\nfmt.Println(req.Context() == ctx, err)", out: "true <nil>\n"},
			{cell: "type handler struct{ slog.Handler }\nfunc (h handler) Handle(ctx context.Context, r slog.Record) error { fmt.Println(r.Message, ctx == context.Background()); return nil }\nl := slog.New(handler{slog.Default().Handler()})\nl.InfoContext(ctx, \"a\")\npprof.Do(ctx, pprof.Labels(), func(c context.Context) { fmt.Println(c) })", out: "a true\ncontext.Background.WithValue(pprof.labelContextKey, {})\n"},
			{cell: "mine := nb.Context()\nfmt.Println(mine == context.Background(), mine.Done() == nil)", out: "false false\n"},
			{cell: "fmt.Println(\"begun\")\n<-nb.Context().Done()\nselect {}", stop: true, err: "Interrupted"},
			{cell: "pprof.Do(ctx, pprof.Labels(\"a\", \"b\"), func(context.Context) {\n\tfmt.Println(\"begun\")\n\tfor {\n\t}\n})", stop: true, err: "Interrupted"},
			{cell: "pprof.Do(ctx, pprof.Labels(\"a\", \"b\"), func(context.Context) {})\nfmt.Println(\"begun\")\nfor {\n}", stop: true, err: "Interrupted"},
			{cell: "pprof.Do(ctx, pprof.Labels(\"a\", \"b\"), func(context.Context) {})\ngo func() {\n\tfmt.Println(\"begun\")\n\tfor {\n\t}\n}()\nselect {}", stop: true, err: "Interrupted"},
			{cell: "type looping struct{ context.Context }\nfunc (looping) Value(any) any {\n\tfmt.Println(\"begun\")\n\tfor {\n\t}\n}\npprof.SetGoroutineLabels(looping{ctx})", stop: true, err: "Interrupted"},
			{cell: "1", value: "1"},
		} {
			b.play(t, n)
		}
	})
}

// TestContextsOfLibraries interrupts a training that is given another context than that of the
// cell. The model is kept.
func TestContextsOfLibraries(t *testing.T) {
	inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
		for _, context := range []string{
			"context.Background()", "context.TODO()", "earlier", "within", "context.WithValue(earlier, \"a\", 1)", "fields.ctx", "given(1)",
		} {
			t.Run(context, func(t *testing.T) {
				n := newWorkerNotebook(t, mode)
				beat{cell: endlessTraining}.play(t, n)
				beat{cell: "earlier := context.Background()\nwithin, cancel := context.WithTimeout(earlier, time.Hour)\nvar fields struct{ ctx context.Context }\nfields.ctx = within\nfunc given(int) context.Context { return earlier }"}.play(t, n)
				beat{cell: "kept, err := e.Fit(" + context + ", d)\nfor err != nil {\n}", stop: true, err: "Interrupted"}.play(t, n)
				beat{cell: "fmt.Println(kept != nil, earlier.Err(), within.Err())", out: "true <nil> <nil>\n"}.play(t, n)
			})
		}
	})
}
