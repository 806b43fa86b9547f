package solver

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/structured"
)

// Fits returns an error if weights of at least least bytes do not fit into the memory of the
// machine; the plural noun what describes their columns. For about 2 GB or more it adds a note to
// ctx (package progress). held is the memory that the same training already uses.
func (s *Settings) Fits(ctx context.Context, what string, least, about, held int64) error {
	advice := "choose features (features.ChiSquare, features.DocumentFrequency), or train part by part (svm.Recursive)"
	switch {
	case held > 0:
		advice = "use fewer instances or classes"
	case s.Wide():
		advice = fmt.Sprintf("set a Gap of %g or more, which needs only single precision, or %s", wideGap, advice)
	}
	if err := memory.Check(ctx, memory.Need{What: "the weights of " + what, Least: least, About: about, Held: held, Advice: advice}); err != nil {
		return fmt.Errorf("solver: %w", err)
	}
	return nil
}

// fits is Fits for the weights of a problem, of which there are up to a number of copies.
func (s *Settings) fits(ctx context.Context, o *structured.Oracle, p structured.Precision, copies int64) error {
	least, about := o.Memory(p)
	var held int64
	if k, ok := o.Inputs().(*structured.Kernel); ok {
		held = 8 * int64(k.Len()) * int64(k.Len())
	}
	return s.Fits(ctx, fmt.Sprintf("%d nodes", len(o.Columns())), least, copies*about, held)
}

// memory returns how many bytes the vectors of tasks and their weights take at least, and at the
// end of a training, when the vectors of the best weights are stored in addition to the last.
func (p *Tasks) memory(wide bool) (least, about int64) {
	columns := p.Attributes.Columns()
	users := make([]int, len(columns))
	for y := range p.Attributes.Candidates() {
		nodes, _ := p.Attributes.Leaf(y)
		for _, n := range nodes {
			users[p.Attributes.Column(n)]++
		}
	}
	vectors := int64(len(p.Attributes.Candidates()))
	for _, n := range users {
		if n > 1 {
			vectors++
		}
	}
	features, value := int64(p.Inputs.Matrix().Cols), int64(4)
	if wide {
		value = 8
	}
	weights := features * int64(len(columns)) * value
	return 8*features*vectors + weights, 2*8*features*vectors + weights
}
