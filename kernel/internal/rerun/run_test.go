package rerun

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"

	"github.com/hierml/notebook/kernel/internal/program"
)

// An evaluator runs cells that are the names of functions.
type evaluator map[string]func(ctx context.Context, out program.Output) (*program.Bundle, error)

func (e evaluator) Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error) {
	return e[cell.Source](ctx, out)
}

func text(s string) *program.Bundle { return &program.Bundle{Data: map[string]any{"text/plain": s}} }

func notebookOf(sources ...string) *notebook.Notebook {
	nb := &notebook.Notebook{}
	for _, s := range sources {
		nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Code, Source: s, Count: 99, Outputs: []*notebook.Output{{Kind: notebook.Stream, Name: "stdout", Text: "stale"}}})
	}
	return nb
}

func show(o *notebook.Output) string {
	switch o.Kind {
	case notebook.Stream:
		return o.Name + " " + o.Text
	case notebook.Failure:
		return fmt.Sprintf("%s %s %s %q", o.Kind, o.ErrorName, o.ErrorValue, o.Traceback)
	}
	return fmt.Sprintf("%s %v", o.Kind, o.Data["text/plain"])
}

func outputs(c *notebook.Cell) []string {
	shown := []string{}
	for _, o := range c.Outputs {
		shown = append(shown, show(o))
	}
	return shown
}

func TestRunOutputs(t *testing.T) {
	cells := evaluator{
		"merge": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Stream("stdout", "a")
			out.Stream("stdout", "b\n")
			out.Stream("stderr", "c")
			out.Stream("stdout", "d")
			out.Stream("stdout", "")
			return text("value"), nil
		},
		"display": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Display(text("one"), "x", false)
			out.Display(text("two"), "x", false)
			out.Display(text("other"), "", false)
			out.Display(text("new"), "x", true)
			out.Display(text("nothing to replace"), "unknown", true)
			out.Display(nil, "", false)
			return nil, nil
		},
		"update": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Display(text("newer"), "x", true)
			return &program.Bundle{}, nil
		},
		"clear": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Stream("stdout", "gone")
			out.Clear(false)
			out.Stream("stdout", "there")
			out.Clear(true)
			return nil, nil
		},
		"clear later": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Stream("stdout", "gone")
			out.Clear(true)
			out.Stream("stdout", "there")
			return nil, nil
		},
		"input": func(ctx context.Context, out program.Output) (*program.Bundle, error) {
			_, err := out.Input(ctx, "name?", false)
			return text(fmt.Sprint(err != nil)), nil
		},
		"unencodable": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			return &program.Bundle{Data: map[string]any{"text/plain": "x", "application/json": func() {}}}, nil
		},
	}
	nb := notebookOf("merge", "display", "update", "clear", "clear later", "input", "unencodable", " \n")
	if err := (Runner{Evaluator: cells}).Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"stdout ab\n", "stderr c", "stdout d", "execute_result value"},
		{"display_data newer", "display_data newer", "display_data other"},
		{},
		{"stdout there"},
		{"stdout there"},
		{"execute_result true"},
		{"stderr not shown: application/json: json: unsupported type: func()\n", "execute_result x"},
		{},
	} {
		c := nb.Cells[i]
		if got := outputs(c); !reflect.DeepEqual(got, want) {
			t.Errorf("%q shows %q, want %q", c.Source, got, want)
		}
		if want := (i + 1) % 8; c.Count != want {
			t.Errorf("%q has the count %d, want %d", c.Source, c.Count, want)
		}
	}
}

func TestRunRepresentations(t *testing.T) {
	cells := evaluator{"x": func(context.Context, program.Output) (*program.Bundle, error) {
		return &program.Bundle{
			Data:     map[string]any{"image/png": []byte{1, 2, 3}, "text/plain": "bad \xff", "application/json": map[string]any{"n": 1.5}},
			Metadata: map[string]any{"image/png": map[string]any{"width": 3}},
		}, nil
	}}
	nb := notebookOf("x")
	if err := (Runner{Evaluator: cells}).Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := nb.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"image/png": "AQID"`, `"bad �"`, `"n": 1.5`, `"width": 3`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, &b)
		}
	}
}

func TestRunStops(t *testing.T) {
	boom := &program.Error{Name: "panic", Message: "boom", Traceback: []string{"panic: boom"}}
	cells := evaluator{
		"good": func(_ context.Context, out program.Output) (*program.Bundle, error) { return text("1"), nil },
		"bad": func(_ context.Context, out program.Output) (*program.Bundle, error) {
			out.Stream("stdout", "before")
			return nil, boom
		},
		"odd": func(context.Context, program.Output) (*program.Bundle, error) { return nil, errors.New("odd") },
	}
	nb := notebookOf("good", "bad", "bad", "odd", "good")
	nb.Cells[1].Metadata = map[string]any{"tags": []any{"x", "raises-exception"}}
	var steps []string
	err := Runner{
		Evaluator: cells,
		Starting:  func(s Step) { steps = append(steps, fmt.Sprintf("start %d/%d %s", s.Number, s.Total, s.Cell.Source)) },
		Finished:  func(s Step) { steps = append(steps, fmt.Sprint("end ", s.Err)) },
	}.Run(t.Context(), nb)
	var failed *CellError
	if !errors.As(err, &failed) || failed.Number != 3 || !errors.Is(err, boom) {
		t.Fatalf("Run returned %v, want the failure of cell 3", err)
	}
	if want := []string{"start 1/5 good", "end <nil>", "start 2/5 bad", "end panic: boom", "start 3/5 bad", "end panic: boom"}; !reflect.DeepEqual(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if got, want := outputs(nb.Cells[2]), []string{"stdout before", `error panic boom ["panic: boom"]`}; !reflect.DeepEqual(got, want) {
		t.Errorf("the failed cell shows %q, want %q", got, want)
	}
	if c := nb.Cells[4]; c.Count != 0 || len(c.Outputs) != 0 {
		t.Errorf("a cell that did not run shows %q under the count %d", outputs(c), c.Count)
	}
	nb = notebookOf("odd")
	if err := (Runner{Evaluator: cells}).Run(t.Context(), nb); err == nil {
		t.Error("an error that is not the engine's was lost")
	}
	if got, want := outputs(nb.Cells[0]), []string{`error Error odd ["odd"]`}; !reflect.DeepEqual(got, want) {
		t.Errorf("the failed cell shows %q, want %q", got, want)
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cells := evaluator{"wait": func(ctx context.Context, _ program.Output) (*program.Bundle, error) {
		cancel()
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	nb := notebookOf("wait", "wait")
	// An interrupt is meant for the notebook, even where a cell may fail.
	nb.Cells[0].Metadata = map[string]any{"tags": []any{"raises-exception"}}
	err := Runner{Evaluator: cells}.Run(ctx, nb)
	var failed *CellError
	if !errors.As(err, &failed) || failed.Number != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want the interrupt of cell 1", err)
	}
}
