package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
)

// A contest is a row of the page on speed: work that this library and a peer do on several cases.
type contest struct {
	row, peer string  // the peer is "" where the measured value itself is to be below the goal
	unit      string  // of what is measured, CPU seconds if it is ""
	goal      float64 // of the mean ratio, or of the value
	most      float64 // that the ratio of a case is to be at most, 0 if only the mean counts
	client    bool    // is measured by a client in Python, also without a peer
	cases     []string
	repeat    int // pairs of a case, as many as the command line says if it is 0
	// once does the work of a case, first with this library and then with the peer, each in a
	// separate process, on one core.
	once func(ctx context.Context, s *speed, name string) (mine, theirs took, err error)
}

// contests are the rows.
var contests = slices.Concat(
	objectives("4", "flat"), objectives("3", "one-vs-rest"), objectives("1", "one-vs-rest-squared"), objectives("7", "one-vs-rest-logistic"),
	objectives("softmax", "softmax"), largeContests, kernelRows, dataContests(),
)

// took is the cost of one way of doing a piece of work.
type took struct {
	CPU   float64 `json:",omitzero"` // seconds, of the work alone
	Wall  float64 `json:",omitzero"`
	Peak  float64 `json:",omitzero"` // bytes of memory, of the process
	Value float64 `json:",omitzero"` // what is measured, where it is not CPU
}

func (t took) value() float64 { return cmp.Or(t.Value, t.CPU) }

// A speedResult is a case of a row.
type speedResult struct {
	Row, Case    string
	Mine, Theirs []took
	Others       float64 // cores that other processes took meanwhile
	Commit       string
}

// ratio is the median of the ratios of the pairs, or of the values if there is no peer.
func (r speedResult) ratio() float64 {
	var all []float64
	for k, mine := range r.Mine {
		v := mine.value()
		if len(r.Theirs) > 0 {
			v /= r.Theirs[k].value()
		}
		all = append(all, v)
	}
	return median(all)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	middle := len(sorted) / 2
	return (sorted[middle] + sorted[(len(sorted)-1)/2]) / 2
}

// speed has the command line of speed, and state that a run keeps between pieces of work.
type speed struct {
	python, program, results, rows string
	repeat                         int

	folder     string
	tolerances map[string]string // of a peer that is to reach an objective, by row and case
}

// compareSpeed is the command speed.
func compareSpeed(ctx context.Context, arguments []string) error {
	s := &speed{tolerances: make(map[string]string)}
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	definePython(flags, &s.python)
	flags.StringVar(&s.results, "results", "", "`file` of results, to which those are added that it does not have")
	flags.StringVar(&s.rows, "rows", "", "parts of the names of rows, separated by commas, by default all")
	flags.StringVar(&s.program, "program", "", "hierml, which is built without it")
	flags.IntVar(&s.repeat, "repeat", 3, "pairs of each case, of which the median counts; fewer where they take more than a minute")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	var err error
	if s.folder, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(s.folder)
	measured, err := readLines[speedResult](s.results)
	if err != nil {
		return err
	}
	for _, c := range contests {
		if (c.peer != "" || c.client) && s.python == "" || !s.wants(c.row) {
			continue
		}
		for _, name := range c.cases {
			if slices.ContainsFunc(measured, func(r speedResult) bool { return r.Row == c.row && r.Case == name }) {
				continue
			}
			r, err := s.measure(ctx, c, name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.row, name, err)
			}
			measured = append(measured, r)
			if err := addLine(s.results, r); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s, %s: %.2f\n", c.row, name, r.ratio())
		}
	}
	return showSpeed(os.Stdout, measured)
}

// wants reports whether the command line asks for a row.
func (s *speed) wants(row string) bool {
	return s.rows == "" || slices.ContainsFunc(strings.Split(s.rows, ","), func(part string) bool { return strings.Contains(row, part) })
}

// enoughTime is how long a case may have taken for a further pair.
const enoughTime = time.Minute

// measure does the work of a case several times, by this library and by the peer in turn.
func (s *speed) measure(ctx context.Context, c contest, name string) (r speedResult, err error) {
	r = speedResult{Row: c.row, Case: name}
	if r.Commit, err = commit(ctx); err != nil {
		return r, err
	}
	before, err := others()
	if err != nil {
		return r, err
	}
	began := time.Now()
	for k := range cmp.Or(c.repeat, max(1, s.repeat)) {
		if k > 0 && time.Since(began) > enoughTime {
			break
		}
		mine, theirs, err := c.once(ctx, s, name)
		if err != nil {
			return r, err
		}
		if r.Mine = append(r.Mine, mine); c.peer != "" {
			r.Theirs = append(r.Theirs, theirs)
		}
	}
	after, err := others()
	r.Others = max(0, (after-before)/time.Since(began).Seconds())
	return r, err
}

// showSpeed prints a table of the rows, and one of their cases.
func showSpeed(w io.Writer, measured []speedResult) error {
	table := bufio.NewWriter(w)
	fmt.Fprintln(table, "| what | peer | cases | mean | goal | worst | at most | reached |")
	fmt.Fprintln(table, "|---|---|---|---|---|---|---|---|")
	of := func(c contest) []speedResult {
		return slices.DeleteFunc(slices.Clone(measured), func(r speedResult) bool { return r.Row != c.row })
	}
	for _, c := range contests {
		results := of(c)
		if len(results) == 0 {
			continue
		}
		sum, worst := 0.0, results[0]
		for _, r := range results {
			if sum += math.Log(r.ratio()); r.ratio() > worst.ratio() {
				worst = r
			}
		}
		mean, reached := math.Exp(sum/float64(len(results))), "no"
		if mean <= c.goal && (c.most == 0 || worst.ratio() <= c.most) {
			reached = "yes"
		}
		fmt.Fprintf(table, "| %s | %s | %d | %.3g | %g | %.3g (%s) | %s | %s |\n", strings.TrimSpace(c.row+" "+c.unit), c.peer, len(results), mean, c.goal, worst.ratio(), worst.Case, known("%g", c.most), reached)
	}
	fmt.Fprintln(table, "\n| what | case | hierml | peer | ratio | MB | peer's | others' cores | commit |")
	fmt.Fprintln(table, "|---|---|---|---|---|---|---|---|---|")
	for _, c := range contests {
		for _, r := range of(c) {
			typical := func(all []took, of func(took) float64) string {
				var values []float64
				for _, t := range all {
					values = append(values, of(t))
				}
				if len(values) == 0 {
					return ""
				}
				return known("%.3g", median(values))
			}
			megabytes := func(t took) float64 { return t.Peak / 1e6 }
			fmt.Fprintf(table, "| %s | %s | %s | %s | %.2f | %s | %s | %.1f | %s |\n", r.Row, r.Case, typical(r.Mine, took.value), typical(r.Theirs, took.value), r.ratio(),
				typical(r.Mine, megabytes), typical(r.Theirs, megabytes), r.Others, r.Commit)
		}
	}
	return table.Flush()
}

// speedSets are sets with short texts, long texts, dense features and long tails, of which the rows
// with one label are taken.
var speedSets = []string{"ng15", "reuters21578", "wordnet_nouns", "rcv1", "texts", "small", "phyletic_go", "imclef07a", "imclef07d", "ec10"}

// objectives is the row of a problem of LIBLINEAR or of scikit-learn's softmax: the training of
// this library to its default gap, and the peer with the largest tolerance that leads to an
// objective that is no larger.
func objectives(number, run string) []contest {
	var cases []string
	for _, name := range speedSets {
		for _, c := range []string{"1", "10"} {
			cases = append(cases, name+", C = "+c)
		}
	}
	row, goal := "-s "+number, 0.5
	if number == "softmax" {
		row, goal = number, 1
	}
	return []contest{{row: row, peer: peerName(number), goal: goal, most: 1, cases: cases, once: objective(number, run, (*speed).problem)}}
}

// objective trains this library to its default gap, and the peer to the objective of that.
func objective(number, run string, files func(s *speed, ctx context.Context, name string) (stem, error)) func(context.Context, *speed, string) (mine, theirs took, err error) {
	return func(ctx context.Context, s *speed, name string) (mine, theirs took, err error) {
		set, value, _ := strings.Cut(name, ", C = ")
		f, err := files(s, ctx, set)
		if err != nil {
			return mine, theirs, err
		}
		c, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return mine, theirs, err
		}
		r, err := ours(ctx, options{c: c, gap: 1e-3}, f, run, "1")
		if err != nil {
			return mine, theirs, err
		}
		key, tolerances := number+" "+name, ladder(number)
		if known := s.tolerances[key]; known != "" {
			tolerances = tolerances[slices.Index(tolerances, known):]
		}
		peer, err := liblinear(ctx, s.python, s.folder, number, f, c, r.Primal, tolerances)
		if err != nil {
			return mine, theirs, err
		}
		s.tolerances[key] = peer.Name
		return r.took(), peer.took(), nil
	}
}

// problem writes, once in a run, the files of a set's rows with one label. The taxonomy has one
// level, the labels of the training part, so that all packages have the same problem.
func (s *speed) problem(ctx context.Context, name string) (stem, error) {
	f := dataFiles(s.folder, name)
	if _, err := os.Stat(f.edges()); err == nil {
		return f, nil
	}
	whole, err := generate(ctx, s.folder, name)
	if err != nil {
		return stem{}, err
	}
	t, err := readEdges(whole.edges())
	if err != nil {
		return stem{}, err
	}
	seen := make(map[int]bool)
	for _, file := range []string{whole.train(), whole.test()} {
		d, err := readRows(file, t)
		if err != nil {
			return stem{}, err
		}
		kept := rowsOfOne(d, seen, file == whole.train())
		if err := writeRows(file, kept); err != nil {
			return stem{}, err
		}
	}
	var edges strings.Builder
	for n := range t.Len() {
		if seen[n] {
			fmt.Fprintf(&edges, "0 %d\n", n+1)
		}
	}
	return f, os.WriteFile(f.edges(), []byte(edges.String()), 0o600)
}

// rowsOfOne returns the rows with one label, which is noted as seen, or has to be.
func rowsOfOne(d *dataset.Dataset, seen map[int]bool, note bool) *dataset.Dataset {
	var rows []int
	for i, labels := range d.Labels {
		if len(labels) == 1 && (note || seen[labels[0]]) {
			rows = append(rows, i)
			seen[labels[0]] = true
		}
	}
	return d.Subset(rows)
}
