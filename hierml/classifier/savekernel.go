package classifier

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/structured"
)

// kernelParameters returns the metadata of a kernel in a model file, or nil for kernels that are
// not defined by parameters alone.
func kernelParameters(k gram.Kernel) map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch k := k.(type) {
	case gram.Linear:
		return map[string]string{"kernel": "linear"}
	case gram.RBF:
		return map[string]string{"kernel": "rbf", "kernel.gamma": number(k.Gamma)}
	case gram.Exponential:
		return map[string]string{"kernel": "exponential", "kernel.gamma": number(k.Gamma)}
	case gram.Polynomial:
		return map[string]string{
			"kernel": "polynomial", "kernel.degree": strconv.Itoa(k.Degree),
			"kernel.gamma": number(k.Gamma), "kernel.offset": number(k.Offset),
		}
	}
	return nil
}

// parseKernel returns the kernel that the metadata describe.
func parseKernel(text map[string]string) (gram.Kernel, error) {
	var failed error
	number := func(name string) float64 {
		v, err := strconv.ParseFloat(text[name], 64)
		if err != nil {
			failed = fmt.Errorf("the metadata say that %s is %q; expected a number", name, text[name])
		}
		return v
	}
	switch name := text["kernel"]; name {
	case "linear":
		return gram.Linear{}, nil
	case "rbf":
		k := gram.RBF{Gamma: number("kernel.gamma")}
		if failed == nil {
			failed = k.Check()
		}
		return k, failed
	case "exponential":
		k := gram.Exponential{Gamma: number("kernel.gamma")}
		if failed == nil {
			failed = k.Check()
		}
		return k, failed
	case "polynomial":
		k := gram.Polynomial{Gamma: number("kernel.gamma"), Offset: number("kernel.offset")}
		degree, err := strconv.Atoi(text["kernel.degree"])
		if err != nil {
			return nil, fmt.Errorf("the metadata say that kernel.degree is %q; expected a whole number", text["kernel.degree"])
		}
		k.Degree = degree
		if failed == nil {
			failed = k.Check()
		}
		return k, failed
	default:
		return nil, fmt.Errorf("the model has the kernel %q, which is unknown to this program", name)
	}
}

// metadata returns the metadata of the kernel.
func (e *expansion) metadata() map[string]string {
	text := maps.Clone(kernelParameters(e.kernel))
	text["features"] = strconv.Itoa(e.x.Cols)
	return text
}

// tensors returns the instances of the expansion, in compressed rows with their indices among the
// training instances, and their vectors over the columns, also in compressed rows. It returns an
// error if the kernel is a function or a matrix, which files do not support.
func (e *expansion) tensors() ([]safetensors.Tensor, error) {
	if kernelParameters(e.kernel) == nil {
		return nil, fmt.Errorf("classifier: save: the model has the kernel %v, which cannot be saved; keep its training data and fit again", e.kernel)
	}
	return []safetensors.Tensor{
		safetensors.New("kernel.numbers", narrow(e.numbers), len(e.numbers)),
		safetensors.New("kernel.begin", wide(e.x.Indptr), len(e.x.Indptr)),
		safetensors.New("kernel.indices", e.x.Indices, len(e.x.Indices)),
		safetensors.New("kernel.values", e.x.Values, len(e.x.Values)),
		safetensors.New("kernel.u.begin", wide(e.u.Border), len(e.u.Border)),
		safetensors.New("kernel.u.columns", e.u.Columns, len(e.u.Columns)),
		safetensors.Floats("kernel.u.values", safetensors.F64, slices.Values([][]float64{e.u.Values}), len(e.u.Values)),
	}, nil
}

func narrow(values []int) []int32 {
	n := make([]int32, len(values))
	for k, v := range values {
		n[k] = int32(v)
	}
	return n
}

func wide(values []int) []int64 {
	w := make([]int64, len(values))
	for k, v := range values {
		w[k] = int64(v)
	}
	return w
}

// maxKernelFeatures bounds the features of a kernel model that is loaded.
const maxKernelFeatures = math.MaxInt32

// readExpansion reads the expansion of a kernel model.
func (m *Model) readExpansion(f *safetensors.File) error {
	kernel, err := parseKernel(f.Metadata)
	if err != nil {
		return err
	}
	cols, err := strconv.Atoi(f.Metadata["features"])
	if err != nil || cols < 0 || cols > maxKernelFeatures {
		return fmt.Errorf("the metadata say that a kernel model has %q features; expected 0 to %d", f.Metadata["features"], maxKernelFeatures)
	}
	to, err := m.readColumns(f)
	if err != nil {
		return err
	}
	e := &expansion{kernel: kernel, u: new(structured.Rows)}
	if e.numbers, err = safetensors.Indices[int](f, "kernel.numbers", m.Instances-1); err != nil {
		return err
	}
	for k := range e.numbers {
		if k > 0 && e.numbers[k-1] >= e.numbers[k] {
			return fmt.Errorf("instances %d, %d of the kernel model do not ascend", e.numbers[k-1], e.numbers[k])
		}
	}
	e.x = &dataset.Matrix{Rows: len(e.numbers), Cols: cols}
	if e.x.Indices, err = safetensors.Indices[int32](f, "kernel.indices", cols-1); err != nil {
		return err
	}
	if e.x.Indptr, err = modelfile.Borders(f, "kernel.begin", len(e.x.Indices)); err != nil {
		return err
	}
	if e.u.Columns, err = safetensors.Indices[int32](f, "kernel.u.columns", len(to)-1); err != nil {
		return err
	}
	if e.u.Border, err = modelfile.Borders(f, "kernel.u.begin", len(e.u.Columns)); err != nil {
		return err
	}
	if len(e.u.Border) != e.x.Rows+1 {
		return fmt.Errorf("%d instances of a kernel model have vectors for %d", e.x.Rows, len(e.u.Border)-1)
	}
	for k, c := range e.u.Columns {
		e.u.Columns[k] = to[c]
	}
	if err := f.Floats("kernel.values", func(_ int, values []float64) {
		for _, v := range values {
			e.x.Values = append(e.x.Values, float32(v))
		}
	}); err != nil {
		return err
	}
	if err := f.Floats("kernel.u.values", func(_ int, values []float64) { e.u.Values = append(e.u.Values, values...) }); err != nil {
		return err
	}
	if len(e.u.Values) != len(e.u.Columns) {
		return fmt.Errorf("%d columns of a kernel model have %d values", len(e.u.Columns), len(e.u.Values))
	}
	if err := structured.CheckMatrix(e.x); err != nil {
		return err
	}
	m.expansion = e
	return e.prepare()
}
