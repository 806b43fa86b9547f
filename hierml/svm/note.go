package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
)

// far is how many times the gap asked for a gap is that is worth a note.
const far = 10

// note says of a training that its bounds have ended far from the gap what the certificate is, and
// of one that has reached it if the weights are hardly better than zero.
func note(ctx context.Context, m *classifier.Model, x *dataset.Matrix, gap float64) {
	r := m.Training.Certificate
	if r == nil {
		return
	}
	if r.Status == solver.Converged {
		if r.LearnedLittle() {
			constant := ""
			if isTableOfNumbers(x) && !hasConstant(x) {
				constant = ", or a constant feature, which these data have not (Dataset.WithConstant)"
			}
			what := "zero weights are optimal, and nothing is learned"
			if r.Origin > r.Dual {
				what = fmt.Sprintf("zero weights are within %.2g of the optimum, and these weights are surely better by %.0f %% of that alone: they may have learned nothing", (r.Origin-r.Dual)/r.Origin, 100*r.Gained())
			}
			progress.Note(ctx, fmt.Sprintf("%s: %s. A larger C or a smaller Gap makes them learn, or another method%s.", m.Name, what, constant))
		}
		return
	}
	if r.Gap <= far*gap {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: %v at a gap of %.2g, where %g was asked for: the value of the objective may be that share above the optimum. More time or epochs, a smaller C, or features of one scale (features.Scaling) bring it nearer.",
		m.Name, r.Status, r.Gap, gap))
}

// isTableOfNumbers reports whether most values are not zero.
func isTableOfNumbers(x *dataset.Matrix) bool { return x.NonZeros() > x.Rows*(x.Cols/2) }

// withoutIntercept calls fit, and notes in ctx that a table of numbers is learned without an
// intercept by a method that tells one class from others: such a class can only be told by a plane
// through the origin.
func withoutIntercept(ctx context.Context, d *dataset.Dataset, intercept float64, fit func() (*classifier.Model, error)) (*classifier.Model, error) {
	m, err := fit()
	if err == nil && intercept == 0 && isTableOfNumbers(d.X) && !hasConstant(d.X) {
		progress.Note(ctx, fmt.Sprintf("%s: there is no intercept, and the data are a table of numbers without a constant column; Intercept: 1 often makes such models much better.", m.Name))
	}
	return m, err
}

// hasConstant reports whether a column has the same value in all rows, and not zero.
func hasConstant(x *dataset.Matrix) bool {
	if x.Rows == 0 {
		return false
	}
	columns, values := x.Row(0)
	constant := make(map[int32]float32, len(columns))
	for k, j := range columns {
		constant[j] = values[k]
	}
	for i := 1; i < x.Rows && len(constant) > 0; i++ {
		columns, values := x.Row(i)
		stays := make(map[int32]float32, len(constant))
		for k, j := range columns {
			if v, ok := constant[j]; ok && v == values[k] {
				stays[j] = v
			}
		}
		constant = stays
	}
	return len(constant) > 0
}
