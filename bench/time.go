package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/process"
)

// bounded are the estimators whose trainings can be bounded in time.
func bounded(s solver.Settings) []classifier.Estimator {
	return []classifier.Estimator{
		svm.Flat{Settings: s}, svm.Hierarchical{Settings: s}, svm.Normalized{Settings: s}, svm.Shared{Settings: s},
		svm.TreeLoss{Settings: s}, svm.GlobalMargin{Settings: s}, svm.HM3{Settings: s}, svm.Transfer{Settings: s}, svm.Orthogonal{Settings: s},
		svm.Recursive{Settings: s}, svm.HierarchicalSoftmax{Settings: s}, svm.PLT{Settings: s},
		svm.OneVsRest{Settings: s}, svm.OneVsRest{Loss: solver.SquaredHinge, Settings: s}, svm.OneVsRest{Loss: solver.Logistic, Settings: s},
		svm.HR{Settings: s}, svm.HR{Loss: solver.SquaredHinge, Settings: s}, svm.HR{Loss: solver.Logistic, Settings: s},
		svm.Ridge{Time: s.Time}, svm.Ridge{C: 1, Kernel: gram.RBF{Gamma: 1}, Time: s.Time},
	}
}

// compareBounds is the command time.
func compareBounds(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("time", flag.ContinueOnError)
	names := flags.String("sets", "reuters21578,imclef07a,wordnet_nouns,gasch1_fun,enron_corr", "sets to train on")
	times := flags.String("bounds", "1ms,10ms,100ms,1s,4s", "bounds of a training")
	only := flags.String("only", "", "train only estimators whose types contain this `text`")
	c := flags.Float64("c", 10, "C")
	busy := flags.Int("busy", 0, "processes that compute beside the trainings")
	spin := flags.Bool("spin", false, "for the command's own use")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	for n := 0; *spin && ctx.Err() == nil; n++ {
		math.Sqrt(float64(n))
	}
	end, err := startBusy(ctx, *busy)
	if err != nil {
		return err
	}
	defer end()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintln(out, "set\testimator\tbound\ttaken\tof zero\tgap\tstatus\t")
	for _, name := range strings.Split(*names, ",") {
		s, err := open(ctx, name, math.MaxInt)
		if err != nil {
			return err
		}
		for _, text := range strings.Split(*times, ",") {
			bound, err := time.ParseDuration(text)
			if err != nil {
				return err
			}
			for _, e := range bounded(solver.Settings{Time: bound}) {
				if strings.Contains(fmt.Sprintf("%T", e), *only) {
					if err := timed(ctx, out, name, bound, e, *c, s.train); err != nil {
						return err
					}
				}
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// timed trains once, and prints a line.
func timed(ctx context.Context, out *tabwriter.Writer, set string, bound time.Duration, e classifier.Estimator, c float64, d *dataset.Dataset) error {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "svm.")
	if loss, ok := reflect.ValueOf(e).Type().FieldByName("Loss"); ok && loss.Type == reflect.TypeFor[solver.MarginLoss]() {
		name += fmt.Sprintf(" %v", reflect.ValueOf(e).FieldByIndex(loss.Index))
	}
	if r, ok := e.(svm.Regularized); ok && name != "Ridge" {
		e = r.WithC(c)
	}
	began := time.Now()
	m, err := e.Fit(ctx, d)
	took := time.Since(began)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Fprintf(out, "%s\t%s\t%v\t%.0f %%\t", set, name, bound, 100*took.Seconds()/bound.Seconds())
	if err != nil {
		fmt.Fprintf(out, "\t\t%.60s\t\n", err)
		return nil
	}
	r := m.Training.Certificate
	share := "unknown"
	if r.Origin > 0 {
		share = fmt.Sprintf("%.4f", r.Primal/r.Origin)
	}
	fmt.Fprintf(out, "%s\t%.2g\t%v\t\n", share, r.Gap, r.Status)
	return nil
}

// startBusy starts processes that compute until the returned function is called.
func startBusy(ctx context.Context, processes int) (end func(), err error) {
	var waits []func() error
	ctx, stop := context.WithCancel(ctx)
	end = func() {
		stop()
		for _, wait := range waits {
			_ = wait() // which says that it was killed
		}
	}
	self, err := os.Executable()
	if err != nil {
		return end, err
	}
	for range processes {
		wait, err := process.Start(process.Bind(exec.CommandContext(ctx, self, "time", "-spin")))
		if err != nil {
			end()
			return end, err
		}
		waits = append(waits, wait)
	}
	return end, nil
}
