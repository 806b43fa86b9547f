package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
)

// fill sets part of the weights of w at random, of some features more and of others fewer.
func fill(rng *rand.Rand, part float64, weights ...*Weights) {
	w := weights[0]
	for f := range w.Features {
		density := 2 * part * rng.Float64()
		for _, c := range rng.Perm(len(w.Columns)) {
			if rng.Float64() < density {
				v := rng.NormFloat64()
				for _, w := range weights {
					w.Set(f, c, v)
				}
			}
		}
	}
}

// rowsAndTables counts the features of each form.
func rowsAndTables(m *mixed) (rows, tables int) {
	for f := range m.rows {
		switch {
		case m.rows[f] != nil:
			rows++
		case m.tables[f] != nil:
			tables++
		}
	}
	return rows, tables
}

// Mixed weights are what other weights are, whatever part of them is not zero.
func TestMixedWeightsAreWeights(t *testing.T) {
	const features, columns = 60, 700
	for _, part := range []float64{0, 0.002, 0.05, 0.15, 0.6} {
		rng := rand.New(rand.NewPCG(uint64(1000*part), 2))
		nodes := make([]int, columns)
		w, plain := newMixedWeights(nodes, features), NewWeights(nodes, features)
		fill(rng, part, w, plain)
		for range 20 * features { // steps, as Add makes them
			f := rng.IntN(features)
			k := rng.IntN(1 + int(part*10))
			changed, u := make([]int32, k), make([]float64, k)
			for j, c := range rng.Perm(columns)[:k] {
				changed[j], u[j] = int32(c), rng.NormFloat64()
			}
			w.addRow(int32(f), 0.5, changed, u)
			plain.addRow(int32(f), 0.5, changed, u)
		}
		if rows, tables := rowsAndTables(w.mixed); part == 0.15 && (rows == 0 || tables == 0) {
			t.Errorf("part %v: %d rows and %d tables, want some of both", part, rows, tables)
		}
		var x, values []float64
		var at, own []int32
		for f := range features {
			for c := range columns {
				if got, want := w.At(f, c), plain.At(f, c); got != want {
					t.Fatalf("part %v: weight %d of feature %d is %v, want %v", part, c, f, got, want)
				}
			}
			at, x = w.Row(f, at[:0], x[:0])
			own, values = plain.Row(f, own[:0], values[:0])
			if !slices.Equal(at, own) || !slices.Equal(x, values) {
				t.Fatalf("part %v: weights of feature %d are %v at %v, want %v at %v", part, f, x, at, values, own)
			}
		}
		got, want := make([]float64, w.Stride), make([]float64, plain.Stride)
		indices, row := []int32{0, 3, 4, 5, 17, 30, 31, 59, 2000}, []float32{1, -2, 3, 0.5, 7, 1, 1, -1, 9}
		w.Scores(indices, row, got)
		plain.Scores(indices, row, want)
		for c := range columns {
			if math.Abs(got[c]-want[c]) > 1e-12 {
				t.Errorf("part %v: score of column %d is %v, want %v", part, c, got[c], want[c])
			}
		}
		for c := columns; c < w.Stride; c++ {
			if got[c] != 0 {
				t.Errorf("part %v: score of column %d, which is none, is %v", part, c, got[c])
			}
		}
	}
}

// Set makes the weights those of the vectors given, whichever form features have before.
func TestMixedWeightsAreSetAnew(t *testing.T) {
	x := example.Texts(example.Tree(3, 4), 400, 200, 25, 1).X
	inputs, err := NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]int, 1500)
	state := &linearState{Weights: newMixedWeights(nodes, x.Cols), linear: inputs}
	plain := &linearState{Weights: NewWeights(nodes, x.Cols), linear: inputs}
	rng := rand.New(rand.NewPCG(5, 6))
	forms := make(map[[2]bool]bool) // before and after
	for _, most := range []int{2, 40, 3, 0, 200, 1} {
		var u Rows
		u.Border = append(u.Border, 0)
		for range x.Rows {
			for _, c := range rng.Perm(len(nodes))[:rng.IntN(most+1)] {
				u.Columns, u.Values = append(u.Columns, int32(c)), append(u.Values, rng.NormFloat64())
			}
			u.Border = append(u.Border, len(u.Columns))
		}
		before := slices.Clone(state.mixed.rows)
		exact, stored, err := state.Set(context.Background(), &u, 1+most%3)
		wantExact, wantStored, failed := plain.Set(context.Background(), &u, 1)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if math.Abs(exact-wantExact) > 1e-10*wantExact || math.Abs(stored-wantStored) > 1e-10*wantStored {
			t.Errorf("up to %d columns: squared norms %v and %v, want %v and %v", most, exact, stored, wantExact, wantStored)
		}
		for f := range x.Cols {
			forms[[2]bool{before[f] != nil, state.mixed.rows[f] != nil}] = true
			for c := range nodes {
				if got, want := state.At(f, c), plain.At(f, c); got != want {
					t.Fatalf("up to %d columns: weight %d of feature %d is %v, want %v", most, c, f, got, want)
				}
			}
		}
	}
	if len(forms) != 4 {
		t.Errorf("features changed their form as in %v; want all of before and after", forms)
	}
}

func TestPanelWaysAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for k := range v {
			v[k] = float32(rng.NormFloat64())
		}
		return v
	}
	const columns = 3 * panelWidth
	var rows []*float32
	for range 20 {
		rows = append(rows, &random(columns)[0])
	}
	for n := range len(rows) - rowsAhead {
		values := random(n)
		for offset := 0; offset < columns; offset += panelWidth {
			got, want := random(panelWidth), random(panelWidth)
			scorePanel(got, rows[:n], values, offset)
			scorePanelGo(want, rows[:n], values, offset)
			if !slices.Equal(got, want) {
				t.Errorf("%d rows, column %d: %v, want %v", n, offset, got, want)
			}
			got = random(10 * panelWidth)
			want = slices.Clone(got)
			var slots []int32
			for range n {
				slots = append(slots, int32(rng.IntN(10)))
			}
			spreadPanel(got, slots, values, rows[n], rows[n+1])
			spreadPanelGo(want, slots, values, rows[n])
			if !slices.Equal(got, want) {
				t.Errorf("%d examples: %v, want %v", n, got, want)
			}
		}
	}
}

// Panels score within the bound of sums in float32, features that are frequent among the examples and
// others.
func TestPanelsScoreLikeExamples(t *testing.T) {
	x := example.Texts(example.Tree(3, 4), 300, 500, 25, 1).X
	inputs, err := NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	state := &linearState{Weights: newMixedWeights(make([]int, 1100), x.Cols), linear: inputs}
	fill(rand.New(rand.NewPCG(9, 1)), 0.15, state.Weights)
	longest := state.mixed.longest(2)
	p := state.panelsOf()
	got, want := make([]float64, state.Width()), make([]float64, state.Width())
	for _, part := range [][2]int{{0, 1}, {1, 40}, {40, 300}, {7, 9}} {
		var examples []int
		for i := part[0]; i < part[1]; i++ {
			examples = append(examples, i)
		}
		p.load(examples, 1+part[0]%3)
		if part[1] == 300 && (len(p.features) == 0 || len(p.rows) == 0) {
			t.Errorf("%d features that are not frequent and %d rows of others; want both", len(p.features), len(p.rows))
		}
		for k, i := range examples {
			features, _ := x.Row(i)
			bound := sumError(len(features), math.Sqrt(inputs.SquaredNorm(i))*longest)
			state.Scores(i, want)
			p.of(k, i, got)
			for c, v := range got {
				if !(math.Abs(v-want[c]) <= bound) {
					t.Fatalf("example %d, column %d: %v, want %v within %v", i, c, v, want[c], bound)
				}
			}
		}
	}
}

// A certificate under mixed weights, which are scored in float32, is that of sums in float64.
func TestCertifyOfMixedWeightsIsExact(t *testing.T) {
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
			state := &linearState{Weights: newMixedWeights(o.Columns(), d.X.Cols), linear: inputs}
			got, err := o.Certify(context.Background(), dual, state, make([]float64, o.Blocks()), 2)
			if err != nil {
				t.Fatal(err)
			}
			plain := &linearState{Weights: NewWeights(o.Columns(), d.X.Cols), linear: inputs}
			want, err := o.Certify(context.Background(), dual, plain, make([]float64, o.Blocks()), 1)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Primal-want.Primal) > 1e-12*want.Primal || math.Abs(got.Dual-want.Dual) > 1e-10*want.Primal {
				t.Errorf("%s with %d coefficients each: %+v, want %+v", name, support, got, want)
			}
		}
	}
}
