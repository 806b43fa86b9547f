package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

//go:embed driver/columns.py
var columnsDriver string

// columnsResult is what was measured of one way from a table to predictions: CPU seconds.
type columnsResult struct {
	Accuracy, Read, Fit, Predict float64
}

// compareColumns compares the way from a mixed table to predictions with scikit-learn's.
func compareColumns(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("columns", flag.ContinueOnError)
	python := flags.String("python", "", "a Python with scikit-learn and pandas")
	data := flags.String("data", "", "the table, debian.csv")
	seed := flags.Uint64("seed", 1, "of the division")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	fmt.Printf("%-34s %9s %9s %9s %9s\n", "", "accuracy", "read", "train", "predict")
	show := func(name string, r columnsResult) {
		fmt.Printf("%-34s %9.4f %9.2f %9.2f %9.2f\n", name, r.Accuracy, r.Read, r.Fit, r.Predict)
	}
	var parts []string
	for _, m := range []struct {
		name      string
		estimator classifier.Estimator
	}{{"one-vs-rest", svm.OneVsRest{C: 1}}, {"hierarchical", svm.Hierarchical{C: 1}}, {"normalized", svm.Normalized{C: 1}}} {
		result, division, err := columnsOnce(ctx, *data, *seed, m.estimator)
		if err != nil {
			return err
		}
		parts = division
		show("hierml, "+m.name, result)
	}
	if *python == "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "parts")
	if err := os.WriteFile(file, []byte(strings.Join(parts, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, *python, "-c", columnsDriver, *data, file)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	c.Stderr = os.Stderr
	out, err := output(c)
	if err != nil {
		return err
	}
	var peer columnsResult
	if err := json.Unmarshal(out, &peer); err != nil {
		return err
	}
	show("scikit-learn, one-vs-rest", peer)
	return nil
}

// columnsOnce reads the table, trains on 70 % of each class and predicts the rest. It also returns
// the part of each row.
func columnsOnce(ctx context.Context, file string, seed uint64, e classifier.Estimator) (result columnsResult, parts []string, err error) {
	at, err := ownCPU()
	if err != nil {
		return result, nil, err
	}
	lap := func(to *float64) {
		now, failed := ownCPU()
		if err == nil {
			err = failed
		}
		*to, at = now-at, now
	}
	table, err := files.Table{Unused: []string{"tags"}}.Open(ctx, file, nil)
	if err != nil {
		return result, nil, err
	}
	if table, err = table.Leafed(); err != nil {
		return result, nil, err
	}
	lap(&result.Read)
	divisions, err := table.Rounds(1, 0.3, seed)
	if err != nil {
		return result, nil, err
	}
	train, test := table.Divide(divisions[0])
	encoder, err := features.Columns{
		Text: features.Text{MinDocuments: 2}, Nominal: features.Nominal{MinRows: 2},
		Number: features.Number{Log: true, Scale: features.ZScore, Missing: features.Mean, Indicator: true},
	}.Fit(ctx, train)
	if err != nil {
		return result, nil, err
	}
	var d [2]*dataset.Dataset
	for k, part := range []*dataset.Table{train, test} {
		if d[k], err = encoder.Transform(ctx, part); err != nil {
			return result, nil, err
		}
	}
	m, err := e.Fit(ctx, d[0])
	if err != nil {
		return result, nil, err
	}
	lap(&result.Fit)
	report, err := metric.Evaluate(m, d[1])
	if err != nil {
		return result, nil, err
	}
	lap(&result.Predict)
	result.Accuracy = report.Accuracy
	parts = make([]string, table.Len())
	for _, r := range divisions[0].Train {
		parts[r] = "train"
	}
	for _, r := range divisions[0].Test {
		parts[r] = "test"
	}
	return result, parts, err
}
