package solver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/structured"
)

// Binary solves one-vs-rest problems without a bias,
//
//	min 1/2 ||w||^2 + C sum_i loss(s_i <w, x_i>)  with s_i 1 for the class, otherwise -1,
//
// or, if other weights contribute to the scores, with Scale k and Offset o,
//
//	min k/2 ||w||^2 + C sum_i loss(s_i (o_i + k <w, x_i>)),
//
// one after the other over the same inputs, by dual coordinate ascent with shrinking [HCLKS08,
// Algorithm 3; YHL11, section 3 for the logistic loss]: each visit of an example maximizes the dual
// in its coefficient alone, and examples whose coefficient stays at a bound are left out until the
// others are solved. If a class takes many epochs, the coefficients between the bounds (few, for
// the hinge) are moved together between epochs by conjugate gradients [MT91]; for smooth losses
// Newton's method takes over (newton.go). It is not safe for concurrent use.
type Binary struct {
	inputs  *structured.Linear
	weights []float64 // sum_i s_i a_i x_i
	best    []float64 // weights with the lowest primal value, as stored
	alpha   []float64
	logit   []float64 // of the logistic loss: log(C/alpha - 1), the margin at which alpha is optimal
	sign    []float64
	order   []int32 // examples with a non-zero norm; those that are not left out come first
	// nanoseconds per example of a certificate, measured by the last one or by the first visits
	pace     float64
	products []float64 // of the weights and the examples, by position in the order

	smooth newtonScratch

	free      []int32   // examples with coefficients between the bounds
	step      []float64 // of their coefficients
	residual  []float64
	conjugate []float64
	change    []float64 // of the weights
}

// A BinaryProblem is one class.
type BinaryProblem struct {
	Positive []int32 // examples of the class, ascending
	C        float64
	Loss     MarginLoss
	// Examples are the examples to use, ascending, nil for all. All others are ignored, also in
	// Positive.
	Examples []int32
	Scale    float64   // the default value is 1
	Offset   []float64 // by example, nil for zeros
	// Weights multiply the C of each example. They must be positive; nil means ones.
	Weights []float64
	// Name determines the order of the visits, together with Settings.Seed.
	Name uint64
}

// Coefficients are a point of the dual of a class, without zeros.
type Coefficients struct {
	C        float64 // of the problem
	Examples []int32
	Values   []float64

	epochs int // that a group took to find them
}

// at returns the starting value of the k-th coefficient in the same problem with another C; c is
// the C of the example, including its weight.
func (f *Coefficients) at(k int, c, weight float64, loss MarginLoss) float64 {
	return min(f.Values[k]*c/f.C, loss.bound(c*weight))
}

// A BinaryResult is the outcome for one class.
type BinaryResult struct {
	// Weights has one entry per feature. It is valid until the next call.
	Weights      []float64
	Primal, Dual float64 // value of the weights, and a lower bound of the optimum
	Epochs       int
	Status       Status
}

// NewBinary returns a solver with scratch space for its inputs.
func NewBinary(inputs *structured.Linear) *Binary {
	n, features := inputs.Len(), inputs.Matrix().Cols
	return &Binary{
		inputs: inputs, weights: make([]float64, features), best: make([]float64, features),
		alpha: make([]float64, n), sign: make([]float64, n), order: make([]int32, 0, n),
		change: make([]float64, features),
	}
}

// errOver ends an epoch when the time is up.
var errOver = errors.New("solver: the time is up")

// Solve solves the problem of one class. If Settings.Time is up first, the weights are the best
// certified ones, including zero weights, or the best multiple, by a power of two, of the last
// ones: coordinate ascent fits the scale of the weights last. Solve starts from the Coefficients of
// Settings.Start, scaled to C; Settings.Workers is ignored. Progress is called with each
// certificate. With its error, or that of ctx, Solve returns the result so far.
func (b *Binary) Solve(ctx context.Context, problem BinaryProblem, settings Settings) (*BinaryResult, error) {
	a, err := b.begin(problem, settings)
	if err != nil {
		return nil, err
	}
	r := &BinaryResult{Primal: math.Inf(1), Status: MaxEpochs} // losses are not negative
	a.first(problem.Positive)
	for err == nil && r.Status == MaxEpochs && r.Epochs < a.settings.MaxEpochs {
		r.Epochs++
		if err = a.epoch(ctx); err != nil {
			break
		}
		if a.before+r.Epochs > patienceWith[a.loss] && !a.smoothed && !a.settings.ascent {
			if err = a.newton(ctx, r); err != nil || r.Status == Converged || r.Epochs >= a.settings.MaxEpochs {
				break
			}
			a.build()
			a.norm = floats.Dot(a.weights, a.weights)
			a.restore()
			a.logits()
		}
		if r.Epochs > patience && a.loss == Hinge {
			a.moveFree()
		}
		if a.settled(a.settings.Gap) || r.Epochs == a.settings.MaxEpochs {
			if err = a.certify(r); err == nil && a.reached(r) {
				r.Status = Converged
			}
			a.restore()
		}
	}
	switch {
	case errors.Is(err, errOver):
		r.Status, err = TimeLimit, nil
		switch {
		case a.settings.rough && math.IsInf(r.Primal, 1):
			a.build()
			copy(a.best, a.weights)
		case !a.settings.rough && a.kept() <= a.settings.leftOfAll():
			err = a.certifyMultiple(r)
		}
	case ctx.Err() != nil:
		r.Status = Cancelled
		_ = a.certifyMultiple(r) // the error of ctx is returned
		err = ctx.Err()
	case err != nil:
		r.Status = Stopped
	}
	if math.IsInf(r.Primal, 1) { // no certificate, or numbers that overflow: zero weights
		r.Primal, r.Dual = a.origin, 0
	}
	r.Weights = b.best
	return r, err
}

// gap is the relative duality gap.
func (r *BinaryResult) gap() float64 {
	return structured.Certificate{Primal: r.Primal, Dual: r.Dual}.Gap()
}

// reached reports whether the certificate has the requested gap.
func (a *ascentOfOne) reached(r *BinaryResult) bool {
	return a.settings.reached(structured.Certificate{Primal: r.Primal, Dual: r.Dual}, a.origin, r.Epochs)
}

// ascentOfOne is the state of the work on one class.
type ascentOfOne struct {
	*Binary
	settings Settings
	loss     MarginLoss
	c        float64
	weighing []float64 // of examples, nil for ones
	scale    float64
	offset   []float64 // nil for zeros
	origin   float64   // value of zero weights
	constant float64   // part of the dual, and of the primal, of examples without a feature
	rng      *rand.Rand
	active   int // number of examples in order that are not left out

	norm float64 // squared, of the weights, without the scale

	// The largest and the smallest projected gradient of the previous epoch determine which
	// examples the next one leaves out. gap and primal are those of the epoch, as seen by its
	// visits.
	highest, lowest float64
	gap, primal     float64
	trust           float64 // ratio of a certified gap to the one seen by the visits
	rounds          int     // of conjugate gradients
	credit          int     // visits of examples since the last conjugate gradients
	smoothed        bool    // Newton's method has been tried
	before          int     // epochs that a group took
}

// begin starts the work on a class.
func (b *Binary) begin(problem BinaryProblem, settings Settings) (*ascentOfOne, error) {
	if err := structured.CheckC(problem.C); err != nil {
		return nil, fmt.Errorf("solver: %w", err)
	}
	if err := problem.Loss.Check(); err != nil {
		return nil, err
	}
	c, n := problem.C, len(problem.Examples)
	if problem.Examples == nil {
		n = b.inputs.Len()
	}
	if problem.Offset != nil && len(problem.Offset) != b.inputs.Len() {
		return nil, fmt.Errorf("solver: %d offsets for %d examples; pass one per example", len(problem.Offset), b.inputs.Len())
	}
	if problem.Weights != nil && len(problem.Weights) != b.inputs.Len() {
		return nil, fmt.Errorf("solver: %d weights for %d examples; pass one per example", len(problem.Weights), b.inputs.Len())
	}
	set, err := settings.check()
	if err != nil {
		return nil, err
	}
	set.Begin()
	a := &ascentOfOne{
		Binary: b, settings: set, loss: problem.Loss, c: c, weighing: problem.Weights,
		scale: cmp.Or(problem.Scale, 1), offset: problem.Offset,
		rng: rand.New(rand.NewPCG(set.Seed, problem.Name)), trust: firstTrust, rounds: leastRounds,
	}
	clear(b.weights)
	clear(b.best)
	clear(b.alpha)
	if a.loss == Logistic {
		b.logit = zeros(b.logit, len(b.alpha))
	}
	for i := range b.sign {
		b.sign[i] = -1
	}
	for _, i := range problem.Positive {
		b.sign[i] = 1
	}
	b.order = b.order[:0]
	for k := range n {
		i := int32(k)
		if problem.Examples != nil {
			i = problem.Examples[k]
		}
		if err := structured.CheckC(a.cost(i)); err != nil {
			return nil, fmt.Errorf("solver: %w", err)
		}
		atZero := a.cost(i) * a.loss.Value(a.sign[i]*a.offsetOf(i))
		a.origin += atZero
		if b.inputs.SquaredNorm(int(i)) > 0 {
			b.order = append(b.order, i)
		} else {
			a.constant += atZero
		}
	}
	if err := structured.CheckOrigin(a.origin); err != nil {
		return nil, err
	}
	if set.Start != nil {
		if err := a.start(set.Start.Coefficients); err != nil {
			return nil, err
		}
	}
	a.restore()
	return a, nil
}

// start sets the coefficients.
func (a *ascentOfOne) start(from *Coefficients) error {
	if from == nil {
		return fmt.Errorf("solver: Start is the result of another method; start from one for the same class")
	}
	for k, i := range from.Examples {
		if int(i) >= len(a.alpha) {
			return fmt.Errorf("solver: Start is the result of another problem: it has example %d of %d", i, len(a.alpha))
		}
		if a.inputs.SquaredNorm(int(i)) > 0 {
			a.alpha[i] = from.at(k, a.c, weigh.Of(a.weighing, i), a.loss)
		}
	}
	if from.C == a.c {
		a.before = from.epochs
	}
	a.build()
	a.norm = floats.Dot(a.weights, a.weights)
	a.logits()
	return nil
}

// Coefficients returns the coefficients of the last problem, as far as it was solved.
func (b *Binary) Coefficients(c float64) *Coefficients { return newCoefficients(c, b.alpha) }

// newCoefficients returns the coefficients of examples without the zeros.
func newCoefficients(c float64, alpha []float64) *Coefficients {
	n := 0
	for _, a := range alpha {
		if a > 0 {
			n++
		}
	}
	r := &Coefficients{C: c, Examples: make([]int32, 0, n), Values: make([]float64, 0, n)}
	for i, a := range alpha {
		if a > 0 {
			r.Examples, r.Values = append(r.Examples, int32(i)), append(r.Values, a)
		}
	}
	return r
}

// restore includes all examples again.
func (a *ascentOfOne) restore() {
	a.active, a.highest, a.lowest = len(a.order), math.Inf(1), math.Inf(-1)
}

// first visits the examples of the class and as many others.
func (a *ascentOfOne) first(positive []int32) {
	began := time.Now()
	if a.pace == 0 && len(positive) > 0 {
		defer func() { a.pace = float64(time.Since(began)) / float64(2*len(positive)) }()
	}
	for _, i := range positive {
		if a.inputs.SquaredNorm(int(i)) > 0 {
			a.visit(i)
		}
		if len(a.order) > 0 {
			a.visit(a.order[a.rng.IntN(len(a.order))])
		}
	}
}

// offsetOf returns the offset of an example.
func (a *ascentOfOne) offsetOf(i int32) float64 {
	if a.offset == nil {
		return 0
	}
	return a.offset[i]
}

// cost is the C of an example.
func (a *ascentOfOne) cost(i int32) float64 { return weigh.Of(a.weighing, i) * a.c }

// margin returns the margin of an example whose row is given.
func (a *ascentOfOne) margin(i int32, features []int32, values []float32) float64 {
	if a.offset == nil {
		return a.sign[i] * a.scale * dot(a.weights, features, values)
	}
	return a.sign[i] * (a.offset[i] + a.scale*dot(a.weights, features, values))
}

// visit maximizes the dual in the coefficient of an example.
func (a *ascentOfOne) visit(i int32) {
	features, values := a.inputs.Matrix().Row(int(i))
	a.move(i, a.margin(i, features, values), features, values)
}

// enoughOfLogit is the share of a logit's error before a step that may remain after it: the next
// epoch changes it by more.
const enoughOfLogit = 0.01

// move takes the step for margin m.
func (a *ascentOfOne) move(i int32, m float64, features []int32, values []float32) {
	old, square := a.alpha[i], a.inputs.SquaredNorm(int(i))
	if c := a.cost(i); a.loss == Logistic {
		u, p := m, old/c
		if old > 0 {
			u = a.logit[i]
		} else {
			p = likely(m)
		}
		a.logit[i], p = logisticMargin(u, p, m-a.scale*square*old, a.scale*square*c, enoughOfLogit)
		a.alpha[i] = c * p
	} else {
		a.alpha[i] = a.loss.best(old, m, a.scale*square, c)
	}
	if d := a.alpha[i] - old; d != 0 {
		add(a.weights, d*a.sign[i], features, values)
		a.norm += d * (2*(m-a.sign[i]*a.offsetOf(i))/a.scale + d*square)
	}
}

// visits is the number of examples visited between two checks of the clock.
const visits = 256

// logits sets the logits of the logistic loss from the coefficients.
func (a *ascentOfOne) logits() {
	if a.loss != Logistic {
		return
	}
	for _, i := range a.order {
		a.logit[i] = math.Log(a.cost(i)/a.alpha[i] - 1)
	}
}

// shuffle orders the examples that are not left out.
func (a *ascentOfOne) shuffle() {
	for k := a.active - 1; k > 0; k-- {
		j := a.rng.IntN(k + 1)
		a.order[k], a.order[j] = a.order[j], a.order[k]
	}
}

// epochLogistic is epoch for the logistic loss, which leaves no example out. It estimates the gap
// from second derivatives, and the loss from a sample of the examples, because with short rows
// exponentials take most of the time. Coefficients whose step would gain next to nothing do not
// change.
func (a *ascentOfOne) epochLogistic(ctx context.Context) error {
	x := a.inputs.Matrix()
	negligible := negligibleShare * a.settings.Gap * (a.scale*a.norm/2 + a.primal + a.constant) / float64(len(a.order))
	a.gap, a.primal = 0, 0
	measured, sum := 0, 0.0
	a.shuffle()
	for k, i := range a.order {
		if k%visits == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		features, values := x.Row(int(i))
		m, c, alpha := a.margin(i, features, values), a.cost(i), a.alpha[i]
		if k%measuredOf == 0 {
			sum += c * a.loss.Value(m)
			measured++
		}
		if alpha == 0 {
			a.gap += c * math.Ln2
			a.move(i, m, features, values)
			continue
		}
		d := m - a.logit[i] // the derivative of the negative dual
		gap := alpha * (1 - alpha/c) * d * d / 2
		a.gap += gap
		if gap > negligible {
			a.move(i, m, features, values)
		}
	}
	if measured > 0 {
		a.primal = sum * float64(len(a.order)) / float64(measured)
	}
	return nil
}

// One in measuredOf examples is used to estimate the loss. negligibleShare is the share of the
// requested gap that all skipped steps may gain together.
const measuredOf, negligibleShare = 8, 0.05

// epoch visits, in random order, the examples that are not left out.
func (a *ascentOfOne) epoch(ctx context.Context) error {
	if a.loss == Logistic {
		return a.epochLogistic(ctx)
	}
	x, order := a.inputs.Matrix(), a.order
	highest, lowest := math.Inf(-1), math.Inf(1)
	a.gap, a.primal = 0, 0
	a.shuffle()
	for k, n := 0, 0; k < a.active; n++ {
		if n%visits == 0 {
			if err := a.over(ctx); err != nil {
				return err
			}
		}
		i := order[k]
		features, values := x.Row(int(i))
		alpha := a.alpha[i]
		m := a.margin(i, features, values)
		c := a.cost(i)
		loss, bound := c*a.loss.Value(m), a.loss.bound(c)
		a.primal += loss
		a.gap += loss - a.loss.term(alpha, c) + alpha*m
		g := a.loss.derivative(alpha, m, c)
		projected := g
		if alpha == 0 && g > 0 || alpha == bound && g < 0 {
			projected = 0
		}
		if alpha == 0 && g > a.highest || alpha == bound && g < a.lowest {
			a.active--
			order[k], order[a.active] = order[a.active], order[k]
			continue
		}
		highest, lowest = max(highest, projected), min(lowest, projected)
		if math.Abs(projected) > leastStep {
			a.move(i, m, features, values)
		}
		k++
	}
	a.highest, a.lowest = math.Inf(1), math.Inf(-1)
	if highest > 0 {
		a.highest = highest
	}
	if lowest < 0 {
		a.lowest = lowest
	}
	return nil
}

// leastStep is the derivative below which a coefficient does not change.
const leastStep = 1e-12

// over returns errOver if the time is up, otherwise the error of ctx.
func (a *ascentOfOne) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if a.settings.Time > 0 && a.settings.Left() <= a.kept() {
		return errOver
	}
	return nil
}

// firstTrust is the trust before the first certificate: the gap falls during an epoch.
const firstTrust = 0.3

// settled reports whether a certificate is worthwhile: whether the gap seen by the visits of the
// epoch, times trust, is small enough, or nothing is left to do.
func (a *ascentOfOne) settled(goal float64) bool {
	return a.trust*a.gap <= goal*(a.scale*a.norm/2+a.primal+a.constant) || a.active == 0
}

// patience is the number of epochs after which free coefficients are moved together, and the rounds
// are the conjugate gradient rounds per direction.
const patience, leastRounds, mostRounds = 10, 4, 64

// patienceWith is the number of epochs after which Newton's method takes over.
var patienceWith = [...]int{Hinge: 100, SquaredHinge: 15, Logistic: 5}

// moveFree moves the coefficients between the bounds together: some rounds of conjugate gradients
// approach the maximum of the dual without bounds, and an exact line search goes to the feasible
// part of that step.
func (a *ascentOfOne) moveFree() {
	a.free, a.residual = a.free[:0], a.residual[:0]
	for i, alpha := range a.alpha {
		if alpha > 0 && alpha < a.loss.bound(a.cost(int32(i))) {
			a.free = append(a.free, int32(i))
		}
	}
	if a.credit += a.active; a.credit < 2*a.rounds*len(a.free) {
		return
	}
	a.credit = 0
	for _, i := range a.free {
		a.residual = append(a.residual, 1-a.sign[i]*a.offsetOf(i)-a.score(a.weights, i))
	}
	a.step = zeros(a.step, len(a.free))
	a.conjugate = append(a.conjugate[:0], a.residual...)
	norm := floats.Dot(a.residual, a.residual)
	for first, round := norm, 0; round < min(a.rounds, len(a.free)) && norm > enough*first; round++ {
		curvature := a.scale * a.combine(a.conjugate)
		if !(curvature > 0) {
			break
		}
		length, before := norm/curvature, norm
		for k, i := range a.free {
			a.step[k] += length * a.conjugate[k]
			a.residual[k] -= length * a.score(a.change, i)
		}
		norm = floats.Dot(a.residual, a.residual)
		for k, r := range a.residual {
			a.conjugate[k] = r + norm/before*a.conjugate[k]
		}
	}
	var gain float64 // slope of the dual without the term of the weights
	for k, i := range a.free {
		alpha := a.alpha[i]
		a.step[k] = min(max(alpha+a.step[k], 0), a.loss.bound(a.cost(i))) - alpha
		gain += a.step[k] * (1 - a.sign[i]*a.offsetOf(i))
	}
	curvature := a.combine(a.step)
	product := floats.Dot(a.change, a.weights)
	share := min(1, (gain-a.scale*product)/(a.scale*curvature))
	if !(share > 0) || math.IsInf(share, 1) {
		a.rounds = leastRounds
		return
	}
	for k, i := range a.free {
		a.alpha[i] = min(max(a.alpha[i]+share*a.step[k], 0), a.loss.bound(a.cost(i)))
	}
	floats.AddScaled(a.weights, share, a.change)
	a.norm += share * (2*product + share*curvature)
	if share == 1 {
		a.rounds = min(2*a.rounds, mostRounds)
	} else {
		a.rounds = max(a.rounds/2, leastRounds)
	}
}

// enough is the share of the squared residual at which conjugate gradients end.
const enough = 1e-6

// combine sets the change of the weights to that of a step of the free coefficients, and returns
// its squared norm.
func (a *ascentOfOne) combine(step []float64) float64 {
	clear(a.change)
	for k, i := range a.free {
		if step[k] != 0 {
			features, values := a.inputs.Matrix().Row(int(i))
			add(a.change, step[k]*a.sign[i], features, values)
		}
	}
	return floats.Dot(a.change, a.change)
}

// score returns the score of an example on its own side, without the offset.
func (a *ascentOfOne) score(w []float64, i int32) float64 {
	features, values := a.inputs.Matrix().Row(int(i))
	return a.sign[i] * a.scale * dot(w, features, values)
}

// build sets the weights from the coefficients, and returns the contribution of the coefficients to
// the dual.
func (a *ascentOfOne) build() float64 {
	clear(a.weights)
	terms := a.constant
	for i, alpha := range a.alpha {
		if alpha > 0 {
			terms += a.loss.term(alpha, a.cost(int32(i))) - alpha*a.sign[i]*a.offsetOf(int32(i))
			features, values := a.inputs.Matrix().Row(i)
			add(a.weights, alpha*a.sign[i], features, values)
		}
	}
	return terms
}

// kept is the time reserved for the certificate of a multiple of the weights.
func (a *ascentOfOne) kept() time.Duration {
	if a.settings.rough {
		return 0
	}
	return time.Duration(passesOfMultiple * a.pace * float64(len(a.order)))
}

// passesOfMultiple is the maximum cost of certifyMultiple, in calls of certify.
const passesOfMultiple = 2

// store rounds the weights to their stored form and returns their squared norm before and after.
func (a *ascentOfOne) store() (exact, stored float64) {
	for f, w := range a.weights {
		exact += w * w
		if !a.settings.Wide() {
			w = float64(float32(w))
			a.weights[f] = w
		}
		stored += w * w
	}
	return exact, stored
}

// certify computes the primal and the dual value, and stores the weights if they are the best so
// far.
func (a *ascentOfOne) certify(r *BinaryResult) error {
	primal, dual, _ := a.evaluate()
	return a.record(r, primal, dual)
}

// certifyMultiple is certify for the best multiple of the weights by a power of two; multiplying
// stored weights by it is exact. The objective is convex along the multiples.
func (a *ascentOfOne) certifyMultiple(r *BinaryResult) error {
	primal, dual, square := a.evaluate()
	best := 1.0
	for _, factor := range []float64{0.5, 2} {
		for next := best * factor; next > leastMultiple && next < 1/leastMultiple; next *= factor {
			value := a.scale*next*next*square/2 + a.constant
			for k, i := range a.order {
				value += a.cost(i) * a.loss.Value(a.sign[i]*(a.offsetOf(i)+next*a.products[k]))
			}
			if !(value < primal) {
				break
			}
			best, primal = next, value
		}
		if best != 1 {
			break
		}
	}
	floats.Scale(best, a.weights)
	return a.record(r, primal, dual)
}

// leastMultiple is the multiple below which weights count as zero.
const leastMultiple = 1e-12

// evaluate sets the weights, as stored, from the coefficients. It returns both values and the
// squared norm.
func (a *ascentOfOne) evaluate() (primal, dual, square float64) {
	began := time.Now()
	x := a.inputs.Matrix()
	terms := a.build()
	exact, square := a.store()
	a.norm = exact
	primal = a.scale*square/2 + a.constant
	a.products = zeros(a.products, len(a.order))
	for k, i := range a.order {
		features, values := x.Row(int(i))
		a.products[k] = a.scale * dot(a.weights, features, values)
		primal += a.cost(i) * a.loss.Value(a.sign[i]*(a.offsetOf(i)+a.products[k]))
	}
	a.pace = float64(time.Since(began)) / float64(max(1, len(a.order)))
	dual = terms - a.scale*exact/2
	if a.gap > 0 {
		a.trust = min(max((primal-dual)/a.gap, 0.01), 1)
	}
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) { // overflow
		a.build()
	}
	return primal, dual, square
}

// record stores the weights if they are the best so far, compared also with zero weights.
func (a *ascentOfOne) record(r *BinaryResult, primal, dual float64) error {
	if v := primal - dual; math.IsInf(r.Primal, 1) && a.origin < primal && !math.IsNaN(v) && !math.IsInf(v, 0) {
		r.Primal = a.origin // and best is zero
	}
	return a.take(r, primal, dual)
}

// take stores the weights if they are the best so far, without comparing with zero weights.
func (a *ascentOfOne) take(r *BinaryResult, primal, dual float64) error {
	if v := primal - dual; math.IsNaN(v) || math.IsInf(v, 0) { // overflow
		return nil
	}
	r.Dual = max(r.Dual, dual)
	if primal < r.Primal {
		r.Primal = primal
		copy(a.best, a.weights)
	}
	if a.settings.Progress == nil {
		return nil
	}
	return a.settings.Progress(Progress{Epoch: r.Epochs, Primal: r.Primal, Dual: r.Dual, Gap: r.gap(), Seconds: time.Since(a.settings.began).Seconds()})
}
