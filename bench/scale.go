package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A training is a method on a problem of the page on scale.
type training struct {
	problem, method, workers string
	gap                      float64
}

// trainings are those of the page. Methods that the table of sets has by another package are of
// that one.
var trainings = []training{
	{"big", "flat", "1", 1e-3}, {"big", "flat", "2", 1e-3}, {"big", "hierarchical", "1", 1e-3}, {"big", "normalized", "1", 1e-3},
	{problem: "big", method: "LIBLINEAR -s 4"},
	{"dmoz", "flat", "2", 1e-3}, {"dmoz", "hierarchical", "2", 1e-3}, {"dmoz", "normalized", "2", 1e-3},
	{problem: "dmoz", method: "PD-Sparse"}, {problem: "dmoz", method: "napkinXC PLT"}, {problem: "dmoz", method: "PECOS XR-Linear"},
	{"wikipedia", "flat", "2", 1e-2}, {"wikipedia", "hierarchical", "2", 1e-2}, {"wikipedia", "normalized", "2", 1e-2},
	{grown[0].problem, "flat", "2", 1e-2}, {grown[1].problem, "flat", "2", 1e-2}, {grown[2].problem, "flat", "2", 1e-2},
}

// A measurement is the cost of a training.
type measurement struct {
	Problem, Method string
	Gap             float64 `json:",omitzero"` // asked for
	outcome
	Others float64 // cores that other processes took meanwhile
	Commit string
	Error  string `json:",omitzero"` // why there is no more
}

func (m measurement) is(t training) bool {
	return m.Problem == t.problem && m.Method == t.method && (t.workers == "" || fmt.Sprint(m.Workers) == t.workers)
}

func (m measurement) String() string {
	if m.Error != "" {
		return fmt.Sprintf("%s, %s: %s", m.Problem, m.Method, m.Error)
	}
	return fmt.Sprintf("%s, %s: accuracy %.4f, %.2f CPU s, %.1f GB", m.Problem, m.Method, m.Accuracy, m.TrainingCPU, m.Peak/1e9)
}

// scaleOptions are the command line of scale.
type scaleOptions struct {
	peerOptions
	problems, data string
	progress       bool
}

// compareSizes is the command scale.
func compareSizes(ctx context.Context, arguments []string) error {
	var o scaleOptions
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	o.define(flags, time.Hour)
	flags.StringVar(&o.problems, "problems", "", "problems, separated by commas, by default all")
	flags.StringVar(&o.data, "data", "", "`folder` where the files of problems are or, if they are not, are made")
	flags.BoolVar(&o.progress, "progress", false, "print the progress of this library's trainings")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if o.data == "" {
		o.data = folder
	}
	if _, err := writeDriver(folder); err != nil {
		return err
	}
	measured, err := readLines[measurement](o.results)
	if err != nil {
		return err
	}
	for _, t := range trainings {
		known := slices.ContainsFunc(measured, func(m measurement) bool { return m.is(t) })
		if known || !o.wants(t) {
			continue
		}
		m, err := o.measure(ctx, t, folder, measured)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.Error = strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")
		}
		measured = append(measured, m)
		if err := addLine(o.results, m); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, m)
	}
	return showSizes(os.Stdout, measured)
}

// wants reports whether the command line asks for a training.
func (o *scaleOptions) wants(t training) bool {
	if o.problems != "" && !slices.Contains(strings.Split(o.problems, ","), t.problem) || o.methods != "" && !slices.Contains(strings.Split(o.methods, ";"), t.method) {
		return false
	}
	python := t.workers == ""
	return !python || o.python != "" && (t.method != "PD-Sparse" || o.pdsparse != "")
}

// measure trains once, in a separate process.
func (o *scaleOptions) measure(ctx context.Context, t training, folder string, measured []measurement) (m measurement, err error) {
	m = measurement{Problem: t.problem, Method: t.method, Gap: t.gap}
	if m.Commit, err = commit(ctx); err != nil {
		return m, err
	}
	files := dataFiles(o.data, t.problem)
	if _, err := os.Stat(files.edges()); err != nil {
		if files, err = generate(ctx, o.data, t.problem); err != nil {
			return m, err
		}
	}
	before, err := others()
	if err != nil {
		return m, err
	}
	watch := time.Now()
	switch {
	case t.workers != "":
		m.outcome, err = ours(ctx, options{c: 1, gap: t.gap, time: o.time, progress: o.progress}, files, t.method, t.workers)
	case t.method == "LIBLINEAR -s 4":
		m.outcome, err = o.liblinear(ctx, t, folder, files, measured)
	default:
		m.outcome, err = o.peer(ctx, t, folder, files)
	}
	if err != nil {
		return m, err
	}
	after, err := others()
	m.Others = max(0, (after-before)/time.Since(watch).Seconds())
	return m, err
}

// liblinear trains by LIBLINEAR to what flat has reached.
func (o *scaleOptions) liblinear(ctx context.Context, t training, folder string, files stem, measured []measurement) (outcome, error) {
	k := slices.IndexFunc(measured, func(m measurement) bool { return m.is(training{problem: t.problem, method: "flat"}) && m.Error == "" })
	if k < 0 {
		return outcome{}, fmt.Errorf("no objective to reach. Train flat first")
	}
	r, err := liblinear(ctx, o.python, folder, solvers["flat"], files, 1, measured[k].Primal, tolerances)
	if err != nil {
		return outcome{}, err
	}
	return *r, nil
}

// peer trains by another package with C = 1.
func (o *scaleOptions) peer(ctx context.Context, t training, folder string, files stem) (outcome, error) {
	ranked := filepath.Join(folder, "ranked")
	took, err := o.train(ctx, contender{name: t.method}, 1, folder, part{files.train(), files.test(), files.edges()}, ranked)
	if err != nil {
		return outcome{}, err
	}
	tree, err := readEdges(files.edges())
	if err != nil {
		return outcome{}, err
	}
	test, err := readRows(files.test(), tree)
	if err != nil {
		return outcome{}, err
	}
	p, err := readPredictions(ranked, "", false, test)
	if err != nil {
		return outcome{}, err
	}
	q, err := judge(p, false, test)
	rows := float64(test.Len())
	return outcome{
		TrainingCPU: took.TrainingCPU, TrainingWall: took.TrainingWall, Predict: took.PredictingCPU / rows, Predicted: test.Len(), Peak: took.Peak, Accuracy: q.At1, TreeLoss: q.TreeLoss,
	}, err
}

// commit returns the commit of the working folder, with a plus where files differ from it.
func commit(ctx context.Context) (string, error) {
	name, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("the commit that is measured: %w", err)
	}
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil {
		return "", fmt.Errorf("the commit that is measured: %w", err)
	}
	commit := strings.TrimSpace(string(name))
	if len(bytes.TrimSpace(changed)) > 0 {
		commit += "+"
	}
	return commit, nil
}

// others returns the CPU seconds that processes of the machine have taken which are not this one,
// nor those that it has waited for.
func others() (float64, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	var user, nice, system float64
	if _, err := fmt.Sscanf(string(text), "cpu %f %f %f", &user, &nice, &system); err != nil {
		return 0, fmt.Errorf("/proc/stat: %w", err)
	}
	const perSecond = 100 // USER_HZ
	own, err := ownCPU()
	if err != nil {
		return 0, err
	}
	children, err := childrenCPU()
	return (user+nice+system)/perSecond - own - children, err
}

func (r outcome) gap() float64 { return (r.Primal - r.Dual) / r.Primal }

// showSizes prints the problems, and what trainings took.
func showSizes(w io.Writer, measured []measurement) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "| problem | nodes | leaves | instances | features |\n|---|---|---|---|---|")
	shown := make(map[string]bool)
	for _, m := range measured {
		if m.Nodes > 0 && !shown[m.Problem] {
			shown[m.Problem] = true
			fmt.Fprintf(out, "| %s | %d | %d | %d | %d |\n", m.Problem, m.Nodes, m.Leaves, m.Rows, m.Features)
		}
	}
	fmt.Fprintln(out, "\n| problem | method | workers | gap, asked for | weights off by | epochs | CPU s | wall s | peak GB | accuracy | tree loss | ms a prediction | others' cores | commit |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, t := range trainings {
		for _, m := range measured {
			if !m.is(t) {
				continue
			}
			if m.Error != "" {
				fmt.Fprintf(out, "| %s | %s | %s | %s |\n", m.Problem, m.Method, cmp.Or(t.workers, "1"), m.Error)
				continue
			}
			gap, epochs := "", ""
			if t.workers != "" {
				gap, epochs = fmt.Sprintf("%.2g, %g", m.gap(), m.Gap), fmt.Sprint(m.Epochs)
			}
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %.0f | %.0f | %.1f | %.3f | %s | %.3f | %.1f | %s |\n", m.Problem, m.Method, t.workers, gap, known("%.0e", m.Deviation), epochs,
				m.TrainingCPU, m.TrainingWall, m.Peak/1e9, m.Accuracy, known("%.3f", m.TreeLoss), 1e3*m.Predict, m.Others, m.Commit)
		}
	}
	return out.Flush()
}
