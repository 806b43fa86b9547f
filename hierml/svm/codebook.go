package svm

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/internal/safetensors"
)

// codebook numbers the different values of weights that are not zero, where they
// are few: then each weight is stored as a number of one byte or of 12 bits.
type codebook struct {
	values []float64
	codes  map[float64]uint16
}

const (
	byteCodes = 1 << 8
	longCodes = 1 << 12
)

// newCodebook returns the codebook of weights, nil where they have more than
// longCodes values.
func newCodebook(w rows) *codebook {
	b := &codebook{codes: make(map[float64]uint16)}
	var last float64
	for _, values := range eachRow(w) {
		for _, v := range values {
			if v == last {
				continue
			}
			last = v
			if _, ok := b.codes[v]; ok {
				continue
			}
			if len(b.values) == longCodes {
				return nil
			}
			b.codes[v] = uint16(len(b.values))
			b.values = append(b.values, v)
		}
	}
	return b
}

// bytes returns the size of a number of codes.
func (b *codebook) bytes(n int) int {
	if len(b.values) <= byteCodes {
		return n
	}
	return (n + 1) / 2 * 3
}

// tensors returns the codebook and the codes of the weights: bytes, or pairs of 12
// bits in three bytes, the low bits first, the last pair filled up with 0.
func (b *codebook) tensors(w rows, kind safetensors.Type, n int) []safetensors.Tensor {
	codes := safetensors.Tensor{Name: "weights.codes", Type: safetensors.U8, Shape: []int{n}}
	if len(b.values) > byteCodes {
		codes.Shape = []int{(n + 1) / 2, 3}
	}
	codes.Write = func(out io.Writer) error {
		var buffer []byte
		half, first := false, uint16(0)
		for values := range values(w) {
			buffer = buffer[:0]
			for _, v := range values {
				code := b.codes[v]
				switch {
				case len(b.values) <= byteCodes:
					buffer = append(buffer, byte(code))
				case half:
					buffer = append(buffer, byte(first), byte(first>>8|code<<4), byte(code>>4))
					half = false
				default:
					half, first = true, code
				}
			}
			if _, err := out.Write(buffer); err != nil {
				return err
			}
		}
		if half {
			if _, err := out.Write([]byte{byte(first), byte(first >> 8), 0}); err != nil {
				return err
			}
		}
		return nil
	}
	return []safetensors.Tensor{safetensors.Floats("weights.codebook", kind, slices.Values([][]float64{b.values}), len(b.values)), codes}
}

// levels returns, for the bits of half-precision magnitudes that have a mass, the
// level that stands for them: at most n levels of either sign, placed so that the
// mean squared error is about the smallest (the density of levels is that of the
// mass to the power of one third, after Panter and Dite), each the mean
// of its values. For n = 0 each magnitude is its own level.
func levels(mass *[infinite]float64, n int) *[infinite]float32 {
	value := func(bits int) float64 { return float64(safetensors.FromHalf(uint16(bits))) }
	table := new([infinite]float32)
	if n == 0 {
		for bits := range table {
			table[bits] = float32(value(bits))
		}
		return table
	}
	share := func(bits int) float64 {
		width := value(min(bits+1, infinite-1)) - value(bits-1)
		return math.Cbrt(mass[bits] * width * width)
	}
	var total float64
	for bits := 1; bits < infinite; bits++ {
		total += share(bits)
	}
	number := func(before float64) int { return min(int(before/total*float64(n)), n-1) }
	var before float64
	for lo := 1; lo < infinite; {
		level := number(before)
		hi := lo
		var sum, all float64
		for hi < infinite && (hi == lo || number(before) == level) {
			sum += value(hi) * mass[hi]
			all += mass[hi]
			before += share(hi)
			hi++
		}
		for bits := lo; bits < hi && all > 0; bits++ {
			table[bits] = float32(sum / all)
		}
		lo = hi
	}
	return table
}

// checkValues returns an error unless the file has the values of n weights.
func checkValues(f *safetensors.File, n int) error {
	stored, want := f.Tensors["weights.values"].Len(), n
	if codes, ok := f.Tensors["weights.codes"]; ok {
		if stored = codes.Len(); len(codes.Shape) == 2 {
			want = (n + 1) / 2 * 3
		}
		if f.Tensors["weights.codebook"].Len() > longCodes {
			return fmt.Errorf("a codebook of shape %v; codes go to %d", f.Tensors["weights.codebook"].Shape, longCodes)
		}
	}
	if stored != want {
		return fmt.Errorf("%d values or codes for %d weights; expected %d", stored, n, want)
	}
	return nil
}

// eachValue calls do for the n weights that checkValues has found in the file, in
// parts and in their order, with the position of the first.
func eachValue(f *safetensors.File, n int, do func(at int, values []float64)) error {
	info, ok := f.Tensors["weights.codes"]
	if !ok {
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
	const part = 1 << 12 // even
	values := make([]float64, 0, part)
	for at := 0; at < n; at += len(values) {
		values = values[:0]
		for k := at; k < min(at+part, n); k++ {
			var code int
			switch {
			case len(info.Shape) < 2:
				code = int(codes[k])
			case k%2 == 0:
				code = int(codes[k/2*3]) | int(codes[k/2*3+1]&15)<<8
			default:
				code = int(codes[k/2*3+1]>>4) | int(codes[k/2*3+2])<<4
			}
			if code >= len(book) {
				return fmt.Errorf("weight %d has code %d of %d", k, code, len(book))
			}
			values = append(values, book[code])
		}
		do(at, values)
	}
	return nil
}
