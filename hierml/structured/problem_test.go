package structured

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
)

func firstLabels(d *dataset.Dataset) []int {
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		y[i] = set[0]
	}
	return y
}

// randomDual gives every example up to three competitors and, to every second, the whole of C.
func randomDual(o *Oracle, seed uint64) *Dual {
	rng := rand.New(rand.NewPCG(seed, 7))
	d := o.NewDual()
	labels := o.Competitors.(*Labels)
	q := len(labels.Attributes().Candidates())
	for i := range o.Blocks() {
		var leaves []int32
		var values []float64
		var sum float64
		for _, y := range rng.Perm(q)[:min(3, q)] {
			if int32(y) != labels.Label(i) {
				v := rng.Float64()
				leaves, values, sum = append(leaves, int32(y)), append(values, v), sum+v
			}
		}
		full := o.C(i)
		if i%2 == 0 {
			full *= rng.Float64()
		}
		for k := range values {
			values[k] *= full / sum
		}
		d.SetRow(i, leaves, values)
	}
	return d
}

// compile compiles a problem of single labels.
func compile(x *dataset.Matrix, y []int, a *Attributes, l loss.Loss, r Rescaling, c float64) (*Oracle, error) {
	inputs, err := NewLinear(x)
	if err != nil {
		return nil, err
	}
	labels, err := NewLabels(a, y, l, r, c)
	if err != nil {
		return nil, err
	}
	return (&Problem{Inputs: inputs, Columns: a.Columns(), Competitors: labels}).Compile()
}

// TestCertifyAgainstDefinition evaluates both objectives with plain loops over dense matrices.
func TestCertifyAgainstDefinition(t *testing.T) {
	for name, a := range attributeCases(t) {
		for _, rescaling := range []Rescaling{Margin, Norm, Slack} {
			g := a.Taxonomy()
			data := example.Dense(g, 17, 4, 3)
			delta := loss.Symdiff(g)
			const c = 0.7
			o, err := compile(data.X, firstLabels(data), a, delta, rescaling, c)
			if err != nil {
				t.Fatal(err)
			}
			d := randomDual(o, 8)
			state, gaps := o.NewState(Single), make([]float64, o.Blocks())
			got, err := o.Certify(context.Background(), d, state, gaps, 1)
			if err != nil {
				t.Fatal(err)
			}
			w := LinearWeights(state)

			leaves := g.Leaves()
			lambda := func(y, n int) float64 {
				nodes, values := a.Leaf(y)
				if k := slices.Index(nodes, n); k >= 0 {
					return values[k]
				}
				return 0
			}
			terms := func(truth, y int) (b, r float64) {
				b, r = delta.Cost(leaves[truth], leaves[y]), 1
				if rescaling == Norm {
					if norm := a.NormDifference(truth, y); norm > 0 {
						return b / norm, 1 / norm
					}
					return 0, 0
				}
				if rescaling == Slack {
					r = b
				}
				return b, r
			}
			dense := make([][]float64, g.Len())
			for n := range dense {
				dense[n] = make([]float64, 4)
			}
			var gain float64
			for i := range o.Blocks() {
				_, x := data.X.Row(i)
				truth := int(o.Competitors.(*Labels).Label(i))
				competitors, values := d.Row(i)
				for k, y := range competitors {
					b, r := terms(truth, int(y))
					gain += values[k] * b
					for n := range dense {
						for f := range x {
							dense[n][f] += values[k] * r * (lambda(truth, n) - lambda(int(y), n)) * float64(x[f])
						}
					}
				}
			}
			var norm float64
			for n := range dense {
				stored := w.Node(n)
				for f, v := range dense[n] {
					norm += v * v
					if math.Abs(v-stored[f]) > 1e-5 {
						t.Errorf("%s, %v: weight of node %d, feature %d is %v, want %v", name, rescaling, n, f, stored[f], v)
					}
				}
			}
			primal := norm / 2
			for i := range o.Blocks() {
				_, x := data.X.Row(i)
				truth := int(o.Competitors.(*Labels).Label(i))
				score := func(y int) (s float64) {
					for n := range dense {
						for f := range x {
							s += lambda(y, n) * dense[n][f] * float64(x[f])
						}
					}
					return s
				}
				hinge := 0.0
				for y := range leaves {
					b, r := terms(truth, y)
					hinge = max(hinge, b+r*(score(y)-score(truth)))
				}
				primal += c * hinge
			}
			if math.Abs(got.Primal-primal) > 1e-5*primal || math.Abs(got.Dual-(gain-norm/2)) > 1e-9*primal {
				t.Errorf("%s, %v: primal %v and dual %v, want %v and %v", name, rescaling, got.Primal, got.Dual, primal, gain-norm/2)
			}
			var sum float64
			for _, v := range gaps {
				sum += v
			}
			if math.Abs(sum-(got.Primal-got.Dual)) > 1e-5*primal {
				t.Errorf("%s, %v: gaps of the examples add up to %v, the gap is %v", name, rescaling, sum, got.Primal-got.Dual)
			}
			if got.Dual > got.Primal {
				t.Errorf("%s, %v: dual %v above primal %v", name, rescaling, got.Dual, got.Primal)
			}
		}
	}
}

func TestCertifyDoesNotDependOnWorkers(t *testing.T) {
	g := example.Tree(3, 4)
	for _, data := range []*dataset.Dataset{example.Texts(g, 700, 500, 20, 1), example.Dense(g, 700, 20, 1)} {
		o, err := compile(data.X, firstLabels(data), Ancestors(g), loss.Symdiff(g), Margin, 1)
		if err != nil {
			t.Fatal(err)
		}
		d := randomDual(o, 2)
		var first Certificate
		var weights []float32
		for _, workers := range []int{1, 2, 5} {
			state, gaps := o.NewState(Single), make([]float64, o.Blocks())
			c, err := o.Certify(context.Background(), d, state, gaps, workers)
			if err != nil {
				t.Fatal(err)
			}
			w := LinearWeights(state)
			if workers == 1 {
				first, weights = c, w.Data
			}
			if c != first || !slices.Equal(w.Data, weights) {
				t.Errorf("%s, %d workers: %v, with one %v, or other weights", data.Name, workers, c, first)
			}
		}
	}
}

func TestCertifyEndsWithItsContext(t *testing.T) {
	g := example.Tree(2)
	data := example.Dense(g, 4, 2, 1)
	o, err := compile(data.X, firstLabels(data), Flat(g), loss.ZeroOne(), Margin, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := o.Certify(ctx, o.NewDual(), o.NewState(Single), make([]float64, 4), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestOriginIsTheCertificateOfZeroWeights(t *testing.T) {
	g := example.Tree(2, 3)
	data := example.Dense(g, 20, 3, 1)
	o, err := compile(data.X, firstLabels(data), Ancestors(g), loss.Tree(g), Margin, 3)
	if err != nil {
		t.Fatal(err)
	}
	want, err := o.Certify(context.Background(), o.NewDual(), o.NewState(Single), make([]float64, o.Blocks()), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, known := o.Origin(t.Context(), 2); got != want || !known || got.Gap() != 1 {
		t.Errorf("certificate %v with gap %v, want %v with gap 1", got, got.Gap(), want)
	}
}

type costs func(truth, predicted int) float64

func (c costs) Cost(truth, predicted int) float64 { return c(truth, predicted) }

func TestCompileRefuses(t *testing.T) {
	g := example.Tree(2, 2) // leaves 3 to 6
	type problem struct {
		X          *dataset.Matrix
		Y          []int
		Attributes *Attributes
		Loss       loss.Loss
		Rescaling  Rescaling
		C          float64
	}
	good := func() *problem {
		return &problem{
			X:          &dataset.Matrix{Rows: 2, Cols: 3, Indptr: []int{0, 2, 3}, Indices: []int32{0, 2, 1}, Values: []float32{1, 2, 3}},
			Y:          []int{3, 6},
			Attributes: Ancestors(g), Loss: loss.ZeroOne(), C: 1,
		}
	}
	compile := func(p *problem) (*Oracle, error) {
		return compile(p.X, p.Y, p.Attributes, p.Loss, p.Rescaling, p.C)
	}
	if _, err := compile(good()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spoil func(*problem)
		says  string
	}{
		{func(p *problem) { p.X = nil }, "no examples"},
		{func(p *problem) { p.Attributes = nil }, "needs Attributes"},
		{func(p *problem) { p.Loss = nil }, "a Loss"},
		{func(p *problem) { p.Loss = loss.Tree(example.Tree(2)) }, "taxonomy of 3 nodes"},
		{func(p *problem) { p.C = -1 }, "C is -1"},
		{func(p *problem) { p.C = math.NaN() }, "C is NaN"},
		{func(p *problem) { p.C = math.Inf(1) }, "C is +Inf"},
		{func(p *problem) { p.Rescaling = 7 }, "unknown Rescaling"},
		{func(p *problem) { p.X = &dataset.Matrix{Cols: 3, Indptr: []int{0}}; p.Y = nil }, "no examples"},
		{func(p *problem) { p.Y = append(p.Y, 3) }, "block 2 belongs to example 2 of 2"},
		{func(p *problem) { p.Y[1] = 1 }, `row 1 has label "1", an inner node`},
		{func(p *problem) { p.Y[1] = 9 }, "row 1 has label 9"},
		{func(p *problem) { p.X.Values[2] = float32(math.NaN()) }, "row 1, feature 1: value NaN"},
		{func(p *problem) { p.X.Values[0] = float32(math.Inf(1)) }, "row 0, feature 0: value +Inf"},
		{func(p *problem) { p.X.Indices[1] = 3 }, "row 0 has feature 3"},
		{func(p *problem) { p.X.Indices[1] = 0 }, "row 0 has feature 0 after 0"},
		{func(p *problem) { p.X.Indices[0] = -1 }, "row 0 has feature -1"},
		{func(p *problem) { p.X.Values = p.X.Values[:2] }, "as many indices as values"},
		{func(p *problem) { p.X.Indptr[1] = 4 }, "row 1 of the matrix ends at 3"},
		{func(p *problem) { p.X.Indptr[2] = 2 }, "run from 0 to 2"},
		{func(p *problem) { p.Loss = costs(func(a, b int) float64 { return 1 }) }, "zero for the truth"},
		{func(p *problem) { p.Loss = costs(func(a, b int) float64 { return float64(a - b) }) }, "is -1"},
		{func(p *problem) { p.Loss = costs(func(a, b int) float64 { return math.NaN() }) }, "is NaN"},
	} {
		p := good()
		c.spoil(p)
		if _, err := compile(p); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one that says %q", err, c.says)
		}
	}
}

func TestScales(t *testing.T) {
	for _, c := range []float64{0.01, 1, 7} {
		if got := CFromLambda(LambdaFromC(c)); got != c {
			t.Errorf("C %v came back as %v", c, got)
		}
		if got, want := LambdaValue(10, c), 2*LambdaFromC(c)*10; math.Abs(got-want) > 1e-12*want {
			t.Errorf("value 10 at C %v becomes %v, want %v", c, got, want)
		}
	}
}

// TestSetIsInterrupted sets weights when the context has ended: they stay as they are.
func TestSetIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	gram := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	kernel, err := NewKernel(gram)
	if err != nil {
		t.Fatal(err)
	}
	linear, err := NewLinear(&dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	rows := &Rows{Border: []int{0, 1, 2}, Columns: []int32{0, 0}, Values: []float64{1, 1}}
	for name, in := range map[string]Inputs{"linear": linear, "kernel": kernel} {
		w := in.NewState([]int{0}, Single)
		if _, _, err := w.Set(ctx, rows, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		scores := make([]float64, w.Width())
		if w.Scores(0, scores); scores[0] != 0 {
			t.Errorf("%s: score %v", name, scores[0])
		}
	}
}
