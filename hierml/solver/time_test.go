package solver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
)

// counted are inputs that count how often weights are set and scored.
type counted struct {
	structured.Inputs
	calls atomic.Int64
}

func (c *counted) NewState(columns []int, p structured.Precision) structured.State {
	return &countedState{State: c.Inputs.NewState(columns, p), inputs: c}
}

type countedState struct {
	structured.State
	inputs *counted
}

func (s *countedState) Scores(i int, scores []float64) {
	s.inputs.calls.Add(1)
	s.State.Scores(i, scores)
}

func (s *countedState) NewBatch() structured.Batch {
	s.inputs.calls.Add(1)
	return s.State.NewBatch()
}

func (s *countedState) Set(ctx context.Context, u *structured.Rows, workers int) (float64, float64, error) {
	s.inputs.calls.Add(1)
	return s.State.Set(ctx, u, workers)
}

// TestTimeOver solves problems when the time is over, as after preparations that take long: neither
// weights are set nor examples scored, and the result is that of zero weights.
func TestTimeOver(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Texts(g, 60, 50, 10, 1)
	linear, err := structured.NewLinear(d.X)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]int, d.Len())
	for i := range y {
		y[i] = d.Labels[i][0]
	}
	a := structured.Ancestors(g)
	labels, err := structured.NewLabels(a, y, loss.ZeroOne(), structured.Margin, 1)
	if err != nil {
		t.Fatal(err)
	}
	over := Settings{Time: time.Minute, Workers: 1, began: time.Now().Add(-time.Hour)}
	for name, m := range map[string]Method{"BCFW": BCFW{}, "dual ascent": DualAscent{}, "Pegasos": Pegasos{}, "RDA": RDA{}, "variable selection": VariableSelection{}} {
		inputs := &counted{Inputs: linear}
		r, err := Solve(context.Background(), &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: labels}, &over, m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Status != TimeLimit || r.Epochs != 0 || r.Primal != 60 || r.Dual != 0 || r.Gap != 1 {
			t.Errorf("%s: %v", name, r)
		}
		if n := inputs.calls.Load(); n > 1 { // the batch of a method
			t.Errorf("%s: %d calls to the inputs", name, n)
		}
	}
	siblings, err := structured.NewSiblings(structured.Nodes(g), d.Labels, structured.SiblingOptions{Roots: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	regularizer, err := orthogonal.Descendants(g, 0.1, g.Roots()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]Method{"orthogonal": nil, "orthogonal, RDA": RDA{}} {
		r, err := SolveOrthogonal(context.Background(), &OrthogonalProblem{Inputs: linear, Siblings: siblings, Regularizer: regularizer}, &over, m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Status != TimeLimit || r.Epochs != 0 || r.Primal != 60 || r.Gap != 1 {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// TestTimeOverWithStart starts from a result when there is no time to certify it.
func TestTimeOverWithStart(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Texts(g, 60, 50, 10, 1)
	p := problem(d, structured.Flat(g), loss.ZeroOne(), 1)
	start, err := Solve(context.Background(), p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Solve(context.Background(), p, &Settings{Time: time.Minute, began: time.Now().Add(-time.Hour), Start: start}, nil)
	if err != nil || r.Status != TimeLimit || r.Primal != 60 || r.Dual != 0 {
		t.Fatalf("%v, %v", r, err)
	}
	for b := range r.Point.Blocks() {
		if ids, _ := r.Point.Row(b); len(ids) > 0 {
			t.Fatalf("the point of zero weights has coefficients at block %d", b)
		}
	}
	if _, err := Solve(context.Background(), p, &Settings{Time: time.Minute, Start: &Result{}}, nil); !errors.Is(err, errForeign) {
		t.Errorf("error %v", err)
	}
}

// TestKept compares what is kept of the time for the last certificate.
func TestKept(t *testing.T) {
	s := Settings{Time: time.Hour}
	s.Begin()
	for longest, want := range map[time.Duration]time.Duration{10 * time.Minute: 15 * time.Minute, time.Hour: time.Hour} {
		if got := s.kept(longest); got != want {
			t.Errorf("after certificates of %v: %v, want %v", longest, got, want)
		}
	}
	if got := s.kept(0); got > 30*time.Minute || got < 10*time.Minute {
		t.Errorf("before the first certificate: %v", got)
	}
	if got := (&Settings{}).kept(time.Hour); got != 0 {
		t.Errorf("without a limit: %v", got)
	}
}
