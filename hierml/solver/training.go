package solver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"time"

	"github.com/hierml/notebook/hierml/structured"
)

// Solve solves a problem with a method. Nil settings mean the defaults. A nil method means
// DualAscent for flat SVMs with dense examples and one label each, or with thousands of classes,
// and BCFW otherwise.
//
// If ctx is cancelled or Settings.Progress returns an error, Solve returns that error and the best
// result so far, with the certificate of its weights. Reaching Settings.Time or MaxEpochs is not an
// error. With other errors the result is nil.
func Solve(ctx context.Context, p *structured.Problem, settings *Settings, m Method) (*Result, error) {
	if settings == nil {
		settings = &Settings{}
	}
	set := *settings
	path := set.Checkpoint
	set.Checkpoint = ""
	set, err := set.check()
	if err != nil {
		return nil, err
	}
	set.Begin()
	o, err := p.Compile()
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = defaultMethod(o, &set)
	}
	if z, ok := m.(fromZero); ok && (set.Start != nil || path != "") {
		return nil, z.errStart()
	}
	if path != "" && !structured.Lasting(o.Competitors) {
		return nil, errCheckpoint
	}
	if err := set.fits(ctx, o, set.precision(true), 1); err != nil {
		return nil, err
	}
	s := newState(ctx, o, set)
	if err := structured.CheckOrigin(s.certificate.Primal); err != nil {
		return nil, err
	}
	start, name, err := s.startingPoint(ctx, path)
	if err != nil {
		return nil, err
	}
	ctx, end := s.settings.Watch(ctx)
	defer end()
	ctx, cancel := set.limit(ctx, 0)
	defer cancel()
	if s.checkpoint != nil && s.checkpoint.best != nil {
		if err := s.warm(s.settings.follow(ctx, "the checkpoint's best point"), s.checkpoint.best); err != nil && !overTime(ctx, err) {
			return nil, err
		}
		s.earlier, s.atEarlier = s.oracle.NewDual(), s.certificate
		s.earlier.CopyFrom(s.dual)
	}
	if start != nil {
		switch err := s.warm(s.settings.follow(ctx, name), start); {
		case err != nil && s.earlier != nil && ctx.Err() != nil:
			s.dual.CopyFrom(s.earlier)
			s.unsettled = true
		case err != nil && !overTime(ctx, err):
			return nil, err
		}
	}
	it, err := m.start(s)
	if err != nil {
		return nil, err
	}
	return run(ctx, s, it)
}

var errForeign = errors.New("solver: Start is the result of another problem; start from one with the same examples and competitors")

// warm starts from a dual point of a similar problem, with the coefficients of every block scaled
// down where they exceed its C.
func (s *state) warm(ctx context.Context, d *structured.Dual) error {
	if d.Blocks() != s.oracle.Blocks() {
		return errForeign
	}
	for b := range d.Blocks() {
		ids, values := d.Row(b)
		for _, id := range ids {
			if !s.oracle.Known(b, id) {
				return errForeign
			}
		}
		var sum float64
		for _, v := range values {
			sum += v
		}
		if c := s.oracle.C(b); sum > c {
			values = append([]float64(nil), values...)
			for k := range values {
				values[k] *= c / sum
			}
		}
		s.dual.SetRow(b, ids, values)
	}
	c, err := s.oracle.Certify(ctx, s.dual, s.weights, s.gaps, s.settings.Workers)
	if err != nil {
		s.dual = s.oracle.NewDual()
		return fmt.Errorf("solver: stopped before the first epoch: %w", err)
	}
	s.certificate, s.moved = c, true
	s.settings.watched.begin(c.Gap())
	return nil
}

// defaultMethod returns the method that takes less CPU time on dense sets and on texts, as measured
// by
//
//	go run ./bench liblinear -problem imclef07a -runs flat,hierarchical,normalized -c 10 -method dualascent
//
// and the same with bcfw. Dual ascent wins if its subproblems are solved by sorting and examples
// are dense or columns many.
func defaultMethod(o *structured.Oracle, s *Settings) Method {
	if labels, ok := o.Competitors.(*structured.Labels); ok && labels.Separate() && (o.Dense() || o.Many(s.precision(true))) {
		return DualAscent{}
	}
	return BCFW{}
}

// state is what a method shares with the loop around it.
type state struct {
	oracle      *structured.Oracle
	settings    Settings
	dual        *structured.Dual       // where to start; the iteration's to change
	weights     structured.State       // W(point) at the start of an epoch
	certificate structured.Certificate // of that point
	origin      float64                // value of zero weights
	gaps        []float64              // of every block at that point
	moved       bool                   // the weights have been non-zero
	checkpoint  *checkpoint            // nil if there is none
	result      *Result                // so far
	// earlier, if not nil, is a point from before dual and perhaps a better one; atEarlier is its
	// certificate.
	earlier   *structured.Dual
	atEarlier structured.Certificate
	// unsettled says that ctx was cancelled before the point to continue from was certified: dual
	// is earlier, the weights belong to neither, and the file keeps both points.
	unsettled bool
	// found, if not nil, is called by certificates for every block, concurrently.
	found func(b int, search structured.Search)
}

func newState(ctx context.Context, o *structured.Oracle, set Settings) *state {
	s := &state{oracle: o, settings: set, dual: o.NewDual(), weights: o.NewState(set.precision(true)), gaps: make([]float64, o.Blocks()), result: &Result{}}
	s.certificate, s.origin = set.originOf(ctx, o)
	for b := range s.gaps {
		s.gaps[b] = math.Inf(1)
	}
	return s
}

// originOf returns the certificate of zero weights, and their value, or 0 if a quarter of the time
// is not enough to find it.
func (s *Settings) originOf(ctx context.Context, o *structured.Oracle) (c structured.Certificate, value float64) {
	ctx, cancel := s.limit(ctx, s.Time*3/4)
	defer cancel()
	c, known := o.Origin(ctx, s.Workers)
	if known {
		value = c.Primal
	}
	return c, value
}

// parts yields the share of the epoch that is done after each part. An error ends the epoch.
type parts = iter.Seq2[float64, error]

// work runs an epoch. Between its parts it checks ctx and calls between with the share of the epoch
// that is done.
func work(ctx context.Context, m interface {
	epoch(ctx context.Context) parts
}, between func(share float64) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for share, err := range m.epoch(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = between(share)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A training repeats epochs of a method and certificates until there is a reason to stop. It
// handles progress, checkpoints and bounds, of which methods know nothing.
type training struct {
	*state
	method iteration

	best         *structured.Dual
	primal, dual float64       // best values so far
	atBest       bool          // the weights of the state are those of best
	certified    bool          // whether the last point is certified
	estimate     float64       // of the relative gap of that point, if it is not
	trust        float64       // ratio of the gap to its estimate at the last certificate
	longest      time.Duration // that a certificate took
}

// run trains and returns the best certified point. ctx ends when the time is up.
func run(ctx context.Context, s *state, m iteration) (*Result, error) {
	t := &training{
		state: s, method: m, best: s.oracle.NewDual(), primal: s.certificate.Primal, dual: max(0, s.certificate.Dual),
		atBest: true, certified: true,
	}
	t.best.CopyFrom(s.dual)
	if s.earlier != nil {
		t.dual = max(t.dual, s.atEarlier.Dual)
		if s.atEarlier.Primal < t.primal {
			t.best, t.primal, t.atBest = s.earlier, s.atEarlier.Primal, false
		}
	}
	if s.unsettled {
		t.atBest = false
	}
	t.result.Point, t.result.Origin = t.best, s.origin
	err := t.train(ctx)
	if errors.Is(err, errTime) {
		err = nil
	}
	err = t.save(err)
	t.certifyLast(ctx, err)
	if err := t.buildBest(ctx); err != nil {
		return nil, err
	}
	r := t.result
	r.Last = m.point()
	r.Weights = structured.LinearWeights(t.weights)
	r.Expansion, _ = t.weights.(*structured.Expansion)
	r.Seconds = time.Since(t.settings.began).Seconds()
	return r, err
}

// train runs epochs until there is a reason to stop, and sets the status. The error is errTime when
// the time is up.
func (t *training) train(ctx context.Context) error {
	for {
		if err := t.report(); err != nil {
			t.result.Status = Stopped
			return fmt.Errorf("solver: stopped after %d epochs: %w", t.result.Epochs, err)
		}
		if t.settings.reached(t.bounds(), t.origin, t.result.Epochs) {
			t.result.Status = Converged
			return nil
		}
		if t.result.Epochs == t.settings.MaxEpochs {
			t.result.Status = MaxEpochs
			return nil
		}
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
}

// bounds returns the best values so far.
func (t *training) bounds() structured.Certificate {
	return structured.Certificate{Primal: t.primal, Dual: t.dual}
}

// report puts the best values into the result, and after an epoch adds to its history and calls
// Settings.Progress.
func (t *training) report() error {
	r := t.result
	r.Primal, r.Dual, r.Gap = t.primal, t.dual, t.bounds().Gap()
	if r.Epochs == 0 {
		return nil
	}
	p := Progress{Epoch: r.Epochs, Primal: r.Primal, Dual: r.Dual, Gap: r.Gap, Seconds: time.Since(t.settings.began).Seconds()}
	if !t.certified {
		p.Estimate = t.estimate
	}
	r.History = append(r.History, p)
	if t.settings.Progress == nil {
		return nil
	}
	return t.settings.Progress(p)
}

// epoch runs one epoch, and certifies its point if that is worthwhile.
func (t *training) epoch(ctx context.Context) error {
	t.atBest, t.certified = false, false
	limited, cancel := t.settings.limit(ctx, t.settings.kept(t.longest))
	defer cancel()
	err := work(limited, t.method, t.between)
	if err == nil {
		t.estimate = t.method.estimate() / t.certificate.Primal
		if t.certified = t.hopeful(t.result.Epochs + 1); t.certified {
			if err = t.certify(ctx); t.estimate > 0 {
				t.trust = min(max(t.certificate.Gap()/t.estimate, leastTrust), mostTrust)
			}
		}
	}
	switch {
	case err == nil:
		t.result.Epochs++
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		t.result.Status = TimeLimit
	case errors.Is(err, context.Canceled):
		t.result.Status = Cancelled
	default:
		t.result.Status = Stopped
	}
	if overTime(limited, err) || overTime(ctx, err) {
		return errTime
	}
	return fmt.Errorf("solver: stopped in epoch %d: %w", t.result.Epochs+1, err)
}

// between reports the share of the epoch that is done, and writes the checkpoint if it is due.
func (t *training) between(share float64) error {
	t.settings.watched.within(t.result.Epochs+1, share)
	if !t.checkpoint.due() {
		return nil
	}
	return t.checkpoint.write(t.method.point(), t.other(), t.result.Epochs)
}

// certify sets the weights to those of the current point, certifies it, and stores it if it is the
// best so far.
func (t *training) certify(ctx context.Context) error {
	before := time.Now()
	t.atBest = false
	name := fmt.Sprintf("epoch %d", t.result.Epochs+1)
	c, err := t.oracle.CertifyVisiting(t.settings.follow(ctx, name), t.method.point(), t.weights, t.gaps, t.settings.Workers, t.found)
	if err != nil {
		return err
	}
	t.longest = max(t.longest, time.Since(before))
	t.certificate = c
	t.dual = max(t.dual, c.Dual)
	if t.atBest = c.Primal <= t.primal; t.atBest {
		t.primal, t.moved = c.Primal, true
		t.best.CopyFrom(t.method.point())
	}
	return nil
}

// Bounds of the ratio of a gap to its estimate; the lower one applies before the first certificate.
const leastTrust, mostTrust = 0.25, 0.5

// hopeful reports whether an epoch deserves a certificate: the estimate of its relative gap, times
// trust, is near the requested one, its number is a power of four, or it is the last.
func (t *training) hopeful(epoch int) bool {
	powerOfFour := epoch&(epoch-1) == 0 && bits.TrailingZeros(uint(epoch))%2 == 0
	return t.estimate*max(t.trust, leastTrust) <= t.settings.Gap || powerOfFour || epoch == t.settings.MaxEpochs
}

// other returns the best point if it is not the current one.
func (t *training) other() *structured.Dual {
	if t.certified && t.atBest {
		return nil
	}
	return t.best
}

// save writes the checkpoint at the end of a training with the given error, and returns both
// errors.
func (t *training) save(err error) error {
	if t.checkpoint == nil {
		return err
	}
	var failed error
	if !t.unsettled {
		failed = t.checkpoint.write(t.method.point(), t.other(), t.result.Epochs)
	}
	switch {
	case failed == nil && err != nil:
		// Note this now and not after building the weights, which may take minutes.
		t.checkpoint.note(fmt.Sprintf("The state of the training is in %s. Run it again to continue from there.", t.checkpoint.path))
		return err
	case failed != nil && err == nil:
		t.result.Status = Stopped
		return failed
	}
	return errors.Join(err, failed)
}

// grace is how long a cancelled solver may take to certify its progress since the last certificate.
const grace = time.Second

// certifyLast certifies the last point unless it is certified. A training that ended with an error
// has a grace period for it.
func (t *training) certifyLast(ctx context.Context, err error) {
	if t.certified && t.result.Status != Cancelled && t.result.Status != TimeLimit {
		return
	}
	if err != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
	}
	if t.certify(ctx) == nil {
		t.result.Primal, t.result.Dual, t.result.Gap = t.primal, t.dual, t.bounds().Gap()
	}
}

// buildBest sets the weights to those of the best point.
func (t *training) buildBest(ctx context.Context) error {
	switch {
	case !t.moved: // best is zero, without a pass over all weights
		t.weights = t.oracle.NewState(t.settings.precision(true))
	case !t.atBest:
		_, _, err := t.oracle.Build(t.settings.follow(context.WithoutCancel(ctx), "the best point"), t.best, t.weights, t.settings.Workers)
		return err
	}
	return nil
}

// errTime ends a run when Settings.Time is up.
var errTime = errors.New("time limit")

// overTime reports whether an error is that of a context whose time is up.
func overTime(ctx context.Context, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) == errTime
}

// limit returns a context that ends when the time is up, except for a reserved part.
func (s *Settings) limit(ctx context.Context, kept time.Duration) (context.Context, context.CancelFunc) {
	if s.Time == 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, s.began.Add(s.Time-kept), errTime)
}

// kept is the time reserved for the last certificate, given the longest so far: that plus a half,
// because the best weights may have to be built again. Before the first certificate it is half of
// the remaining time: the first epoch takes longer than a certificate.
func (s *Settings) kept(longest time.Duration) time.Duration {
	if s.Time == 0 {
		return 0
	}
	if longest == 0 {
		return max(0, s.Left()/2)
	}
	return min(longest+longest/2, s.Time)
}
