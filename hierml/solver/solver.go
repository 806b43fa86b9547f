// Package solver solves the structured problems of package structured. Every method works towards a
// point of the dual; [Solve] returns the weights that belong to it with a certificate: the primal
// value those weights attain, a dual value no weights can undercut, and the relative gap between
// them, computed in a full pass over the examples and never estimated from a running one.
//
// [BCFW] is the default method: it needs no step size and reaches small gaps on every problem.
// [DualAscent] is the way of LIBLINEAR [FCHWL08] for problems with one block an example. It is the
// default of flat SVMs where most entries of the examples are other than zero, or where there are
// thousands of classes. [Binary] tells classes from the rest, one by one. [Pegasos] and [RDA] are
// the subgradient methods of the papers, for comparison, and [VariableSelection] is that of [Cai08]
// for small problems, with kernels or without. [SolveOrthogonal] solves orthogonal transfer, which
// is a ridge problem only for fixed signs.
//
// Settings.Checkpoint keeps what a training has come to in a file; [TrainingGroup] does so for
// several trainings. Settings.Farm has other machines solve trainings of many problems.
package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/farm"
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
	// TimeLimit: the time given, or the context's deadline, passed.
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

// Settings are common to all methods. The zero value is ready to use.
type Settings struct {
	// Gap is the relative duality gap at which to stop. The default value is 1e-3. Weights are kept
	// in float32, and for a gap below 1e-5 in float64.
	//
	// Where the optimum is not much below the value of zero weights, as with many labels that few
	// examples have, weights that have learned nothing are within a gap, too. So the difference to
	// the dual is meant against what zero weights lose as well: where it is more than a tenth of
	// that (Result.Gained is below 0.9), the training goes on, to a tenth of Gap, but not for more
	// than ten times the epochs that Gap has taken, and not where a tenth of Gap would take weights
	// in float64 and Gap does not.
	Gap float64
	// MaxEpochs bounds the passes over the examples. The default value is 1000.
	MaxEpochs int
	// Time bounds the wall time of a training, with preparations and the certificate of the result.
	// The default, 0, is no bound. If the gap is not reached before:
	//
	//   - The primal value is not above that of zero weights. Weights that were cut off have the best
	//     scale; if there is no time to certify any, they are zero. For several labels an instance,
	//     that value may be unknown then (Origin is 0).
	//   - Problems that are solved apart, such as the leaves of svm.OneVsRest, have a share each.
	//     Those that are cut off go on, in rounds, until the time is over.
	//   - As a rule at least nine tenths of the time are used, and it is overrun by a tenth at most,
	//     if it is that of several passes over the data for each class: an aim, not a guarantee.
	//     Preparations are not cut off: they take a few passes, milliseconds to tenths of a second,
	//     or seconds for HM3 and for graphs of hundreds of leaves. A shorter bound is overrun by
	//     them. More processes than processors make both shares worse.
	//
	// It is an error if Time is over before there is the kernel of every two instances, or a factor
	// of the graph: there is nothing to predict with.
	Time time.Duration
	// Seed determines the order of the examples; equal seeds give equal results.
	Seed uint64
	// Workers is the number of goroutines; the result does not depend on it. The default value is
	// the number of processors.
	Workers int
	// Progress, if not nil, is called after every epoch. An error stops the solver.
	Progress func(Progress) error
	// Start, if not nil, is the result of a problem that differs in C or in costs alone, from whose
	// dual point to start.
	Start *Result
	// Checkpoint, if not empty, is the path of a file that keeps what the training has come to: it
	// is written every minute, or less often where that takes more than a second, and at the end,
	// and a training with the same instances, labels, loss and C goes on from it, in this process
	// or another, and ignores Start. It is an error if the file is of another training, or the
	// problem is not one of label comparisons over all leaves, as those of svm.Flat, Hierarchical
	// and Normalized are, or the method Pegasos or RDA. MaxEpochs and Time count anew.
	//
	// Where several trainings have the same settings, as where C is chosen, in folds and in a cell
	// of a study (svm.Search, NodeSets and Calibration, package experiment), each keeps a file of
	// its own beside the others, whose name begins with Checkpoint; see [TrainingGroup]. They are
	// removed when all have ended. So those that had ended are not done again, and the one that was
	// interrupted goes on, when the same is called again after hours.
	Checkpoint string

	// Farm, if not nil, has other machines solve trainings of many problems that do not depend on
	// each other (svm.OneVsRest, Recursive, PLT, HierarchicalSoftmax; see there), by what is in
	// Directory, which all of them see. The weights and the certificate are those of a training
	// here, but that the result is none to Start from. Where ctx ends the training ends waiting,
	// and not its parts: the same training again waits for them, and experiment.Stop ends them.
	// Time must be 0: the farm bounds how long a part may take.
	Farm farm.Farm
	// Directory keeps what a Farm is to solve and has solved, for one training. A training that is
	// there is not done again.
	Directory string

	watched *watched // nil where nobody watches

	began time.Time // zero for that of Solve
	end   time.Time // of the whole that this is a share of, zero where it is none
	// rough says that weights that are cut off by the end of the time are not certified, as
	// Binary's are with those of other tasks
	rough bool
	// Gap is a tenth of what was asked for up to this epoch, or final if it is the largest; 0 where
	// it may become one
	until int

	ascent bool // Binary uses coordinate ascent alone, so that its weights are a dual point's
}

// Begin has the time counted from now on, where it does not count yet: for preparations before
// Solve.
func (s *Settings) Begin() {
	if s.began.IsZero() {
		s.began = time.Now()
	}
}

// Left returns what of Time is left since Begin, not above zero if that is nothing. Time is not
// zero.
func (s *Settings) Left() time.Duration { return s.Time - time.Since(s.began) }

// Share returns the settings for a part of the work that begins now and may take a time.
func (s Settings) Share(t time.Duration) Settings {
	if s.end.IsZero() && s.Time > 0 {
		s.end = s.began.Add(s.Time)
	}
	s.Time, s.began = t, time.Now()
	return s
}

// leftOfAll is Left, of the whole where this is a share of it.
func (s *Settings) leftOfAll() time.Duration {
	if s.end.IsZero() {
		return s.Left()
	}
	return time.Until(s.end)
}

// Defaults of the settings.
const (
	DefaultGap       = 1e-3
	DefaultMaxEpochs = 1000
)

// wideGap is the gap below which weights are kept in float64.
const wideGap = 1e-5

// halfGap is the gap from which 16 bits do for the weights of many columns: the optimum of a
// problem with 2,855 leaves is certified at 4e-4 by them.
const halfGap = 5e-4

// Wide tells whether the gap asked for takes weights in float64.
func (s *Settings) Wide() bool { return s.Gap > 0 && s.Gap < wideGap }

// precision is that of weights for the gap asked for: of what is summed up over a training, or, if
// certified, of what every certificate sets anew.
func (s *Settings) precision(certified bool) structured.Precision {
	switch {
	case s.Wide():
		return structured.Double
	case certified && s.Gap >= halfGap:
		return structured.Half
	}
	return structured.Single
}

// What a training has to gain, of what zero weights lose, to stop at the gap asked for, how much
// less the gap is to be where it has not, and how many times the epochs so far that may take:
// methods whose gap falls as the inverse of the epochs need as many.
const enoughGained, tighter, longer = 0.9, 0.1, 10

// reached reports whether the training may stop after an epoch with a certificate, where zero
// weights have the value origin. The first time that the gap is small and too little is gained, it
// makes the gap smaller. What is gained is not asked for where origin is not known.
func (s *Settings) reached(c structured.Certificate, origin float64, epoch int) bool {
	gap := c.Gap()
	switch {
	case s.until > 0:
		return gap <= s.Gap || gap <= s.Gap/tighter && epoch >= s.until
	case gap > s.Gap:
		return false
	case !(gained(origin, c) < enoughGained) || !s.Wide() && tighter*s.Gap < wideGap:
		return true
	}
	s.until = longer * max(1, epoch)
	s.Gap *= tighter
	return gap <= s.Gap
}

// gained returns what the primal value is below that of zero weights, as a share of what it can be:
// 1 where zero weights are the best, NaN where their value is not known.
func gained(origin float64, c structured.Certificate) float64 {
	switch {
	case !(origin > 0) || math.IsInf(origin, 1):
		return math.NaN()
	case origin <= c.Dual:
		return 1
	}
	return (origin - c.Primal) / (origin - c.Dual)
}

// Check says what is wrong with the settings.
func (s *Settings) Check() error {
	_, err := s.check()
	return err
}

// check returns the settings with the defaults filled in.
func (s Settings) check() (Settings, error) {
	if math.IsNaN(s.Gap) || s.Gap < 0 {
		return s, fmt.Errorf("solver: Gap is %v; it is a relative duality gap, 0 for the default of %v", s.Gap, DefaultGap)
	}
	if s.MaxEpochs < 0 {
		return s, fmt.Errorf("solver: MaxEpochs is %d; it is not negative, 0 for the default of %d", s.MaxEpochs, DefaultMaxEpochs)
	}
	if s.Time < 0 {
		return s, fmt.Errorf("solver: Time is %v; it is not negative, 0 for no bound", s.Time)
	}
	if s.Checkpoint != "" {
		return s, errCheckpoint
	}
	if s.Farm != nil || s.Directory != "" {
		return s, errors.New("solver: Farm and Directory are for trainings of many problems, such as svm.OneVsRest and Recursive; leave them out")
	}
	if s.Workers < 0 {
		return s, fmt.Errorf("solver: Workers is %d; it is not negative, 0 for one a processor", s.Workers)
	}
	if s.Gap == 0 {
		s.Gap = DefaultGap
	}
	if s.MaxEpochs == 0 {
		s.MaxEpochs = DefaultMaxEpochs
	}
	return s, nil
}

// Progress is the state after one epoch.
type Progress struct {
	Epoch   int
	Primal  float64 // best value so far, attained by weights
	Dual    float64 // best value so far; no weights are below it
	Gap     float64 // (Primal-Dual)/Primal
	Seconds float64 // since the start

	// Estimate is a guess of the gap reached in an epoch after which there was no pass for a
	// certificate; Primal, Dual and Gap are those of the last one then. It is zero where there was
	// a certificate.
	Estimate float64

	done float64
}

// Done returns how much of the way to the end is behind, from 0 to 1, which stands for the gap, the
// number of epochs or the time that ends the training. Functions for the progress are told it; in a
// History it is zero.
func (p Progress) Done() float64 { return p.done }

// String returns the state in one line.
func (p Progress) String() string {
	if p.Estimate > 0 {
		return fmt.Sprintf("epoch %d: gap about %.2g, %.1f s", p.Epoch, p.Estimate, p.Seconds)
	}
	return fmt.Sprintf("epoch %d: primal %.6g, dual %.6g, gap %.2g, %.1f s", p.Epoch, p.Primal, p.Dual, p.Gap, p.Seconds)
}

// Result is the outcome of a solver. Primal and Dual are in the scale of
// 1/2 ||W||^2 + sum_b C_b xi_b, see package structured.
type Result struct {
	Weights   *structured.Weights   // of linear inputs
	Expansion *structured.Expansion // of kernel inputs
	Point     *structured.Dual      // the dual point that the weights belong to
	// the dual point reached last, nearer to the optimum of the dual than Point may be: where to go
	// on
	Last *structured.Dual
	// Coefficients are where Binary goes on, and Parts, of problems that were solved apart, have
	// what each of them goes on from.
	Coefficients *Coefficients
	Parts        []*Result
	Primal       float64 // value of the weights
	Dual         float64 // lower bound of the optimum
	Gap          float64 // (Primal-Dual)/Primal
	Origin       float64 // value of zero weights; 0 where it is not known
	Epochs       int     // passes over the examples that are in the weights or were tried after
	Seconds      float64
	Status       Status
	History      []Progress // one entry an epoch
}

// String returns the certificate in one line.
func (r *Result) String() string {
	return fmt.Sprintf("%v after %d epochs and %.2f s: primal %.6g, dual %.6g, relative gap %.2g",
		r.Status, r.Epochs, r.Seconds, r.Primal, r.Dual, r.Gap)
}

// Gained returns the share of the possible improvement over zero weights that was realized, at
// least: (Origin-Primal)/(Origin-Dual). It is 0 where the weights are no better than zero, whatever
// the gap, and NaN where Origin is not known.
func (r *Result) Gained() float64 {
	return gained(r.Origin, structured.Certificate{Primal: r.Primal, Dual: r.Dual})
}

// LearnedLittle reports whether the weights may have learned nothing: by the certificate zero
// weights are optimal, or less than half of the possible improvement over them (Gained) is
// realized. It is false if Origin is not known.
func (r *Result) LearnedLittle() bool {
	const little = 0.5
	return r.Origin > 0 && r.Origin <= r.Dual || r.Gained() < little
}

// Method is a way to solve a problem.
type Method interface {
	// start prepares the method for a problem that it fits, from the dual point in the state, or
	// says why it does not fit.
	start(s *state) (iteration, error)
}

// fromZero is a method that begins at zero weights.
type fromZero interface {
	// errStart says why it cannot start from a result or go on from a checkpoint.
	errStart() error
}

// iteration is a method at work.
type iteration interface {
	// epoch works through the examples once, part by part, see [work].
	epoch(ctx context.Context) parts
	// point is the dual point reached at the end of an epoch; the iteration may change it in the
	// next epoch.
	point() *structured.Dual
	// estimate is a guess of the duality gap of the point, without the work of a certificate; zero
	// if there is none, so that every epoch is certified.
	estimate() float64
}
