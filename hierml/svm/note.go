package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
)

// far is the multiple of the requested gap above which a gap is worth a note.
const far = 10

// note reports the certificate of a training that reached a bound far from the requested gap. If
// the training reached the gap, note reports weights that are hardly better than zero.
func note(ctx context.Context, m *classifier.Model, x *dataset.Matrix, gap float64) {
	r := m.Training.Certificate
	if r == nil {
		return
	}
	if r.Status == solver.Converged {
		if r.LearnedLittle() {
			constant := ""
			if isTableOfNumbers(x) && !hasConstant(x) {
				constant = ", or add a constant feature, which these data lack (Dataset.WithConstant)"
			}
			what := "zero weights are optimal, so nothing is learned"
			if r.Origin > r.Dual {
				what = fmt.Sprintf("zero weights are within %.2g of the optimum, and these weights provably gain only %.0f %% of that: they may have learned nothing", (r.Origin-r.Dual)/r.Origin, 100*r.Gained())
			}
			progress.Note(ctx, fmt.Sprintf("%s: %s. Try a larger C, a smaller Gap or another method%s.", m.Name, what, constant))
		}
		return
	}
	if r.Gap <= far*gap {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: %v at a gap of %.2g, not at the requested %g: the objective may be %.2g %% above the optimum. Allow more time or epochs, set a smaller C, or scale the features (features.Scaling).",
		m.Name, r.Status, r.Gap, gap, 100*r.Gap))
}

// isTableOfNumbers reports whether most values are not zero.
func isTableOfNumbers(x *dataset.Matrix) bool { return x.NonZeros() > x.Rows*(x.Cols/2) }

// withoutIntercept calls fit and adds a note to ctx if a one-vs-rest method learns a table of
// numbers without an intercept: its separating planes all contain the origin.
func withoutIntercept(ctx context.Context, d *dataset.Dataset, intercept float64, fit func() (*classifier.Model, error)) (*classifier.Model, error) {
	m, err := fit()
	if err == nil && intercept == 0 && isTableOfNumbers(d.X) && !hasConstant(d.X) {
		progress.Note(ctx, fmt.Sprintf("%s: there is no intercept, and the data are a table of numbers without a constant column. Set Intercept: 1, which often makes such models much better.", m.Name))
	}
	return m, err
}

// hasConstant reports whether a column has the same non-zero value in all rows.
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
