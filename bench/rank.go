package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// fitting trains a method of this library.
type fitting func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error)

// linear is a method whose model is linear.
func linear(estimator func(c float64, s solver.Settings) classifier.Estimator) fitting {
	return func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		return estimator(c, s).Fit(ctx, d)
	}
}

// fittings are the methods of this library, by the names that tables have.
var fittings = map[string]fitting{
	"flat":                       linear(flat),
	"hierarchical":               linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Hierarchical{C: c, Settings: s} }),
	"normalized":                 linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Normalized{C: c, Settings: s} }),
	"shared":                     linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Shared{C: c, Settings: s} }),
	"orthogonal":                 linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Orthogonal{C: c, Settings: s} }),
	"recursive":                  linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Recursive{C: c, Settings: s} }),
	"one-vs-rest":                linear(oneVsRest(solver.Hinge)),
	"one-vs-rest, squared hinge": linear(oneVsRest(solver.SquaredHinge)),
	"one-vs-rest, logistic":      linear(oneVsRest(solver.Logistic)),
	"HR-SVM":                     linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.HR{C: c, Settings: s} }),
	"HR-LR": linear(func(c float64, s solver.Settings) classifier.Estimator {
		return svm.HR{C: c, Loss: solver.Logistic, Settings: s}
	}),
	"label tree": linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.PLT{C: c, Settings: s} }),
	"label tree, learned": func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		return clustering.Balanced{Estimator: svm.PLT{C: c, Settings: s}}.Fit(ctx, d)
	},
	"XR-Linear": linear(func(c float64, s solver.Settings) classifier.Estimator { return xrLinear(c, s) }),
	"XR-Linear, learned": func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		return clustering.Balanced{Estimator: xrLinear(c, s)}.Fit(ctx, d)
	},
	"hierarchical softmax":             linear(softmax),
	"flat, least loss":                 decided(flat, svm.Temperature, decision.LeastLoss{Inner: true}),
	"flat, largest F":                  decided(flat, svm.Temperature, decision.LargestF{}),
	"hierarchical softmax, least loss": decided(softmax, svm.Platt, decision.LeastLoss{Inner: true}),
	"hierarchical softmax, largest F":  decided(softmax, svm.Platt, decision.LargestF{}),
	"label tree, largest F": func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		m, err := svm.PLT{C: c, Settings: s}.Fit(ctx, d)
		if err != nil {
			return nil, err
		}
		return &decision.Model{Scorer: m, Rule: decision.SetF{}, Taxonomy: d.Taxonomy}, nil
	},
	"HM3": linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.HM3{C: c, Settings: s} }),
	"Ridge": func(ctx context.Context, d *dataset.Dataset, _ float64, s solver.Settings) (metric.Scorer, error) {
		m, err := svm.Ridge{Time: s.Time}.Fit(ctx, d)
		if err != nil {
			return nil, err
		}
		return ridge{m}, nil
	},
	"NodeSets": func(ctx context.Context, d *dataset.Dataset, _ float64, s solver.Settings) (metric.Scorer, error) {
		return svm.NodeSets{}.Fit(ctx, d)
	},
	"NodeSets, one-vs-rest": func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		s.Time /= foldsAndAll
		return svm.NodeSets{Method: svm.OneVsRest{C: c, Loss: solver.SquaredHinge, Settings: s}}.Fit(ctx, d)
	},
	"NodeSets, max constraint": func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		s.Time /= foldsAndAll
		return svm.NodeSets{Method: svm.MaxConstraint{C: c, Settings: s}}.Fit(ctx, d)
	},
	"multinomial logistic": multinomial,
	"perceptron":           linear(func(float64, solver.Settings) classifier.Estimator { return perceptron.Hierarchical{Averaged: true} }),
	"Hieron":               linear(func(float64, solver.Settings) classifier.Estimator { return perceptron.Hieron{Averaged: true} }),
	"naive Bayes":          linear(func(c float64, _ solver.Settings) classifier.Estimator { return bayes.Multinomial{Alpha: 1 / c} }),
	"shrinkage":            linear(func(float64, solver.Settings) classifier.Estimator { return bayes.Shrinkage{} }),
	"forest": func(ctx context.Context, d *dataset.Dataset, _ float64, s solver.Settings) (metric.Scorer, error) {
		return forest.Forest{Time: s.Time}.Fit(ctx, d)
	},
}

func flat(c float64, s solver.Settings) classifier.Estimator { return svm.Flat{C: c, Settings: s} }

func softmax(c float64, s solver.Settings) classifier.Estimator {
	return svm.HierarchicalSoftmax{C: c, Settings: s}
}

// foldsAndAll is how many models are trained where five folds are held out; they share the time.
const foldsAndAll = 6

// decided is a method whose calibrated probabilities are learned, with a decision that uses them.
func decided(estimator func(c float64, s solver.Settings) classifier.Estimator, form svm.CalibrationForm, rule decision.Rule) fitting {
	return func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
		s.Time /= foldsAndAll
		m, err := svm.Calibration{Form: form}.Fit(ctx, estimator(c, s), d)
		if err != nil {
			return nil, err
		}
		return &decision.Model{Scorer: m, Rule: rule, Taxonomy: d.Taxonomy}, nil
	}
}

// ridge has the scores of nodes of svm.Ridge, which say how likely a label is there.
type ridge struct{ *classifier.Model }

func (m ridge) NodeProbabilities(x *dataset.Matrix) *mat.Dense { return m.NodeScores(x) }

// multinomial is logistic regression of all leaves: hierarchical softmax below one node.
func multinomial(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (metric.Scorer, error) {
	var names []string
	leaf := make(map[int]int)
	for _, n := range d.Taxonomy.Leaves() {
		leaf[n] = len(names)
		names = append(names, d.Taxonomy.Name(n))
	}
	level, err := taxonomy.New(names, nil)
	if err != nil {
		return nil, err
	}
	flat := *d
	flat.Taxonomy, flat.Labels = level, make([][]int, d.Len())
	for i, labels := range d.Labels {
		for _, n := range labels {
			flat.Labels[i] = append(flat.Labels[i], leaf[n])
		}
	}
	return svm.HierarchicalSoftmax{C: c, Settings: s}.Fit(ctx, &flat)
}

// xrLinear is the method of PECOS: a label tree with squared hinges.
func xrLinear(c float64, s solver.Settings) svm.PLT {
	return svm.PLT{C: c, Link: classifier.CubedHinge, Settings: s}
}

func oneVsRest(loss solver.MarginLoss) func(c float64, s solver.Settings) classifier.Estimator {
	return func(c float64, s solver.Settings) classifier.Estimator {
		return svm.OneVsRest{C: c, Loss: loss, Settings: s}
	}
}

// usage is what a training and a ranking took, as the driver of the other packages prints it.
type usage struct {
	TrainingCPU   float64 `json:"training_cpu"`
	TrainingWall  float64 `json:"training_wall"`
	PredictingCPU float64 `json:"predicting_cpu"`
	Peak          float64 `json:"peak"`
	// Sums says that the score of a node is the sum of those of the leaves below, as of
	// probabilities, and not the highest.
	Sums bool `json:"sums,omitzero"`
}

// rank is the child process for methods of this library, with the arguments of the other
// packages' driver: a method, C, the files of a part, the file for the rankings and, perhaps,
// that for scores.
func rank(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("rank", flag.ContinueOnError)
	limit := flags.Duration("time", 0, "bound of the training")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if arguments = flags.Args(); len(arguments) != 6 && len(arguments) != 7 {
		return fmt.Errorf("want METHOD C TRAIN TEST EDGES RANKED and perhaps SCORES, not %q", arguments)
	}
	name, files, ranked := arguments[0], part{arguments[2], arguments[3], arguments[4]}, arguments[5]
	fit, ok := fittings[name]
	if !ok {
		return fmt.Errorf("no method %q", name)
	}
	var c float64
	if _, err := fmt.Sscan(arguments[1], &c); err != nil {
		return fmt.Errorf("the value of C: %w", err)
	}
	t, err := readEdges(files.edges)
	if err != nil {
		return err
	}
	train, err := readRows(files.train, t)
	if err != nil {
		return err
	}
	test, err := readRows(files.test, t)
	if err != nil {
		return err
	}
	test.X, train.X = widened(test.X, train.X), widened(train.X, test.X)
	var took usage
	watch, err := start()
	if err != nil {
		return err
	}
	model, err := fit(ctx, train, c, solver.Settings{Time: *limit})
	if err != nil {
		return err
	}
	if err := watch.stop(&took.TrainingCPU, &took.TrainingWall); err != nil {
		return err
	}
	if watch, err = start(); err != nil {
		return err
	}
	scores := metric.ScoresOf(model, test.X)
	sets, err := decide(model, test.X, scores, several(train))
	if err != nil {
		return err
	}
	var wall float64
	if err := watch.stop(&took.PredictingCPU, &wall); err != nil {
		return err
	}
	if took.Peak, err = peak(); err != nil {
		return err
	}
	if err := writeRankings(ranked, scores, sets, test); err != nil {
		return err
	}
	if len(arguments) == 7 {
		var nodes *mat.Dense
		nodes, took.Sums = nodeScores(model, scores, test, several(train))
		if err := writeScores(arguments[6], nodes, test.Taxonomy); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(took)
}

// several reports whether an instance has several labels.
func several(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// decide returns the sets of nodes that a model predicts otherwise than by the highest score: by a
// decision or, where instances have several labels, by sets of its own; and nil for other models.
func decide(model metric.Scorer, x *dataset.Matrix, scores *mat.Dense, several bool) ([][]int, error) {
	if m, ok := model.(*decision.Model); ok {
		return m.Decide(x, scores)
	}
	if !several {
		return nil, nil
	}
	switch m := model.(type) {
	case interface {
		Predict(x *dataset.Matrix) [][]int
	}: // NodeSets and forest
		return m.Predict(x), nil
	case *classifier.Model:
		switch m.Rule {
		case classifier.ClosedSet:
			return m.ClosedSets(x)
		case classifier.BestSet:
			return m.LabelSets(x)
		}
	}
	return nil, nil
}

// nodeScores returns scores of all nodes, not a number where that is for others to make of those
// below, and whether as a sum.
func nodeScores(model metric.Scorer, scores *mat.Dense, d *dataset.Dataset, several bool) (nodes *mat.Dense, sums bool) {
	if m, ok := model.(*decision.Model); ok {
		model = m.Scorer
	}
	if m, ok := model.(metric.NodeScorer); ok {
		return m.NodeProbabilities(d.X), false
	}
	if m, ok := model.(metric.Prober); ok && !several {
		if p := m.Probabilities(d.X, scores); p != nil {
			scores, sums = p, addUp(p)
		}
	}
	nodes = mat.NewDense(d.Len(), d.Taxonomy.Len(), nil)
	for i := range d.Len() {
		row := nodes.RawRowView(i)
		for n := range row {
			row[n] = math.NaN()
		}
		for k, leaf := range d.Taxonomy.Leaves() {
			row[leaf] = scores.At(i, k)
		}
	}
	return nodes, sums
}

// addUp reports whether the probabilities of each row add up to one.
func addUp(p *mat.Dense) bool {
	rows, _ := p.Dims()
	for i := range rows {
		if math.Abs(floats.Sum(p.RawRowView(i))-1) > 1e-6 {
			return false
		}
	}
	return true
}

// writeScores writes float32, a row a row, and a column a node in the order of the numbers that
// nodes have as names.
func writeScores(name string, scores *mat.Dense, t *taxonomy.Taxonomy) error {
	column := make([]int, t.Len())
	for n := range column {
		number, err := strconv.Atoi(t.Name(n))
		if err != nil || number < 1 || number > len(column) {
			return fmt.Errorf("node %q has no number up to %d as its name", t.Name(n), len(column))
		}
		column[n] = number - 1
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	rows, columns := scores.Dims()
	row := make([]float32, columns)
	for i := range rows {
		for n, v := range scores.RawRowView(i) {
			row[column[n]] = float32(v)
		}
		if err := binary.Write(out, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// widened returns x with as many columns as the wider of both has.
func widened(x, y *dataset.Matrix) *dataset.Matrix {
	wide := *x
	wide.Cols = max(x.Cols, y.Cols)
	return &wide
}

// writeRankings writes the five best leaves of every row as the other packages' driver does,
// ties in the order of the leaves, and behind a semicolon the predicted set, if there are any.
// Where instances have one label, the best is the node of the set with the highest leaf below.
func writeRankings(name string, scores *mat.Dense, sets [][]int, d *dataset.Dataset) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	leaves := d.Taxonomy.Leaves()
	order := make([]int, len(leaves))
	one := !several(d)
	for i := range d.Len() {
		row := scores.RawRowView(i)
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		var nodes []int
		for _, k := range order[:min(5, len(order))] {
			nodes = append(nodes, leaves[k])
		}
		if one && sets != nil {
			if first := best(sets[i], order, d.Taxonomy); first >= 0 {
				nodes = slices.DeleteFunc(nodes, func(n int) bool { return n == first })
				nodes = slices.Insert(nodes, 0, first)[:min(5, len(nodes)+1)]
			}
		}
		writeNodes(out, nodes, d.Taxonomy)
		if sets != nil {
			fmt.Fprint(out, "; ")
			writeNodes(out, sets[i], d.Taxonomy)
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func writeNodes(out io.Writer, nodes []int, t *taxonomy.Taxonomy) {
	for _, n := range nodes {
		fmt.Fprint(out, t.Name(n), " ")
	}
}

// best returns the node of the set that the first leaf below any is below, or -1 of no set.
// order are the leaves, as indices, the best first.
func best(set, order []int, t *taxonomy.Taxonomy) int {
	leaves := t.Leaves()
	for _, k := range order {
		for _, n := range t.Ancestors(leaves[k]) {
			if slices.Contains(set, n) {
				return n
			}
		}
	}
	return -1
}
