package perceptron

import (
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// Numbers of weights (features times columns): up to wideWeights they are stored in float64; above
// denseWeights only non-zero weights are stored.
const (
	wideWeights  = 1 << 21
	denseWeights = 1 << 27
)

// primal are explicit weights: linear or sparse.
type primal interface {
	weights
	// model returns the model of w, or of its mean over the steps, for a result without weights.
	// Nothing can be added afterwards, unless w is kept.
	model(t classifier.Training, d *dataset.Dataset, averaged bool, steps int, keep bool) *classifier.Model
}

// newPrimal returns zero weights.
func newPrimal(a *structured.Attributes, features int, averaged bool) primal {
	columns := max(1, len(a.Columns()))
	if features > denseWeights/columns {
		return newSparse(a, features, averaged)
	}
	return newLinear(a, features, features <= wideWeights/columns, averaged)
}

// linear stores w explicitly, by feature, with the data for its mean.
type linear struct {
	attributes *structured.Attributes
	w          *structured.Weights
	// delay is the sum over the updates of step-1 times the update, so the mean of w after the
	// steps 1 to L is w - delay/L, and steps without an update take no work. It is nil if no mean
	// is wanted.
	delay *structured.Weights

	columns, sums, candidates []float64
}

func newLinear(a *structured.Attributes, features int, wide, averaged bool) *linear {
	zeros := structured.NewWeights
	if wide {
		zeros = structured.NewWideWeights
	}
	l := &linear{attributes: a, w: zeros(a.Columns(), features), sums: make([]float64, len(a.Columns())+1), candidates: make([]float64, len(a.Candidates()))}
	l.columns = make([]float64, l.w.Stride)
	if averaged {
		l.delay = zeros(a.Columns(), features)
	}
	return l
}

func (l *linear) scores(x *instance) ([]float64, error) {
	l.w.Scores(x.Indices, x.Values, l.columns)
	l.attributes.Scores(l.columns, l.sums, l.candidates)
	return l.candidates, nil
}

func (l *linear) square(x *instance) float64 { return x.Dot(x.Vector) }

func (l *linear) add(x *instance, c change, columns []int32, u []float64) error {
	addOuter(l.w, x, 1, columns, u)
	if l.delay != nil && c.step > 1 {
		addOuter(l.delay, x, float64(c.step-1), columns, u)
	}
	return nil
}

// addOuter adds factor times u (x) x.
func addOuter(w *structured.Weights, x *instance, factor float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	for k, f := range x.Indices {
		v, at := factor*float64(x.Values[k]), int(f)*w.Stride
		if w.Wide != nil {
			row := w.Wide[at : at+w.Stride]
			for j, c := range columns {
				row[c] += v * u[j]
			}
			continue
		}
		row := w.Data[at : at+w.Stride]
		for j, c := range columns {
			row[c] = float32(float64(row[c]) + v*u[j])
		}
	}
}

func (l *linear) model(t classifier.Training, d *dataset.Dataset, averaged bool, steps int, keep bool) *classifier.Model {
	w := l.w
	if keep {
		w = l.w.Like(l.w.Columns)
	}
	l.write(w, averaged, steps)
	return classifier.New(l.attributes, w, t, d)
}

// write writes w, or its mean over the steps.
func (l *linear) write(dst *structured.Weights, averaged bool, steps int) {
	averaged = averaged && steps > 0
	for i, v := range l.w.Wide {
		if averaged {
			v -= l.delay.Wide[i] / float64(steps)
		}
		dst.Wide[i] = v
	}
	for i, v := range l.w.Data {
		sum := float64(v)
		if averaged {
			sum -= float64(l.delay.Data[i]) / float64(steps)
		}
		dst.Data[i] = float32(sum)
	}
}
