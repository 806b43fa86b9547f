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

// within reports whether a weight of a feature is right but for n roundings, of it or of steps, and
// those of growing units.
func (m *mixed) within(f int, got, want float64, n int) bool {
	return math.Abs(got-want) <= (float64(n)/2+2)*float64(m.units[f])
}

// Mixed weights are what other weights are, up to the rounding of each step, whatever part of them
// is not zero.
func TestMixedWeightsAreWeights(t *testing.T) {
	const features, columns = 60, 700
	for _, part := range []float64{0, 0.002, 0.05, 0.15, 0.6} {
		rng := rand.New(rand.NewPCG(uint64(1000*part), 2))
		nodes := make([]int, columns)
		w, plain := newMixedWeights(nodes, features), NewWeights(nodes, features)
		fill(rng, part, w, plain)
		steps := make(map[[2]int]int)
		for range 20 * features { // steps, as Add makes them
			f := rng.IntN(features)
			k := rng.IntN(1 + int(part*10))
			changed, u := make([]int32, k), make([]float64, k)
			for j, c := range rng.Perm(columns)[:k] {
				changed[j], u[j] = int32(c), rng.NormFloat64()
				steps[[2]int{f, c}]++
			}
			w.addRow(int32(f), 0.5, changed, u)
			plain.addRow(int32(f), 0.5, changed, u)
		}
		if rows, tables := rowsAndTables(w.mixed); part == 0.15 && (rows == 0 || tables == 0) {
			t.Errorf("part %v: %d rows and %d tables, want some of both", part, rows, tables)
		}
		var x []float64
		var at []int32
		for f := range features {
			at, x = w.Row(f, at[:0], x[:0])
			for c := range columns {
				got := w.At(f, c)
				if want := plain.At(f, c); !w.mixed.within(f, got, want, steps[[2]int{f, c}]) {
					t.Fatalf("part %v: weight %d of feature %d is %v, want %v within %v", part, c, f, got, want, w.mixed.units[f])
				}
				if k, ok := slices.BinarySearch(at, int32(c)); ok != (got != 0) || ok && x[k] != got {
					t.Fatalf("part %v: weight %d of feature %d is %v, and its row %v at %v", part, c, f, got, x, at)
				}
				plain.Set(f, c, got)
			}
			if u := float64(w.mixed.units[f]); u > 1e-2 {
				t.Errorf("part %v: the unit of feature %d is %v", part, f, u)
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
		wantExact, _, failed := plain.Set(context.Background(), &u, 1)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if math.Abs(exact-wantExact) > 1e-10*wantExact {
			t.Errorf("up to %d columns: squared norm %v, want %v", most, exact, wantExact)
		}
		var norm float64
		for f := range x.Cols {
			forms[[2]bool{before[f] != nil, state.mixed.rows[f] != nil}] = true
			var largest float64
			for c := range nodes {
				got, want := state.At(f, c), plain.At(f, c)
				if !(math.Abs(got-want) <= 0.501*float64(state.mixed.units[f])) {
					t.Fatalf("up to %d columns: weight %d of feature %d is %v, want %v", most, c, f, got, want)
				}
				largest, norm = max(largest, math.Abs(want)), norm+got*got
			}
			if u := float64(state.mixed.units[f]); u > largest/8000 {
				t.Errorf("up to %d columns: the unit of feature %d is %v, and its largest weight %v", most, f, u, largest)
			}
		}
		known := state.mixed.norm.get()
		state.mixed.norm.set(0)
		if got := state.mixed.longest(2); math.Abs(got-known) > 1e-8*known {
			t.Errorf("up to %d columns: the longest column has the norm %v, and %v when they are set", most, got, known)
		}
		if math.Abs(stored-norm) > 1e-10*norm {
			t.Errorf("up to %d columns: the squared norm of what is stored is %v, want %v", most, stored, norm)
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
	var rows []*int16
	for range 30 {
		row := make([]int16, columns)
		for c := range row {
			row[c] = int16(rng.Uint32())
		}
		rows = append(rows, &row[0])
		x, got := rng.NormFloat64(), make([]float64, columns)
		want := slices.Clone(got)
		axpyShort(got, x, row)
		axpyShortGo(want, x, row)
		if !slices.Equal(got, want) {
			t.Errorf("%v times a row: %v, want %v", x, got, want)
		}
	}
	for n := range len(rows) - rowsAhead {
		values := random(n)
		for offset := 0; offset < columns; offset += panelWidth {
			scores, got, want := random(panelWidth), random(panelWidth), random(panelWidth)
			factors := make([]uint32, n/2)
			for k := range factors {
				factors[k] = rng.Uint32()
			}
			scorePanel(got, scores, rows[:n/2*2], factors, 0.25, offset)
			scorePanelGo(want, scores, rows[:n/2*2], factors, 0.25, offset)
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

// Panels score within the bound of sums in float32, features that are frequent among the examples
// and others.
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
	for n, part := range [][2]int{{0, 1}, {1, 40}, {40, 300}, {7, 9}, {0, 1}, {1, 40}, {40, 300}, {7, 9}} {
		closely, share := n >= 4, 2e-3
		if closely {
			share = 1e-5
		}
		var examples []int
		for i := part[0]; i < part[1]; i++ {
			examples = append(examples, i)
		}
		p.load(examples, 1+part[0]%3, closely)
		if part[1] == 300 && (len(p.features) == 0 || len(p.rows) == 0) {
			t.Errorf("%d features that are not frequent and %d rows of others; want both", len(p.features), len(p.rows))
		}
		for k, i := range examples {
			bound := p.bound(k, math.Sqrt(inputs.SquaredNorm(i)), longest)
			if !(bound <= share*math.Sqrt(inputs.SquaredNorm(i))*longest) {
				t.Errorf("example %d: scores may be wrong by %v, where the longest column has the norm %v", i, bound, longest)
			}
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

// Values of an example are rounded within the error that is told of it, and sums of them have room.
func TestPanelsRoundWithinTheirError(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	row := make([]int16, 1)
	for n := range 200 {
		s := &panels{}
		for range n {
			unit := math.Ldexp(1, rng.IntN(20)-30)
			s.units, s.exact = append(s.units, unit), append(s.exact, rng.NormFloat64()*unit)
			s.rows = append(s.rows, &row[0])
		}
		exact, units := slices.Clone(s.exact), slices.Clone(s.units)
		s.round()
		s.starts = append(s.starts, len(s.rows))
		var square float64
		for g := range len(s.starts) - 1 {
			sum := 0
			for j := s.starts[g]; j < s.starts[g+1]; j++ {
				k := int(int16(s.factors[j/2] >> (j % 2 * 16)))
				sum += max(k, -k)
				if j < n {
					e := (exact[j] - float64(k)*float64(s.steps[0])) / units[j]
					square += e * e
				} else if k != 0 {
					t.Errorf("%d values: another of %d steps", n, k)
				}
			}
			if sum*full > math.MaxInt32 {
				t.Errorf("%d values: a group of %d steps has no room", n, sum)
			}
		}
		if got, want := s.left(), math.Sqrt(square); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%d values: an error of %v, want %v", n, got, want)
		}
	}
}

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

// A certificate under mixed weights, which are scored in float32, is that of sums in float64, and
// no more than a little above that of the weights before they were rounded.
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

// Weights that have no finite number of units give scores that are no finite numbers.
func TestMixedWeightsOverflow(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1e300} {
		w := newMixedWeights(make([]int, 100), 3)
		w.addRow(0, 1, []int32{4, 5}, []float64{1, 2})
		w.addRow(1, 1, []int32{4, 5}, []float64{1, v})
		w.addRow(0, 2, []int32{5, 7}, []float64{v, 1})
		scores := make([]float64, w.Stride)
		for _, f := range []int32{0, 1} {
			w.Scores([]int32{f}, []float32{1}, scores)
			if finite(scores) {
				t.Errorf("feature %d after a step by %v: weights %v", f, v, scores[:10])
			}
		}
	}
	w := newMixedWeights(make([]int, 100), 1)
	for _, v := range []float64{1e-300, 1e-38, -1e-30, 1, -1e10, 1e30} {
		w.addRow(0, 1, []int32{4}, []float64{v})
		if got := w.At(0, 4); math.Abs(got-v) > 1e-3*math.Abs(v)+1e-37 {
			t.Errorf("%v after a step by %v", got, v)
		}
	}
}
