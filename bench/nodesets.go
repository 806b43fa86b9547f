package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// compareNodeSets is the command nodesets.
func compareNodeSets(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("nodesets", flag.ContinueOnError)
	names := flags.String("sets", "cellcycle_fun,gasch1_fun", "the sets, with commas between them")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	fmt.Println("| set | method | C | AU(PRC) | of the scores | hierarchical F1 | seconds |\n|---|---|---|---|---|---|---|")
	settings := solver.Settings{Gap: 0.01}
	for _, name := range strings.Split(*names, ",") {
		c, err := collected(ctx, name)
		if err != nil {
			return err
		}
		s := set{several: true, dense: true}
		train, test, err := s.scaled(s.chosen(c.Train, math.MaxInt), s.chosen(c.Test, math.MaxInt))
		if err != nil {
			return err
		}
		methods := []struct {
			name, c string
			of      classifier.Estimator
		}{{"ridge regression", "chosen", svm.Ridge{}}}
		for _, c := range []float64{0.1, 1} {
			text := fmt.Sprint(c)
			methods = append(methods, []struct {
				name, c string
				of      classifier.Estimator
			}{
				{"one-vs-rest", text, svm.OneVsRest{C: c, Settings: settings}},
				{"nodes apart", text, svm.PLT{C: c, Link: classifier.Margin, Policy: svm.LessInclusive, Settings: settings}},
				{"max constraint", text, svm.MaxConstraint{C: c, Settings: settings}},
			}...)
		}
		for _, m := range methods {
			if err := showNodeSets(ctx, name, m.name, m.c, m.of, train, test); err != nil {
				return fmt.Errorf("%s, %s: %w", name, m.name, err)
			}
		}
	}
	return nil
}

// showNodeSets writes a line: how good the probabilities and sets of svm.NodeSets are by scores
// of a method, and the scores alone.
func showNodeSets(ctx context.Context, set, name, c string, method classifier.Estimator, train, test *dataset.Dataset) error {
	began := time.Now()
	area, f1 := "", ""
	var scores *classifier.Model
	if _, apart := method.(svm.PLT); apart {
		m, err := method.Fit(ctx, train)
		if err != nil {
			return err
		}
		scores = m
	} else {
		m, err := svm.NodeSets{Method: method}.Fit(ctx, train)
		if err != nil {
			return err
		}
		nodes, err := metric.NodeScores(m.NodeProbabilities(test.X), test.Labels, test.Taxonomy)
		if err != nil {
			return err
		}
		f, err := metric.LabelSets(test.Labels, m.Predict(test.X), test.Taxonomy)
		if err != nil {
			return err
		}
		area, f1 = fmt.Sprintf("%.4f", nodes.Pooled), fmt.Sprintf("%.4f", f.Hierarchical)
		if m.Model.Taxonomy == train.Taxonomy { // else inner nodes have no scores
			scores = m.Model
		}
	}
	seconds := time.Since(began).Seconds()
	alone := ""
	if scores != nil {
		nodes, err := metric.NodeScores(scores.CoherentScores(test.X), test.Labels, test.Taxonomy)
		if err != nil {
			return err
		}
		alone = fmt.Sprintf("%.4f", nodes.Pooled)
	}
	fmt.Printf("| %s | %s | %s | %s | %s | %s | %.0f |\n", set, name, c, area, alone, f1, seconds)
	return nil
}
