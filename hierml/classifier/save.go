package classifier

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"strconv"

	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/internal/replace"
)

// Format has the options for writing a model. The zero value is the smallest form that stores every
// weight exactly.
type Format struct {
	// Float64 stores weights in double precision, for programs that read nothing else. By default
	// they have single precision, as in memory, or less if that changes no weight; see
	// Model.Compact.
	Float64 bool
	// Dense stores all weights, including zeros, as one matrix called "weights". By default they
	// are stored in the smallest of three forms; see Model.Save.
	Dense bool
}

// Metadata about the model file itself.
const (
	fileFormat  = modelfile.Format
	fileVersion = 1
	// fewFeatures is the version of a file with weights.features, which older readers would take
	// for all features.
	fewFeatures = 2
	// withLink is the version of a file with a link, which older readers would ignore.
	withLink = 3
	// withConstants is the version of a file with weights.constants, which older readers would
	// ignore. It may have a link.
	withConstants = 4
	// withLabels is the version of a file with taxonomy.labels or taxonomy.unseen, which older
	// readers would ignore. It may have everything that the other versions have.
	withLabels = 5
)

// Save writes the model to a file, which Load reads. The file is in the safetensors layout, so that
// Python reads it as arrays without this library:
//
//	from safetensors.numpy import load_file
//	m = load_file("model.safetensors")
//
// In addition to hyper-parameters and the certificate (strings in its metadata) it has:
//
//	taxonomy.names, taxonomy.names.offsets   UTF-8 text of all names; name n is from offset n to n+1
//	taxonomy.edges                           parent and child a row
//	attributes.candidates                    the labels it chooses from, node ids: the leaves
//	attributes.begin, .nodes, .values        the attributes of each of them, in compressed rows
//	weights.columns                          the node of each column of the weights
//	vocabulary, vocabulary.offsets           names of the features, where known, as the names of nodes
//	history                                  epoch, primal, dual, gap, seconds a row
//
// and the weights, one row per feature, in the smallest of three forms:
//
//	weights                                  a matrix
//	weights.present, weights.values          a bit for every weight, the lowest bit of a byte first, each row from
//	                                         a new byte, and the weights whose bit is set
//	weights.begin, .indices, .values         compressed rows: scipy.sparse.csr_matrix((values, indices, begin))
//
// If the scores have constants, weights.constants has one per column. If a link turns the scores of
// nodes into probabilities, the metadata name it, and link.always and link.never have the nodes
// whose probability is always 1 or 0; see Model.SetLink.
//
// What is attached to the model is in the tensors attached.NAME, as bytes.
//
// If leaves represent labels with other names, such as those that dataset.Leafed adds,
// taxonomy.labels.nodes has these leaves, ascending, and taxonomy.labels and
// taxonomy.labels.offsets the names of the labels. taxonomy.unseen has the nodes without training
// instances, ascending, if there are any; see Model.Unseen.
//
// If few of many features occur in the data, weights.features has the features of the rows,
// ascending, and the metadata have their number.
//
// testdata/scores.py of this package reads all of it with numpy alone. Weights are stored exactly.
// It replaces an older file only when the new one is complete.
func (m *Model) Save(path string) error { return m.SaveAs(path, Format{}) }

// SaveAs is Save with a format.
func (m *Model) SaveAs(path string, f Format) error {
	if path == "" {
		return fmt.Errorf("classifier: save: the file name is empty")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("classifier: save: %s is a folder; pass the name of a file in it", path)
	}
	file, err := replace.Create(path)
	if err != nil {
		return fmt.Errorf("classifier: save: %w", err)
	}
	defer file.Discard()
	if err := m.Write(file, f); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("classifier: save: %w", err)
	}
	return nil
}

// Write writes the contents of the file of Save.
func (m *Model) Write(w io.Writer, f Format) error {
	tensors, err := m.tensors(f)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<20)
	if err := safetensors.Write(buffered, m.metadata(), tensors); err != nil {
		return fmt.Errorf("classifier: save: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("classifier: save: %w", err)
	}
	return nil
}

// MarshalBinary returns the output of Write. It makes a model an encoding.BinaryMarshaler, which
// can be part of other saved values.
func (m *Model) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if err := m.Write(&b, Format{}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (m *Model) metadata() map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	t := m.Training
	r := t.Certificate
	if r == nil { // NaN in the file
		nan := math.NaN()
		r = &solver.Result{Primal: nan, Dual: nan, Gap: nan}
	}
	text := map[string]string{
		"format":    fileFormat,
		"version":   strconv.Itoa(m.version()),
		"rule":      m.Rule.String(),
		"name":      m.Name,
		"C":         number(m.C),
		"instances": strconv.Itoa(m.Instances),
		"primal":    number(r.Primal),
		"dual":      number(r.Dual),
		"gap":       number(r.Gap),
		"epochs":    strconv.Itoa(t.Epochs),
		"seconds":   number(t.Seconds),
		"status":    strconv.Itoa(int(t.Status)),
		"precision": precision(m),
	}
	if m.expansion != nil {
		maps.Copy(text, m.expansion.metadata())
	}
	if f := m.features; f != nil {
		text["features"] = strconv.Itoa(f.all)
	}
	if l := m.linked; l != nil {
		text["link"] = l.link.String()
	}
	return text
}

// version returns the version of the model's file.
func (m *Model) version() int {
	switch {
	case len(m.Taxonomy.LabelNames()) > 0, m.unseen != nil:
		return withLabels
	case m.constants != nil:
		return withConstants
	case m.linked != nil:
		return withLink
	case m.features != nil:
		return fewFeatures
	}
	return fileVersion
}

// precision returns the name of the precision of the weights in memory.
func precision(m *Model) string {
	if w := m.dense; w != nil && w.Wide != nil || m.sparse != nil && m.sparse.Wide != nil {
		return "float64"
	}
	return "float32"
}

// parseRule returns the rule that a model file names.
func parseRule(name string) (Rule, bool) {
	for r := range BottomUp + 1 {
		if r.String() == name {
			return r, true
		}
	}
	return 0, false
}

func (m *Model) tensors(f Format) ([]safetensors.Tensor, error) {
	var stored []safetensors.Tensor
	if m.expansion != nil {
		var err error
		if stored, err = m.expansion.tensors(); err != nil {
			return nil, err
		}
	} else {
		weights := m.weights()
		if weights == nil {
			return nil, fmt.Errorf("classifier: save: the model, %s, has no weights", m.Name)
		}
		stored = weightTensors(weights, f)
	}
	if _, ok := parseRule(m.Rule.String()); !ok {
		return nil, fmt.Errorf("classifier: save: there is no rule %q; set Rule to one of the constants of package classifier", m.Rule)
	}
	t := m.Taxonomy
	begin := []int64{0}
	var candidates, nodes []int32
	var values []float64
	for y, label := range m.attributes.Candidates() {
		candidates = append(candidates, int32(label))
		n, v := m.attributes.Leaf(y)
		for _, n := range n {
			nodes = append(nodes, int32(n))
		}
		values = append(values, v...)
		begin = append(begin, int64(len(nodes)))
	}
	columns := make([]int32, len(m.attributes.Columns()))
	for c, n := range m.attributes.Columns() {
		columns[c] = int32(n)
	}
	var history []float64
	if r := m.Training.Certificate; r != nil {
		for _, p := range r.History {
			history = append(history, float64(p.Epoch), p.Primal, p.Dual, p.Gap, p.Seconds, p.Estimate)
		}
	}
	tensors := append(modelfile.Taxonomy(t),
		safetensors.New("attributes.candidates", candidates, len(candidates)),
		safetensors.New("attributes.begin", begin, len(begin)),
		safetensors.New("attributes.nodes", nodes, len(nodes)),
		safetensors.New("attributes.values", values, len(values)),
		safetensors.New("weights.columns", columns, len(columns)),
		safetensors.New("history", history, len(history)/6, 6),
	)
	if m.unseen != nil {
		var nodes []int
		for n, unseen := range m.unseen {
			if unseen {
				nodes = append(nodes, n)
			}
		}
		tensors = append(tensors, modelfile.Nodes("taxonomy.unseen", nodes))
	}
	if m.Vocabulary != nil {
		tensors = append(tensors, modelfile.Texts("vocabulary", m.Vocabulary)...)
	}
	if m.constants != nil {
		tensors = append(tensors, safetensors.New("weights.constants", m.constants, len(m.constants)))
	}
	if l := m.linked; l != nil {
		tensors = append(tensors, modelfile.Nodes("link.always", l.always), modelfile.Nodes("link.never", l.never))
	}
	if f := m.features; f != nil {
		tensors = append(tensors, safetensors.New("weights.features", f.occurring, len(f.occurring)))
	}
	tensors = append(tensors, modelfile.Attach(m.Attached)...)
	return append(tensors, stored...), nil
}

// weightTensors returns the weights in the smallest form that Format allows.
func weightTensors(w rows, f Format) []safetensors.Tensor {
	features, columns := w.size()
	kind, stored := safetensors.F16, 0
	for _, values := range eachRow(w) {
		stored += len(values)
		for _, v := range values {
			if kind == safetensors.F16 && float64(safetensors.FromHalf(safetensors.ToHalf(float32(v)))) != v {
				kind = safetensors.F32
			}
			if kind == safetensors.F32 && float64(float32(v)) != v {
				kind = safetensors.F64
			}
		}
	}
	if f.Float64 {
		kind = safetensors.F64
	}
	index := safetensors.U16
	if columns > 1<<16 {
		index = safetensors.U32
	}
	border := safetensors.I32
	if stored > math.MaxInt32 {
		border = safetensors.I64
	}
	rowBytes := (columns + 7) / 8
	matrix := features * columns * kind.Size()
	bitmap := features*rowBytes + stored*kind.Size()
	compressed := (features+1)*border.Size() + stored*(index.Size()+kind.Size())
	present := safetensors.Floats("weights.values", kind, values(w), stored)
	switch {
	case f.Dense || matrix <= min(bitmap, compressed):
		return []safetensors.Tensor{safetensors.Floats("weights", kind, fullRows(w), features, columns)}
	case bitmap <= compressed:
		return []safetensors.Tensor{present, {
			Name: "weights.present", Type: safetensors.U8, Shape: []int{features, rowBytes}, Write: func(out io.Writer) error {
				bits := make([]byte, rowBytes)
				for columns := range eachRow(w) {
					clear(bits)
					for _, c := range columns {
						bits[c>>3] |= 1 << (c & 7)
					}
					if _, err := out.Write(bits); err != nil {
						return err
					}
				}
				return nil
			},
		}}
	}
	return []safetensors.Tensor{
		present,
		{Name: "weights.begin", Type: border, Shape: []int{features + 1}, Write: func(out io.Writer) error {
			buffer := make([]byte, 8)
			next := uint64(0)
			if _, err := out.Write(buffer[:border.Size()]); err != nil {
				return err
			}
			for columns := range eachRow(w) {
				next += uint64(len(columns))
				binary.LittleEndian.PutUint64(buffer, next)
				if _, err := out.Write(buffer[:border.Size()]); err != nil {
					return err
				}
			}
			return nil
		}},
		{Name: "weights.indices", Type: index, Shape: []int{stored}, Write: func(out io.Writer) error {
			var buffer []byte
			for columns := range eachRow(w) {
				buffer = buffer[:0]
				for _, c := range columns {
					buffer = append(buffer, byte(c), byte(c>>8))
					if index == safetensors.U32 {
						buffer = append(buffer, byte(c>>16), byte(c>>24))
					}
				}
				if _, err := out.Write(buffer); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// eachRow iterates over the non-zero weights, feature by feature. The slices are valid until the
// next iteration.
func eachRow(w rows) iter.Seq2[[]int32, []float64] {
	return func(yield func([]int32, []float64) bool) {
		features, _ := w.size()
		var columns []int32
		var values []float64
		for f := range features {
			columns, values = w.append(f, columns[:0], values[:0])
			if !yield(columns, values) {
				return
			}
		}
	}
}

// values iterates over the non-zero weights.
func values(w rows) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for _, values := range eachRow(w) {
			if !yield(values) {
				return
			}
		}
	}
}

// fullRows iterates over all weights.
func fullRows(w rows) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		_, count := w.size()
		row := make([]float64, count)
		for columns, values := range eachRow(w) {
			clear(row)
			for k, c := range columns {
				row[c] = values[k]
			}
			if !yield(row) {
				return
			}
		}
	}
}
