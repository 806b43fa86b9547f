package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/structured"
)

// A Group solves problems of [Binary] with the hinge or the squared hinge side by side. They use
// all examples and differ only in the class. It works in rounds: each class is solved on examples
// that may have a coefficient, and then all examples are scored for all classes at once. This takes
// a fraction of the time of one class after the other. It certifies the weights and finds the
// examples whose margin is too small, for the next round. The result of a class does not depend on
// the others in the group. A Group is not safe for concurrent use.
type Group struct {
	inputs   *structured.Linear
	state    structured.Columned // the weights of all, as stored
	binaries []*Binary
	sides    []*side
	of       []uint16 // by example, one bit for each of its classes
	scores   []float64
}

// A side is one problem of a group.
type side struct {
	*ascentOfOne
	result  *BinaryResult
	working []int32 // examples of the next round
	square  float64 // squared norm of the stored weights
	terms   float64 // contribution of the coefficients to the dual
	paid    float64 // the losses at the stored weights
	ended   bool
}

// GroupSize is the maximum number of problems of a group: each has a bit.
const GroupSize = 16

// Bounds of a group: the bytes of weights and coefficients of all its classes; rounds, and epochs
// per round; and the share of the examples of other classes in the first round.
const (
	groupMemory  = 256 << 20
	groupRounds  = 30
	roundEpochs  = 10
	firstNegated = 1.0 / 16
)

// Grouped reports whether groups support a loss and settings: weights must be in float32, and
// examples without a loss must have no coefficient.
func Grouped(loss MarginLoss, settings Settings) bool {
	return (loss == Hinge || loss == SquaredHinge) && !settings.Wide()
}

// NewGroup returns a group for a maximum number of classes, or nil if there is no room for
// GroupSize.
func NewGroup(inputs *structured.Linear, size int) *Group {
	n, features := inputs.Len(), inputs.Matrix().Cols
	if GroupSize*(8*(4*n+3*features)+4*features) > groupMemory {
		return nil
	}
	size = min(size, GroupSize)
	g := &Group{inputs: inputs, binaries: make([]*Binary, size), sides: make([]*side, size), of: make([]uint16, n)}
	g.state = inputs.NewState(make([]int, size), structured.Single).(structured.Columned)
	g.scores = make([]float64, g.state.Width())
	return g
}

// Size is the number of problems that it can solve at once.
func (g *Group) Size() int { return len(g.binaries) }

// Solve solves up to Size problems, each with its settings, and calls end with the result and the
// coefficients of each. A problem that neither converged nor reached Settings.MaxEpochs, for
// example because Settings.Time was up, has no weights; continue from its coefficients with
// Binary.Solve. If ctx is cancelled, Solve returns its error, and the problem has weights as in
// Binary.Solve. Progress is called after each round with the value of zero weights, a bound, and an
// estimate.
func (g *Group) Solve(ctx context.Context, problems []BinaryProblem, settings []Settings, end func(k int, r *BinaryResult, c *Coefficients)) error {
	if len(problems) > g.Size() || len(settings) != len(problems) {
		return fmt.Errorf("solver: %d problems and %d settings for a group of %d", len(problems), len(settings), g.Size())
	}
	clear(g.of)
	sides := g.sides[:len(problems)]
	for k, problem := range problems {
		if problem.Examples != nil || problem.Offset != nil || problem.Scale != 0 {
			return fmt.Errorf("solver: problem %d of a group has its own Examples, Scale or Offset; leave them empty", k)
		}
		if g.binaries[k] == nil {
			g.binaries[k], sides[k] = NewBinary(g.inputs), &side{}
		}
		a, err := g.binaries[k].begin(problem, settings[k])
		if err != nil {
			return err
		}
		*sides[k] = side{ascentOfOne: a, result: &BinaryResult{Primal: math.Inf(1), Status: MaxEpochs}, working: sides[k].working[:0]}
		for _, i := range problem.Positive {
			g.of[i] |= 1 << k
		}
		sides[k].begin(problem.Positive)
	}
	err := g.rounds(ctx, sides, end)
	for k, s := range sides {
		if s.ended {
			continue
		}
		if ctx.Err() != nil {
			s.order = s.order[:0]
			for i := range g.inputs.Len() {
				if g.inputs.SquaredNorm(i) > 0 {
					s.order = append(s.order, int32(i))
				}
			}
			s.result.Primal, s.result.Status = math.Inf(1), Cancelled
			_ = s.certifyMultiple(s.result) // the error of ctx is returned
			s.result.Weights = s.best
		}
		s.endBy(k, end)
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// rounds works until all have converged or had enough rounds, or until the time is up.
func (g *Group) rounds(ctx context.Context, sides []*side, end func(k int, r *BinaryResult, c *Coefficients)) error {
	for range groupRounds {
		left := false
		for k, s := range sides {
			if s.ended {
				continue
			}
			left = true
			if err := s.round(ctx); err != nil {
				return err
			}
			s.keep(k, g.state)
		}
		if !left {
			break
		}
		if err := g.scan(ctx, sides); err != nil {
			return err
		}
		for k, s := range sides {
			if s.ended {
				continue
			}
			if err := s.certifyScanned(); err != nil {
				return err
			}
			if s.result.Weights != nil || s.loss != Hinge && s.result.Epochs > patienceWith[s.loss] { // Newton's method is faster
				s.endBy(k, end)
			}
		}
	}
	return nil
}

// endBy reports how a class ended.
func (s *side) endBy(k int, end func(k int, r *BinaryResult, c *Coefficients)) {
	s.ended = true
	if s.result.Weights == nil {
		s.result.Primal = s.origin
	}
	c := s.Coefficients(s.c)
	if s.loss != Hinge {
		c.epochs = s.result.Epochs
	}
	end(k, s.result, c)
}

// begin chooses the examples of the first round: those with a coefficient, those of the class, and
// some of the others.
func (s *side) begin(positive []int32) {
	for i, alpha := range s.alpha {
		if alpha > 0 {
			s.working = append(s.working, int32(i))
		}
	}
	others := max(len(positive), int(firstNegated*float64(len(s.order))))
	for _, i := range positive {
		if s.inputs.SquaredNorm(int(i)) > 0 {
			s.working = append(s.working, i)
		}
	}
	for range min(others, len(s.order)) {
		s.working = append(s.working, s.order[s.rng.IntN(len(s.order))])
	}
	slices.Sort(s.working)
	s.working = slices.Compact(s.working)
}

// round solves the class on its working examples, to a tenth of its gap, or as far as the requested
// gap needs.
func (s *side) round(ctx context.Context) error {
	goal := 0.1
	if s.result.Dual > 0 {
		goal = max(goal*s.result.gap(), s.settings.Gap/2)
	}
	s.order = append(s.order[:0], s.working...)
	s.restore()
	for k := 0; k < roundEpochs && s.result.Epochs < s.settings.MaxEpochs; k++ {
		s.result.Epochs++
		if err := s.epoch(ctx); err != nil {
			return err
		}
		if s.result.Epochs > patience && s.loss == Hinge {
			s.moveFree()
		}
		if s.settled(goal) {
			break
		}
	}
	return nil
}

// keep stores the weights of column k, computed from the coefficients.
func (s *side) keep(k int, state structured.Columned) {
	s.terms = s.constant
	for _, i := range s.order {
		if alpha := s.alpha[i]; alpha > 0 {
			s.terms += s.loss.term(alpha, s.cost(i))
		}
	}
	s.norm = floats.Dot(s.weights, s.weights)
	s.square = state.SetColumn(k, s.weights)
}

// scan scores all examples for the classes that have not ended.
func (g *Group) scan(ctx context.Context, sides []*side) error {
	var open []int
	for k, s := range sides {
		if !s.ended {
			s.paid, s.working = 0, s.working[:0]
			open = append(open, k)
		}
	}
	for i := range g.inputs.Len() {
		if i%visits == 0 {
			for _, k := range open {
				if err := sides[k].over(ctx); err != nil {
					return err
				}
			}
		}
		if g.inputs.SquaredNorm(i) == 0 {
			continue
		}
		g.state.Scores(i, g.scores)
		of := g.of[i]
		for _, k := range open {
			m := -g.scores[k]
			if of>>k&1 == 1 {
				m = -m
			}
			s := sides[k]
			switch {
			case m < 1:
				s.paid += s.cost(int32(i)) * s.loss.Value(m)
				s.working = append(s.working, int32(i))
			case math.IsNaN(m):
				s.paid = m
			case s.alpha[i] > 0:
				s.working = append(s.working, int32(i))
			}
		}
	}
	return nil
}

// certifyScanned uses the result of the scan. It takes the weights if they have the requested gap,
// or if there are no more epochs.
func (s *side) certifyScanned() error {
	primal, dual := s.square/2+s.constant+s.paid, s.terms-s.norm/2
	r := s.result
	last := r.Epochs >= s.settings.MaxEpochs
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) { // overflow
		if last {
			r.Primal, r.Weights = s.origin, s.best // zeros
		}
		return nil
	}
	if s.gap > 0 {
		s.trust = min(max((primal-dual)/s.gap, 0.01), 1)
	}
	r.Primal, r.Dual = primal, max(r.Dual, dual)
	p := Progress{Epoch: r.Epochs, Primal: s.origin, Dual: r.Dual, Estimate: (primal - r.Dual) / s.origin, Seconds: time.Since(s.settings.began).Seconds()}
	if s.reached(r) {
		r.Status = Converged
	}
	if last || r.Status == Converged {
		r.Weights = s.best
		if primal < s.origin {
			for f, w := range s.weights {
				s.best[f] = float64(float32(w))
			}
		}
		r.Primal = min(primal, s.origin)
		p.Primal, p.Estimate = r.Primal, 0
	}
	p.Gap = structured.Certificate{Primal: p.Primal, Dual: p.Dual}.Gap()
	if s.settings.Progress == nil {
		return nil
	}
	return s.settings.Progress(p)
}
