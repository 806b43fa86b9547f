package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peers trains the other packages' methods.
//
//go:embed driver/peers.py
var peers []byte

// writeDriver writes the driver into a folder, and returns its path.
func writeDriver(folder string) (string, error) {
	path := filepath.Join(folder, "peers.py")
	return path, os.WriteFile(path, peers, 0o600)
}

// A contender is a method of the table.
type contender struct {
	name string
	ours bool
	c    bool // has a C, or the like, to choose
	// what it can be given
	graphs, several bool
	texts           bool // only features that count: none of them negative
	slow            bool // only sets that are small and dense
}

// contenders are all methods, each beside what it is to be compared with.
var contenders = []contender{
	{name: "flat", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 4", c: true, graphs: true},
	{name: "one-vs-rest", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 3", c: true, graphs: true},
	{name: "one-vs-rest, squared hinge", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 1", c: true, graphs: true},
	{name: "scikit-learn one-vs-rest", c: true, graphs: true, several: true},
	{name: "napkinXC BR", c: true, graphs: true, several: true},
	{name: "one-vs-rest, logistic", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 7", c: true, graphs: true},
	{name: "multinomial logistic", ours: true, c: true, graphs: true},
	{name: "scikit-learn logistic", c: true, graphs: true},
	{name: "PD-Sparse", c: true, graphs: true, several: true},
	{name: "label tree", ours: true, c: true, several: true},
	{name: "label tree, learned", ours: true, c: true, graphs: true, several: true},
	{name: "XR-Linear", ours: true, c: true, several: true},
	{name: "XR-Linear, learned", ours: true, c: true, graphs: true, several: true},
	{name: "napkinXC PLT", c: true, graphs: true, several: true},
	{name: "PECOS XR-Linear", c: true, graphs: true, several: true},
	{name: "hierarchical softmax", ours: true, c: true},
	{name: "napkinXC HSM", c: true, graphs: true},
	{name: "recursive", ours: true, c: true, graphs: true},
	{name: "HiClass per parent", c: true},
	{name: "HiClass per node", c: true},
	{name: "hierarchical", ours: true, c: true, graphs: true, several: true},
	{name: "normalized", ours: true, c: true, graphs: true, several: true},
	{name: "shared", ours: true, c: true},
	{name: "orthogonal", ours: true, c: true},
	{name: "HR-SVM", ours: true, c: true, graphs: true, several: true},
	{name: "HR-LR", ours: true, c: true, graphs: true, several: true},
	{name: "perceptron", ours: true, graphs: true, several: true},
	{name: "Hieron", ours: true, graphs: true},
	{name: "naive Bayes", ours: true, c: true, texts: true, graphs: true},
	{name: "shrinkage", ours: true, texts: true},
	{name: "scikit-learn naive Bayes", c: true, texts: true, graphs: true},
	{name: "forest", ours: true, graphs: true, several: true, slow: true},
	{name: "scikit-learn forest", graphs: true, several: true, slow: true},
}

// can reports whether the method can be given the set.
func (c contender) can(s *set) bool {
	graph := false
	for n := range s.taxonomy.Len() {
		graph = graph || len(s.taxonomy.Parents(n)) > 1
	}
	return (c.graphs || !graph) && (c.several || !s.several) && (!c.texts || !s.dense) && (!c.slow || s.dense)
}

// An entry is a method on a set.
type entry struct {
	Set, Method string
	C           float64 `json:",omitzero"` // the chosen one
	Error       string  `json:",omitzero"` // why there is no more
	Rows        int     `json:",omitzero"` // ranked
	usage
	quality
}

// peerOptions are the flags of table and scale, which train by other packages, too.
type peerOptions struct {
	methods, python, pdsparse, results string
	time                               time.Duration
}

func (o *peerOptions) define(flags *flag.FlagSet, limit time.Duration) {
	definePython(flags, &o.python)
	flags.StringVar(&o.methods, "methods", "", "methods, separated by semicolons, by default all for which there is a program")
	flags.StringVar(&o.pdsparse, "pdsparse", "", "`folder` with PD-Sparse's programs")
	flags.StringVar(&o.results, "results", "", "`file` that results are added to, and in which those are that need not be run")
	flags.DurationVar(&o.time, "time", limit, "bound of a training")
}

func definePython(flags *flag.FlagSet, python *string) {
	flags.StringVar(python, "python", "", "Python that has the packages of driver/requirements.txt; without it only this library is run")
}

// tableOptions are the command line of table.
type tableOptions struct {
	peerOptions
	sets string
	grid []float64
	rows int
}

// compareMethods is the command table.
func compareMethods(ctx context.Context, arguments []string) error {
	var o tableOptions
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	o.define(flags, 2*time.Minute)
	flags.StringVar(&o.sets, "sets", strings.Join(setNames(), ","), "what to compare on")
	grid := flags.String("grid", "0.1,1,10,100", "values of C to choose from")
	flags.IntVar(&o.rows, "rows", 1<<30, "how many rows of each part to take at most")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	for field := range strings.SplitSeq(*grid, ",") {
		c, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return fmt.Errorf("grid: %w", err)
		}
		o.grid = append(o.grid, c)
	}
	methods, err := o.chosen()
	if err != nil {
		return err
	}
	entries, err := readLines[entry](o.results)
	if err != nil {
		return err
	}
	names := strings.Split(o.sets, ",")
	for _, name := range names {
		if err := o.compareOn(ctx, name, methods, &entries); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return show(os.Stdout, names, methods, entries)
}

// chosen returns the methods to compare.
func (o *tableOptions) chosen() ([]contender, error) {
	if o.methods == "" {
		return slices.DeleteFunc(slices.Clone(contenders), func(c contender) bool {
			return !c.ours && o.python == "" || c.name == "PD-Sparse" && o.pdsparse == ""
		}), nil
	}
	var methods []contender
	for name := range strings.SplitSeq(o.methods, ";") {
		k := slices.IndexFunc(contenders, func(c contender) bool { return c.name == name })
		if k < 0 {
			return nil, fmt.Errorf("no method %q", name)
		}
		if methods = append(methods, contenders[k]); !contenders[k].ours && o.python == "" {
			return nil, fmt.Errorf("%s needs -python", name)
		}
	}
	return methods, nil
}

// compareOn adds what the methods reach on a set.
func (o *tableOptions) compareOn(ctx context.Context, name string, methods []contender, entries *[]entry) error {
	s, err := open(ctx, name, o.rows)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := writeDriver(folder); err != nil {
		return err
	}
	choosing, comparing, err := s.write(folder)
	if err != nil {
		return err
	}
	for _, m := range methods {
		known := func(e entry) bool { return e.Set == name && e.Method == m.name }
		if !m.can(s) || slices.ContainsFunc(*entries, known) {
			continue
		}
		e := entry{Set: name, Method: m.name}
		err := o.measure(ctx, s, m, folder, choosing, comparing, &e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e = entry{Set: name, Method: m.name, Error: strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")}
		}
		fmt.Fprintln(os.Stderr, e)
		*entries = append(*entries, e)
		if err := addLine(o.results, e); err != nil {
			return err
		}
	}
	return nil
}

func (e entry) String() string {
	if e.Error != "" {
		return fmt.Sprintf("%s, %s: %s", e.Set, e.Method, e.Error)
	}
	return fmt.Sprintf("%s, %s: %.4f at C = %g, %.2f CPU s", e.Set, e.Method, e.At1, e.C, e.TrainingCPU)
}

// measure chooses C, the smaller one of equals, trains and judges.
func (o *tableOptions) measure(ctx context.Context, s *set, m contender, folder string, choosing, comparing part, e *entry) error {
	ranked := filepath.Join(folder, "ranked")
	grid := o.grid
	if !m.c {
		grid = []float64{1}
	}
	if len(grid) > 1 {
		best, failed := -1.0, error(nil)
		for _, c := range grid {
			_, err := o.train(ctx, m, c, folder, choosing, ranked)
			if errors.Is(err, errTime) { // which is no better with a greater C
				failed = cmp.Or(failed, err)
				break
			}
			if err != nil {
				failed = cmp.Or(failed, err)
				continue
			}
			q, err := judge(ranked, s.several, s.heldOut)
			if err != nil {
				return err
			}
			if q.At1 > best {
				best, e.C = q.At1, c
			}
		}
		if best < 0 {
			return failed
		}
	} else {
		e.C = grid[0]
	}
	took, err := o.train(ctx, m, e.C, folder, comparing, ranked)
	if err != nil {
		return err
	}
	e.usage, e.Rows = took, s.test.Len()
	if !m.c {
		e.C = 0
	}
	e.quality, err = judge(ranked, s.several, s.test)
	return err
}

// train trains and ranks in a process of its own.
func (o *peerOptions) train(ctx context.Context, m contender, c float64, folder string, p part, ranked string) (usage, error) {
	program, arguments := o.python, []string{filepath.Join(folder, "peers.py")}
	if m.ours {
		self, err := os.Executable()
		if err != nil {
			return usage{}, err
		}
		program, arguments = self, []string{"rank", "-time", o.time.String()}
	} else {
		limited, cancel := context.WithTimeout(ctx, o.time+ranking)
		defer cancel()
		ctx = limited
	}
	arguments = append(arguments, m.name, strconv.FormatFloat(c, 'g', -1, 64), p.train, p.test, p.edges, ranked)
	child := exec.CommandContext(ctx, program, arguments...)
	child.Env = append(os.Environ(), "PDSPARSE="+o.pdsparse)
	child.WaitDelay = time.Second
	var complaint bytes.Buffer
	child.Stderr = &complaint
	out, err := child.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return usage{}, fmt.Errorf("%w in %v", errTime, o.time+ranking)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return usage{}, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	// Some packages print before the driver does.
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var took usage
	return took, json.Unmarshal(lines[len(lines)-1], &took)
}

// errTime is the error of a training that had to be ended.
var errTime = errors.New("not done")

// ranking is how long reading and ranking may take besides a training.
const ranking = time.Minute

// show prints a table of methods and sets for each of some measures.
func show(w io.Writer, names []string, methods []contender, entries []entry) error {
	found := make(map[[2]string]entry)
	for _, e := range entries {
		found[[2]string{e.Set, e.Method}] = e
	}
	out := bufio.NewWriter(w)
	for _, measure := range []struct {
		name, format string
		of           func(e entry) float64
		better       func(a, b float64) bool // nil where no best one is marked
	}{
		{"true labels at 1", "%.3f", func(e entry) float64 { return e.At1 }, greater},
		{"true labels at 5", "%.3f", func(e entry) float64 { return e.At5 }, greater},
		{"tree loss of the first", "%.3f", func(e entry) float64 { return e.TreeLoss }, less},
		{"C", "%g", func(e entry) float64 { return e.C }, nil},
		{"training, CPU seconds", "%.2f", func(e entry) float64 { return e.TrainingCPU }, nil},
		{"ranking, CPU milliseconds a row", "%.3f", func(e entry) float64 { return 1e3 * e.PredictingCPU / float64(e.Rows) }, nil},
		{"peak memory, MB", "%.0f", func(e entry) float64 { return e.Peak / 1e6 }, nil},
	} {
		best := make(map[string]string)
		if measure.better != nil {
			values := make(map[string]float64)
			for _, e := range entries {
				v, ok := values[e.Set]
				if e.Error == "" && (!ok || measure.better(measure.of(e), v)) {
					values[e.Set] = measure.of(e)
					best[e.Set] = fmt.Sprintf(measure.format, measure.of(e))
				}
			}
		}
		fmt.Fprintf(out, "| %s | %s |\n|---|%s\n", measure.name, strings.Join(names, " | "), strings.Repeat("---|", len(names)))
		for _, m := range methods {
			fmt.Fprintf(out, "| %s |", m.label())
			for _, name := range names {
				e, ok := found[[2]string{name, m.name}]
				text := ""
				switch {
				case !ok || measure.name == "C" && !m.c:
				case e.Error != "":
					text = "–"
				default:
					if text = fmt.Sprintf(measure.format, measure.of(e)); text == best[name] {
						text = "**" + text + "**"
					}
				}
				fmt.Fprintf(out, " %s |", text)
			}
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out)
	}
	for _, name := range names {
		for _, m := range methods {
			if e := found[[2]string{name, m.name}]; e.Error != "" {
				fmt.Fprintf(out, "- %s on %s: %s\n", m.label(), name, e.Error)
			}
		}
	}
	return out.Flush()
}

func greater(a, b float64) bool { return a > b }
func less(a, b float64) bool    { return a < b }

// label is the name of the method and its package.
func (c contender) label() string {
	if c.ours {
		return "hierml " + c.name
	}
	return c.name
}
