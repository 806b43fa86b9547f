package svm

import (
	"context"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
)

// Search has the settings for choosing C. Models are trained on a part of the data with rising C,
// each starting from the previous one, and compared on the rest. The zero value is ready to use.
type Search struct {
	// Grid has the values of C to try. The default is 0.01 to 10 by factors of the square root of
	// 10. While the best C is at an end, the default grid is extended there, by up to four values.
	// A given grid is not extended; a 0 in it means the default C of 1.
	Grid []float64
	// HeldOut is the share of the instances to compare on, about equal in every class. It is drawn
	// as by Dataset.Split: no group is in both parts. The default value is 0.2.
	HeldOut float64
	// Seed determines which instances are held out.
	Seed uint64
	// Loss compares a prediction with the label; if there are several labels, with the closest. The
	// default value is the 0/1 loss.
	Loss loss.Loss
	// SetLoss compares the predicted set with the true one, for models that predict label sets. The
	// default value is the size of the symmetric difference of the sets' ancestors.
	SetLoss loss.SetLoss
	// OneStandardError chooses the smallest C whose loss exceeds the smallest loss by at most one
	// standard error of the difference on the same instances. The default is the C with the
	// smallest loss.
	OneStandardError bool
	// Progress, if not nil, is called after every C. An error stops the search.
	Progress func(Tried) error
}

// Tried is the outcome of one C.
type Tried struct {
	C             float64
	Loss          float64 // mean on the instances held out
	StandardError float64 // of the difference to the best; 0 for the best
	// share of held-out instances whose prediction is a label or below one; for sets, equals the
	// true set
	Accuracy float64
	Gap      float64 // to which the model was trained
	Seconds  float64
}

// Choice is the outcome of a search.
type Choice struct {
	Model   *classifier.Model // trained on all data with C
	C       float64           // chosen
	Tried   []Tried           // ascending by C
	HeldOut int               // instances
	Rule    string            // how C was chosen
}

// ChooseC chooses C with the default Search and trains on all data with it. C matters more than the
// method: choose C for each method before you compare them.
func ChooseC(ctx context.Context, e Regularized, d *dataset.Dataset) (*Choice, error) {
	return Search{}.ChooseC(ctx, e, d)
}

// warm is an estimator that can start from the result of another C on the same data.
type warm interface {
	withStart(r *solver.Result) Regularized
}

func (s Flat) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s Hierarchical) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s Normalized) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s OneVsRest) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s PLT) withStart(r *solver.Result) Regularized {
	s.Settings.Start = r
	return s
}

func (s Recursive) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s HR) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s GlobalMargin) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s Orthogonal) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s Transfer) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

func (s TreeLoss) withStart(r *solver.Result) Regularized {
	s.Settings.Start = startable(s.Method, r)
	return s
}

// onward returns the result that a training with another C starts from, or nil.
func onward(r *solver.Result) *solver.Result {
	point := r.Last
	if point == nil {
		point = r.Point
	}
	if point == nil && r.Parts == nil {
		return nil
	}
	return &solver.Result{Point: point, Parts: r.Parts}
}

// startable returns the result if the method can start from one.
func startable(m solver.Method, r *solver.Result) *solver.Result {
	if !startsAnywhere(m) {
		return nil
	}
	return r
}

// startsAnywhere reports whether a method can continue from the dual point of a result.
func startsAnywhere(m solver.Method) bool {
	switch m.(type) {
	case solver.Pegasos, solver.RDA:
		return false
	}
	return true
}

// ChooseC chooses C for an estimator and trains on all data with it. With an error it returns the
// values tried so far, if any. If training on all data was stopped, it also returns the best model
// so far.
func (s Search) ChooseC(ctx context.Context, e Regularized, d *dataset.Dataset) (*Choice, error) {
	among, err := s.ChooseAmong(ctx, []Regularized{e}, d)
	if among == nil {
		return nil, err
	}
	return among.Choice, err
}

// Among is the outcome of a search among estimators.
type Among struct {
	*Choice           // of the estimator chosen
	Chosen  int       // its index
	Choices []*Choice // of each; the others have no model
}

// ChooseAmong chooses C for each of several estimators, such as normalized SVMs with different
// weightings, on the same instances. It then chooses the estimator with the smallest loss, the
// first in case of a tie, and trains it on all data. It returns an error if some predict sets of
// labels and others single labels, because their losses cannot be compared. Other errors are as for
// ChooseC. If the search did not finish, no estimator is chosen, and Choice is that of the last one
// tried.
func (s Search) ChooseAmong(ctx context.Context, estimators []Regularized, d *dataset.Dataset) (_ *Among, err error) {
	if len(estimators) == 0 || slices.Contains(estimators, nil) || d == nil || d.Taxonomy == nil || d.X == nil {
		return nil, fmt.Errorf("svm: ChooseC needs an estimator and a dataset with instances and their taxonomy")
	}
	if d, err = d.Weighted(); err != nil {
		return nil, withPackage(err)
	}
	if s.HeldOut == 0 {
		s.HeldOut = 0.2
	}
	grid, err := s.grid()
	if err != nil {
		return nil, err
	}
	by, err := d.HoldOut(s.HeldOut, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("svm: instances to choose C with: %w", err)
	}
	train, test := d.Divide(by)
	if test.Len() == 0 {
		return nil, fmt.Errorf("svm: no class of dataset %q has a second instance to hold out; choose C on other data", d.Name)
	}
	if err := loss.Check(s.Loss, d.Taxonomy); err != nil {
		return nil, err
	}
	if err := loss.CheckSets(s.SetLoss, d.Taxonomy); err != nil {
		return nil, err
	}
	what := "loss"
	if s.Loss == nil {
		s.Loss = loss.ZeroOne()
		if !slices.ContainsFunc(d.Labels, func(l []int) bool { return len(l) != 1 }) {
			what = "0/1 loss"
		}
	}
	if s.SetLoss == nil {
		s.SetLoss = loss.Symdiff(d.Taxonomy).(loss.SetLoss)
	}
	ctx, ended := solver.TrainingGroup(ctx, "")
	defer func() { ended(err) }()
	whole := ctx
	if s.Progress != nil {
		ctx = progress.Silent(ctx)
	}
	ctx, work := progress.Begin(ctx, "choosing C")
	defer work.End()
	among := &Among{}
	smallest, sets := math.Inf(1), false
	for i, e := range estimators {
		c := &choosing{Search: s, what: what, estimator: e, train: train, test: test, losses: make(map[float64][]float64)}
		for k, v := range grid {
			if err = c.try(ctx, v); err != nil {
				break
			}
			work.Report(float64(i*len(grid)+k+1)/float64(len(estimators)*len(grid)+1), func() string { return fmt.Sprintf("C = %.3g tried, %d of %d", v, k+1, len(grid)) })
		}
		if err == nil && s.Grid == nil {
			err = c.extend(ctx)
		}
		choice := &Choice{HeldOut: test.Len()}
		choice.Tried, choice.C, choice.Rule = c.choose()
		if len(choice.Tried) > 0 {
			among.Choices = append(among.Choices, choice)
		}
		if err != nil {
			if len(among.Choices) == 0 {
				return nil, err
			}
			among.Chosen = len(among.Choices) - 1
			among.Choice = among.Choices[among.Chosen]
			return among, err
		}
		if i > 0 && sets != c.sets {
			return nil, fmt.Errorf("svm: some of the estimators predict sets of labels and others single labels, whose losses cannot be compared; choose among those of one kind")
		}
		sets = c.sets
		if l := c.best(choice.Tried).Loss; among.Choice == nil || l < smallest {
			smallest, among.Chosen, among.Choice = l, i, choice
		}
	}
	choice := among.Choice
	if choice.Model, err = estimators[among.Chosen].WithC(choice.C).Fit(progress.WithNotesFrom(ctx, whole), d); err != nil {
		return among, fmt.Errorf("svm: training on all data with C = %g: %w", choice.C, err)
	}
	return among, nil
}

const step = 3.1622776601683795 // between the values of the default grid

func (s Search) grid() ([]float64, error) {
	if s.Grid == nil {
		return []float64{0.01, 0.01 * step, 0.1, 0.1 * step, 1, step, 10}, nil
	}
	if len(s.Grid) == 0 {
		return nil, fmt.Errorf("svm: the grid is empty; leave it nil for the default")
	}
	grid := slices.Clone(s.Grid)
	for k, c := range grid {
		var err error
		if grid[k], err = defaultC(c); err != nil {
			return nil, fmt.Errorf("svm: the grid: %w", err)
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid), nil
}

// choosing is the state of a search.
type choosing struct {
	Search
	what        string // name of the loss
	estimator   Regularized
	train, test *dataset.Dataset
	tried       []Tried
	losses      map[float64][]float64 // by C, of every held-out instance
	last        *solver.Result        // of the last C: its dual point
	sets        bool                  // sets of labels are predicted
}

// extend tries values beyond an end of the grid while the best is there.
func (c *choosing) extend(ctx context.Context) error {
	const most = 4
	for range most {
		sorted, _, _ := c.choose()
		low, high := sorted[0], sorted[len(sorted)-1]
		best := c.best(sorted)
		switch {
		case best.C == high.C && best.Loss < sorted[len(sorted)-2].Loss:
			if err := c.try(ctx, high.C*step); err != nil {
				return err
			}
		case best.C == low.C:
			if err := c.try(ctx, low.C/step); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// try trains with one C and measures the losses.
func (c *choosing) try(ctx context.Context, value float64) error {
	e := c.estimator.WithC(value)
	if w, ok := e.(warm); ok && c.last != nil {
		e = w.withStart(c.last)
	}
	start := time.Now()
	m, err := e.Fit(ctx, c.train)
	if err != nil {
		return fmt.Errorf("svm: C = %g: %w", value, err)
	}
	// The weights are not needed to start from, and can be very large.
	c.last = onward(m.Training.Certificate)
	t := Tried{C: value, Gap: m.Training.Certificate.Gap}
	losses, accuracy, err := c.compare(m)
	if err != nil {
		return fmt.Errorf("svm: C = %g: %w", value, err)
	}
	t.Accuracy = accuracy
	for _, l := range losses {
		t.Loss += l / float64(len(losses))
	}
	t.Seconds = time.Since(start).Seconds()
	c.losses[value] = losses
	c.tried = append(c.tried, t)
	if c.Progress != nil {
		if err := c.Progress(t); err != nil {
			return fmt.Errorf("svm: stopped after C = %g: %w", value, err)
		}
	}
	return nil
}

// compare returns the losses of the held-out instances, each times its weight divided by the mean
// weight, and the accuracy.
func (c *choosing) compare(m *classifier.Model) (losses []float64, accuracy float64, err error) {
	losses = make([]float64, c.test.Len())
	mean := weigh.Sum(c.test.Weights, len(losses)) / float64(len(losses))
	share := func(i int) float64 { return c.test.Weight(i) / mean }
	closed := m.Rule == classifier.ClosedSet || m.Rule == classifier.BottomUp
	if c.sets = closed || m.Rule == classifier.BestSet; c.sets {
		predict := m.LabelSets
		if closed {
			predict = m.ClosedSets
		}
		sets, err := predict(c.test.X)
		if err != nil {
			return nil, 0, err
		}
		for i, set := range sets {
			losses[i] = share(i) * c.SetLoss.SetCost(c.test.Labels[i], set)
			if slices.Equal(c.test.Labels[i], set) {
				accuracy += share(i) / float64(len(losses))
			}
		}
		return losses, accuracy, nil
	}
	for i, p := range m.Predict(c.test.X) {
		set := c.test.Labels[i]
		if c.right(set, p) {
			accuracy += share(i) / float64(len(losses))
			continue
		}
		if len(set) == 0 {
			continue // nothing to compare with
		}
		losses[i] = math.Inf(1)
		for _, y := range set {
			losses[i] = min(losses[i], share(i)*c.Loss.Cost(y, p))
		}
	}
	return losses, accuracy, nil
}

// right reports whether a prediction is a label or a leaf below one: [ZXW11] requires no more where
// the label is an inner node.
func (c *choosing) right(set []int, predicted int) bool {
	above := c.test.Taxonomy.Ancestors(predicted)
	return slices.ContainsFunc(set, func(y int) bool {
		_, ok := slices.BinarySearch(above, y)
		return ok
	})
}

// best returns the value with the smallest loss, in case of a tie the smallest C.
func (c *choosing) best(sorted []Tried) Tried {
	return slices.MinFunc(sorted, func(a, b Tried) int {
		switch {
		case a.Loss < b.Loss:
			return -1
		case a.Loss > b.Loss:
			return 1
		}
		return 0
	})
}

// choose returns the values tried, ascending by C and with standard errors, and the choice.
func (c *choosing) choose() (sorted []Tried, chosen float64, rule string) {
	sorted = slices.Clone(c.tried)
	slices.SortFunc(sorted, func(a, b Tried) int {
		if a.C < b.C {
			return -1
		}
		return 1
	})
	if len(sorted) == 0 {
		return nil, 0, ""
	}
	best := c.best(sorted)
	for k := range sorted {
		sorted[k].StandardError = standardError(c.losses[sorted[k].C], c.losses[best.C])
	}
	if !c.OneStandardError {
		return sorted, best.C, "smallest " + c.what
	}
	for _, t := range sorted {
		if t.Loss-best.Loss <= t.StandardError {
			return sorted, t.C, "smallest C within one standard error of the smallest " + c.what
		}
	}
	return sorted, best.C, "smallest " + c.what
}

// standardError returns the standard error of the mean difference of two losses of the same
// instances.
func standardError(a, b []float64) float64 {
	n := float64(len(a))
	if n < 2 {
		return 0
	}
	var mean, square float64
	for i := range a {
		mean += (a[i] - b[i]) / n
	}
	for i := range a {
		d := a[i] - b[i] - mean
		square += d * d / (n - 1)
	}
	return math.Sqrt(square / n)
}

// String returns a table of the values tried.
func (c *Choice) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "C = %.4g (%s on %d instances held out)\n", c.C, c.Rule, c.HeldOut)
	fmt.Fprintf(&b, "  %10s  %8s  %18s  %8s  %8s  %8s\n", "C", "loss", "s.e. of difference", "accuracy", "gap", "seconds")
	for _, t := range c.Tried {
		mark := " "
		if t.C == c.C {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %10.4g  %8.4f  %18.4f  %8.4f  %8.2g  %8.2f\n", mark, t.C, t.Loss, t.StandardError, t.Accuracy, t.Gap, t.Seconds)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML returns the table of String in HTML, with the choice in bold.
func (c *Choice) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption><tr><th>C</th><th>loss</th><th>s.e. of difference</th><th>accuracy</th><th>gap</th><th>seconds</th></tr>",
		html.EscapeString(fmt.Sprintf("C = %.4g (%s on %d instances held out)", c.C, c.Rule, c.HeldOut)))
	for _, t := range c.Tried {
		style := ""
		if t.C == c.C {
			style = ` style="font-weight:bold"`
		}
		fmt.Fprintf(&b, "<tr%s><td>%.4g</td><td>%.4f</td><td>%.4f</td><td>%.4f</td><td>%.2g</td><td>%.2f</td></tr>", style, t.C, t.Loss, t.StandardError, t.Accuracy, t.Gap, t.Seconds)
	}
	b.WriteString("</table>")
	return b.String()
}
