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

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
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
	sets            bool // only rows of several
	texts           bool // only features that count: none of them negative
	slow            bool // only sets that are small and dense
	// intercept says what lets the scores of a label be other than 0 where all features are
	intercept string
}

// The values of contender.intercept, and none.
const (
	constant = "constant" // a feature, whose weight is penalized as others are
	prior    = "prior"    // the frequencies of the labels
	needless = "–"        // trees divide at any value
)

// contenders are all methods, each with the method to compare it with.
var contenders = []contender{
	{name: "flat", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 4", c: true, graphs: true},
	{name: "flat, least loss", ours: true, c: true, graphs: true},
	{name: "flat, largest F", ours: true, c: true, graphs: true},
	{name: "one-vs-rest", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 3", c: true, graphs: true},
	{name: "one-vs-rest, squared hinge", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 1", c: true, graphs: true},
	{name: "scikit-learn one-vs-rest", c: true, graphs: true, several: true},
	{name: "napkinXC BR", c: true, graphs: true, several: true, intercept: constant},
	{name: "one-vs-rest, logistic", ours: true, c: true, graphs: true, several: true},
	{name: "LIBLINEAR -s 7", c: true, graphs: true},
	{name: "multinomial logistic", ours: true, c: true, graphs: true},
	{name: "scikit-learn logistic", c: true, graphs: true},
	{name: "PD-Sparse", c: true, graphs: true, several: true},
	{name: "label tree", ours: true, c: true, several: true},
	{name: "label tree, largest F", ours: true, c: true, sets: true},
	{name: "label tree, learned", ours: true, c: true, graphs: true, several: true},
	{name: "XR-Linear", ours: true, c: true, several: true},
	{name: "XR-Linear, learned", ours: true, c: true, graphs: true, several: true},
	{name: "napkinXC PLT", c: true, graphs: true, several: true, intercept: constant},
	{name: "PECOS XR-Linear", c: true, graphs: true, several: true, intercept: constant},
	{name: "hierarchical softmax", ours: true, c: true},
	{name: "hierarchical softmax, least loss", ours: true, c: true},
	{name: "hierarchical softmax, largest F", ours: true, c: true},
	{name: "napkinXC HSM", c: true, graphs: true, intercept: constant},
	{name: "recursive", ours: true, c: true, graphs: true},
	{name: "HiClass per parent", c: true},
	{name: "HiClass per node", c: true},
	{name: "hierarchical", ours: true, c: true, graphs: true, several: true},
	{name: "normalized", ours: true, c: true, graphs: true, several: true},
	{name: "shared", ours: true, c: true},
	{name: "orthogonal", ours: true, c: true},
	{name: "HR-SVM", ours: true, c: true, graphs: true, several: true},
	{name: "HR-LR", ours: true, c: true, graphs: true, several: true},
	{name: "HM3", ours: true, c: true, graphs: true, sets: true},
	{name: "Ridge", ours: true, graphs: true, several: true, intercept: constant},
	{name: "NodeSets", ours: true, graphs: true, sets: true, intercept: constant},
	{name: "NodeSets, one-vs-rest", ours: true, c: true, graphs: true, sets: true},
	{name: "NodeSets, max constraint", ours: true, c: true, graphs: true, sets: true},
	{name: "perceptron", ours: true, graphs: true, several: true},
	{name: "Hieron", ours: true, graphs: true},
	{name: "naive Bayes", ours: true, c: true, texts: true, graphs: true, intercept: prior},
	{name: "shrinkage", ours: true, texts: true, intercept: prior},
	{name: "scikit-learn naive Bayes", c: true, texts: true, graphs: true, intercept: prior},
	{name: "forest", ours: true, graphs: true, several: true, slow: true, intercept: needless},
	{name: "scikit-learn forest", graphs: true, several: true, slow: true, intercept: needless},
}

// can reports whether the method can be given the set.
func (c contender) can(s *set) bool {
	graph := false
	for n := range s.taxonomy.Len() {
		graph = graph || len(s.taxonomy.Parents(n)) > 1
	}
	return (c.graphs || !graph) && (c.several || c.sets || !s.several) && (!c.sets || s.several) && (!c.texts || !s.dense) && (!c.slow || s.dense)
}

// version is that of the entries that this program makes.
const version = 2

// readEntries returns the results of a file, all of one version.
func readEntries(name string) ([]entry, error) {
	entries, err := readLines[entry](name)
	for _, e := range entries {
		if e.Version != entries[0].Version {
			return nil, fmt.Errorf("%s has results of version %d of the comparison and of version %d; give files of one version", name, entries[0].Version, e.Version)
		}
	}
	return entries, err
}

// An entry is a method on a set.
type entry struct {
	// Version is the version of the comparison. Results of different versions must not be shown
	// together: increase it with each change of the sets, methods or measures.
	Version     int `json:",omitzero"`
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
	entries, err := readEntries(o.results)
	if err != nil {
		return err
	}
	if len(entries) > 0 && entries[0].Version != version {
		return fmt.Errorf("%s has results of version %d of the comparison, and this is version %d; give another file to -results", o.results, entries[0].Version, version)
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

// compareOn adds the results of the methods on a set.
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
		e := entry{Version: version, Set: name, Method: m.name}
		err := o.measure(ctx, s, m, folder, choosing, comparing, &e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e = entry{Version: version, Set: name, Method: m.name, Error: strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")}
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

// measure chooses C, the smaller one of equals, trains and judges. Where rows have several
// labels, the predicted sets of a method without sets of its own are the nodes with scores of at
// least the threshold that is the best one when C is chosen.
func (o *tableOptions) measure(ctx context.Context, s *set, m contender, folder string, choosing, comparing part, e *entry) error {
	grid := o.grid
	if !m.c {
		grid = []float64{1}
	}
	e.C = grid[0]
	var threshold float64
	if len(grid) > 1 || s.several {
		best, failed := -1.0, error(nil)
		for _, c := range grid {
			p, _, err := o.predict(ctx, s, m, c, folder, choosing, s.heldOut)
			if errors.Is(err, errTime) { // which is no better with a greater C
				failed = cmp.Or(failed, err)
				break
			}
			if err != nil {
				failed = cmp.Or(failed, err)
				continue
			}
			at1 := 0.0
			for _, r := range ranks(p, s.several, s.heldOut) {
				at1 += r.at1
			}
			if at1 <= best {
				continue
			}
			best, e.C = at1, c
			if p.sets == nil && p.scores != nil {
				if threshold, err = p.threshold(s.heldOut); err != nil {
					return err
				}
			}
		}
		if best < 0 {
			return failed
		}
	}
	p, took, err := o.predict(ctx, s, m, e.C, folder, comparing, s.test)
	if err != nil {
		return err
	}
	if s.several && p.sets == nil && p.scores != nil {
		if p.sets, err = metric.NodesAbove(p.scores, threshold, s.taxonomy); err != nil {
			return err
		}
	}
	e.usage, e.Rows = took, s.test.Len()
	if !m.c {
		e.C = 0
	}
	e.quality, err = judge(p, s.several, s.test)
	return err
}

// predict trains, and reads what is predicted for the rows of d, those of the part that are not
// trained on. Of one label, the predicted set is the first of the ranking where the method has no
// other.
func (o *tableOptions) predict(ctx context.Context, s *set, m contender, c float64, folder string, p part, d *dataset.Dataset) (predictions, usage, error) {
	ranked, scores := filepath.Join(folder, "ranked"), filepath.Join(folder, "scores")
	if err := os.RemoveAll(scores); err != nil {
		return predictions{}, usage{}, err
	}
	took, err := o.train(ctx, m, c, folder, p, ranked, scores)
	if err != nil {
		return predictions{}, usage{}, err
	}
	found, err := readPredictions(ranked, scores, took.Sums, d)
	if !s.several && found.sets == nil {
		for _, nodes := range found.ranked {
			found.sets = append(found.sets, nodes[:1])
		}
	}
	return found, took, err
}

// train trains and writes rankings, and scores if there is a file for them, in a process of its
// own.
func (o *peerOptions) train(ctx context.Context, m contender, c float64, folder string, p part, ranked string, scores ...string) (usage, error) {
	program, arguments := o.python, []string{filepath.Join(folder, "peers.py")}
	if m.ours {
		self, err := os.Executable()
		if err != nil {
			return usage{}, err
		}
		program, arguments = self, []string{"rank", "-time", o.time.String()}
	}
	ctx, cancel := context.WithTimeout(ctx, o.time+ranking)
	defer cancel()
	arguments = append(arguments, m.name, strconv.FormatFloat(c, 'g', -1, 64), p.train, p.test, p.edges, ranked)
	arguments = append(arguments, scores...)
	child := exec.CommandContext(ctx, program, arguments...)
	child.Env = append(os.Environ(), "PDSPARSE="+o.pdsparse)
	child.WaitDelay = time.Second
	var complaint bytes.Buffer
	child.Stderr = &complaint
	out, err := output(child)
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

// A measure has its own table.
type measure struct {
	name, format string
	of           func(e entry) float64
	optional     bool                    // 0 is none
	better       func(a, b float64) bool // nil where no best one is marked
	without      string                  // the key of quality.Without, where that has it
}

// measures are those of the tables. The best of a set is bold; what cannot be told from it, by the
// differences on the same rows, is in italics; and the first row has the width of chance.
var measures = []measure{
	{"true labels at 1", "%.3f", func(e entry) float64 { return e.At1 }, false, greater, "At1"},
	{"true labels at 5", "%.3f", func(e entry) float64 { return e.At5 }, false, greater, "At5"},
	{"tree loss of the first", "%.3f", func(e entry) float64 { return e.TreeLoss }, false, less, "TreeLoss"},
	{"hierarchical F1", "%.3f", func(e entry) float64 { return e.F1 }, true, greater, "F1"},
	{"hierarchical precision", "%.3f", func(e entry) float64 { return e.Precision }, true, nil, ""},
	{"hierarchical recall", "%.3f", func(e entry) float64 { return e.Recall }, true, nil, ""},
	{"AU(PRC)", "%.3f", func(e entry) float64 { return e.AUPRC }, true, greater, "AUPRC"},
	{"C", "%g", func(e entry) float64 { return e.C }, true, nil, ""},
	{"training, CPU seconds", "%.2f", func(e entry) float64 { return e.TrainingCPU }, false, nil, ""},
	{"ranking, CPU milliseconds a row", "%.3f", func(e entry) float64 { return 1e3 * e.PredictingCPU / float64(e.Rows) }, false, nil, ""},
	{"peak memory, MB", "%.0f", func(e entry) float64 { return e.Peak / 1e6 }, false, nil, ""},
}

func greater(a, b float64) bool { return a > b }
func less(a, b float64) bool    { return a < b }

// show prints a table of sets, and of the methods that have results on any, for each measure
// that an entry has.
func show(w io.Writer, names []string, methods []contender, entries []entry) error {
	found := make(map[[2]string]entry)
	for _, e := range entries {
		found[[2]string{e.Set, e.Method}] = e
	}
	methods = slices.DeleteFunc(slices.Clone(methods), func(c contender) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return found[[2]string{name, c.name}].Method != "" })
	})
	out := bufio.NewWriter(w)
	showIntercepts(out, names, methods)
	for _, m := range measures {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.Error == "" && m.of(e) != 0 }) {
			continue
		}
		m.show(out, names, methods, found)
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

// showIntercepts says which methods have an intercept, and which sets a constant feature.
func showIntercepts(out io.Writer, names []string, methods []contender) {
	list := func(kind string) string {
		var of []string
		for _, c := range methods {
			if c.intercept == kind {
				of = append(of, c.label())
			}
		}
		return strings.Join(of, ", ")
	}
	for _, line := range []struct{ kind, text string }{
		{constant, "An intercept as the weight of a constant feature"}, {prior, "An intercept as the frequencies of the labels"}, {needless, "No need of one"},
	} {
		if of := list(line.kind); of != "" {
			fmt.Fprintf(out, "- %s: %s.\n", line.text, of)
		}
	}
	var dense []string
	for _, s := range sets {
		if s.dense && slices.Contains(names, s.name) {
			dense = append(dense, s.name)
		}
	}
	fmt.Fprintf(out, "- No intercept: all others. A constant beside the features of each row, for all methods: %s.\n\n", cmp.Or(strings.Join(dense, ", "), "no set"))
}

// show prints the table of the measure.
func (m measure) show(out io.Writer, names []string, methods []contender, found map[[2]string]entry) {
	fmt.Fprintf(out, "| %s | %s |\n|---|%s\n", m.name, strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	columns := make(map[string]judged)
	width, known := "| ± 95 % |", false
	for _, name := range names {
		columns[name] = m.judge(name, methods, found)
		width += fmt.Sprintf(" %s |", columns[name].width)
		known = known || columns[name].width != ""
	}
	if known {
		fmt.Fprintln(out, width)
	}
	for _, c := range methods {
		fmt.Fprintf(out, "| %s |", c.label())
		for _, name := range names {
			e, ok := found[[2]string{name, c.name}]
			text := ""
			switch {
			case !ok:
			case e.Error != "":
				text = "–"
			case m.missing(e):
			default:
				text = fmt.Sprintf(m.format, m.of(e))
				switch column := columns[name]; {
				case text == column.best:
					text = "**" + text + "**"
				case column.even[c.name]:
					text = "_" + text + "_"
				}
			}
			fmt.Fprintf(out, " %s |", text)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

// missing reports whether the method has nothing to measure: a C, sets or scores.
func (m measure) missing(e entry) bool { return m.optional && m.of(e) == 0 }

// judged says which method is the best on a set, and which are no worse beyond chance.
type judged struct {
	best, width string
	even        map[string]bool
}

// judge compares the methods on a set with the best one, by the jackknife over the same rows, and
// corrects for their number.
func (m measure) judge(name string, methods []contender, found map[[2]string]entry) (j judged) {
	if m.better == nil {
		return j
	}
	var all []entry
	for _, c := range methods {
		if e, ok := found[[2]string{name, c.name}]; ok && e.Error == "" && !m.missing(e) {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return j
	}
	best := slices.MinFunc(all, func(a, b entry) int {
		switch {
		case m.better(m.of(a), m.of(b)):
			return -1
		case m.better(m.of(b), m.of(a)):
			return 1
		}
		return 0
	})
	j.best = fmt.Sprintf(m.format, m.of(best))
	own := best.Without[m.without]
	if len(own) < 2 {
		return j
	}
	j.width = fmt.Sprintf(m.format, halfWidth(own))
	var p []float64
	for _, e := range all {
		if e.Method != best.Method {
			p = append(p, chance(m.of(e)-m.of(best), e.Without[m.without], own))
		}
	}
	p = metric.Holm(p)
	j.even = make(map[string]bool)
	for _, e := range all {
		if e.Method != best.Method {
			j.even[e.Method], p = p[0] >= 0.05, p[1:]
		}
	}
	return j
}

// label is the name of the method and its package.
func (c contender) label() string {
	if c.ours {
		return "hierml " + c.name
	}
	return c.name
}
