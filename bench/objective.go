package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the command line of liblinear.
type options struct {
	data, problem, python, runs, workers, method, child, cpuProfile string
	c, gap                                                          float64
	repeat                                                          int
	time                                                            time.Duration
	progress                                                        bool
}

// compareObjectives is the command liblinear.
func compareObjectives(ctx context.Context, arguments []string) error {
	var o options
	flags := flag.NewFlagSet("liblinear", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", "", "`folder` with the files of the problem; without it data are generated")
	flags.StringVar(&o.problem, "problem", "small", "small, big, wipod, dmoz or wikipedia, or a set of the table; with -data the name of any files there")
	definePython(flags, &o.python)
	flags.StringVar(&o.runs, "runs", "flat,hierarchical,normalized", "what to train, of "+strings.Join(names(), ", "))
	flags.StringVar(&o.workers, "workers", "1", "numbers of workers to train with")
	flags.StringVar(&o.method, "method", "", "solver, of "+strings.Join(methodNames(), ", ")+"; without it the default")
	flags.Float64Var(&o.c, "c", 1, "C")
	flags.Float64Var(&o.gap, "gap", 1e-3, "relative gap to train to")
	flags.DurationVar(&o.time, "time", 0, "bound of a training of this library")
	flags.IntVar(&o.repeat, "repeat", 1, "trainings of each kind, of which the one with the least CPU time counts")
	flags.BoolVar(&o.progress, "progress", false, "print the progress of this library's trainings")
	flags.StringVar(&o.cpuProfile, "cpuprofile", "", "`file` for a profile of the last training of this library")
	flags.StringVar(&o.child, "child", "", "for the command's own use")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if o.child != "" {
		return train(ctx, o)
	}
	return compare(ctx, o)
}

// outcome is the result of one training.
type outcome struct {
	Name                        string
	Workers, Epochs             int
	TrainingCPU, TrainingWall   float64
	Primal, Dual                float64
	Peak                        float64 // bytes
	Accuracy, TreeLoss, Predict float64 // Predict: CPU seconds an instance
	// of the weights of some nodes from their definition
	Deviation               float64 `json:",omitzero"`
	Nodes, Leaves, Features int     `json:",omitzero"`
	Entries                 int     `json:",omitzero"` // of the training part that are not zero
	Rows, Predicted         int     // instances of the training part and of the test part
}

// compare runs all trainings and prints the table.
func compare(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	problem := dataFiles(o.data, o.problem)
	if o.data == "" {
		if problem, err = generate(ctx, folder, o.problem); err != nil {
			return err
		}
	}
	var outcomes []outcome
	for _, name := range strings.Split(o.runs, ",") {
		for _, workers := range strings.Split(o.workers, ",") {
			var best outcome
			for k := range max(o.repeat, 1) {
				r, err := ours(ctx, o, problem, name, workers)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if k == 0 || r.TrainingCPU < best.TrainingCPU {
					best = r
				}
			}
			outcomes = append(outcomes, best)
		}
	}
	number := cmp.Or(solvers[outcomes[0].Name], "4")
	var theirs *outcome
	if o.python != "" {
		tolerances := ladder(number)
		for range max(o.repeat, 1) {
			r, err := liblinear(ctx, o.python, folder, number, problem, o.c, outcomes[0].Primal, tolerances)
			if err != nil {
				return err
			}
			tolerances = tolerances[slices.Index(tolerances, r.Name):]
			if theirs == nil || r.TrainingCPU < theirs.TrainingCPU {
				theirs = r
			}
		}
	}
	return report(os.Stdout, outcomes, number, theirs)
}

// ours trains once in a separate process.
func ours(ctx context.Context, o options, f stem, name, workers string) (outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return outcome{}, err
	}
	arguments := []string{
		"liblinear", "-child", f.path, "-runs", name, "-workers", workers, "-method", o.method, "-cpuprofile", o.cpuProfile,
		"-c", strconv.FormatFloat(o.c, 'g', -1, 64), "-gap", strconv.FormatFloat(o.gap, 'g', -1, 64), "-progress=" + strconv.FormatBool(o.progress),
		"-time", o.time.String(),
	}
	child := exec.CommandContext(ctx, self, arguments...)
	child.Env = append(os.Environ(), "GOMAXPROCS="+workers)
	child.Stderr = os.Stderr
	out, err := output(child)
	if err != nil {
		return outcome{}, err
	}
	var r outcome
	return r, json.Unmarshal(out, &r)
}

// stem is how the files of a problem are called: stem.train.svm, stem.test.svm and stem.edges.
type stem struct{ path string }

func dataFiles(folder, problem string) stem { return stem{filepath.Join(folder, problem)} }

func (f stem) train() string { return f.path + ".train.svm" }
func (f stem) test() string  { return f.path + ".test.svm" }
func (f stem) edges() string { return f.path + ".edges" }
