package perceptron

import (
	"context"
	"math"
)

// minover updates the instance of the lowest margin, the first if several are, until all margins are positive or there have been
// as many updates as epochs times instances (thesis, Algorithm 7). Margins are kept and follow the scores, which an update changes
// for the instances alone that have something in common with its own (equation 5.17).
func (t *training) minover(ctx context.Context) error {
	e := t.weights.(*examples)
	n := t.data.X.Rows
	pairs := make([]pair, n)
	judge := func(i int) {
		p, ok := t.choose(t.labels[i], e.row(i))
		if !ok {
			p.margin = math.Inf(1)
		}
		pairs[i] = p
	}
	for i := range n {
		judge(i)
	}
	before := 0
	for t.steps < t.settings.Epochs*n {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		worst := 0
		for i := range pairs {
			if pairs[i].margin < pairs[worst].margin-t.tolerance {
				worst = i
			}
		}
		if !t.wrong(pairs[worst]) {
			t.done = true
			break
		}
		t.steps++
		if err := t.update(t.row(worst), pairs[worst]); err != nil {
			return err
		}
		for j, k := range e.products {
			if k != 0 {
				judge(j)
			}
		}
		if t.steps%n == 0 {
			if err := t.end(t.updates - before); err != nil {
				return err
			}
			before = t.updates
		}
	}
	if t.done {
		return t.end(t.updates - before)
	}
	return nil
}
