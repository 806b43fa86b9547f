// Package solver solves the structured problems of package structured. Every method computes a dual
// point. [Solve] returns its weights with a certificate: the primal value of the weights, a dual
// value below which no weights can get, and the relative duality gap between them. The certificate
// is computed in a full pass over the examples and never estimated during an epoch.
//
// [BCFW] is the default method: it needs no step size and reaches small gaps on every problem.
// [DualAscent] is the method of LIBLINEAR [FCHWL08] for problems with one block per example. It is
// the default of flat SVMs if most entries of the examples are not zero, or if there are thousands
// of classes. [Binary] solves one-vs-rest problems, one class at a time. [Pegasos] and [RDA] are
// the subgradient methods of the papers, for comparison, and [VariableSelection] is that of [Cai08]
// for small problems, with kernels or without. [SolveOrthogonal] solves orthogonal transfer, which
// is a ridge problem only for fixed signs.
//
// Settings.Checkpoint saves the state of a training in a file; [TrainingGroup] does so for several
// trainings. Settings.Farm lets other machines solve trainings of many problems.
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
	// Converged: the relative gap is at most the requested one.
	Converged Status = iota + 1
	// MaxEpochs: the maximum number of epochs was reached first.
	MaxEpochs
	// Cancelled: the context was cancelled.
	Cancelled
	// TimeLimit: Settings.Time or the context's deadline passed.
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
	// Gap is the relative duality gap at which to stop. The default value is 1e-3. Weights are
	// stored in float32, and for a gap below 1e-5 in float64.
	//
	// If the optimum is not much below the value of zero weights, as with many rare labels, weights
	// that have learned nothing may also be within the gap. So the duality gap is also compared
	// with the loss of zero weights: if it is more than a tenth of the distance of zero weights
	// from the dual (Result.Gained is below 0.9), the training continues to a tenth of Gap. It
	// takes at most ten times the epochs so far, and it does not continue if a tenth of Gap would
	// need float64 weights and Gap does not.
	Gap float64
	// MaxEpochs bounds the passes over the examples. The default value is 1000.
	MaxEpochs int
	// Time bounds the wall time of a training, including preparations and the certificate of the
	// result. The default, 0, is no bound. If the gap is not reached in time:
	//
	//   - The primal value is not above that of zero weights. Unfinished weights have the best
	//     scale; if there is no time to certify any, they are zero. With several labels per
	//     instance, the value of zero weights may be unknown then (Origin is 0).
	//   - Problems that are solved separately, such as the leaves of svm.OneVsRest, have a share
	//     each. Unfinished ones continue, in rounds, until the time is up.
	//   - If the time suffices for several passes over the data per class, usually at least nine
	//     tenths of it are used, and it is exceeded by at most a tenth: an aim, not a guarantee.
	//     Preparations are not interrupted: they take a few passes, milliseconds to tenths of a
	//     second, or seconds for HM3 and for graphs with hundreds of leaves, and exceed a shorter
	//     bound. More processes than CPUs make both shares worse.
	//
	// It is an error if Time is up before the kernel matrix or the factorization of the graph is
	// computed: there is nothing to predict with.
	Time time.Duration
	// Seed determines the order of the examples; equal seeds give equal results.
	Seed uint64
	// Workers is the number of goroutines; the result does not depend on it. The default value is
	// the number of CPUs.
	Workers int
	// Progress, if not nil, is called after every epoch. An error stops the solver.
	Progress func(Progress) error
	// Start, if not nil, is the result of a problem that differs only in C or in costs. Training
	// starts from its dual point.
	Start *Result
	// Checkpoint, if not empty, is the path of a file with the state of the training. It is written
	// at the end and every minute, or less often if writing takes more than a second. A training
	// with the same instances, labels, loss and C continues from it, in this process or another,
	// and ignores Start; MaxEpochs and Time count from the start again. It is an error if the file
	// belongs to another training, if the method is Pegasos or RDA, or if the problem does not
	// compare labels over all leaves, as svm.Flat, Hierarchical and Normalized do.
	//
	// If several trainings have the same settings, as in the choice of C, in folds and in a cell of
	// a study (svm.Search, NodeSets and Calibration, package experiment), each has its own file,
	// whose name begins with Checkpoint; see [TrainingGroup]. The files are removed when all have
	// ended. So if you repeat the same call hours after an interruption, completed trainings are
	// not repeated, and the interrupted one continues.
	Checkpoint string

	// Farm, if not nil, lets other machines solve trainings of many independent problems
	// (svm.OneVsRest, Recursive, PLT, HierarchicalSoftmax), through files in Directory, which all
	// machines must be able to access. The weights and the certificate are those of a training on
	// this machine, but the result cannot be used as Start. If ctx is cancelled, the training stops
	// waiting, but its parts continue: run the same training again to wait for them, or end them
	// with experiment.Stop. Time must be 0: the farm bounds the time of a part.
	Farm farm.Farm
	// Directory has the problems and solutions of a Farm for one training. A completed training
	// there is not repeated.
	Directory string

	watched *watched // nil without an observer

	began time.Time // zero for the start of Solve
	end   time.Time // of the whole of which this is a share, zero if it is not a share
	// rough says that unfinished weights are not certified when the time is up; those of Binary are
	// certified with those of other tasks
	rough bool
	// Gap is a tenth of the requested one up to this epoch, or finally if it is the largest; 0 if
	// that is not decided
	until int

	ascent bool // Binary uses only coordinate ascent, so that its weights are those of a dual point
}

// Begin starts the clock now, unless it is already running: for preparations before Solve.
func (s *Settings) Begin() {
	if s.began.IsZero() {
		s.began = time.Now()
	}
}

// Left returns the rest of Time since Begin, zero or negative if it is up. Time must not be zero.
func (s *Settings) Left() time.Duration { return s.Time - time.Since(s.began) }

// Share returns the settings for a part of the work that starts now and may take the given time.
func (s Settings) Share(t time.Duration) Settings {
	if s.end.IsZero() && s.Time > 0 {
		s.end = s.began.Add(s.Time)
	}
	s.Time, s.began = t, time.Now()
	return s
}

// leftOfAll is Left, for the whole if this is a share of it.
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

// wideGap is the gap below which weights are stored in float64.
const wideGap = 1e-5

// halfGap is the gap from which 16 bits suffice for the weights of many columns: with them, the
// optimum of a problem with 2,855 leaves is certified at 4e-4.
const halfGap = 5e-4

// Wide reports whether the requested gap needs weights in float64.
func (s *Settings) Wide() bool { return s.Gap > 0 && s.Gap < wideGap }

// precision is the precision of weights for the requested gap: of weights that are summed over a
// training, or, if certified, of weights that every certificate rebuilds.
func (s *Settings) precision(certified bool) structured.Precision {
	switch {
	case s.Wide():
		return structured.Double
	case certified && s.Gap >= halfGap:
		return structured.Half
	}
	return structured.Single
}

// The minimum gain over zero weights to stop at the requested gap, the factor for the gap
// otherwise, and the maximum factor for the epochs so far: methods whose gap falls as the inverse
// of the epochs need that many.
const enoughGained, tighter, longer = 0.9, 0.1, 10

// reached reports whether the training may stop after an epoch with a certificate. origin is the
// value of zero weights. The first time that the gap is small enough but too little is gained, it
// reduces the requested gap. If origin is not known, the gain is not checked.
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

// gained returns the decrease of the primal value from zero weights, as a share of the possible
// decrease: 1 if zero weights are optimal, NaN if their value is not known.
func gained(origin float64, c structured.Certificate) float64 {
	switch {
	case !(origin > 0) || math.IsInf(origin, 1):
		return math.NaN()
	case origin <= c.Dual:
		return 1
	}
	return (origin - c.Primal) / (origin - c.Dual)
}

// Check returns an error if the settings are invalid.
func (s *Settings) Check() error {
	_, err := s.check()
	return err
}

// check returns the settings with the defaults filled in.
func (s Settings) check() (Settings, error) {
	if math.IsNaN(s.Gap) || s.Gap < 0 {
		return s, fmt.Errorf("solver: Gap is %v; it must be a relative duality gap, or 0 for the default of %v", s.Gap, DefaultGap)
	}
	if s.MaxEpochs < 0 {
		return s, fmt.Errorf("solver: MaxEpochs is %d; it must not be negative, and 0 means the default of %d", s.MaxEpochs, DefaultMaxEpochs)
	}
	if s.Time < 0 {
		return s, fmt.Errorf("solver: Time is %v; it must not be negative, and 0 means no bound", s.Time)
	}
	if s.Checkpoint != "" {
		return s, errCheckpoint
	}
	if s.Farm != nil || s.Directory != "" {
		return s, errors.New("solver: Farm and Directory are for trainings of many problems, such as svm.OneVsRest and Recursive; do not set them")
	}
	if s.Workers < 0 {
		return s, fmt.Errorf("solver: Workers is %d; it must not be negative, and 0 means one per CPU", s.Workers)
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
	Primal  float64 // best value of weights so far
	Dual    float64 // best lower bound so far
	Gap     float64 // (Primal-Dual)/Primal
	Seconds float64 // since the start

	// Estimate is an estimate of the gap after an epoch without a certificate; Primal, Dual and Gap
	// are then those of the last certificate. It is zero if there was a certificate.
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
	Point     *structured.Dual      // the dual point of the weights
	// the last dual point, which may be nearer to the dual optimum than Point: where to continue
	Last *structured.Dual
	// Coefficients are where Binary continues. Parts, of problems that were solved separately, have
	// where each of them continues.
	Coefficients *Coefficients
	Parts        []*Result
	Primal       float64 // value of the weights
	Dual         float64 // lower bound of the optimum
	Gap          float64 // (Primal-Dual)/Primal
	Origin       float64 // value of zero weights; 0 where it is not known
	Epochs       int     // passes over the examples, including those after the best weights
	Seconds      float64
	Status       Status
	History      []Progress // one entry per epoch
}

// String returns the certificate in one line.
func (r *Result) String() string {
	return fmt.Sprintf("%v after %d epochs and %.2f s: primal %.6g, dual %.6g, relative gap %.2g",
		r.Status, r.Epochs, r.Seconds, r.Primal, r.Dual, r.Gap)
}

// Gained returns a lower bound on the realized share of the possible improvement over zero weights:
// (Origin-Primal)/(Origin-Dual). It is 0 if the weights are no better than zero, whatever the gap,
// and NaN if Origin is not known.
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
	// start prepares the method for a problem, from the dual point in the state. It returns an
	// error if the method does not support the problem.
	start(s *state) (iteration, error)
}

// fromZero is a method that begins at zero weights.
type fromZero interface {
	// errStart says why it cannot start from a result or a checkpoint.
	errStart() error
}

// iteration is a running method.
type iteration interface {
	// epoch works through the examples once, part by part, see [work].
	epoch(ctx context.Context) parts
	// point is the dual point reached at the end of an epoch; the iteration may change it in the
	// next epoch.
	point() *structured.Dual
	// estimate estimates the duality gap of the point without the work of a certificate. Zero means
	// that there is no estimate, so every epoch is certified.
	estimate() float64
}
