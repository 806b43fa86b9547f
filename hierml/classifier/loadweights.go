package classifier

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/structured"
)

// readColumns returns the column of the attributes for every column of the file, which may be in
// another order.
func (m *Model) readColumns(f *safetensors.File) ([]int32, error) {
	nodes, err := safetensors.Indices[int](f, "weights.columns", m.Taxonomy.Len()-1)
	if err != nil {
		return nil, err
	}
	if len(nodes) > len(m.attributes.Columns()) {
		if m.attributes, err = m.attributes.Widen(nodes); err != nil {
			return nil, err
		}
	}
	if need := m.attributes.Columns(); len(nodes) != len(need) {
		return nil, fmt.Errorf("there are weights of %d nodes, and the attributes need those of %d", len(nodes), len(need))
	}
	to := make([]int32, len(nodes))
	seen := make([]bool, len(nodes))
	for c, n := range nodes {
		at := m.attributes.Column(n)
		if at < 0 || seen[at] {
			return nil, fmt.Errorf("column %d of the weights belongs to node %q, which needs none or already has one", c, m.Taxonomy.Name(n))
		}
		seen[at], to[c] = true, int32(at)
	}
	return to, nil
}

// readWeights reads the weights in any of their forms.
func (m *Model) readWeights(f *safetensors.File) error {
	to, err := m.readColumns(f)
	if err != nil {
		return err
	}
	read := readCompressed
	for name, form := range map[string]func(*safetensors.File, *weightReader) error{"weights": readMatrix, "weights.present": readBitmap} {
		if _, ok := f.Tensors[name]; ok {
			read = form
		}
	}
	w := &weightReader{to: to, columns: m.attributes.Columns(), wide: f.Metadata["precision"] == "float64"}
	if err := read(f, w); err != nil {
		return err
	}
	if w.err != nil {
		return w.err
	}
	m.dense, m.sparse = w.dense, w.finish()
	return nil
}

// weightReader collects weights in the order of the file. If at least an eighth of them are not
// zero, it stores all, otherwise only the non-zero ones. So no file needs much more memory than its
// size.
type weightReader struct {
	to      []int32 // column of the file -> column of the weights
	columns []int   // node of each column of the weights
	wide    bool    // in float64
	dense   *structured.Weights
	sparse  *structured.SparseWeights
	err     error // of the first weight that cannot be stored
}

func (w *weightReader) begin(features, stored int) {
	if stored >= features/8*len(w.columns) {
		if w.wide {
			w.dense = structured.NewWideWeights(w.columns, features)
		} else {
			w.dense = structured.NewWeights(w.columns, features)
		}
		return
	}
	w.sparse = &structured.SparseWeights{Columns: w.columns, Begin: make([]int, features+1), Column: make([]int32, 0, stored)}
	if w.wide {
		w.sparse.Wide = make([]float64, 0, stored)
	} else {
		w.sparse.Values = make([]float32, 0, stored)
	}
}

// put adds the weight of feature f in a column of the file. Features must ascend.
func (w *weightReader) put(f, column int, v float64) {
	if !w.wide && math.IsInf(float64(float32(v)), 0) && w.err == nil {
		w.err = fmt.Errorf("a weight of feature %d is %v, too large for single precision", f, v)
	}
	switch {
	case w.dense != nil:
		w.dense.Set(f, int(w.to[column]), v)
		return
	case v == 0:
		return
	case w.wide:
		w.sparse.Wide = append(w.sparse.Wide, v)
	default:
		w.sparse.Values = append(w.sparse.Values, float32(v))
	}
	w.sparse.Column = append(w.sparse.Column, w.to[column])
	w.sparse.Begin[f+1]++
}

// finish completes the sparse weights, if they are sparse.
func (w *weightReader) finish() *structured.SparseWeights {
	s := w.sparse
	if s == nil {
		return nil
	}
	for f := range s.Features() {
		s.Begin[f+1] += s.Begin[f]
	}
	s.Sort()
	return s
}

func readMatrix(f *safetensors.File, w *weightReader) error {
	shape := f.Tensors["weights"].Shape
	if len(shape) != 2 || shape[1] != len(w.to) {
		return fmt.Errorf("the weights have shape %v; expected %d columns", shape, len(w.to))
	}
	w.begin(shape[0], shape[0]*shape[1])
	return f.Floats("weights", func(at int, values []float64) {
		for k, v := range values {
			w.put((at+k)/len(w.to), (at+k)%len(w.to), v)
		}
	})
}

func readBitmap(f *safetensors.File, w *weightReader) error {
	shape := f.Tensors["weights.present"].Shape
	width := (len(w.to) + 7) / 8
	if len(shape) != 2 || shape[1] != width {
		return fmt.Errorf("the bits of the weights have shape %v; expected %d columns", shape, width)
	}
	bits, err := safetensors.Read[uint8](f, "weights.present")
	if err != nil {
		return err
	}
	set := 0
	for k, b := range bits {
		for c := range 8 {
			if b>>c&1 != 0 {
				set++
				if column := k%width*8 + c; column >= len(w.to) {
					return fmt.Errorf("a weight of feature %d is in column %d of %d", k/width, column, len(w.to))
				}
			}
		}
	}
	if err := checkValues(f, set); err != nil {
		return err
	}
	w.begin(shape[0], set)
	at := -1 // bit of the last weight
	return eachValue(f, set, func(_ int, values []float64) {
		for _, v := range values {
			for at++; bits[at>>3]>>(at&7)&1 == 0; at++ {
				if at&7 == 0 && bits[at>>3] == 0 {
					at += 7
				}
			}
			byte := at >> 3
			w.put(byte/width, byte%width*8+at&7, v)
		}
	})
}

func readCompressed(f *safetensors.File, w *weightReader) error {
	columns, err := safetensors.Indices[int32](f, "weights.indices", len(w.to)-1)
	if err != nil {
		return err
	}
	begin, err := modelfile.Borders(f, "weights.begin", len(columns))
	if err != nil {
		return err
	}
	if err := checkValues(f, len(columns)); err != nil {
		return err
	}
	for f := range len(begin) - 1 {
		for k := begin[f] + 1; k < begin[f+1]; k++ {
			if columns[k-1] >= columns[k] {
				return fmt.Errorf("columns %d, %d of feature %d do not ascend", columns[k-1], columns[k], f)
			}
		}
	}
	w.begin(len(begin)-1, len(columns))
	feature := 0
	return eachValue(f, len(columns), func(at int, values []float64) {
		for k, v := range values {
			for begin[feature+1] <= at+k {
				feature++
			}
			w.put(feature, int(columns[at+k]), v)
		}
	})
}

// maxCodes is the maximum number of values of a codebook. Older files have codes, the indices of
// its values, instead of weights: the low 8 bits in weights.codes, and the others in
// weights.codes.high.
const maxCodes = 1 << 12

// highBits returns how many bits beyond 8 the codes of n values need.
func highBits(n int) int { return max(0, bits.Len(uint(max(n, 1)-1))-8) }

// checkValues returns an error unless the file has the values of n weights.
func checkValues(f *safetensors.File, n int) error {
	codes, ok := f.Tensors["weights.codes"]
	if !ok {
		codes = f.Tensors["weights.values"]
	}
	if codes.Len() != n {
		return fmt.Errorf("%d values or codes for %d weights", codes.Len(), n)
	}
	book := f.Tensors["weights.codebook"].Len()
	if ok && book > maxCodes {
		return fmt.Errorf("a codebook of %d values; codes go to %d", book, maxCodes)
	}
	if high := highBits(book); ok && high > 0 {
		if got, want := f.Tensors["weights.codes.high"].Len(), (n*high+7)/8; got != want {
			return fmt.Errorf("%d bytes of high bits of codes; %d weights with %d bits need %d", got, n, high, want)
		}
	}
	return nil
}

// eachValue calls do for the n weights in the file, which checkValues has checked, in parts and in
// their order, with the position of the first.
func eachValue(f *safetensors.File, n int, do func(at int, values []float64)) error {
	if _, ok := f.Tensors["weights.codes"]; !ok {
		return f.Floats("weights.values", do)
	}
	var book []float64
	if err := f.Floats("weights.codebook", func(_ int, values []float64) { book = append(book, values...) }); err != nil {
		return err
	}
	codes, err := safetensors.Read[uint8](f, "weights.codes")
	if err != nil {
		return err
	}
	var stream []uint8
	high := highBits(len(book))
	if high > 0 {
		if stream, err = safetensors.Read[uint8](f, "weights.codes.high"); err != nil {
			return err
		}
	}
	var pending, count uint // bits of the stream not yet taken
	const part = 1 << 12
	values := make([]float64, 0, part)
	for at := 0; at < n; at += len(values) {
		values = values[:0]
		for k := at; k < min(at+part, n); k++ {
			for ; count < uint(high); count += 8 {
				pending |= uint(stream[0]) << count
				stream = stream[1:]
			}
			code := int(codes[k]) | int(pending&(1<<high-1))<<8
			pending >>= high
			count -= uint(high)
			if code >= len(book) {
				return fmt.Errorf("weight %d has code %d of %d", k, code, len(book))
			}
			values = append(values, book[code])
		}
		do(at, values)
	}
	return nil
}
