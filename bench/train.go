package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// estimators are what can be trained, by name.
var estimators = map[string]func(c float64, s solver.Settings, m solver.Method, t *taxonomy.Taxonomy) classifier.Estimator{
	"flat": func(c float64, s solver.Settings, m solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.Flat{C: c, Settings: s, Method: m}
	},
	"hierarchical": func(c float64, s solver.Settings, m solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.Hierarchical{C: c, Settings: s, Method: m}
	},
	"hierarchical-0/1": func(c float64, s solver.Settings, m solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.Hierarchical{C: c, Loss: loss.ZeroOne(), Settings: s, Method: m}
	},
	"hierarchical-half": func(c float64, s solver.Settings, m solver.Method, t *taxonomy.Taxonomy) classifier.Estimator {
		return svm.Hierarchical{C: c, Loss: loss.Half(t), Settings: s, Method: m}
	},
	"normalized": func(c float64, s solver.Settings, m solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.Normalized{C: c, Settings: s, Method: m}
	},
	"label tree": func(c float64, s solver.Settings, _ solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.PLT{C: c, Settings: s}
	},
	"xr-linear": func(c float64, s solver.Settings, _ solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return xrLinear(c, s)
	},
	"one-vs-rest":          leafByLeaf(solver.Hinge),
	"one-vs-rest-squared":  leafByLeaf(solver.SquaredHinge),
	"one-vs-rest-logistic": leafByLeaf(solver.Logistic),
	"softmax": func(c float64, s solver.Settings, _ solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return svm.HierarchicalSoftmax{C: c, Settings: s}
	},
}

func leafByLeaf(loss solver.MarginLoss) func(float64, solver.Settings, solver.Method, *taxonomy.Taxonomy) classifier.Estimator {
	return func(c float64, s solver.Settings, _ solver.Method, _ *taxonomy.Taxonomy) classifier.Estimator {
		return oneVsRest(loss)(c, s)
	}
}

var methods = map[string]solver.Method{"": nil, "bcfw": solver.BCFW{}, "dualascent": solver.DualAscent{}, "pegasos": solver.Pegasos{}}

func names() []string { return slices.Sorted(maps.Keys(estimators)) }

func methodNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(methods)), func(s string) bool { return s == "" })
}

// clock measures CPU and wall time since its start.
type clock struct {
	cpu  float64
	wall time.Time
}

func start() (clock, error) {
	cpu, err := ownCPU()
	return clock{cpu, time.Now()}, err
}

func (c clock) stop(cpu, wall *float64) error {
	now, err := ownCPU()
	*cpu, *wall = now-c.cpu, time.Since(c.wall).Seconds()
	return err
}

// peak returns the largest resident size of the process so far, in bytes.
func peak() (float64, error) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kilobytes float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %f", &kilobytes); n == 1 {
			return kilobytes * 1024, nil
		}
	}
	return 0, fmt.Errorf("no VmHWM in %s", file.Name())
}

// train is the child process: it trains once and prints the outcome.
func train(ctx context.Context, o options) error {
	f := stem{o.child}
	estimator, ok := estimators[o.runs]
	if !ok {
		return fmt.Errorf("nothing named %q to train; there are %v", o.runs, names())
	}
	method, ok := methods[o.method]
	if !ok {
		return fmt.Errorf("no method %q; there are %v", o.method, methodNames())
	}
	workers, err := strconv.Atoi(o.workers)
	if err != nil {
		return fmt.Errorf("workers: %w", err)
	}
	t, err := readEdges(f.edges())
	if err != nil {
		return err
	}
	r := outcome{Name: o.runs, Workers: workers}
	d, err := readRows(f.train(), t)
	if err != nil {
		return err
	}
	test, err := readRows(f.test(), t)
	if err != nil {
		return err
	}
	test.X, d.X = widened(test.X, d.X), widened(d.X, test.X)
	r.Nodes, r.Leaves, r.Features, r.Rows, r.Entries = t.Len(), len(t.Leaves()), d.X.Cols, d.Len(), len(d.X.Indices)
	settings := solver.Settings{Gap: o.gap, Time: o.time, Workers: workers}
	if o.progress {
		settings.Progress = func(p solver.Progress) error {
			_, err := fmt.Fprintln(os.Stderr, p)
			return err
		}
	}
	if o.cpuProfile != "" {
		profile, err := os.Create(o.cpuProfile)
		if err != nil {
			return err
		}
		defer profile.Close()
		if err := pprof.StartCPUProfile(profile); err != nil {
			return err
		}
	}
	watch, err := start()
	if err != nil {
		return err
	}
	m, err := estimator(o.c, settings, method, t).Fit(ctx, d)
	if err != nil {
		return err
	}
	if err := watch.stop(&r.TrainingCPU, &r.TrainingWall); err != nil {
		return err
	}
	pprof.StopCPUProfile()
	r.Primal, r.Dual, r.Epochs = m.Training.Certificate.Primal, m.Training.Certificate.Dual, m.Training.Epochs
	if r.Peak, err = peak(); err != nil {
		return err
	}
	if hierarchical := o.runs == "hierarchical"; hierarchical || o.runs == "flat" {
		if r.Deviation, err = deviation(m, d, hierarchical); err != nil {
			return err
		}
	}
	if err := predict(m, test, &r); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// predict fills in what the model does with the test part.
func predict(m *classifier.Model, d *dataset.Dataset, r *outcome) error {
	watch, err := start()
	if err != nil {
		return err
	}
	predicted := m.Predict(d.X)
	var cpu, wall float64
	if err := watch.stop(&cpu, &wall); err != nil {
		return err
	}
	rows := float64(d.Len())
	r.Predict, r.Predicted = cpu/rows, d.Len()
	half := loss.Half(d.Taxonomy)
	for i, n := range predicted {
		if n == d.Labels[i][0] {
			r.Accuracy += 1 / rows
		}
		r.TreeLoss += half.Cost(d.Labels[i][0], n) / rows
	}
	return nil
}
