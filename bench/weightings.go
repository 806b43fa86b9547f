package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/weighting"
)

// ways are compared. The one without a weighting is the flat SVM.
var ways = []struct {
	name string
	of   svm.Weighting
}{
	{"flat", nil},
	{"Path", weighting.Path{}},
	{"directional", weighting.Path{Directional: true}},
	{"MaxMin", weighting.MaxMin{}},
}

// compareWeightings is the command weightings.
func compareWeightings(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("weightings", flag.ContinueOnError)
	rows := flags.Int("rows", 1500, "rows of a set, to train on and to test")
	draws := flags.Int("draws", 3, "how often these are drawn")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	names := []string{"ng15", "reuters21578", "rcv1", "wordnet_nouns", "imclef07a", "imclef07d", "texts", "hyperplanes", "linear tree"}
	accuracy, losses := make([][]float64, len(names)), make([][]float64, len(names))
	for k, name := range names {
		d, err := singles(ctx, name)
		if err != nil {
			return err
		}
		accuracy[k], losses[k] = make([]float64, len(ways)), make([]float64, len(ways))
		for draw := range *draws {
			train, test, err := divide(d, *rows, uint64(draw))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for w, way := range ways {
				report, err := weigh(ctx, way.of, train, test)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", name, way.name, err)
				}
				accuracy[k][w] += 100 * report.Accuracy / float64(*draws)
				losses[k][w] += report.TreeLoss / float64(*draws)
			}
		}
		fmt.Fprintf(os.Stderr, "%s %.2f\n", name, accuracy[k])
	}
	fmt.Println("accuracy, %")
	if err := showWays(names, accuracy, 1, "%.1f"); err != nil {
		return err
	}
	fmt.Println("tree loss")
	return showWays(names, losses, -1, "%.3f")
}

// singles returns the training part of a set, or a set that is only compared here.
func singles(ctx context.Context, name string) (*dataset.Dataset, error) {
	switch name {
	case "hyperplanes":
		return synthetic.Hyperplanes{Instances: 6000}.Generate(ctx)
	case "linear tree":
		return synthetic.ThesisSynthetic(3, 3, 1).Generate(ctx)
	}
	s, err := open(ctx, name, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return s.train, nil
}

// divide draws rows with one label, and divides them.
func divide(d *dataset.Dataset, rows int, seed uint64) (train, test *dataset.Dataset, err error) {
	var single []int
	for i, set := range d.Labels {
		if len(set) == 1 {
			single = append(single, i)
		}
	}
	d = d.Subset(single)
	if share := 1 - float64(rows)/float64(d.Len()); share > 0 {
		if d, _, err = d.Split(share, seed); err != nil {
			return nil, nil, err
		}
	}
	return d.Split(1./3, seed+100)
}

func weigh(ctx context.Context, way svm.Weighting, train, test *dataset.Dataset) (*metric.Report, error) {
	settings := solver.Settings{Gap: 0.01, MaxEpochs: 200}
	var e svm.Regularized = svm.Flat{Settings: settings}
	if way != nil {
		e = svm.Normalized{Weighting: way, Settings: settings}
	}
	choice, err := svm.Search{Grid: []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300}}.ChooseC(ctx, e, train)
	if err != nil {
		return nil, err
	}
	return metric.Evaluate(choice.Model, test)
}

// show prints a table, with the mean ranks: sign is 1 where more is better, otherwise -1.
func showWays(names []string, values [][]float64, sign float64, format string) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, way := range ways {
		fmt.Fprintf(out, "\t%s", way.name)
	}
	fmt.Fprintln(out, "\t")
	ranks := make([]float64, len(ways))
	for k, row := range values {
		fmt.Fprint(out, names[k])
		for w, v := range row {
			fmt.Fprintf(out, "\t"+format, v)
			for _, u := range row {
				switch {
				case sign*u > sign*v:
					ranks[w]++
				case u == v:
					ranks[w] += 0.5
				}
			}
		}
		fmt.Fprintln(out, "\t")
	}
	fmt.Fprint(out, "mean rank")
	for _, r := range ranks {
		fmt.Fprintf(out, "\t%.2f", r/float64(len(names))+0.5)
	}
	fmt.Fprintln(out, "\t")
	return out.Flush()
}
