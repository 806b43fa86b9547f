package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// dataWork is work on texts, files or instances that this library and its peers do with the same
// result, of which both print the figures.
type dataWork struct {
	row, name string // of the contest, and of the case
	file      string // what both read
	// make writes the file, from a fixed seed.
	make func(ctx context.Context, w io.Writer) error
	// prepare reads what is not measured, and returns the work, which returns figures of its
	// result.
	prepare func(ctx context.Context, file string) (func() (string, error), error)
}

// dataWorks returns all such work.
func dataWorks() []dataWork {
	short := func(_ context.Context, w io.Writer) error { return writeTexts(w, 100_000, 12) }
	long := func(_ context.Context, w io.Writer) error { return writeTexts(w, 10_000, 500) }
	var works []dataWork
	for _, of := range []struct {
		name     string
		settings features.Text
	}{
		{"words", features.Text{SmoothIDF: true}},
		{"pairs", features.Text{SmoothIDF: true, NGrams: [2]int{1, 2}}},
		{"characters", features.Text{SmoothIDF: true, Tokens: features.Characters, NGrams: [2]int{3, 3}}},
	} {
		works = append(works,
			dataWork{"tf-idf", "short-" + of.name, "short.txt", short, vectorize(of.settings)},
			dataWork{"tf-idf", "long-" + of.name, "long.txt", long, vectorize(of.settings)})
	}
	works = append(works,
		dataWork{"svmlight", "rows", "rows.svm", writeSparseRows, readInstances},
		dataWork{"CSV", "table", "table.csv", writeCSV, readTable},
		dataWork{"JSON lines", "table", "table.jsonl", writeJSON, readTable},
	)
	for _, set := range []string{"imclef07a", "imclef07d", "gasch1_fun", "cellcycle_fun"} {
		works = append(works, dataWork{"forest", set, set + ".svm", func(ctx context.Context, w io.Writer) error { return writeSet(ctx, w, set) }, growForest})
	}
	for _, centroids := range []struct {
		name string
		make func(context.Context, io.Writer) error
	}{{"dense", writeDenseCentroids}, {"text", writeTextCentroids}} {
		for k, linkage := range []string{"average", "complete", "single", "ward"} {
			works = append(works, dataWork{"linkage", centroids.name + "-" + linkage, centroids.name + "-centroids.svm", centroids.make, link(clustering.Linkage(k))})
		}
	}
	return works
}

// dataContests are the rows of the page on speed with such work. CSV is to be no slower than
// pyarrow.
func dataContests() []contest {
	var contests []contest
	for _, c := range []struct {
		row, peer string
		goal      float64
	}{
		{"tf-idf", "scikit-learn", 0.2},
		{"svmlight", "scikit-learn", 0.5},
		{"CSV", "pandas", 0.5}, {"CSV", "pyarrow", 1},
		{"JSON lines", "pandas", 0.5}, {"JSON lines", "pyarrow", 1},
		{"forest", "scikit-learn", 0.5}, {"forest", "extra-trees", 0.5},
		{"linkage", "scipy", 0.7}, {"linkage", "fastcluster", 0.7},
	} {
		row := contest{row: c.row + ", " + c.peer, peer: c.peer, goal: c.goal}
		works := make(map[string]dataWork)
		for _, w := range dataWorks() {
			if w.row == c.row {
				row.cases = append(row.cases, w.name)
				works[w.name] = w
			}
		}
		row.once = func(ctx context.Context, s *speed, name string) (mine, theirs took, err error) {
			return works[name].compare(ctx, s, c.peer)
		}
		contests = append(contests, row)
	}
	return contests
}

// compare does the work in turn with a peer. It is an error if the results differ.
func (d dataWork) compare(ctx context.Context, s *speed, peer string) (mine, theirs took, err error) {
	file := filepath.Join(s.folder, d.file)
	if err := d.makeFile(ctx, file); err != nil {
		return mine, theirs, err
	}
	self, err := os.Executable()
	if err != nil {
		return mine, theirs, err
	}
	ours, err := runWork(exec.CommandContext(ctx, self, "speedwork", d.row, d.name, file), "GOMAXPROCS=1")
	if err != nil {
		return mine, theirs, err
	}
	peers, err := runWork(exec.CommandContext(ctx, s.python, "-c", speedDriver, d.row, d.name, peer, file), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "ARROW_NUM_THREADS=1")
	if err != nil {
		return mine, theirs, err
	}
	if ours.Result != peers.Result {
		return mine, theirs, fmt.Errorf("the results differ: %s, and of %s %s", ours.Result, peer, peers.Result)
	}
	return ours.took, peers.took, nil
}

// workResult is what both sides print.
type workResult struct {
	took
	Result string
}

func runWork(c *exec.Cmd, environment ...string) (r workResult, err error) {
	c.Env, c.Stderr = append(os.Environ(), environment...), os.Stderr
	out, err := output(c)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

//go:embed driver/speed.py
var speedDriver string

// doWork is the command that does the work of a row and a case once, with a file, and prints the
// result.
func doWork(ctx context.Context, arguments []string) error {
	if len(arguments) < 3 {
		return errors.New("speedwork ROW CASE FILE")
	}
	works := dataWorks()
	k := slices.IndexFunc(works, func(d dataWork) bool { return d.row == arguments[0] && d.name == arguments[1] })
	if k < 0 {
		return fmt.Errorf("no work %q", arguments[:2])
	}
	work, err := works[k].prepare(ctx, arguments[2])
	if err != nil {
		return err
	}
	if len(arguments) > 3 { // for a profile
		profile, err := os.Create(arguments[3])
		if err != nil {
			return err
		}
		defer profile.Close()
		if err := pprof.StartCPUProfile(profile); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var r workResult
	watch, err := start()
	if err != nil {
		return err
	}
	if r.Result, err = work(); err != nil {
		return err
	}
	if err := watch.stop(&r.CPU, &r.Wall); err != nil {
		return err
	}
	if r.Peak, err = peak(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// makeFile writes the file of the work, unless it is there.
func (d dataWork) makeFile(ctx context.Context, name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	if err := d.make(ctx, out); err != nil {
		return err
	}
	return out.Flush()
}

// vectorize returns what makes tf-idf vectors of the lines of a file, the vocabulary included.
func vectorize(settings features.Text) func(context.Context, string) (func() (string, error), error) {
	return func(ctx context.Context, file string) (func() (string, error), error) {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		corpus := &dataset.Corpus{Name: "texts"}
		for line := range strings.Lines(string(content)) {
			corpus.Documents = append(corpus.Documents, dataset.Document{Text: strings.TrimSuffix(line, "\n")})
		}
		return func() (string, error) {
			v, d, err := settings.FitTransform(ctx, corpus)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d terms, %d entries", v.Columns(), d.X.NonZeros()), nil
		}, nil
	}
}

// readInstances reads a file in the format of SVMlight.
func readInstances(ctx context.Context, file string) (func() (string, error), error) {
	return func() (string, error) {
		d, err := files.SVMLight{}.Open(ctx, file, nil)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d rows, %d columns, %d entries", d.Len(), d.X.Cols, d.X.NonZeros()), nil
	}, nil
}

// readTable reads a table, with its labels and what its columns are.
func readTable(ctx context.Context, file string) (func() (string, error), error) {
	return func() (string, error) {
		t, err := files.Table{}.Open(ctx, file, nil)
		if err != nil {
			return "", err
		}
		missing, sum := 0, 0.0
		for k := range t.Columns {
			missing += t.Columns[k].MissingCount()
			for _, v := range t.Columns[k].Numbers {
				if !math.IsNaN(v) {
					sum += v
				}
			}
		}
		return fmt.Sprintf("%d rows, %d columns, %d missing, sum %.6g", t.Len(), len(t.Columns), missing, sum), nil
	}, nil
}

// growForest grows 50 trees that predict all nodes of the taxonomy.
func growForest(ctx context.Context, file string) (func() (string, error), error) {
	d, err := readNodes(ctx, file)
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		if _, err := (forest.Forest{Trees: 50, Workers: 1, Tree: forest.Tree{W0: 1, MinLeaf: 5}}).Fit(ctx, d); err != nil {
			return "", err
		}
		return fmt.Sprintf("%d rows, %d columns, %d nodes", d.Len(), d.X.Cols, d.Taxonomy.Len()), nil
	}, nil
}

// readNodes reads instances whose labels are numbers of nodes, which are a class each.
func readNodes(ctx context.Context, file string) (*dataset.Dataset, error) {
	return files.SVMLight{PathSeparator: "none"}.Open(ctx, file, nil)
}

// link clusters the instances of a file, a class each, by their Euclidean distances.
func link(linkage clustering.Linkage) func(context.Context, string) (func() (string, error), error) {
	return func(ctx context.Context, file string) (func() (string, error), error) {
		d, err := readNodes(ctx, file)
		if err != nil {
			return nil, err
		}
		return func() (string, error) {
			tree, err := clustering.Agglomerative{Linkage: linkage, Workers: 1}.Fit(ctx, d)
			if err != nil {
				return "", err
			}
			sum := 0.0
			for _, l := range tree.Links {
				sum += l.Height
			}
			return fmt.Sprintf("%d links, heights %.8g", len(tree.Links), sum), nil
		}, nil
	}
}

// speller draws words by Zipf's law, the frequent ones short as in a language, a few with accents.
type speller struct {
	rng  *rand.Rand
	zipf *rand.Zipf
}

func newSpeller(seed uint64) *speller {
	rng := rand.New(rand.NewPCG(seed, 1))
	return &speller{rng, rand.NewZipf(rng, 1.15, 8, 200_000)}
}

// word appends a word.
func (s *speller) word(to []byte) []byte {
	const consonants, vowels = "bcdfghklmnprstvwz", "aeiou"
	n := s.zipf.Uint64()
	accent, closed := n%50 == 49, n%3 > 0
	last := consonants[n%uint64(len(consonants))]
	for n++; n > 0; n /= 85 {
		to = append(to, consonants[n%85/5])
		if accent {
			to = append(to, "é"...)
			accent = false
			continue
		}
		to = append(to, vowels[n%5])
	}
	if closed {
		to = append(to, last)
	}
	return to
}

// text appends sentences of so many words.
func (s *speller) text(to []byte, words int) []byte {
	begins := true
	for k := range words {
		if k > 0 {
			to = append(to, ' ')
		}
		at := len(to)
		to = s.word(to)
		if begins {
			to[at] -= 'a' - 'A'
		}
		if begins = s.rng.IntN(12) == 0; begins || k == words-1 {
			to = append(to, '.')
		} else if s.rng.IntN(12) == 0 {
			to = append(to, ',')
		}
	}
	return to
}

// writeTexts writes texts of about so many words, one a line.
func writeTexts(w io.Writer, n, words int) error {
	s := newSpeller(1)
	var line []byte
	for range n {
		line = append(s.text(line[:0], words/2+1+s.rng.IntN(words)), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// fileSize is the size of the files that are read, in bytes.
const fileSize = 200_000_000

// writeSparseRows writes instances of about 100 features with six digits, as of texts.
func writeSparseRows(_ context.Context, w io.Writer) error {
	rng := rand.New(rand.NewPCG(2, 1))
	zipf := rand.NewZipf(rng, 1.1, 20, 100_000)
	var line []byte
	var columns []uint64
	for size := 0; size < fileSize; size += len(line) {
		line = strconv.AppendInt(line[:0], int64(rng.IntN(500)), 10)
		columns = columns[:0]
		for range 50 + rng.IntN(150) {
			columns = append(columns, zipf.Uint64()+1)
		}
		slices.Sort(columns)
		for _, j := range slices.Compact(columns) {
			line = strconv.AppendUint(append(line, ' '), j, 10)
			line = strconv.AppendFloat(append(line, ':'), max(rng.Float64(), 1e-6), 'f', 6, 64)
		}
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// mixedTitles are the titles of the mixed table.
var mixedTitles = []string{"id", "label", "price", "weight", "rating", "count", "year", "country", "colour", "said"}

// mixedRow draws a row of the mixed table: words, numbers, and a text. Of some fields the value is
// missing.
func (s *speller) mixedRow(row int, fields []string) []string {
	number := func(v float64, digits int) string {
		if s.rng.IntN(20) == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	word := func(of string, n int) string {
		if s.rng.IntN(20) == 0 {
			return ""
		}
		return of + strconv.Itoa(s.rng.IntN(n))
	}
	return append(fields[:0],
		"r"+strconv.Itoa(row),
		"top"+strconv.Itoa(s.rng.IntN(10))+"/leaf"+strconv.Itoa(s.rng.IntN(200)),
		number(100*s.rng.ExpFloat64(), 2), number(s.rng.NormFloat64(), 6), number(5*s.rng.Float64(), 1),
		number(float64(s.rng.IntN(100000)), 0), number(float64(1950+s.rng.IntN(75)), 0),
		word("country ", 150), word("colour", 12),
		string(s.text(nil, 4+s.rng.IntN(16))),
	)
}

func writeCSV(_ context.Context, w io.Writer) error {
	s := newSpeller(3)
	line := []byte(strings.Join(mixedTitles, ",") + "\n")
	var fields []string
	for size, row := 0, 0; size < fileSize; row++ {
		if _, err := w.Write(line); err != nil {
			return err
		}
		size += len(line)
		line = line[:0]
		fields = s.mixedRow(row, fields)
		for k, field := range fields {
			if k > 0 {
				line = append(line, ',')
			}
			if strings.Contains(field, ",") {
				line = append(append(append(line, '"'), field...), '"')
			} else {
				line = append(line, field...)
			}
		}
		line = append(line, '\n')
	}
	return nil
}

func writeJSON(_ context.Context, w io.Writer) error {
	s := newSpeller(4)
	var line []byte
	var fields []string
	for size, row := 0, 0; size < fileSize; row++ {
		line = line[:0]
		fields = s.mixedRow(row, fields)
		for k, field := range fields {
			line = append(append(line, "{,"[min(k, 1)]), strconv.Quote(mixedTitles[k])+":"...)
			switch numeric := k >= 2 && k <= 6; {
			case field == "":
				line = append(line, "null"...)
			case numeric:
				line = append(line, field...)
			default:
				line = strconv.AppendQuote(line, field)
			}
		}
		line = append(line, "}\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
		size += len(line)
	}
	return nil
}

// writeSet writes the training part of a data set, with the labels of each instance and all nodes
// above them.
func writeSet(ctx context.Context, w io.Writer, name string) error {
	c, err := collection.OpenContext(ctx, name)
	if err != nil {
		return err
	}
	t := c.Train.Taxonomy
	names := make([]string, t.Len())
	for n := range names {
		names[n] = strconv.Itoa(n)
	}
	flat, err := taxonomy.New(names, nil)
	if err != nil {
		return err
	}
	d := *c.Train
	d.Taxonomy, d.Labels = flat, nil
	for _, labels := range c.Train.Labels {
		d.Labels = append(d.Labels, t.Closure(labels))
	}
	return files.SVMLight{}.Write(ctx, w, &d)
}

const centroids = 5000

// writeDenseCentroids writes centroids with 50 dimensions.
func writeDenseCentroids(_ context.Context, w io.Writer) error {
	rng := rand.New(rand.NewPCG(5, 1))
	for k := range centroids {
		line := strconv.Itoa(k)
		for j := range 50 {
			line += fmt.Sprintf(" %d:%.5f", j+1, rng.NormFloat64())
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// writeTextCentroids writes centroids with about 150 of 30,000 words each, at unit length.
func writeTextCentroids(_ context.Context, w io.Writer) error {
	rng := rand.New(rand.NewPCG(6, 1))
	zipf := rand.NewZipf(rng, 1.1, 20, 30_000)
	for k := range centroids {
		weights := make(map[uint64]float64)
		for range 250 {
			weights[zipf.Uint64()+1] += rng.Float64()
		}
		squares := 0.0
		for _, v := range weights {
			squares += v * v
		}
		columns := make([]uint64, 0, len(weights))
		for j := range weights {
			columns = append(columns, j)
		}
		slices.Sort(columns)
		line := strconv.Itoa(k)
		for _, j := range columns {
			line += fmt.Sprintf(" %d:%.6f", j, weights[j]/math.Sqrt(squares))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
