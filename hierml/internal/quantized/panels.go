package quantized

import (
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/pages"
)

// Panels score many examples at a time under [Weights] that do not change meanwhile, in float32,
// with a bound of the error. They hold scratch space: one goroutine calls Load, and several may
// call Scores and Bound for different examples afterwards.
//
// The columns are scored panel by panel. A panel of the rows of frequent features stays in the
// cache, and those of an example are summed up in registers; a panel of the row of another feature
// is read once for all examples. Rows are summed up as whole numbers: an example's values for
// frequent features, times the units, are rounded to multiples of a step of its own, of which the
// largest is 4,095. Precise scores add what rounding leaves of the values, rounded likewise.
type Panels struct {
	weights  *Weights
	x        *dataset.Matrix
	examples []int       // those loaded
	scores   []float32   // examples x stride
	panel    [][]float32 // by worker, examples x panelWidth
	// values of an example, times the units, and what rounding leaves of them; units of the
	// features
	exact []float64
	units []float64

	count []int32 // by feature, examples that have it; less than 0 for the features below
	// The rows of frequent features, example by example, and what multiplies each two of them.
	// Example k has the groups border[k] to border[k+1]; group g has the rows starts[g] to
	// starts[g+1], and a step.
	border  []int
	starts  []int
	rows    []*int16
	factors []uint32
	steps   []float32
	errors  []float64 // by example, the norm of what rounding leaves of its values
	// by example, an upper bound of by how much the norms of its rounded values together exceed
	// that of the values
	sizes []float64
	terms []int // by example, sums of its groups and products that are added to them
	// The examples of the other features that have rows; those of features[k] begin at begin[k].
	features []int32
	begin    []int32
	holders  []int32
	values   []float32
}

const (
	// minFrequent is the number of the examples from which a feature is frequent. Of fewExamples or
	// fewer, all features are.
	minFrequent, fewExamples = 32, 64
	// maxSteps is the largest number of steps that a value has, and maxGroupSteps that of the
	// values of a group: the sum of their products with weights then fits into 32 bits.
	maxSteps, maxGroupSteps = 1<<12 - 1, math.MaxUint16
)

// NewPanels returns panels for rows of x, whose columns are the features of the weights.
func NewPanels(w *Weights, x *dataset.Matrix) *Panels {
	return &Panels{weights: w, x: x}
}

// Load scores examples, which are rows of the matrix, but for what tables add: [Panels.Scores] does
// that. The slice must not change until the last of them is scored. Precise scores have a far
// smaller error, and take longer. The scores do not depend on workers, 0 for one a processor.
func (p *Panels) Load(examples []int, workers int, precise bool) {
	stride := p.weights.stride
	p.examples = examples
	if need := len(examples) * stride; cap(p.scores) < need {
		p.scores = pages.Zeros[float32](need)
	}
	p.collect(precise)
	n := stride / panelWidth
	shares := min(guarded.Workers(workers), n)
	for len(p.panel) < shares {
		p.panel = append(p.panel, nil)
	}
	guarded.Each(shares, shares, func(share int) {
		if len(p.panel[share]) < len(examples)*panelWidth {
			p.panel[share] = make([]float32, len(examples)*panelWidth)
		}
		for k := share * n / shares; k < (share+1)*n/shares; k++ {
			p.score(k*panelWidth, p.panel[share])
		}
	})
}

// collect finds the rows of every example, or the examples of every row.
func (p *Panels) collect(precise bool) {
	w := p.weights
	few := len(p.examples) <= fewExamples
	p.features, p.begin = p.features[:0], append(p.begin[:0], 0)
	if !few {
		p.numberRare()
	}
	others := p.begin[len(p.features)]
	p.holders, p.values = slices.Grow(p.holders[:0], int(others))[:others], slices.Grow(p.values[:0], int(others))[:others]
	p.border, p.starts, p.rows, p.factors = append(p.border[:0], 0), p.starts[:0], p.rows[:0], p.factors[:0]
	p.steps, p.errors, p.sizes, p.terms = p.steps[:0], p.errors[:0], p.sizes[:0], p.terms[:0]
	for k, i := range p.examples {
		features, values := p.x.Row(i)
		p.exact, p.units = p.exact[:0], p.units[:0]
		for j, f := range features {
			row := w.rows[f]
			switch {
			case row == nil:
			case few || p.count[f] > 0:
				p.rows = append(p.rows, &row[0])
				p.exact, p.units = append(p.exact, float64(values[j])*float64(w.units[f])), append(p.units, float64(w.units[f]))
			default:
				at := &p.begin[-1-p.count[f]]
				p.holders[*at], p.values[*at] = int32(k), values[j]*w.units[f]
				*at++
			}
		}
		others, groups := len(features)-len(p.exact), len(p.starts)
		p.round()
		left := p.left()
		size := left
		if n := len(p.exact); precise && n > 0 {
			p.rows = append(p.rows, p.rows[len(p.rows)-n:]...)
			p.round()
			size = 2 * left
			left = p.left()
			size += left
		}
		p.border, p.errors, p.sizes = append(p.border, len(p.starts)), append(p.errors, left), append(p.sizes, size)
		p.terms = append(p.terms, others+len(p.starts)-groups)
	}
	copy(p.begin[1:], p.begin) // each is where the next begins now
	p.begin[0] = 0
	p.starts = append(p.starts, len(p.rows))
	if n := len(p.rows); n > 0 {
		for range rowsAhead {
			p.rows = append(p.rows, p.rows[n-1])
		}
	}
}

// numberRare numbers the features with rows that are not frequent.
func (p *Panels) numberRare() {
	if p.count == nil {
		p.count = make([]int32, len(p.weights.rows))
	}
	clear(p.count)
	for _, i := range p.examples {
		features, _ := p.x.Row(i)
		for _, f := range features {
			p.count[f]++
		}
	}
	var others int32
	for f, n := range p.count {
		if n == 0 || n >= minFrequent || p.weights.rows[f] == nil {
			continue
		}
		p.count[f] = -1 - int32(len(p.features))
		p.features = append(p.features, int32(f))
		others += n
		p.begin = append(p.begin, others)
	}
}

// round rounds the values of the rows of an example, which are the last, and makes groups of them.
// It leaves of the values what rounding changed them by.
func (p *Panels) round() {
	var largest float64
	for _, v := range p.exact {
		largest = max(largest, math.Abs(v)) // NaN if one is
	}
	step := float64(unitFor(largest * maxUnits / maxSteps))
	if len(p.exact)%2 == 1 {
		p.rows = append(p.rows, p.rows[len(p.rows)-1])
		p.exact, p.units = append(p.exact, 0), append(p.units, 0)
	}
	first := len(p.rows) - len(p.exact)
	sum := maxGroupSteps + 1
	for j := 0; j < len(p.exact); j += 2 {
		var pair [2]int
		for side := range pair {
			v := p.exact[j+side]
			p.exact[j+side] = 0
			if v == 0 || math.IsInf(step, 1) {
				continue
			}
			n := math.RoundToEven(v / step)
			p.exact[j+side] = v - n*step
			pair[side] = int(n)
		}
		n := max(pair[0], -pair[0]) + max(pair[1], -pair[1])
		if sum += n; sum > maxGroupSteps {
			p.starts, p.steps = append(p.starts, first+j), append(p.steps, float32(step))
			sum = n
		}
		p.factors = append(p.factors, uint32(uint16(int16(pair[0])))|uint32(uint16(int16(pair[1])))<<16)
	}
}

// left returns the norm of what rounding leaves of the values of an example, without the units.
func (p *Panels) left() float64 {
	var square float64
	for j, v := range p.exact {
		if v != 0 {
			square += v / p.units[j] * (v / p.units[j])
		}
	}
	return math.Sqrt(square)
}

// score scores a panel of the examples, from a column.
func (p *Panels) score(column int, panel []float32) {
	clear(panel[:len(p.examples)*panelWidth])
	for j, f := range p.features {
		lo, hi := p.begin[j], p.begin[j+1]
		next := p.features[min(j+rowsAhead, len(p.features)-1)]
		spreadPanel(panel, p.holders[lo:hi], p.values[lo:hi], &p.weights.rows[f][column], &p.weights.rows[next][column])
	}
	for k := range p.examples {
		sums, dst := panel[k*panelWidth:][:panelWidth], p.scores[k*p.weights.stride+column:][:panelWidth]
		last := p.border[k+1] - 1
		if last < p.border[k] {
			copy(dst, sums)
			continue
		}
		for g := p.border[k]; g <= last; g++ {
			to := sums
			if g == last {
				to = dst
			}
			lo, hi := p.starts[g], p.starts[g+1]
			scorePanel(to, sums, p.rows[lo:hi], p.factors[lo/2:hi/2], p.steps[g], column)
		}
	}
}

// Bound returns an upper bound of the error of the scores of the k-th example loaded, whose values
// have the given Euclidean norm, where maxColumnNorm is [Weights.MaxColumnNorm]: what rounding left
// of the values, by the Cauchy-Schwarz inequality, and the errors of the sums in float32. It does
// not hold for scores that are not finite.
func (p *Panels) Bound(k int, norm, maxColumnNorm float64) float64 {
	return p.errors[k]*maxColumnNorm + sumError(p.terms[k], (norm+p.sizes[k])*maxColumnNorm)
}

// sumError bounds the rounding error of a sum of n products in float32, each with a factor that is
// rounded itself, where the sum of their absolute values is at most size: n units of 2^-24 and two
// more, and what underflows.
func sumError(n int, size float64) float64 {
	const unit, underflow = 1.0 / (1 << 24), 1e-37
	k := float64(n+2) * unit
	return size*k/(1-k) + float64(n)*underflow
}

// Scores writes the scores of the k-th example loaded into dst, which has [Weights.Stride] entries.
// Call it once for each example of a Load.
func (p *Panels) Scores(k int, dst []float64) {
	w := p.weights
	scores := p.scores[k*w.stride : (k+1)*w.stride]
	features, values := p.x.Row(p.examples[k])
	for j, f := range features {
		addTable(w.tables[f], values[j]*w.units[f], scores)
	}
	for c, v := range scores {
		dst[c] = float64(v)
	}
}
