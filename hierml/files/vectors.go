package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Vectors reads rows of numbers, such as embeddings, and their labels from a second file:
//
//	files.Vectors{Labels: "labels.txt"}.Open(ctx, "embeddings.npy", nil)
//
// The format of the file of vectors is detected from its first bytes:
//
//	.npy          one array of numpy.save, of versions 1 to 3, compressed or not
//	.npz          the arrays of numpy.savez, or the sparse matrix in compressed rows that
//	              scipy.sparse.save_npz writes
//	.safetensors  tensors
//
// A matrix has booleans, integers, floats of 16, 32 or 64 bits in any byte order and index order,
// or bfloat16. Pickled objects are an error. Zeros are not stored. A value that is not finite, or
// overflows a float32, is a fault. A note lists columns whose numbers, such as 20240101, a float32
// rounds by more than a thousandth of their standard deviation.
//
// The taxonomy may be nil: then it is made from the labels.
type Vectors struct {
	// Array is the name of the matrix in a file of several arrays. If empty, it is "X", or the
	// only one of two dimensions.
	Array string

	// Labels is the file of the labels; its path is not relative to that of the vectors. It has the
	// label of one row per line, with an empty line for a row without one; or it is a table, read
	// with Table; or a .npy file of integers or strings, one per row. Its faults are not repaired,
	// so that labels stay with their rows.
	Labels string

	// Table has the settings for reading Labels as a table, if Table.Label or Table.Levels is set.
	Table Table

	// LabelArray is, instead of Labels, the name of an array in the file of the vectors. If both
	// are empty, it is "y" if that array exists, and a note says so; otherwise rows have no labels.
	LabelArray string

	// PathSeparator separates the levels of labels if the taxonomy is made from them, as in Table.
	// If empty, it is detected; "none" makes a flat taxonomy. A table has its own setting.
	PathSeparator string

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Open reads a file as Read does.
func (s Vectors) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	d, err := s.Read(ctx, f, file, t)
	if closed := f.Close(); err == nil && closed != nil {
		return nil, fmt.Errorf("files: %w", closed)
	}
	return d, err
}

// Read reads all rows. A source of several arrays must be a file, or another io.ReaderAt and
// io.Seeker. Memory for the size stated in a shape is allocated only when the file is known to be
// that large.
func (s Vectors) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	v, err := openVectors(ctx, r, name)
	if err != nil {
		return nil, err
	}
	v.Vectors = s
	x, err := v.matrix(ctx)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: name, Taxonomy: t, X: x}
	if err := v.label(ctx, d); err != nil {
		return nil, err
	}
	for i := range x.Rows {
		if s.Repair == nil || x.Indptr[i] < x.Indptr[i+1] {
			continue
		}
		if err := report(s.Repair, faultEmptyRow, v.errorf("row %d has no features", i)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// vectorFile is an open file of arrays.
type vectorFile struct {
	Vectors
	ctx   context.Context
	name  string
	names []string // of the arrays
	open  func(name string) (a *array, end func() error, err error)
	bound *textfile.Bound
}

// openVectors detects the format of the file.
func openVectors(ctx context.Context, r io.Reader, name string) (*vectorFile, error) {
	v := &vectorFile{ctx: ctx, name: name}
	const atLeast = 9 // a length of 8 bytes, then the brace of a header
	at, size, ok := readAnywhere(r)
	head := make([]byte, atLeast)
	if ok {
		n, err := at.ReadAt(head, 0)
		if head = head[:n]; err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("files: %s: %w", name, err)
		}
		v.bound = &textfile.Bound{Packing: "zip", Stored: func() int64 { return size }}
		switch {
		case bytes.HasPrefix(head, []byte(zipMagic)):
			return v, v.numpyArchive(at, size)
		case len(head) == atLeast && head[atLeast-1] == '{' && !bytes.HasPrefix(head, []byte(numpyMagic)):
			return v, v.tensors(at, size)
		}
	}
	known := textfile.SizeOf(r)
	file, err := textfile.Decompress(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	head, err = file.Peek(atLeast)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, file.Place(1, err)
	}
	if !bytes.HasPrefix(head, []byte(numpyMagic)) {
		if several := bytes.HasPrefix(head, []byte(zipMagic)) || len(head) == atLeast && head[atLeast-1] == '{'; several && !ok {
			return nil, v.errorf("a file of several arrays cannot be read from a stream; open it as a file")
		}
		return nil, v.errorf("not a file of vectors; expected a file that numpy.save, numpy.savez, scipy.sparse.save_npz or safetensors writes; read text with CSV or SVMLight")
	}
	v.names = []string{""}
	v.open = func(string) (*array, func() error, error) {
		a := v.array("", file)
		a.place = func(err error) error { return file.Place(1, err) }
		if err := a.readHeader(); err != nil {
			return nil, nil, err
		}
		a.stored = known > 0 && a.len()*a.size <= int(known)
		return a, func() error { return nil }, nil
	}
	return v, nil
}

// readAnywhere returns the file as one that can be read at any place, from where it stands, which
// is its beginning.
func readAnywhere(r io.Reader) (at io.ReaderAt, size int64, ok bool) {
	at, isAt := r.(io.ReaderAt)
	seeker, isSeeker := r.(io.Seeker)
	if !isAt || !isSeeker {
		return nil, 0, false
	}
	if here, err := seeker.Seek(0, io.SeekCurrent); err != nil || here != 0 {
		return nil, 0, false
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, false
	}
	_, err = seeker.Seek(0, io.SeekStart)
	return at, size, err == nil
}

func (v *vectorFile) errorf(format string, args ...any) error {
	return syntaxError(v.name, 1, 0, fmt.Sprintf(format, args...), nil)
}

// array returns an array of the file, whose bytes are read from r.
func (v *vectorFile) array(name string, r io.Reader) *array {
	return &array{name: name, data: textfile.WithContext(v.ctx, r), errorf: v.errorf, place: func(err error) error {
		var damaged *textfile.DamagedError
		if err := v.ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		if errors.As(err, &damaged) {
			return syntaxError(v.name, 1, 0, damaged.Error(), err)
		}
		return syntaxError(v.name, 1, 0, fmt.Sprintf("array %s is damaged (%v); get the file again", name, err), err)
	}}
}

// with calls do with an array of the file.
func (v *vectorFile) with(name string, do func(a *array) error) error {
	a, end, err := v.open(name)
	if err != nil {
		return err
	}
	err = do(a)
	if ended := end(); err == nil && ended != nil {
		return v.errorf("array %s is damaged (%v); get the file again", name, ended)
	}
	return err
}

// matrix reads the features.
func (v *vectorFile) matrix(ctx context.Context) (*dataset.Matrix, error) {
	if v.Array == "" && slices.Contains(v.names, "format") && slices.Contains(v.names, "indptr") {
		return v.sparse(ctx)
	}
	name, err := v.choose()
	if err != nil {
		return nil, err
	}
	var x *dataset.Matrix
	return x, v.with(name, func(a *array) error {
		if len(a.shape) != 2 {
			return v.errorf("%s has the shape %s; expected a row for each instance and a column for each feature. X.reshape(len(X), -1) makes such a matrix", a.called(), describeShape(a.shape))
		}
		if !a.isNumbers() {
			return v.errorf(`%s has strings; expected numbers`, a.called())
		}
		if a.shape[0] == 0 || a.shape[1] == 0 || a.shape[1] > math.MaxInt32 {
			return v.errorf("%s has the shape %s; expected at least one row and one column, and at most %d columns", a.called(), describeShape(a.shape), math.MaxInt32)
		}
		b := denseRows{v: v, array: a}
		x, err = b.read(ctx)
		return err
	})
}

// choose returns the name of the matrix.
func (v *vectorFile) choose() (string, error) {
	if v.Array != "" {
		if !slices.Contains(v.names, v.Array) {
			if v.names[0] == "" {
				return "", v.errorf("the file has one array without a name; leave Vectors{Array: %q} empty", v.Array)
			}
			return "", v.errorf("no array named %s (found: %s)", textfile.Quote(v.Array), v.shapes())
		}
		return v.Array, nil
	}
	if slices.Contains(v.names, "X") {
		return "X", nil
	}
	if len(v.names) == 1 {
		return v.names[0], nil
	}
	var matrices []string
	for _, name := range v.names {
		if shape, ok := v.shapeOf(name); ok && len(shape) == 2 {
			matrices = append(matrices, name)
		}
	}
	if len(matrices) != 1 {
		return "", v.errorf("the arrays are %s; set Vectors{Array: …} to the one with the features", v.shapes())
	}
	return matrices[0], nil
}

// shapeOf returns the shape of an array, unless it cannot be read.
func (v *vectorFile) shapeOf(name string) (shape []int, ok bool) {
	err := v.with(name, func(a *array) error {
		shape = a.shape
		return nil
	})
	return shape, err == nil
}

// shapes lists the arrays with their shapes.
func (v *vectorFile) shapes() string {
	const most = 20
	var list []string
	for _, name := range v.names[:min(len(v.names), most)] {
		said := "that cannot be read"
		if shape, ok := v.shapeOf(name); ok {
			said = describeShape(shape)
		}
		list = append(list, textfile.Quote(name)+" "+said)
	}
	if len(v.names) > most {
		list = append(list, fmt.Sprintf("and %d more", len(v.names)-most))
	}
	return strings.Join(list, ", ")
}

// denseRows returns the rows of an array of two dimensions.
type denseRows struct {
	v     *vectorFile
	array *array
	check columnCheck
}

// read reads the array. What it allocates grows with what is there.
func (b *denseRows) read(ctx context.Context) (*dataset.Matrix, error) {
	rows, cols := b.array.shape[0], b.array.shape[1]
	room := 0
	if b.array.stored {
		room = rows * cols
	}
	x := &dataset.Matrix{Cols: cols, Values: make([]float32, 0, room), Indptr: []int{0}}
	b.check = columnCheck{v: b.v, array: orElse(b.array.name, "X"), exact: b.array.kind == 'B' || b.array.size <= 2 || b.array.kind == 'f' && b.array.size == 4}
	i, j := 0, 0
	if b.array.fortran {
		return x, b.readColumns(ctx, x)
	}
	x.Indices = make([]int32, 0, room)
	if err := b.array.elements(func(element []byte) error {
		value, err := b.check.value(i, j, b.array.number(element))
		if err != nil {
			return err
		}
		if value != 0 {
			x.Indices, x.Values = append(x.Indices, int32(j)), append(x.Values, value)
		}
		if j++; j == cols {
			i, j = i+1, 0
			x.Indptr = append(x.Indptr, len(x.Values))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	x.Rows = rows
	return x, b.check.end(ctx, rows)
}

// readColumns reads an array whose columns stand one after the other.
func (b *denseRows) readColumns(ctx context.Context, x *dataset.Matrix) error {
	rows, cols := b.array.shape[0], b.array.shape[1]
	values := x.Values
	i, j, n := 0, 0, 0
	if err := b.array.elements(func(element []byte) error {
		value, err := b.check.value(i, j, b.array.number(element))
		if err != nil {
			return err
		}
		if values = append(values, value); value != 0 {
			n++
		}
		if i++; i == rows {
			i, j = 0, j+1
		}
		return nil
	}); err != nil {
		return err
	}
	x.Rows, x.Indices, x.Values = rows, make([]int32, 0, n), make([]float32, 0, n)
	for i := range rows {
		for j := range cols {
			if value := values[j*rows+i]; value != 0 {
				x.Indices, x.Values = append(x.Indices, int32(j)), append(x.Values, value)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return b.check.end(ctx, rows)
}

// sparse reads what scipy.sparse.save_npz writes.
func (v *vectorFile) sparse(ctx context.Context) (*dataset.Matrix, error) {
	format := ""
	if err := v.with("format", func(a *array) error {
		if a.isNumbers() || a.len() != 1 {
			return v.errorf("array format is not a string; expected a file that scipy.sparse.save_npz writes")
		}
		return a.elements(func(element []byte) (err error) {
			format, err = a.label(element)
			return err
		})
	}); err != nil {
		return nil, err
	}
	if format != "csr" {
		return nil, v.errorf("the matrix is in scipy's format %s; save X.tocsr()", textfile.Quote(format))
	}
	shape, err := v.integers("shape", math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] == 0 || shape[1] == 0 || shape[1] > math.MaxInt32 {
		return nil, v.errorf("the matrix has the shape %s; expected at least one row and one column, and at most %d columns", describeShape(shape), math.MaxInt32)
	}
	indptr, err := v.integers("indptr", math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if len(indptr) == 0 || len(indptr)-1 != shape[0] || indptr[0] != 0 || !slices.IsSorted(indptr) {
		return nil, v.errorf("array indptr does not fit %s; the file is damaged", describe.Count(shape[0], "row", "rows"))
	}
	indices, err := v.integers("indices", shape[1]-1)
	if err != nil {
		return nil, err
	}
	var values []float64
	if err := v.with("data", func(a *array) error {
		if !a.isNumbers() || len(a.shape) != 1 {
			return v.errorf("array data has the shape %s; expected the numbers of the matrix", describeShape(a.shape))
		}
		return a.elements(func(element []byte) error {
			values = append(values, a.number(element))
			return nil
		})
	}); err != nil {
		return nil, err
	}
	if last := indptr[len(indptr)-1]; last != len(indices) || last != len(values) {
		return nil, v.errorf("the matrix has %d values, %d indices, and rows of %d; the file is damaged", len(values), len(indices), last)
	}
	return v.sparseRows(ctx, shape[1], indptr, indices, values)
}

// sparseRows returns the rows of the arrays of a sparse matrix. As in scipy, indices of a row may
// be in any order, and values with the same index are added.
func (v *vectorFile) sparseRows(ctx context.Context, cols int, indptr, indices []int, values []float64) (*dataset.Matrix, error) {
	check := columnCheck{v: v, array: "X", sparse: make(map[int]int)}
	for _, j := range indices[:indptr[1]] {
		if _, twice := check.sparse[j]; !twice {
			check.sparse[j] = len(check.sparse)
		}
	}
	x := &dataset.Matrix{Rows: len(indptr) - 1, Cols: cols, Indptr: []int{0}, Indices: make([]int32, 0, len(indices)), Values: make([]float32, 0, len(indices))}
	for i := range x.Rows {
		order := indices[indptr[i]:indptr[i+1]]
		ascending := true
		for k, j := range order {
			ascending = ascending && (k == 0 || order[k-1] < j)
		}
		var row map[int]float64
		if !ascending {
			row = make(map[int]float64, len(order))
			for k, j := range order {
				row[j] += values[indptr[i]+k]
			}
			order = slices.Compact(slices.Sorted(slices.Values(order)))
		}
		for k, j := range order {
			value := values[indptr[i]+k]
			if !ascending {
				value = row[j]
			}
			rounded, err := check.value(i, j, value)
			if err != nil {
				return nil, err
			}
			if rounded != 0 {
				x.Indices, x.Values = append(x.Indices, int32(j)), append(x.Values, rounded)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return x, check.end(ctx, x.Rows)
}

// integers returns the whole numbers of an array of one dimension, from 0 to most.
func (v *vectorFile) integers(name string, most int) ([]int, error) {
	if !slices.Contains(v.names, name) {
		return nil, v.errorf("no array named %q; write the file with scipy.sparse.save_npz", name)
	}
	var list []int
	return list, v.with(name, func(a *array) error {
		if a.kind != 'i' && a.kind != 'u' || len(a.shape) != 1 {
			return v.errorf("array %s has the shape %s; expected whole numbers in one dimension", name, describeShape(a.shape))
		}
		return a.elements(func(element []byte) error {
			n := a.integer(element)
			if n < 0 || n > int64(most) {
				return v.errorf("array %s has %d; expected 0 to %d", name, n, most)
			}
			list = append(list, int(n))
			return nil
		})
	})
}
