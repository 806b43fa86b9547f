// Package gram provides Mercer kernels, which are inner products of instances in an implicit
// feature space, and their Gram matrices, from which kernel machines learn.
//
// A [Kernel] compares rows of a dataset.Matrix: [Linear], [RBF], [Exponential], [Polynomial], your
// own function ([Func]), or a precomputed matrix ([Given]). A [SequenceKernel] compares sequences
// of symbols, such as the characters of a string or the words of a text: [Subsequence]. [Matrix]
// and [Sequences] compute Gram matrices on all CPUs, [Cross] and [CrossSequences] the values
// between new instances and those of a training set. [Check] says whether a matrix can be a Gram
// matrix.
//
// To use sequences, or any other objects with a kernel, in an SVM, compute their Gram matrix:
// [Given] is the kernel, and [Numbers] the matrix of instances, each identified by its number.
package gram

import (
	"cmp"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
)

// Vector is a sparse vector: ascending indices and their values. Other entries are zero.
type Vector struct {
	Indices []int32
	Values  []float32
}

// Row returns row i of a matrix.
func Row(x *dataset.Matrix, i int) Vector {
	indices, values := x.Row(i)
	return Vector{indices, values}
}

// Dot returns the inner product.
func (v Vector) Dot(w Vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(v.Indices) && j < len(w.Indices); {
		switch a, b := v.Indices[i], w.Indices[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			sum += float64(v.Values[i]) * float64(w.Values[j])
			i++
			j++
		}
	}
	return sum
}

// Kernel is a symmetric, positive semidefinite function of two instances, safe for concurrent use.
// If a kernel has a method Check() error, it is called before use to validate the parameters.
type Kernel interface {
	Value(a, b Vector) float64
}

// ofProducts are the kernels that depend on inner products alone. Matrix computes those of all rows
// at once.
type ofProducts interface {
	// ofProducts returns the kernel of a and b from <a, b>, <a, a> and <b, b>.
	ofProducts(ab, aa, bb float64) float64
}

// Linear is the inner product <a, b>.
type Linear struct{}

// Value returns the kernel of a and b.
func (Linear) Value(a, b Vector) float64 { return a.Dot(b) }

func (Linear) ofProducts(ab, _, _ float64) float64 { return ab }

// String names the kernel.
func (Linear) String() string { return "linear kernel" }

// RBF is the Gaussian kernel exp(-Gamma ||a-b||^2).
type RBF struct {
	// Gamma is positive. The default value is 1.
	Gamma float64
}

func (k RBF) gamma() float64 {
	return cmp.Or(k.Gamma, 1)
}

// Value returns the kernel of a and b.
func (k RBF) Value(a, b Vector) float64 { return k.ofProducts(a.Dot(b), a.Dot(a), b.Dot(b)) }

func (k RBF) ofProducts(ab, aa, bb float64) float64 {
	return math.Exp(-k.gamma() * max(aa+bb-2*ab, 0))
}

// Check returns an error if Gamma is invalid.
func (k RBF) Check() error {
	if g := k.gamma(); !(g > 0) || math.IsInf(g, 1) {
		return fmt.Errorf("gram: Gamma of the RBF kernel is %v; it must be positive and finite, or 0 for the default of 1", k.Gamma)
	}
	return nil
}

// String names the kernel and its parameter.
func (k RBF) String() string { return fmt.Sprintf("RBF kernel, gamma %g", k.gamma()) }

// Exponential is the kernel exp(-Gamma ||a-b||), of Euclidean distances: the Matern kernel of order
// 1/2, a mean of Gaussian kernels of all widths. It decreases fast for near instances and slowly
// for distant ones, so its width matters less.
type Exponential struct {
	// Gamma is positive. The default value is 1.
	Gamma float64
}

func (k Exponential) gamma() float64 {
	return cmp.Or(k.Gamma, 1)
}

// Value returns the kernel of a and b.
func (k Exponential) Value(a, b Vector) float64 { return k.ofProducts(a.Dot(b), a.Dot(a), b.Dot(b)) }

func (k Exponential) ofProducts(ab, aa, bb float64) float64 {
	square := aa + bb - 2*ab
	if square <= equal*(aa+bb) { // the root would make much of rounding
		return 1
	}
	return math.Exp(-k.gamma() * math.Sqrt(square))
}

// equal is the share of squared norms below which a squared distance is zero but for rounding.
const equal = 1e-13

// Check returns an error if Gamma is invalid.
func (k Exponential) Check() error {
	if g := k.gamma(); !(g > 0) || math.IsInf(g, 1) {
		return fmt.Errorf("gram: Gamma of the exponential kernel is %v; it must be positive and finite, or 0 for the default of 1", k.Gamma)
	}
	return nil
}

// String names the kernel and its parameter.
func (k Exponential) String() string { return fmt.Sprintf("exponential kernel, gamma %g", k.gamma()) }

// Polynomial is the kernel (Gamma <a, b> + Offset)^Degree.
type Polynomial struct {
	// Degree is at least 1. The default value is 2.
	Degree int
	// Gamma is positive. The default value is 1.
	Gamma float64
	// Offset must not be negative. Above 0 the kernel also has the monomials of lower degrees.
	Offset float64
}

func (k Polynomial) degree() int {
	return cmp.Or(k.Degree, 2)
}

func (k Polynomial) gamma() float64 {
	return cmp.Or(k.Gamma, 1)
}

// Value returns the kernel of a and b.
func (k Polynomial) Value(a, b Vector) float64 { return k.ofProducts(a.Dot(b), 0, 0) }

func (k Polynomial) ofProducts(ab, _, _ float64) float64 {
	return math.Pow(k.gamma()*ab+k.Offset, float64(k.degree()))
}

// Check returns an error if a parameter is invalid.
func (k Polynomial) Check() error {
	if k.degree() < 1 {
		return fmt.Errorf("gram: Degree of the polynomial kernel is %d; it must be at least 1, or 0 for the default of 2", k.Degree)
	}
	if g := k.gamma(); !(g > 0) || math.IsInf(g, 1) {
		return fmt.Errorf("gram: Gamma of the polynomial kernel is %v; it must be positive and finite, or 0 for the default of 1", k.Gamma)
	}
	if !(k.Offset >= 0) || math.IsInf(k.Offset, 1) {
		return fmt.Errorf("gram: Offset of the polynomial kernel is %v; it must be finite and not negative", k.Offset)
	}
	return nil
}

// String names the kernel and its parameters.
func (k Polynomial) String() string {
	return fmt.Sprintf("polynomial kernel of degree %d, gamma %g, offset %g", k.degree(), k.gamma(), k.Offset)
}

// Func is a function as a kernel. It must be symmetric, positive semidefinite and safe for
// concurrent use. Check tests a Gram matrix of its values for the first two.
type Func func(a, b Vector) float64

// Value returns the kernel of a and b.
func (f Func) Value(a, b Vector) float64 { return f(a, b) }

// Check returns an error if there is no function.
func (f Func) Check() error {
	if f == nil {
		return fmt.Errorf("gram: the kernel function is nil")
	}
	return nil
}

// String names the kernel.
func (Func) String() string { return "given kernel function" }
