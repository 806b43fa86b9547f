package columnar

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// meaning says what the stored values of a column stand for.
type meaning struct {
	name   string
	what   what
	per    int64 // of time: units in a second
	utc    bool  // of time stamps: they are points in time, and not what a clock showed
	scale  int   // of decimal numbers: digits after the point
	bits   int   // of integers without a sign, if fewer than 64 bits count
	little bool  // of decimal numbers: the least byte is the first
}

type what int

const (
	missing what = iota
	text
	signed
	unsigned
	floating
	decimal
	truth
	date
	clock
	stamp
	uuid
)

// kind returns the kind of a column of such values.
func (m meaning) kind() Kind {
	switch m.what {
	case signed, unsigned, floating, decimal:
		return Number
	case truth:
		return Bool
	}
	return Text
}

// value is one as a file stores it: integers and truth values in i, floating-point numbers in f,
// all others in b. What is text already has s in place of b.
type value struct {
	i int64
	f float64
	b []byte
	s string
}

// number returns a value as a float64, and whether that rounds it.
func (m meaning) number(v value) (float64, bool) {
	switch m.what {
	case floating:
		return v.f, false
	case unsigned:
		u := m.unsigned(v)
		f := float64(u)
		return f, f >= 1<<64 || uint64(f) != u
	case decimal:
		n := big.NewInt(v.i)
		if v.b != nil {
			n = m.integer(v.b)
		}
		f, err := strconv.ParseFloat(n.String()+"e"+strconv.Itoa(-m.scale), 64)
		return f, err != nil || n.BitLen() > 53
	}
	f := float64(v.i)
	return f, f >= 1<<63 || int64(f) != v.i
}

// unsigned returns an integer without a sign. Parquet stores those of up to 32 bits as if they had
// one.
func (m meaning) unsigned(v value) uint64 {
	if m.bits > 0 {
		return uint64(v.i) & (1<<m.bits - 1)
	}
	return uint64(v.i)
}

// integer returns the integer in the bytes of a decimal number: the complement of two.
func (m meaning) integer(b []byte) *big.Int {
	if m.little {
		b = slices.Clone(b)
		slices.Reverse(b)
	}
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// text returns a value as text.
func (m meaning) text(v value) (string, error) {
	switch m.what {
	case text:
		if v.b != nil {
			return clean(v.b)
		}
		return v.s, nil
	case unsigned:
		return strconv.FormatUint(m.unsigned(v), 10), nil
	case signed:
		return strconv.FormatInt(v.i, 10), nil
	case floating, decimal:
		f, _ := m.number(v)
		return strconv.FormatFloat(f, 'g', -1, 64), nil
	case truth:
		return strconv.FormatBool(v.i != 0), nil
	case date:
		return m.at(v.i).Format(time.DateOnly), nil
	case clock:
		return m.at(v.i).Format("15:04:05.999999999"), nil
	case stamp:
		layout := "2006-01-02 15:04:05.999999999"
		if m.utc {
			layout += "-07:00"
		}
		return m.at(v.i).Format(layout), nil
	case uuid:
		if len(v.b) != 16 {
			return "", damaged("a UUID has %d bytes", len(v.b))
		}
		return fmt.Sprintf("%x-%x-%x-%x-%x", v.b[:4], v.b[4:6], v.b[6:8], v.b[8:10], v.b[10:]), nil
	}
	return "", nil
}

// at returns the time that many units after the beginning of 1970.
func (m meaning) at(n int64) time.Time {
	if m.what == date && m.per == 0 {
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(min(max(n, math.MinInt32), math.MaxInt32)))
	}
	seconds, rest := n/m.per, n%m.per
	return time.Unix(seconds, rest*(1e9/m.per)).UTC()
}

// builder collects the values of a column for a chunk.
type builder struct {
	meaning
	column Column
	budget *budget
	Values
	rows int
}

// add adds the value of the next row.
func (b *builder) add(v value) error {
	switch b.column.Kind {
	case Number:
		f, rounded := b.number(v)
		if math.IsNaN(f) {
			b.none()
			return nil
		}
		if rounded {
			b.Rounded++
		}
		b.Numbers = append(b.Numbers, f)
	case Bool:
		b.Bools = append(b.Bools, v.i != 0)
	default:
		s, err := b.string(v)
		if err != nil {
			return err
		}
		b.Texts = append(b.Texts, s)
	}
	b.row(false)
	return nil
}

// string returns a value as text, and takes it from the budget.
func (b *builder) string(v value) (string, error) {
	s, err := b.text(v)
	if err == nil && v.s == "" {
		err = b.budget.take(int64(len(s)))
	}
	return s, err
}

// list adds the list of the next row.
func (b *builder) list(words []string) {
	b.Lists = append(b.Lists, words)
	b.row(false)
}

// none adds a row without a value.
func (b *builder) none() {
	switch b.column.Kind {
	case Number:
		b.Numbers = append(b.Numbers, math.NaN())
	case Bool:
		b.Bools = append(b.Bools, false)
	case Lists:
		b.Lists = append(b.Lists, nil)
	default:
		b.Texts = append(b.Texts, "")
	}
	b.row(true)
}

func (b *builder) row(missing bool) {
	if missing && b.Missing == nil {
		b.Missing = make([]bool, b.rows, chunkRows)
	}
	if b.Missing != nil {
		b.Missing = append(b.Missing, missing)
	}
	b.rows++
}

// take returns what was collected, and begins again.
func (b *builder) take() Values {
	v := b.Values
	b.Values, b.rows = Values{}, 0
	return v
}

// wide returns a little-endian integer of 1, 2, 4 or 8 bytes.
func wide(b []byte, signed bool) int64 {
	switch len(b) {
	case 1:
		if signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		u := binary.LittleEndian.Uint16(b)
		if signed {
			return int64(int16(u))
		}
		return int64(u)
	case 4:
		u := binary.LittleEndian.Uint32(b)
		if signed {
			return int64(int32(u))
		}
		return int64(u)
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// float returns a little-endian floating-point number of 2, 4 or 8 bytes.
func float(b []byte) float64 {
	switch len(b) {
	case 2:
		return half(binary.LittleEndian.Uint16(b))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// half returns a floating-point number of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
func half(u uint16) float64 {
	exponent, fraction := int(u>>10&31), float64(u&1023)
	f := 0.0
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		f = math.Inf(1)
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if u>>15 == 1 {
		return -f
	}
	return f
}
