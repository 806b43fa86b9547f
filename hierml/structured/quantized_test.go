package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
)

// primal is the primal value of weights, by sums in float64.
func primal(o *Oracle, w *linearState) (value float64) {
	for f := range w.Features {
		for c := range w.Columns {
			value += w.At(f, c) * w.At(f, c) / 2
		}
	}
	search, scores := o.NewSearch(), make([]float64, w.Width())
	for b := range o.Blocks() {
		w.Scores(o.Example(b), scores)
		value += o.C(b) * search.Load(b, scores)
	}
	return value
}

// A certificate under weights in 16 bits, which are scored in float32, is that of sums in float64,
// and no more than a little above that of the weights before they were rounded.
func TestCertifyOfQuantizedWeightsIsExact(t *testing.T) {
	tree := example.Tree(30, 40)
	d := example.Texts(tree, 300, 400, 15, 1)
	inputs, err := NewLinear(d.X)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]int, len(d.Labels))
	for i, labels := range d.Labels {
		y[i] = labels[0]
	}
	for name, c := range map[string]struct {
		attributes *Attributes
		loss       loss.Loss
		rescaling  Rescaling
	}{
		"flat":         {Flat(tree), loss.ZeroOne(), Margin},
		"hierarchical": {Ancestors(tree), loss.Symdiff(tree), Margin},
		"slack":        {Ancestors(tree), loss.Symdiff(tree), Slack},
	} {
		labels, err := NewLabels(c.attributes, y, c.loss, c.rescaling, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := (&Problem{Inputs: inputs, Columns: c.attributes.Columns(), Competitors: labels}).Compile()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for _, support := range []int{0, 1, 30} {
			dual := o.NewDual()
			for b := range o.Blocks() {
				var ids []int32
				var values []float64
				for _, k := range rng.Perm(len(tree.Leaves()))[:support] {
					if int32(k) != labels.Label(b) {
						ids, values = append(ids, int32(k)), append(values, rng.Float64()/float64(support))
					}
				}
				dual.SetRow(b, ids, values)
			}
			state := &linearState{Weights: newQuantizedWeights(o.Columns(), d.X.Cols), linear: inputs}
			got, err := o.Certify(context.Background(), dual, state, make([]float64, o.Blocks()), 2)
			if err != nil {
				t.Fatal(err)
			}
			plain := &linearState{Weights: NewWideWeights(o.Columns(), d.X.Cols), linear: inputs}
			want, err := o.Certify(context.Background(), dual, plain, make([]float64, o.Blocks()), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.Primal < want.Dual || math.Abs(got.Primal-want.Primal) > 1e-4*want.Primal {
				t.Errorf("%s with %d coefficients each: a primal value of %v, %v of exact weights", name, support, got.Primal, want.Primal)
			}
			want.Primal = primal(o, state)
			if math.Abs(got.Primal-want.Primal) > 1e-12*want.Primal || math.Abs(got.Dual-want.Dual) > 1e-10*want.Primal {
				t.Errorf("%s with %d coefficients each: %+v, want %+v", name, support, got, want)
			}
		}
	}
}
