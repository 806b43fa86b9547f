package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

func TestChooseC(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 400, 300, 15, 1)
	for name, e := range map[string]svm.Regularized{
		"flat": svm.Flat{}, "hierarchical": svm.Hierarchical{}, "normalized": svm.Normalized{},
		"global margin": svm.GlobalMargin{}, "shared": svm.Shared{}, "transfer": svm.Transfer{}, "tree loss": svm.TreeLoss{},
		"orthogonal": svm.Orthogonal{}, "sets": svm.Hierarchical{Sets: true}, "recursive": svm.Recursive{}, "one-vs-rest": svm.OneVsRest{},
		"HR-SVM": svm.HR{}, "HR-LR": svm.HR{Loss: solver.Logistic},
		"label tree": svm.PLT{}, "hierarchical softmax": svm.HierarchicalSoftmax{},
	} {
		c, err := svm.ChooseC(context.Background(), e, d)
		if err != nil {
			t.Fatal(name, err)
		}
		best := math.Inf(1)
		at := 0.0
		for k, tried := range c.Tried {
			if k > 0 && c.Tried[k-1].C >= tried.C {
				t.Errorf("%s: not ascending: %v", name, c)
			}
			if tried.Loss < best {
				best, at = tried.Loss, tried.C
			}
			if math.Abs(tried.Loss+tried.Accuracy-1) > 1e-9 && name != "sets" || tried.Gap > solver.DefaultGap || tried.Seconds <= 0 {
				t.Errorf("%s: %+v", name, tried)
			}
		}
		if c.C != at || c.Model.C != at || c.Model.Instances != d.Len() || len(c.Tried) < 7 {
			t.Errorf("%s: chose %v, the best of %v is %v", name, c.Model, c, at)
		}
		if !strings.HasPrefix(c.Rule, "smallest ") || !strings.Contains(c.Rule, "0/1 loss") {
			t.Errorf("chosen by the %s, want the 0/1 loss", c.Rule)
		}
		if !strings.Contains(c.String(), fmt.Sprintf("* %10.4g", c.C)) || !strings.Contains(c.HTML(), "font-weight:bold\"><td>"+fmt.Sprintf("%.4g", c.C)) {
			t.Errorf("%s: %v", name, c)
		}
	}
}

// TestStartOfParts holds that problems of parts that start from their own result are solved at
// once, and refuse that of another problem.
func TestStartOfParts(t *testing.T) {
	d := example.Texts(example.Tree(3, 4), 300, 300, 15, 1)
	other := example.Texts(example.Tree(2, 2), 300, 300, 15, 1)
	start := func(e svm.Regularized, r *solver.Result) svm.Regularized {
		s := solver.Settings{Start: r}
		switch e := e.(type) {
		case svm.OneVsRest:
			e.Settings = s
			return e
		case svm.HR:
			e.Settings = s
			return e
		case svm.Recursive:
			e.Settings = s
			return e
		case svm.PLT:
			e.Settings = s
			return e
		}
		return nil
	}
	for name, e := range map[string]svm.Regularized{
		"hinge": svm.OneVsRest{}, "squared hinge": svm.OneVsRest{Loss: solver.SquaredHinge}, "logistic": svm.OneVsRest{Loss: solver.Logistic},
		"groups": svm.OneVsRest{Method: solver.BCFW{}}, "recursive": svm.Recursive{}, "HR": svm.HR{}, "HR-LR": svm.HR{Loss: solver.Logistic},
		"label tree": svm.PLT{},
	} {
		m, err := e.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(name, err)
		}
		from := m.Training.Certificate
		again, err := start(e, from).Fit(t.Context(), d)
		if err != nil {
			t.Fatal(name, err)
		}
		if again.Training.Epochs > 2 || again.Training.Epochs >= m.Training.Epochs {
			t.Errorf("%s: %d epochs, and from there %d", name, m.Training.Epochs, again.Training.Epochs)
		}
		if _, err := start(e, from).Fit(t.Context(), other); err == nil || !strings.Contains(err.Error(), "Start") {
			t.Errorf("%s: started from another problem: %v", name, err)
		}
	}
}

// A model trained after another is as good as one trained by itself.
func TestWarmStartsDoNotMatter(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 300, 300, 15, 1)
	s := svm.Search{Grid: []float64{0.1, 1, 10}}
	warm, err := s.ChooseC(context.Background(), svm.Hierarchical{Settings: solver.Settings{Gap: 1e-6}}, d)
	if err != nil {
		t.Fatal(err)
	}
	cold, err := s.ChooseC(context.Background(), once{svm.Hierarchical{Settings: solver.Settings{Gap: 1e-6}}}, d)
	if err != nil {
		t.Fatal(err)
	}
	for k := range s.Grid {
		if w, c := warm.Tried[k], cold.Tried[k]; math.Abs(w.Loss-c.Loss) > 0.04 || w.C != c.C {
			t.Errorf("from another C %+v, from zero %+v", w, c)
		}
	}
}

// once hides that an estimator can start from another result.
type once struct{ svm.Regularized }

func (o once) WithC(c float64) svm.Regularized { return once{o.Regularized.WithC(c)} }

// counted is an estimator whose models predict well for C near a value.
type counted struct {
	best, c float64
	fits    *int
}

func (e counted) WithC(c float64) svm.Regularized { e.c = c; return e }

func (e counted) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	*e.fits++
	m, err := svm.Flat{}.Fit(ctx, d)
	if err != nil {
		return nil, err
	}
	// Scores shifted towards a wrong leaf the further C is from the best.
	w := m.Training.Certificate.Weights
	for f := range w.Features {
		w.Data[f*w.Stride] += float32(0.3 * math.Abs(math.Log(e.c/e.best)))
	}
	return m, nil
}

// Methods that start from zero weights are not given a result to start from, and a leaf below an
// inner label is right.
func TestChooseCForEveryMethod(t *testing.T) {
	g := example.Tree(2, 3)
	d := innerLabels(example.Dense(g, 60, 5, 1))
	s := svm.Search{Grid: []float64{0.1, 1}}
	for name, e := range map[string]svm.Regularized{
		"orthogonal":        svm.Orthogonal{},
		"orthogonal, RDA":   svm.Orthogonal{Method: solver.RDA{}, Settings: solver.Settings{MaxEpochs: 20}},
		"transfer, Pegasos": svm.Transfer{Method: solver.Pegasos{}, Settings: solver.Settings{MaxEpochs: 20}},
		"transfer, RDA":     svm.Transfer{Method: solver.RDA{}, Settings: solver.Settings{MaxEpochs: 20}},
	} {
		c, err := s.ChooseC(context.Background(), e, d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, tried := range c.Tried {
			if math.Abs(tried.Loss+tried.Accuracy-1) > 1e-9 {
				t.Errorf("%s: loss %v, accuracy %v", name, tried.Loss, tried.Accuracy)
			}
		}
	}
}

// Models of label sets are compared by the sets that they predict.
func TestChooseCForSets(t *testing.T) {
	g := example.Tree(2, 3)
	d := severalTexts(g, 120, 1)
	size := func(truth, predicted []int) float64 { return float64(len(predicted)) }
	c, err := svm.Search{Grid: []float64{0.001, 1}, SetLoss: setLoss(size)}.ChooseC(context.Background(), svm.Hierarchical{}, d)
	if err != nil {
		t.Fatal(err)
	}
	if c.Tried[0].Loss < 1-1e-12 || c.Tried[1].Loss < 1-1e-12 {
		t.Errorf("sets that are not empty have a mean size of %v and %v", c.Tried[0].Loss, c.Tried[1].Loss)
	}
	if c.Tried[0].Loss == c.Tried[1].Loss {
		t.Errorf("all sets have one size %v: the test shows nothing", c.Tried[0].Loss)
	}
}

type setLoss func(truth, predicted []int) float64

func (f setLoss) SetCost(truth, predicted []int) float64 { return f(truth, predicted) }

func TestTheGridIsExtended(t *testing.T) {
	g := example.Tree(4)
	d := example.Dense(g, 400, 8, 1)
	for _, best := range []float64{1e-4, 0.3, 1e3} {
		fits := 0
		c, err := svm.ChooseC(context.Background(), counted{best: best, fits: &fits}, d)
		if err != nil {
			t.Fatal(err)
		}
		if fits != len(c.Tried)+1 {
			t.Errorf("%d models for %v", fits, c)
		}
		if inner := best == 0.3; inner != (len(c.Tried) == 7) {
			t.Errorf("best near %v: %v", best, c)
		}
		if len(c.Tried) > 11 {
			t.Errorf("best near %v: %v", best, c)
		}
	}
}

func TestOneStandardErrorIsNotAboveTheBest(t *testing.T) {
	g := example.Tree(3, 4)
	d := example.Texts(g, 300, 300, 15, 1)
	s := svm.Search{Loss: loss.Symdiff(g), HeldOut: 0.3, Seed: 4}
	best, err := s.ChooseC(context.Background(), svm.Flat{}, d)
	if err != nil {
		t.Fatal(err)
	}
	s.OneStandardError = true
	c, err := s.ChooseC(context.Background(), svm.Flat{}, d)
	if err != nil {
		t.Fatal(err)
	}
	if c.C > best.C {
		t.Errorf("%v above %v", c.C, best.C)
	}
	for _, tried := range c.Tried {
		if least := lossOf(c, best.C); tried.C < c.C && tried.Loss-least <= tried.StandardError {
			t.Errorf("%+v would do: %v", tried, c)
		}
		if tried.C == best.C && tried.StandardError != 0 {
			t.Errorf("%+v", tried)
		}
	}
}

func lossOf(c *svm.Choice, value float64) float64 {
	for _, tried := range c.Tried {
		if tried.C == value {
			return tried.Loss
		}
	}
	return math.NaN()
}

func TestChooseCStops(t *testing.T) {
	g := example.Tree(5)
	d := example.Texts(g, 100, 50, 10, 1)
	stop := errors.New("enough")
	n := 0
	c, err := svm.Search{Progress: func(svm.Tried) error {
		if n++; n == 2 {
			return stop
		}
		return nil
	}}.ChooseC(context.Background(), svm.Flat{}, d)
	if !errors.Is(err, stop) || c == nil || len(c.Tried) != 2 || c.Model != nil {
		t.Errorf("%v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c, err := svm.ChooseC(ctx, svm.Flat{}, d); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", c, err)
	}
	for name, c := range map[string]struct {
		s svm.Search
		e svm.Regularized
		d *dataset.Dataset
	}{
		"no estimator": {svm.Search{}, nil, d},
		"no data":      {svm.Search{}, svm.Flat{}, nil},
		"empty grid":   {svm.Search{Grid: []float64{}}, svm.Flat{}, d},
		"grid":         {svm.Search{Grid: []float64{1, math.NaN()}}, svm.Flat{}, d},
		"share":        {svm.Search{HeldOut: 2}, svm.Flat{}, d},
		"one a class":  {svm.Search{}, svm.Flat{}, d.PerClass(1, 1)},
	} {
		if got, err := c.s.ChooseC(context.Background(), c.e, c.d); got != nil || err == nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func ExampleChooseC() {
	g := example.Tree(5)
	data := example.Texts(g, 300, 200, 30, 1)
	choice, err := svm.ChooseC(context.Background(), svm.Hierarchical{}, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice.Model.C == choice.C, len(choice.Tried) >= 7)
	// Output: true true
}

// TestZeroIsTheDefaultC gives a C of 0 wherever one is given: it is 1.
func TestZeroIsTheDefaultC(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 60, 50, 10, 1)
	if m := fit(t, svm.Flat{C: 5}.WithC(0), d); m.C != 1 {
		t.Errorf("WithC: C = %v", m.C)
	}
	if s := (svm.GlobalMargin{C1: 2, C2: 4}).WithC(0).(svm.GlobalMargin); s.C2 != 2 {
		t.Errorf("C2 = %v, twice the default", s.C2)
	}
	choice, err := svm.Search{Grid: []float64{1, 0, 3}}.ChooseC(t.Context(), svm.Flat{}, d)
	if err != nil {
		t.Fatal(err)
	}
	if len(choice.Tried) != 2 || choice.Tried[0].C != 1 || choice.Tried[1].C != 3 {
		t.Errorf("tried %v", choice.Tried)
	}
	grid := []float64{0}
	sets, err := svm.NodeSets{Grid: grid, Folds: 2}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(sets.Tried) != 1 || sets.Tried[0].C != 1 || sets.Model.C != 1 || grid[0] != 0 {
		t.Errorf("tried %v, C = %v, the grid given is %v", sets.Tried, sets.Model.C, grid)
	}
}

// TestChooseAmong holds that each estimator is searched as alone, and the best of them is trained.
func TestChooseAmong(t *testing.T) {
	d := example.Texts(example.Tree(3, 4), 400, 300, 15, 1)
	estimators := []svm.Regularized{svm.Normalized{}, svm.Normalized{Weighting: weighting.MaxMin{}}, svm.Flat{}}
	search := svm.Search{Grid: []float64{0.1, 1}}
	among, err := search.ChooseAmong(t.Context(), estimators, d)
	if err != nil {
		t.Fatal(err)
	}
	smallest := math.Inf(1)
	for i, e := range estimators {
		alone, err := search.ChooseC(t.Context(), e, d)
		if err != nil {
			t.Fatal(err)
		}
		got := among.Choices[i]
		if got.C != alone.C || len(got.Tried) != len(alone.Tried) || got.Tried[0].Loss != alone.Tried[0].Loss {
			t.Errorf("estimator %d: %v, alone %v", i, got, alone)
		}
		for _, tried := range alone.Tried {
			if tried.C == alone.C && tried.Loss < smallest {
				smallest = tried.Loss
				if among.Chosen < i {
					t.Errorf("chose estimator %d, and %d has a smaller loss", among.Chosen, i)
				}
			}
		}
		if (got.Model != nil) != (i == among.Chosen) {
			t.Errorf("estimator %d of which %d is chosen has the model %v", i, among.Chosen, got.Model)
		}
	}
	if among.Model == nil || among.Model.C != among.C || among.Model.Instances != d.Len() {
		t.Errorf("chosen: %v", among.Choice)
	}
	if _, err := search.ChooseAmong(t.Context(), []svm.Regularized{svm.Flat{}, svm.Hierarchical{Sets: true}}, d); err == nil || !strings.Contains(err.Error(), "cannot be compared") {
		t.Errorf("sets and labels: error %v", err)
	}
	if _, err := search.ChooseAmong(t.Context(), nil, d); err == nil || !strings.Contains(err.Error(), "needs an estimator") {
		t.Errorf("no estimators: error %v", err)
	}
}

// TestChoosingRefusesForeignLosses gives losses that were made for a larger and a smaller taxonomy.
func TestChoosingRefusesForeignLosses(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 60, 3, 1)
	for _, other := range []*taxonomy.Taxonomy{example.Tree(2, 4), example.Tree(2)} {
		for _, s := range []svm.Search{{Loss: loss.Tree(other)}, {SetLoss: loss.LeafSymdiff(other)}} {
			s.Grid = []float64{1}
			if c, err := s.ChooseC(t.Context(), svm.Hierarchical{}, d); c != nil || err == nil || !strings.Contains(err.Error(), "the loss was made for a taxonomy of") {
				t.Errorf("%v, %v", c, err)
			}
		}
	}
	if _, err := (svm.Search{Grid: []float64{1}, Loss: loss.Tree(d.Taxonomy)}).ChooseC(t.Context(), svm.Hierarchical{}, d); err != nil {
		t.Error(err)
	}
}
