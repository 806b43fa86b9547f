// Weightings compares the ways to choose the node weights of normalized SVMs on real and generated
// data, by which svm.Normalized has its default:
//
//	HIERML_DATA=FOLDER go run ./hierml/internal/weightings
//
// Of each set some rows with a single label are drawn several times, and two thirds trained on, with C
// chosen for each weighting from a grid by a fifth of these. The table has the mean accuracy on the
// other third, in percent, and the last row mean ranks; a second table has the mean tree loss.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"text/tabwriter"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/weighting"
)

// ways are what is compared. Without a weighting it is the flat SVM.
var ways = []struct {
	name string
	of   svm.Weighting
}{
	{"flat", nil},
	{"Path", weighting.Path{}},
	{"directional", weighting.Path{Directional: true}},
	{"MaxMin", weighting.MaxMin{}},
}

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 1500, "rows of a set, to train on and to test")
	draws := flag.Int("draws", 3, "how often these are drawn")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rows, *draws); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, rows, draws int) error {
	names := []string{"ng15", "reuters21578", "rcv1", "wordnet_nouns", "imclef07a", "imclef07d", "texts", "hyperplanes", "linear tree"}
	accuracy, losses := make([][]float64, len(names)), make([][]float64, len(names))
	for k, name := range names {
		d, err := open(ctx, name)
		if err != nil {
			return err
		}
		accuracy[k], losses[k] = make([]float64, len(ways)), make([]float64, len(ways))
		for draw := range draws {
			train, test, err := divide(d, rows, uint64(draw))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for w, way := range ways {
				report, err := measure(ctx, way.of, train, test)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", name, way.name, err)
				}
				accuracy[k][w] += 100 * report.Accuracy / float64(draws)
				losses[k][w] += report.TreeLoss / float64(draws)
			}
		}
		fmt.Fprintf(os.Stderr, "%s %.2f\n", name, accuracy[k])
	}
	fmt.Println("accuracy, %")
	if err := show(names, accuracy, 1, "%.1f"); err != nil {
		return err
	}
	fmt.Println("tree loss")
	return show(names, losses, -1, "%.3f")
}

// open returns a set, its rows of images at unit length beside a constant.
func open(ctx context.Context, name string) (*dataset.Dataset, error) {
	switch name {
	case "texts":
		c, err := synthetic.WIPOLike().Generate(ctx)
		if err != nil {
			return nil, err
		}
		return c.Train, nil
	case "hyperplanes":
		return synthetic.Hyperplanes{Instances: 6000}.Generate(ctx)
	case "linear tree":
		return synthetic.ThesisSynthetic(3, 3, 1).Generate(ctx)
	}
	c, err := collection.OpenContext(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := c.Train.Leafed()
	if err != nil {
		return nil, err
	}
	if name == "imclef07a" || name == "imclef07d" {
		scaling, err := features.Scaling{UnitLength: true, Constant: 1}.Fit(d)
		if err != nil {
			return nil, err
		}
		return scaling.Transform(d)
	}
	return d, nil
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

func measure(ctx context.Context, way svm.Weighting, train, test *dataset.Dataset) (*metric.Report, error) {
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
func show(names []string, values [][]float64, sign float64, format string) error {
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
