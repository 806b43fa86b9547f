package gram

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// SequenceKernel is a symmetric, positive semidefinite function of two sequences of symbols, safe
// for concurrent use. The sequence of a string s is []rune(s); words become symbols by numbering
// them. If a kernel has a method Check() error, it is called before use to validate the parameters.
type SequenceKernel interface {
	Value(s, t []rune) float64
}

// Subsequence is the string subsequence kernel [LSSCW02]: the inner product, over all sequences u
// of Length symbols, of the weighted numbers of occurrences of u in s and in t. Each occurrence,
// contiguous or not, that spans l symbols counts Decay^l:
//
//	K(s, t) = sum_u sum_{i: u = s[i]} sum_{j: u = t[j]} Decay^(l(i) + l(j))
//
// Value divides it by sqrt(K(s, s) K(t, t)), so length does not matter. A sequence of fewer than
// Length symbols has the value 0 with all sequences, itself included. It takes Length |s| |t|
// operations.
type Subsequence struct {
	// Length is the number of symbols of the subsequences. The default value is 3.
	Length int
	// Decay is above 0 and at most 1. The default value is 0.5.
	Decay float64
	// Raw skips the division.
	Raw bool
}

func (k Subsequence) length() int {
	return cmp.Or(k.Length, 3)
}

func (k Subsequence) decay() float64 {
	return cmp.Or(k.Decay, 0.5)
}

// Check returns an error if a parameter is invalid.
func (k Subsequence) Check() error {
	if k.length() < 1 {
		return fmt.Errorf("gram: Length of the subsequence kernel is %d; it must be at least 1, or 0 for the default of 3", k.Length)
	}
	if d := k.decay(); !(d > 0 && d <= 1) {
		return fmt.Errorf("gram: Decay of the subsequence kernel is %v; it must be above 0 and at most 1, or 0 for the default of 0.5", k.Decay)
	}
	return nil
}

// String names the kernel and its parameters.
func (k Subsequence) String() string {
	return fmt.Sprintf("subsequence kernel of length %d, decay %g", k.length(), k.decay())
}

// Value returns the kernel of s and t, or NaN if a parameter is invalid.
func (k Subsequence) Value(s, t []rune) float64 {
	if k.Check() != nil {
		return math.NaN()
	}
	var table table
	ctx := context.Background()
	st := k.raw(ctx, s, t, &table)
	if k.Raw {
		return st
	}
	return normalized(st, k.raw(ctx, s, s, &table), k.raw(ctx, t, t, &table))
}

func normalized(st, ss, tt float64) float64 {
	if ss == 0 || tt == 0 {
		return 0
	}
	return st / math.Sqrt(ss) / math.Sqrt(tt)
}

// table is the scratch space of the recursion.
type table []float64

// negligible values are set to zero, because arithmetic with the denormal ones that follow is slow.
const negligible = 1e-290

// raw computes the kernel by dynamic programming. After the prefix s' of s, prefix[i][j] is what
// [LSSCW02] calls K'_i(s', t[:j]): the subsequences of i symbols of both, each weighted by its
// extent from its first symbol to the ends of s' and of t[:j]. It returns 0 if ctx ends.
func (k Subsequence) raw(ctx context.Context, s, t []rune, scratch *table) float64 {
	n, decay := k.length(), k.decay()
	if n > min(len(s), len(t)) {
		return 0
	}
	width := len(t) + 1
	if cap(*scratch) < n*width {
		*scratch = make(table, n*width)
	}
	prefix := (*scratch)[:n*width]
	clear(prefix)
	for j := range width {
		prefix[j] = 1
	}
	square := decay * decay
	last := prefix[(n-1)*width:]
	every := max(1, (1<<20)/(n*width)) // how often to look at the context
	var sum float64
	for a, x := range s {
		if a%every == 0 && ctx.Err() != nil {
			return 0
		}
		for j, y := range t {
			if x == y {
				sum += square * last[j]
			}
		}
		for i := n - 1; i > 0; i-- {
			shorter, row := prefix[(i-1)*width:i*width], prefix[i*width:(i+1)*width]
			var ending float64 // K''_i: those whose last symbol in s is x
			for j, y := range t {
				ending *= decay
				if x == y {
					ending += square * shorter[j]
				}
				v := decay*row[j+1] + ending
				if v < negligible {
					v = 0
				}
				row[j+1] = v
			}
		}
	}
	return sum
}

// Sequences returns the Gram matrix of sequences: entry i, j is the kernel of sequences i and j. It
// stops as Matrix does.
func Sequences(ctx context.Context, k SequenceKernel, sequences [][]rune, s *Settings) (*mat.SymDense, error) {
	source, err := newSequences(ctx, k, s, sequences, sequences)
	if err != nil {
		return nil, err
	}
	n := len(sequences)
	if err := fits(ctx, n, n); err != nil {
		return nil, err
	}
	gram := mat.NewSymDense(n, nil)
	raw := gram.RawSymmetric()
	if err := compute(ctx, s, n, n, true, source.worker, func(i int) []float64 { return raw.Data[i*raw.Stride : i*raw.Stride+n] }); err != nil {
		return nil, err
	}
	return gram, nil
}

// CrossSequences returns the values of the kernel between the sequences of a, one row each, and
// those of b, one column each. It stops as Matrix does.
func CrossSequences(ctx context.Context, k SequenceKernel, a, b [][]rune, s *Settings) (*mat.Dense, error) {
	source, err := newSequences(ctx, k, s, a, b)
	if err != nil {
		return nil, err
	}
	if err := fits(ctx, len(a), len(b)); err != nil {
		return nil, err
	}
	gram := mat.NewDense(len(a), len(b), nil)
	if err := compute(ctx, s, len(a), len(b), false, source.worker, gram.RawRowView); err != nil {
		return nil, err
	}
	return gram, nil
}

// pairs compares the sequences of two lists.
type pairs struct {
	kernel SequenceKernel
	a, b   [][]rune

	// For subsequences: the kernels of the sequences with themselves.
	selfA, selfB []float64
}

func newSequences(ctx context.Context, k SequenceKernel, s *Settings, a, b [][]rune) (*pairs, error) {
	if k == nil {
		return nil, fmt.Errorf("gram: there is no kernel")
	}
	if c, ok := k.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	if len(a) == 0 || len(b) == 0 {
		return nil, fmt.Errorf("gram: there are no sequences; a Gram matrix needs at least one")
	}
	p := &pairs{kernel: k, a: a, b: b}
	sub, ok := k.(Subsequence)
	if !ok || sub.Raw {
		return p, nil
	}
	var err error
	if p.selfB, err = selves(ctx, sub, s, b); err != nil {
		return nil, err
	}
	if p.selfA = p.selfB; len(a) != len(b) || &a[0] != &b[0] {
		p.selfA, err = selves(ctx, sub, s, a)
	}
	return p, err
}

// selves returns the kernel of each sequence with itself.
func selves(ctx context.Context, k Subsequence, s *Settings, sequences [][]rune) ([]float64, error) {
	quiet := new(Settings)
	if s != nil {
		quiet.Workers = s.Workers
	}
	values := make([]float64, len(sequences))
	err := compute(ctx, quiet, len(sequences), 1, false, func() worker {
		var scratch table
		return func(ctx context.Context, i, _ int, dst []float64) error {
			dst[0] = k.raw(ctx, sequences[i], sequences[i], &scratch)
			return context.Cause(ctx)
		}
	}, func(i int) []float64 { return values[i : i+1] })
	return values, err
}

func (p *pairs) worker() worker {
	sub, ok := p.kernel.(Subsequence)
	if !ok {
		return func(ctx context.Context, i, from int, dst []float64) error {
			for j := from; j < len(dst); j++ {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				dst[j] = p.kernel.Value(p.a[i], p.b[j])
			}
			return nil
		}
	}
	var scratch table
	return func(ctx context.Context, i, from int, dst []float64) error {
		for j := from; j < len(dst); j++ {
			dst[j] = sub.raw(ctx, p.a[i], p.b[j], &scratch)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !sub.Raw {
				dst[j] = normalized(dst[j], p.selfA[i], p.selfB[j])
			}
		}
		return nil
	}
}
