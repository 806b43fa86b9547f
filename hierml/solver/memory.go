package solver

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/internal/memory"
	"github.com/hierml/notebook/hierml/structured"
)

// Fits returns an error where weights that take least bytes at least, of what the text names in the
// plural, cannot have room in the memory of the machine, and tells the watcher of ctx (package
// progress) of those that take about 2 GB or more. held is what there is already of the same
// training.
func (s *Settings) Fits(ctx context.Context, what string, least, about, held int64) error {
	advice := "choose features (features.ChiSquare, features.DocumentFrequency), or train part by part (svm.Recursive)"
	switch {
	case held > 0:
		advice = "take fewer instances or classes"
	case s.Wide():
		advice = fmt.Sprintf("take a Gap of %g or more, for which single precision does, or %s", wideGap, advice)
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

// memory returns how many bytes the vectors of tasks and their weights take at least, and when a
// training comes to its end, where the vectors of the best weights are others than the last.
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
