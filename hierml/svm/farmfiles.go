package svm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// writeData writes the instances, labels and taxonomy of a training.
func writeData(w io.Writer, d *dataset.Dataset) error {
	names, err := json.Marshal(d.Taxonomy.Names())
	if err != nil {
		return err
	}
	var edges, labels []int64
	for _, e := range d.Taxonomy.Edges() {
		edges = append(edges, int64(e[0]), int64(e[1]))
	}
	begin := make([]int64, 1, len(d.Labels)+1)
	for _, set := range d.Labels {
		for _, n := range set {
			labels = append(labels, int64(n))
		}
		begin = append(begin, int64(len(labels)))
	}
	rows := make([]int64, len(d.X.Indptr))
	for i, v := range d.X.Indptr {
		rows[i] = int64(v)
	}
	tensors := []safetensors.Tensor{
		safetensors.New("edges", edges, len(edges)), safetensors.New("label begin", begin, len(begin)), safetensors.New("labels", labels, len(labels)),
		safetensors.New("begin", rows, len(rows)), safetensors.New("features", d.X.Indices, len(d.X.Indices)), safetensors.New("values", d.X.Values, len(d.X.Values)),
		safetensors.New("columns", []int64{int64(d.X.Cols)}, 1),
	}
	if d.Weights != nil {
		tensors = append(tensors, safetensors.New("weights", d.Weights, len(d.Weights)))
	}
	return safetensors.Write(w, map[string]string{"nodes": string(names), "name": d.Name}, tensors)
}

// openTensors reads the list of tensors of a file.
func openTensors(file *os.File) (*safetensors.File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return safetensors.Open(file, info.Size())
}

// tensors reads the tensors of a file, and keeps the first error.
type tensors struct {
	file *safetensors.File
	err  error
}

func tensor[T safetensors.Value](t *tensors, name string) []T {
	values, err := safetensors.Read[T](t.file, name)
	if t.err == nil {
		t.err = err
	}
	return values
}

func ints(values []int64) []int {
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

// readData reads what writeData has written.
func readData(file *os.File) (*dataset.Dataset, error) {
	f, err := openTensors(file)
	if err != nil {
		return nil, err
	}
	t := &tensors{file: f}
	edges, begin, labels := tensor[int64](t, "edges"), ints(tensor[int64](t, "label begin")), ints(tensor[int64](t, "labels"))
	columns, rows := tensor[int64](t, "columns"), ints(tensor[int64](t, "begin"))
	x := &dataset.Matrix{Rows: len(rows) - 1, Indptr: rows, Indices: tensor[int32](t, "features"), Values: tensor[float32](t, "values")}
	var names []string
	switch err := json.Unmarshal([]byte(f.Metadata["nodes"]), &names); {
	case t.err != nil:
		return nil, t.err
	case err != nil:
		return nil, err
	case len(columns) != 1 || columns[0] < 0 || columns[0] > math.MaxInt32 || len(rows) == 0 || len(begin) == 0 || len(edges)%2 != 0:
		return nil, errDamaged
	}
	x.Cols = int(columns[0])
	for _, c := range x.Indices {
		if c < 0 || int(c) >= x.Cols {
			return nil, errDamaged
		}
	}
	var pairs [][2]int
	for e := range slices.Chunk(edges, 2) {
		pairs = append(pairs, [2]int{int(e[0]), int(e[1])})
	}
	tree, err := taxonomy.New(names, pairs)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: f.Metadata["name"], Taxonomy: tree, X: x, Labels: make([][]int, len(begin)-1)}
	if slices.Contains(f.Names(), "weights") {
		if d.Weights = tensor[float64](t, "weights"); t.err != nil {
			return nil, t.err
		}
	}
	for i := range d.Labels {
		lo, hi := begin[i], begin[i+1]
		if lo < 0 || hi < lo || hi > len(labels) {
			return nil, errDamaged
		}
		d.Labels[i] = labels[lo:hi:hi]
	}
	for _, n := range labels {
		if n < 0 || n >= tree.Len() {
			return nil, errDamaged
		}
	}
	return d, d.Check()
}

// errDamaged means that the parts of a file are inconsistent.
var errDamaged = errors.New("its parts are inconsistent; the file is damaged")

// A process writes its solutions every solvedAge, after so many weights, and at its end. This
// bounds both the work that can be lost and the number of files on a shared file system.
const (
	solvedAge  = 5 * time.Second
	solvedMost = 1 << 23
)

// solutions are the problems that a process has solved since its last write.
type solutions struct {
	part *farmed.Part
	wide bool

	mu      sync.Mutex
	since   time.Time
	weights int
	pieces  []int64
	ends    []*outcome
	records []*record
}

// add adds a problem. Several may be added at the same time.
func (s *solutions) add(k int, end *outcome, weights *record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pieces) == 0 {
		s.since = time.Now()
	}
	s.pieces, s.ends, s.records = append(s.pieces, int64(k)), append(s.ends, end), append(s.records, weights)
	if s.weights += len(weights.values); s.weights > solvedMost || time.Since(s.since) > solvedAge {
		return s.write()
	}
	return nil
}

// write writes a file, if there is something to write.
func (s *solutions) write() error {
	n := len(s.pieces)
	if n == 0 {
		return nil
	}
	primal, dual := make([]float64, n), make([]float64, n)
	// Per problem: epochs, status, features, weights, and named features, -1 if it has all
	// features.
	counts := make([]int64, 0, 5*n)
	var names []int32
	var index []int64
	var values []float64
	for i, r := range s.records {
		primal[i], dual[i] = s.ends[i].primal, s.ends[i].dual
		own := int64(-1)
		if r.names != nil {
			own = int64(len(r.names))
		}
		counts = append(counts, int64(s.ends[i].epochs), int64(s.ends[i].status), int64(r.features), int64(len(r.values)), own)
		names, index, values = append(names, r.names...), append(index, r.index...), append(values, r.values...)
	}
	of := safetensors.F32
	if s.wide {
		of = safetensors.F64
	}
	err := s.part.Write(func(w io.Writer) error {
		return safetensors.Write(w, nil, []safetensors.Tensor{
			safetensors.New("problems", s.pieces, n), safetensors.New("primal", primal, n), safetensors.New("dual", dual, n), safetensors.New("counts", counts, n, 5),
			safetensors.New("names", names, len(names)), safetensors.New("index", index, len(index)),
			safetensors.Floats("values", of, func(yield func([]float64) bool) { yield(values) }, len(values)),
		})
	})
	s.pieces, s.ends, s.records, s.weights = nil, nil, nil, 0
	return err
}

// solvedIn returns the problems in a file that a process has written.
func solvedIn(file *os.File) ([]int, error) {
	f, err := openTensors(file)
	if err != nil {
		return nil, err
	}
	problems, err := safetensors.Read[int64](f, "problems")
	return ints(problems), err
}

// readResults takes the problems in a file that a process has written.
func (p *parts) readResults(file *os.File) ([]int, error) {
	f, err := openTensors(file)
	if err != nil {
		return nil, err
	}
	t := &tensors{file: f}
	problems, primal, dual, counts := ints(tensor[int64](t, "problems")), tensor[float64](t, "primal"), tensor[float64](t, "dual"), ints(tensor[int64](t, "counts"))
	names, index := tensor[int32](t, "names"), tensor[int64](t, "index")
	var values []float64
	err = f.Floats("values", func(_ int, part []float64) { values = append(values, part...) })
	switch {
	case t.err != nil:
		return nil, t.err
	case err != nil:
		return nil, err
	}
	if n := len(problems); len(primal) != n || len(dual) != n || len(counts) != 5*n || len(index) != len(values) {
		return nil, errDamaged
	}
	for i, k := range problems {
		if k < 0 || k >= len(p.parts) {
			return nil, fmt.Errorf("problem %d of %d; the file belongs to another training", k, len(p.parts))
		}
		of := counts[5*i : 5*i+5]
		if of[3] < 0 || of[3] > len(index) || of[4] > len(names) {
			return nil, errDamaged
		}
		p.primal[k], p.dual[k], p.epochs[k], p.status[k] = primal[i], dual[i], of[0], solver.Status(of[1])
		r := &record{features: of[2], index: index[:of[3]], values: values[:of[3]]}
		index, values = index[of[3]:], values[of[3]:]
		if of[4] >= 0 {
			r.names, names = names[:of[4]:of[4]], names[of[4]:]
		}
		if !p.weights.fits(len(p.parts[k].nodes), r) {
			return nil, errDamaged
		}
		p.weights.restore(k, p.parts[k].nodes, r)
	}
	return problems, nil
}
