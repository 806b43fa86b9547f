package classifier

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/hierml/notebook/hierml/internal/safetensors"
)

// codebook numbers the different values of weights that are not zero, where they are few: then each
// weight is stored as a number of 8 to 12 bits.
type codebook struct {
	values []float64
	// places are where a value is looked for: from its hash on, until it or 0, for none, is found;
	// other numbers are those of values, from 1.
	places [4 * longCodes]uint16
}

const (
	byteCodes = 1 << 8
	longCodes = 1 << 12
)

// highBits returns how many bits beyond 8 the numbers of n values need.
func highBits(n int) int { return max(0, bits.Len(uint(max(n, 1)-1))-8) }

// newCodebook returns the codebook of weights, nil where they have more than longCodes values.
func newCodebook(w rows) *codebook {
	b := new(codebook)
	for _, values := range eachRow(w) {
		for _, v := range values {
			place := b.place(v)
			if b.places[place] > 0 {
				continue
			}
			if len(b.values) == longCodes {
				return nil
			}
			b.values = append(b.values, v)
			b.places[place] = uint16(len(b.values))
		}
	}
	return b
}

// place returns where a value is, or would be.
func (b *codebook) place(v float64) int {
	const multiplier = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	at := int(math.Float64bits(v) * multiplier >> (64 - 14))
	for {
		n := b.places[at]
		if n == 0 || b.values[n-1] == v {
			return at
		}
		at = (at + 1) % len(b.places)
	}
}

// code returns the number of a value that the codebook has.
func (b *codebook) code(v float64) uint16 { return b.places[b.place(v)] - 1 }

// bytes returns the size of the codes of n weights and of the codebook, whose values have a number
// of bytes each.
func (b *codebook) bytes(n, size int) int {
	return n + (n*highBits(len(b.values))+7)/8 + size*len(b.values)
}

// tensors returns the codebook and the codes of n weights: the low 8 bits, and the high bits as a
// stream.
func (b *codebook) tensors(w rows, kind safetensors.Type, n int) []safetensors.Tensor {
	high := highBits(len(b.values))
	all := []safetensors.Tensor{
		safetensors.Floats("weights.codebook", kind, slices.Values([][]float64{b.values}), len(b.values)),
		{Name: "weights.codes", Type: safetensors.U8, Shape: []int{n}, Write: func(out io.Writer) error {
			var buffer []byte
			for values := range values(w) {
				buffer = buffer[:0]
				for _, v := range values {
					buffer = append(buffer, byte(b.code(v)))
				}
				if _, err := out.Write(buffer); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	if high == 0 {
		return all
	}
	return append(all, safetensors.Tensor{Name: "weights.codes.high", Type: safetensors.U8, Shape: []int{(n*high + 7) / 8}, Write: func(out io.Writer) error {
		var buffer []byte
		var pending, count uint // bits not yet written
		for values := range values(w) {
			buffer = buffer[:0]
			for _, v := range values {
				pending |= uint(b.code(v)>>8) << count
				for count += uint(high); count >= 8; count -= 8 {
					buffer = append(buffer, byte(pending))
					pending >>= 8
				}
			}
			if _, err := out.Write(buffer); err != nil {
				return err
			}
		}
		if count > 0 {
			if _, err := out.Write([]byte{byte(pending)}); err != nil {
				return err
			}
		}
		return nil
	}})
}

// levels returns, for the bits of half-precision magnitudes that have a mass, the level that stands
// for them: at most n levels of either sign, placed so that the mean squared error is about the
// smallest (the density of levels is that of the mass to the power of one third, after Panter and
// Dite), each the mean of its values. For n = 0 each magnitude is its own level.
func levels(mass *[infinite]float64, n int) *[infinite]float32 {
	value := func(b16 int) float64 { return float64(safetensors.FromHalf(uint16(b16))) }
	table := new([infinite]float32)
	if n == 0 {
		for b16 := range table {
			table[b16] = float32(value(b16))
		}
		return table
	}
	share := func(b16 int) float64 {
		width := value(min(b16+1, infinite-1)) - value(b16-1)
		return math.Cbrt(mass[b16] * width * width)
	}
	var total float64
	for b16 := 1; b16 < infinite; b16++ {
		total += share(b16)
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
		for b16 := lo; b16 < hi && all > 0; b16++ {
			table[b16] = float32(sum / all)
		}
		lo = hi
	}
	return table
}

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
	if ok && book > longCodes {
		return fmt.Errorf("a codebook of %d values; codes go to %d", book, longCodes)
	}
	if high := highBits(book); ok && high > 0 {
		if got, want := f.Tensors["weights.codes.high"].Len(), (n*high+7)/8; got != want {
			return fmt.Errorf("%d bytes of high bits of codes; %d weights with %d bits need %d", got, n, high, want)
		}
	}
	return nil
}

// eachValue calls do for the n weights that checkValues has found in the file, in parts and in
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
