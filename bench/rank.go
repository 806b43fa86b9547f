package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
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
	"flat":                       linear(func(c float64, s solver.Settings) classifier.Estimator { return svm.Flat{C: c, Settings: s} }),
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
	"hierarchical softmax": linear(func(c float64, s solver.Settings) classifier.Estimator {
		return svm.HierarchicalSoftmax{C: c, Settings: s}
	}),
	"multinomial logistic": multinomial,
	"perceptron":           linear(func(float64, solver.Settings) classifier.Estimator { return perceptron.Hierarchical{Averaged: true} }),
	"Hieron":               linear(func(float64, solver.Settings) classifier.Estimator { return perceptron.Hieron{Averaged: true} }),
	"naive Bayes":          linear(func(c float64, _ solver.Settings) classifier.Estimator { return bayes.Multinomial{Alpha: 1 / c} }),
	"shrinkage":            linear(func(float64, solver.Settings) classifier.Estimator { return bayes.Shrinkage{} }),
	"forest": func(ctx context.Context, d *dataset.Dataset, _ float64, s solver.Settings) (metric.Scorer, error) {
		return forest.Forest{Time: s.Time}.Fit(ctx, d)
	},
}

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
}

// rank is the child process for methods of this library, with the arguments of the other packages'
// driver: a method, C, the files of a part, and the file for the rankings.
func rank(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("rank", flag.ContinueOnError)
	limit := flags.Duration("time", 0, "bound of the training")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if arguments = flags.Args(); len(arguments) != 6 {
		return fmt.Errorf("want METHOD C TRAIN TEST EDGES RANKED, not %q", arguments)
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
	scores := leafScores(model, test.X)
	var wall float64
	if err := watch.stop(&took.PredictingCPU, &wall); err != nil {
		return err
	}
	if took.Peak, err = peak(); err != nil {
		return err
	}
	if err := writeRankings(ranked, scores, test); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(took)
}

// widened returns x with as many columns as the wider of both has.
func widened(x, y *dataset.Matrix) *dataset.Matrix {
	wide := *x
	wide.Cols = max(x.Cols, y.Cols)
	return &wide
}

// leafScores returns the scores by which the model prefers leaves.
func leafScores(model metric.Scorer, x *dataset.Matrix) *mat.Dense {
	if chooser, ok := model.(metric.Chooser); ok {
		return chooser.ChoiceScores(x)
	}
	return model.LeafScores(x)
}

// writeRankings writes the five best leaves of every row as the other packages' driver does, ties
// in the order of the leaves.
func writeRankings(name string, scores *mat.Dense, d *dataset.Dataset) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	leaves := d.Taxonomy.Leaves()
	order := make([]int, len(leaves))
	for i := range d.Len() {
		row := scores.RawRowView(i)
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case row[a] > row[b]:
				return -1
			case row[a] < row[b]:
				return 1
			}
			return 0
		})
		for _, k := range order[:min(5, len(order))] {
			fmt.Fprint(out, d.Taxonomy.Name(leaves[k]), " ")
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}
