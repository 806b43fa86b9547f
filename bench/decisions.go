package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

// compareDecisions is the command decisions.
func compareDecisions(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("decisions", flag.ContinueOnError)
	sets := flags.String("sets", "ng15,reuters21578,imclef07a,wordnet_nouns", "the sets, with commas between them")
	c := flags.Float64("c", 1, "C of the models")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "set\tmodel\tdecision\taccuracy\ttree loss\texpected\thierarchical F1\texpected\tinner\t")
	for _, name := range strings.Split(*sets, ",") {
		s, err := open(ctx, name, math.MaxInt)
		if err != nil {
			return err
		}
		train, test := ofOne(s.train), ofOne(s.test)
		for _, e := range []struct {
			name      string
			estimator classifier.Estimator
			form      svm.CalibrationForm
			treesOnly bool
		}{{"flat SVM", svm.Flat{C: *c}, svm.Temperature, false}, {"hierarchical softmax", svm.HierarchicalSoftmax{C: *c}, svm.Platt, true}} {
			if e.treesOnly && !train.Taxonomy.IsTree() {
				continue
			}
			model, err := svm.Calibration{Form: e.form}.Fit(ctx, e.estimator, train)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, e.name, err)
			}
			if err := showDecisions(ctx, out, name, e.name, model, test); err != nil {
				return fmt.Errorf("%s, %s: %w", name, e.name, err)
			}
		}
	}
	return out.Flush()
}

// ofOne returns the rows with one label.
func ofOne(d *dataset.Dataset) *dataset.Dataset {
	var rows []int
	for i, set := range d.Labels {
		if len(set) == 1 {
			rows = append(rows, i)
		}
	}
	return d.Subset(rows)
}

// showDecisions writes a line a rule: what its decisions reach, and what they were expected to.
func showDecisions(ctx context.Context, out *tabwriter.Writer, set, model string, scorer metric.Scorer, test *dataset.Dataset) error {
	for _, way := range []struct {
		name string
		rule decision.Rule
	}{
		{"highest score", nil}, {"least loss, leaves", decision.LeastLoss{}}, {"least loss, nodes", decision.LeastLoss{Inner: true}},
		{"largest F1, nodes", decision.LargestF{Single: true}}, {"largest F1, sets", decision.LargestF{}},
	} {
		expected := [2]string{"", ""}
		judged := scorer
		if way.rule != nil {
			m := &decision.Model{Scorer: scorer, Rule: way.rule, Taxonomy: test.Taxonomy}
			_, values, err := m.Sets(ctx, test.X)
			if err != nil {
				return err
			}
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			_, ofF := way.rule.(decision.LargestF)
			expected[slices.Index([]bool{false, true}, ofF)] = fmt.Sprintf("%.3f", sum/float64(len(values)))
			judged = m
		}
		r, err := metric.Evaluate(judged, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%.4f\t%.3f\t%s\t%.4f\t%s\t%d\t\n", set, model, way.name, r.Accuracy, r.TreeLoss, expected[0], r.HierarchicalSamplesF1, expected[1], r.InnerPredictions)
	}
	return nil
}
