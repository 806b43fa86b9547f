package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// A quality is how good predictions are.
type quality struct {
	// At1, At3 and At5 are the share of true labels among the first 1, 3 and 5 of a ranking or,
	// of single labels, the share of the rows whose label is among these. TreeLoss is half the
	// distance from the first to the nearest true label.
	At1, At3, At5, TreeLoss float64
	// F1, Precision and Recall are metric.F1's hierarchical ones of the predicted sets, 0 of a
	// method without sets.
	F1, Precision, Recall float64 `json:",omitzero"`
	// AUPRC is the pooled area of metric.PrecisionRecall, 0 of a method without scores.
	AUPRC float64 `json:",omitzero"`
	// Without has, by the names of fields, what the measure gains without each group of rows, in
	// millionths: the groups are the same for all methods on a set.
	Without map[string][]int32 `json:",omitempty"`
}

// groups is the number of groups of rows for the jackknife.
const groups = 40

// predictions are the output of a method for the rows of a set.
type predictions struct {
	ranked [][]int    // up to five nodes, the best first
	sets   [][]int    // nodes, ascending, none above another; nil of a method that has no sets
	scores *mat.Dense // of all nodes; nil of a method that has none
}

// readPredictions reads what a child process has written for the rows of d: a line a row, up to
// five numbers of nodes and, where the method predicts sets, a semicolon and those of its set;
// and scores as float32, a row a row and a column a node, if there is such a file. The score of
// a node that is not a number is the highest of those below or, if sums, their sum.
func readPredictions(ranked, scores string, sums bool, d *dataset.Dataset) (p predictions, err error) {
	text, err := os.ReadFile(ranked)
	if err != nil {
		return p, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != d.Len() {
		return p, fmt.Errorf("%d rankings of %d rows", len(lines), d.Len())
	}
	for i, line := range lines {
		first, set, decided := strings.Cut(line, ";")
		nodes, err := numbers(first, d.Taxonomy)
		if err != nil || len(nodes) > 5 {
			return p, fmt.Errorf("ranking %d: %q is not five numbers of nodes", i+1, line)
		}
		if len(nodes) == 0 {
			return p, fmt.Errorf("ranking %d is empty", i+1)
		}
		p.ranked = append(p.ranked, nodes)
		if i > 0 && decided != (p.sets != nil) {
			return p, fmt.Errorf("ranking %d: %q; either each row has a set or none", i+1, line)
		}
		if !decided {
			continue
		}
		if nodes, err = numbers(set, d.Taxonomy); err != nil {
			return p, fmt.Errorf("ranking %d: %q is not a set of nodes", i+1, line)
		}
		slices.Sort(nodes)
		p.sets = append(p.sets, nodes)
	}
	if scores != "" {
		p.scores, err = readScores(scores, sums, d)
	}
	return p, err
}

func numbers(text string, t *taxonomy.Taxonomy) ([]int, error) {
	nodes := []int{}
	for field := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 || n > t.Len() {
			return nil, fmt.Errorf("%q is not the number of a node", field)
		}
		nodes = append(nodes, n-1)
	}
	return nodes, nil
}

// readScores returns nil if there is no such file.
func readScores(name string, sums bool, d *dataset.Dataset) (*mat.Dense, error) {
	file, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := d.Taxonomy
	if len(file) != 4*d.Len()*t.Len() {
		return nil, fmt.Errorf("%d bytes of scores; expected 4 for each of %d rows and %d nodes", len(file), d.Len(), t.Len())
	}
	values := make([]float32, d.Len()*t.Len())
	if err := binary.Read(bytes.NewReader(file), binary.LittleEndian, values); err != nil {
		return nil, err
	}
	scores := mat.NewDense(d.Len(), t.Len(), nil)
	for i := range d.Len() {
		row := scores.RawRowView(i)
		for n := range row {
			row[n] = float64(values[i*t.Len()+n])
		}
		fill(row, sums, t)
	}
	return scores, nil
}

// fill gives the nodes without a score that of those below. Of sums a leaf counts once for each
// node above, however many ways lead there.
func fill(row []float64, sums bool, t *taxonomy.Taxonomy) {
	if sums {
		own := slices.Clone(row)
		for n, v := range own {
			if math.IsNaN(v) {
				row[n] = 0
			}
		}
		for _, leaf := range t.Leaves() {
			for _, n := range t.Closure([]int{leaf}) {
				if math.IsNaN(own[n]) {
					row[n] += row[leaf]
				}
			}
		}
		return
	}
	for _, n := range slices.Backward(t.Topological()) {
		if !math.IsNaN(row[n]) {
			continue
		}
		row[n] = math.Inf(-1)
		for _, child := range t.Children(n) {
			row[n] = max(row[n], row[child])
		}
	}
}

// threshold returns that of the scores with the largest hierarchical F1, on rows that were not
// trained on.
func (p predictions) threshold(d *dataset.Dataset) (float64, error) {
	curve, err := metric.HierarchicalCurve(p.scores, d.Labels, d.Taxonomy)
	if err != nil {
		return 0, err
	}
	best, err := curve.Best()
	return best.Threshold, err
}

// judge measures predictions of the rows of d. A leaf that Leafed has added counts as the inner
// node that it stands for.
func judge(p predictions, several bool, d *dataset.Dataset) (quality, error) {
	rows := ranks(p, several, d)
	group := grouping(d.Len())
	q := quality{Without: make(map[string][]int32)}
	measure := func(name string, to *float64, value func(leftOut int) float64) {
		*to = value(-1)
		for g := range min(groups, d.Len()) {
			q.Without[name] = append(q.Without[name], int32(math.Round(1e6*(value(g)-*to))))
		}
	}
	// ratio is a sum divided by another one, over the rows that are not in a group.
	ratio := func(over, under func(r row) float64) func(int) float64 {
		return func(leftOut int) float64 {
			var a, b float64
			for i, r := range rows {
				if group[i] != leftOut {
					a, b = a+over(r), b+under(r)
				}
			}
			if b == 0 {
				return 0
			}
			return a / b
		}
	}
	one := func(row) float64 { return 1 }
	measure("At1", &q.At1, ratio(func(r row) float64 { return r.at1 }, one))
	measure("At5", &q.At5, ratio(func(r row) float64 { return r.at5 }, one))
	measure("TreeLoss", &q.TreeLoss, ratio(func(r row) float64 { return r.loss }, one))
	q.At3 = ratio(func(r row) float64 { return r.at3 }, one)(-1)
	if p.sets != nil {
		if err := countSets(rows, p.sets, d); err != nil {
			return quality{}, err
		}
		both := func(r row) float64 { return r.both }
		measure("F1", &q.F1, ratio(func(r row) float64 { return 2 * r.both }, func(r row) float64 { return r.predicted + r.true }))
		q.Precision = ratio(both, func(r row) float64 { return r.predicted })(-1)
		q.Recall = ratio(both, func(r row) float64 { return r.true })(-1)
	}
	if p.scores != nil {
		measure("AUPRC", &q.AUPRC, pooledArea(p.scores, d, group))
	}
	return q, nil
}

// A row has the inputs of the measures.
type row struct {
	at1, at3, at5, loss   float64
	both, predicted, true float64 // nodes of sets and above them
}

func ranks(p predictions, several bool, d *dataset.Dataset) []row {
	own, label := d.Taxonomy.WithoutMiscellaneous()
	rows := make([]row, d.Len())
	for i, ranking := range p.ranked {
		truth := labelsOf(d.Labels[i], label)
		first := label[ranking[0]]
		at := func(k int) (found float64) {
			for r, n := range ranking[:min(k, len(ranking))] {
				again := slices.ContainsFunc(ranking[:r], func(m int) bool { return label[m] == label[n] })
				if !again && slices.Contains(truth, label[n]) {
					found++
				}
			}
			if several {
				found /= float64(k)
			}
			return found
		}
		nearest := own.Distance(first, truth[0])
		for _, y := range truth[1:] {
			nearest = min(nearest, own.Distance(first, y))
		}
		rows[i] = row{at1: at(1), at3: at(3), at5: at(5), loss: float64(nearest) / 2}
	}
	return rows
}

// labelsOf returns the labels of nodes.
func labelsOf(nodes, label []int) []int {
	var all []int
	for _, n := range nodes {
		all = append(all, label[n])
	}
	return all
}

// countSets counts the nodes of sets and above them.
func countSets(rows []row, sets [][]int, d *dataset.Dataset) error {
	if len(sets) != len(rows) {
		return fmt.Errorf("%d sets of %d rows", len(sets), len(rows))
	}
	own, label := d.Taxonomy.WithoutMiscellaneous()
	for i, set := range sets {
		truth, predicted := own.Closure(labelsOf(d.Labels[i], label)), own.Closure(labelsOf(set, label))
		rows[i].true, rows[i].predicted = float64(len(truth)), float64(len(predicted))
		for _, n := range predicted {
			if slices.Contains(truth, n) {
				rows[i].both++
			}
		}
	}
	return nil
}

// grouping returns the group of each row, drawn for the number of rows alone.
func grouping(rows int) []int {
	group := make([]int, rows)
	for k, i := range rand.New(rand.NewPCG(1, 0)).Perm(rows) {
		group[i] = k % groups
	}
	return group
}

// pooledArea returns metric.PrecisionRecall.Pooled without a group of rows.
func pooledArea(scores *mat.Dense, d *dataset.Dataset, group []int) func(leftOut int) float64 {
	own, label := d.Taxonomy.WithoutMiscellaneous()
	type pair struct {
		score float64
		group int
		true  bool
	}
	pairs := make([]pair, 0, d.Len()*own.Len())
	for i, labels := range d.Labels {
		from := len(pairs)
		for range own.Len() {
			pairs = append(pairs, pair{math.Inf(-1), group[i], false})
		}
		for n, v := range scores.RawRowView(i) {
			p := &pairs[from+label[n]]
			p.score = max(p.score, v)
		}
		for _, n := range own.Closure(labelsOf(labels, label)) {
			pairs[from+n].true = true
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return func(leftOut int) float64 {
		var hits, all, before, area float64
		for k, p := range pairs {
			if p.group != leftOut {
				all++
				if p.true {
					hits++
				}
			}
			if hits > before && (k+1 == len(pairs) || pairs[k+1].score != p.score) {
				area += (hits - before) * hits / all
				before = hits
			}
		}
		return area / max(hits, 1)
	}
}

// halfWidth is half of the 95 % interval of a measure, from its gains without each group: that of
// Student's t, with the variance of the delete-a-group jackknife.
func halfWidth(without []int32) float64 {
	n := float64(len(without))
	if n < 2 {
		return math.NaN()
	}
	interval := metric.StudentInterval(0, jackknife(without), n-1)
	return (interval.High - interval.Low) / 2
}

// jackknife is the standard error.
func jackknife(without []int32) float64 {
	values := make([]float64, len(without))
	for g, v := range without {
		values[g] = float64(v) / 1e6
	}
	n := float64(len(values))
	floats.AddConst(-floats.Sum(values)/n, values)
	return math.Sqrt((n - 1) / n * floats.Dot(values, values))
}

// chance is the probability of a difference as large as that of two measures if there is none, on
// the same rows, from the jackknife of the difference.
func chance(difference float64, a, b []int32) float64 {
	if len(a) != len(b) || len(a) < 2 {
		return math.NaN()
	}
	without := make([]int32, len(a))
	for g := range a {
		without[g] = a[g] - b[g]
	}
	deviation := jackknife(without)
	if difference == 0 || deviation == 0 {
		return map[bool]float64{true: 1, false: 0}[difference == 0]
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(a) - 1)}.Survival(math.Abs(difference)/deviation)
}
