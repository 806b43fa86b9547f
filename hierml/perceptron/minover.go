package perceptron

import (
	"context"
	"math"
	"slices"
)

// minover updates the instance with the smallest margin, in case of a tie the first, until all
// margins are positive or the number of updates is epochs times instances [Cai08, Algorithm 7]. It
// stores the margins and updates them with the scores. An update changes only the scores of
// instances that share features with its own, and of the leaves that it distinguishes [Cai08,
// (5.17)].
func (t *training) minover(ctx context.Context) error {
	e := t.weights.(*examples)
	n := t.data.X.Rows
	pairs := make([]pair, n)
	for i := range pairs {
		t.judge(i, &pairs[i])
	}
	before := 0
	for t.steps < t.settings.Epochs*n {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		worst, below := 0, pairs[0].margin-t.tolerance
		for i := range pairs {
			if m := pairs[i].margin; m < below {
				worst, below = i, m-t.tolerance
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
			if k != 0 && t.affected(j, &pairs[j], e.changed) {
				t.judge(j, &pairs[j])
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

// judge writes the pair that determines the margin of an instance; without a pair the margin is
// infinite.
func (t *training) judge(i int, p *pair) {
	var ok bool
	if *p, ok = t.choose(t.labels[i], t.weights.(*examples).row(i)); !ok {
		p.margin = math.Inf(1)
	}
}

// affected reports whether the pair or the margin of an instance may change after the scores of the
// given leaves changed.
func (t *training) affected(i int, p *pair, changed []int32) bool {
	if math.IsInf(p.margin, 1) {
		return false
	}
	scores, labels := t.weights.(*examples).row(i), t.labels[i]
	low, high := scores[p.y]+t.tolerance, scores[p.z]-t.tolerance
	for _, k := range changed {
		if k == p.y || k == p.z {
			return true
		}
		if f := scores[k]; f >= high || f <= low {
			if _, label := slices.BinarySearch(labels, k); label && f <= low || !label && f >= high {
				return true
			}
		}
	}
	return false
}
