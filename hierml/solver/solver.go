// Package solver solves the structured problems of package structured. Every
// solver works towards a point of the dual and returns the weights that belong
// to it with a certificate: the primal value those weights attain, a dual value
// no weights can undercut, and the relative gap between them, computed in a
// full pass over the examples and never estimated from a running one.
//
// [BCFW] is the default: it needs no step size and reaches small gaps. [Pegasos]
// is the stochastic subgradient method of the papers, for comparison.
package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/structured"
)

// Status says why a solver stopped.
type Status int

const (
	// Converged: the relative gap is at most the one asked for.
	Converged Status = iota + 1
	// MaxEpochs: the largest number of epochs was reached before.
	MaxEpochs
	// Cancelled: the context was cancelled.
	Cancelled
	// TimeLimit: the context's deadline passed.
	TimeLimit
	// Stopped: the progress function returned an error.
	Stopped
)

// String returns the name of the status.
func (s Status) String() string {
	switch s {
	case Converged:
		return "converged"
	case MaxEpochs:
		return "stopped at the largest number of epochs"
	case Cancelled:
		return "cancelled"
	case TimeLimit:
		return "time limit"
	case Stopped:
		return "stopped by the progress function"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// Progress is the state after one epoch.
type Progress struct {
	Epoch   int
	Primal  float64 // best value so far, attained by weights
	Dual    float64 // best value so far; no weights are below it
	Gap     float64 // (Primal-Dual)/Primal
	Seconds float64 // since the start
}

// String returns the state in one line.
func (p Progress) String() string {
	return fmt.Sprintf("epoch %d: primal %.6g, dual %.6g, gap %.2g, %.1f s", p.Epoch, p.Primal, p.Dual, p.Gap, p.Seconds)
}

// Result is the outcome of a solver. Primal and Dual are in the scale of
// 1/2 ||W||^2 + C sum_i xi_i, see package structured.
type Result struct {
	Weights *structured.Weights
	Primal  float64 // value of Weights
	Dual    float64 // lower bound of the optimum
	Gap     float64 // (Primal-Dual)/Primal
	Epochs  int     // passes over the examples that are in Weights or were tried after
	Seconds float64
	Status  Status
	History []Progress // one entry an epoch
}

// String returns the certificate in one line.
func (r *Result) String() string {
	return fmt.Sprintf("%v after %d epochs and %.2f s: primal %.6g, dual %.6g, relative gap %.2g",
		r.Status, r.Epochs, r.Seconds, r.Primal, r.Dual, r.Gap)
}

// settings are common to the solvers; the defaults have been filled in.
type settings struct {
	gap       float64
	maxEpochs int
	workers   int
	progress  func(Progress) error
}

func newSettings(gap float64, maxEpochs, workers int, progress func(Progress) error) (settings, error) {
	if math.IsNaN(gap) || gap < 0 {
		return settings{}, fmt.Errorf("solver: Gap is %v; it is a relative duality gap, 0 for the default of %v", gap, DefaultGap)
	}
	if maxEpochs < 0 {
		return settings{}, fmt.Errorf("solver: MaxEpochs is %d; it is not negative, 0 for the default of %d", maxEpochs, DefaultMaxEpochs)
	}
	if workers < 0 {
		return settings{}, fmt.Errorf("solver: Workers is %d; it is not negative, 0 for one a processor", workers)
	}
	if gap == 0 {
		gap = DefaultGap
	}
	if maxEpochs == 0 {
		maxEpochs = DefaultMaxEpochs
	}
	return settings{gap: gap, maxEpochs: maxEpochs, workers: workers, progress: progress}, nil
}

// Defaults of the solvers' settings.
const (
	DefaultGap       = 1e-3
	DefaultMaxEpochs = 1000
)

// method is what differs between solvers.
type method interface {
	// epoch works through the examples once. It returns ctx's error if it is
	// cancelled.
	epoch(ctx context.Context) error
	// point is the dual point reached at the end of an epoch; the solver may
	// change it in the next epoch.
	point() *structured.Dual
}

// state is what a method shares with the loop around it.
type state struct {
	oracle      *structured.Oracle
	weights     *structured.Weights    // W(point) at the start of an epoch
	certificate structured.Certificate // of that point
	gaps        []float64              // of every example at that point
}

func newState(o *structured.Oracle) *state {
	s := &state{oracle: o, weights: o.NewWeights(), certificate: o.Origin(), gaps: make([]float64, o.Len())}
	for i := range s.gaps {
		s.gaps[i] = math.Inf(1)
	}
	return s
}

// run repeats epochs and certificates until one of the reasons to stop, and
// returns the best point certified. The result is never nil.
func run(ctx context.Context, set settings, s *state, m method) (*Result, error) {
	start := time.Now()
	best := s.oracle.NewDual()
	primal, dual := s.certificate.Primal, s.certificate.Dual
	atBest := true // s.weights belong to best
	result := &Result{Weights: s.weights}
	var err error
	for {
		gap := structured.Certificate{Primal: primal, Dual: dual}.Gap()
		result.Primal, result.Dual, result.Gap = primal, dual, gap
		if result.Epochs > 0 {
			p := Progress{Epoch: result.Epochs, Primal: primal, Dual: dual, Gap: gap, Seconds: time.Since(start).Seconds()}
			result.History = append(result.History, p)
			if set.progress != nil {
				if err = set.progress(p); err != nil {
					result.Status, err = Stopped, fmt.Errorf("solver: stopped after %d epochs: %w", p.Epoch, err)
					break
				}
			}
		}
		if gap <= set.gap {
			result.Status = Converged
			break
		}
		if result.Epochs == set.maxEpochs {
			result.Status = MaxEpochs
			break
		}
		var c structured.Certificate
		if err = m.epoch(ctx); err == nil {
			c, err = s.oracle.Certify(ctx, m.point(), s.weights, s.gaps, set.workers)
		}
		if err != nil {
			atBest = false
			result.Status = Cancelled
			if errors.Is(err, context.DeadlineExceeded) {
				result.Status = TimeLimit
			}
			err = fmt.Errorf("solver: stopped in epoch %d: %w", result.Epochs+1, err)
			break
		}
		s.certificate = c
		result.Epochs++
		dual = max(dual, c.Dual)
		if atBest = c.Primal <= primal; atBest {
			primal = c.Primal
			best.CopyFrom(m.point())
		}
	}
	if !atBest {
		s.oracle.Build(best, s.weights, set.workers)
	}
	result.Seconds = time.Since(start).Seconds()
	return result, err
}
