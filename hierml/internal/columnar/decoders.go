package columnar

import (
	"encoding/binary"
	"math/bits"
)

// decoder gives the values of a page one after the other, and false after the last.
type decoder interface{ next() (value, bool) }

// decoder returns that of a page's encoding.
func (s *pages) decoder(encoding int64, b []byte) (decoder, error) {
	switch encoding {
	case encodePlain:
		return &plainValues{physical: s.physical, length: int(s.length), b: b}, nil
	case encodePlainDictionary, encodeDictionary:
		if len(b) == 0 {
			return &dictionaryValues{}, nil
		}
		if b[0] > 32 {
			return nil, damaged("the numbers of its dictionary have %d bits", b[0])
		}
		return &dictionaryValues{dictionary: s.dictionary, runs: runs{b: b[1:], width: int(b[0])}}, nil
	case encodeRuns:
		if s.physical == physicalBool && len(b) >= 4 {
			return &truthRuns{newRuns(b[4:], 1)}, nil
		}
	case encodeDelta:
		if s.physical == physicalInt32 || s.physical == physicalInt64 {
			return newDelta(b)
		}
	case encodeDeltaLengths:
		lengths, err := newDelta(b)
		if err != nil {
			return nil, err
		}
		b, err := lengths.behind()
		if err != nil {
			return nil, err
		}
		return &deltaLengths{lengths, b}, nil
	case encodeDeltaBytes:
		prefixes, err := newDelta(b)
		if err != nil {
			return nil, err
		}
		if b, err = prefixes.behind(); err != nil {
			return nil, err
		}
		suffixes, err := newDelta(b)
		if err != nil {
			return nil, err
		}
		if b, err = suffixes.behind(); err != nil {
			return nil, err
		}
		return &deltaBytes{prefixes: prefixes, suffixes: deltaLengths{suffixes, b}, budget: s.budget, fixed: s.physical == physicalFixed, s: s}, nil
	case encodeSplit:
		if width := s.width(); width > 0 {
			return &splitValues{physical: s.physical, width: width, n: len(b) / width, b: b}, nil
		}
	}
	return nil, damaged("its values of type %d have encoding %d", s.physical, encoding)
}

// width returns the number of bytes of each value, or 0 if they differ.
func (e *element) width() int {
	switch e.physical {
	case physicalInt32, physicalFloat:
		return 4
	case physicalInt64, physicalDouble:
		return 8
	case physicalFixed:
		return int(e.length)
	}
	return 0
}

// fixed returns the value in the bytes of a type of fixed width.
func fixed(physical int64, b []byte) value {
	switch physical {
	case physicalInt32, physicalInt64:
		return value{i: wide(b, true)}
	case physicalFloat, physicalDouble:
		return value{f: float(b)}
	case physicalInt96:
		// Nanoseconds of the day, and the Julian day: 2440588 is the first of 1970.
		days := int64(binary.LittleEndian.Uint32(b[8:])) - 2440588
		return value{i: days*86400e9 + int64(binary.LittleEndian.Uint64(b))}
	}
	if len(b) == 2 {
		return value{b: b, f: float(b)}
	}
	return value{b: b}
}

// plainValues are those that are stored one after the other.
type plainValues struct {
	physical int64
	length   int // of each value of physicalFixed: bytes
	b        []byte
	bit      int
}

func (p *plainValues) next() (value, bool) {
	n := 0
	switch p.physical {
	case physicalBool:
		if len(p.b) == 0 {
			return value{}, false
		}
		v := value{i: int64(p.b[0] >> p.bit & 1)}
		if p.bit++; p.bit == 8 {
			p.b, p.bit = p.b[1:], 0
		}
		return v, true
	case physicalBytes:
		if len(p.b) < 4 {
			return value{}, false
		}
		size := binary.LittleEndian.Uint32(p.b)
		p.b = p.b[4:]
		if int64(size) > int64(len(p.b)) {
			return value{}, false
		}
		v := value{b: p.b[:size:size]}
		p.b = p.b[size:]
		return v, true
	case physicalInt32, physicalFloat:
		n = 4
	case physicalInt64, physicalDouble:
		n = 8
	case physicalInt96:
		n = 12
	case physicalFixed:
		n = p.length
	}
	if n <= 0 || n > len(p.b) {
		return value{}, false
	}
	v := fixed(p.physical, p.b[:n:n])
	p.b = p.b[n:]
	return v, true
}

// splitValues are those of which first all the first bytes are stored, then all the second ones.
type splitValues struct {
	physical    int64
	width, n, i int
	b           []byte
}

func (p *splitValues) next() (value, bool) {
	if p.i == p.n {
		return value{}, false
	}
	b := make([]byte, p.width)
	for k := range b {
		b[k] = p.b[k*p.n+p.i]
	}
	p.i++
	return fixed(p.physical, b), true
}

// runs are small integers, repeated or packed into bits.
type runs struct {
	b     []byte
	width int // of an integer: bits

	repeated uint64 // how often current is still given
	current  int
	packed   uint64 // how many are still in the packed bits
	bits     uint64
	have     int // bits in bits
}

// newRuns returns those of integers from 0 to most.
func newRuns(b []byte, most int) runs { return runs{b: b, width: bits.Len(uint(most))} }

func (r *runs) next() (int, bool) {
	for {
		switch {
		case r.repeated > 0:
			r.repeated--
			return r.current, true
		case r.packed > 0:
			for r.have < r.width {
				if len(r.b) == 0 {
					return 0, false
				}
				r.bits |= uint64(r.b[0]) << r.have
				r.b, r.have = r.b[1:], r.have+8
			}
			r.packed--
			v := int(r.bits & (1<<r.width - 1))
			r.bits, r.have = r.bits>>r.width, r.have-r.width
			return v, true
		}
		head, n := binary.Uvarint(r.b)
		if n <= 0 {
			return 0, false
		}
		r.b = r.b[n:]
		if head&1 == 1 {
			r.packed, r.bits, r.have = head>>1*8, 0, 0
			continue
		}
		size := (r.width + 7) / 8
		if size > len(r.b) {
			return 0, false
		}
		r.repeated, r.current = head>>1, 0
		for k := range size {
			r.current |= int(r.b[k]) << (8 * k)
		}
		r.b = r.b[size:]
	}
}

// truthRuns are truth values in runs.
type truthRuns struct{ runs }

func (t *truthRuns) next() (value, bool) {
	v, ok := t.runs.next()
	return value{i: int64(v)}, ok
}

// dictionaryValues are positions in a dictionary.
type dictionaryValues struct {
	dictionary []value
	runs       runs
}

func (d *dictionaryValues) next() (value, bool) {
	k, ok := d.runs.next()
	if !ok || k < 0 || k >= len(d.dictionary) {
		return value{}, false
	}
	return d.dictionary[k], true
}

// delta are integers as differences, packed into the bits that those of a part of a block need.
type delta struct {
	b            []byte
	block, parts uint64 // differences in a block, and its parts
	left         uint64 // values
	last         int64
	begun        bool
	least        int64 // of the block
	widths       []byte
	part, inPart uint64
	bits         uint64 // of the byte that was begun
	have         int    // how many
}

func newDelta(b []byte) (*delta, error) {
	c := compact{b: b}
	d := &delta{block: c.uvarint(), parts: c.uvarint(), left: c.uvarint(), last: c.varint()}
	d.b = c.b
	if c.bad || d.parts == 0 || d.parts > 1<<10 || d.block == 0 || d.block > 1<<20 || d.block%d.parts != 0 || d.block/d.parts%8 != 0 {
		return nil, damaged("a page of differences has no header")
	}
	return d, nil
}

// size returns the number of values of a part of a block.
func (d *delta) size() uint64 { return d.block / d.parts }

// open reads the header of the next block.
func (d *delta) open() bool {
	c := compact{b: d.b}
	d.least = c.varint()
	d.widths = c.bytes(d.parts)
	d.b, d.part, d.inPart, d.have = c.b, 0, 0, 0
	return !c.bad
}

func (d *delta) next() (value, bool) {
	v, ok := d.number()
	return value{i: v}, ok
}

func (d *delta) number() (int64, bool) {
	if d.left == 0 {
		return 0, false
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.last, true
	}
	if d.widths == nil || d.part == d.parts {
		if !d.open() {
			return 0, false
		}
	}
	u, ok := d.unpack(int(d.widths[d.part]))
	if !ok {
		return 0, false
	}
	if d.inPart++; d.inPart == d.size() {
		d.part, d.inPart, d.have = d.part+1, 0, 0
	}
	d.last += d.least + int64(u)
	return d.last, true
}

// unpack returns the next number of that many bits of the part.
func (d *delta) unpack(width int) (uint64, bool) {
	if width > 64 {
		return 0, false
	}
	var u uint64
	for got := 0; got < width; {
		if d.have == 0 {
			if len(d.b) == 0 {
				return 0, false
			}
			d.bits, d.have, d.b = uint64(d.b[0]), 8, d.b[1:]
		}
		n := min(d.have, width-got)
		u |= d.bits & (1<<n - 1) << got
		d.bits, d.have, got = d.bits>>n, d.have-n, got+n
	}
	return u, true
}

// behind returns the bytes behind the differences. It leaves d as it is.
func (d *delta) behind() ([]byte, error) {
	s := *d
	for left := max(s.left, 1) - 1; left > 0; {
		if !s.open() {
			return nil, damaged("a page ends within its differences")
		}
		for k := uint64(0); k < s.parts && left > 0; k++ {
			n := uint64(s.widths[k]) * s.size() / 8
			if n > uint64(len(s.b)) {
				return nil, damaged("a page ends within its differences")
			}
			s.b = s.b[n:]
			left -= min(left, s.size())
		}
	}
	return s.b, nil
}

// deltaLengths are bytes whose lengths come first.
type deltaLengths struct {
	lengths *delta
	b       []byte
}

func (d *deltaLengths) next() (value, bool) {
	n, ok := d.lengths.number()
	if !ok || n < 0 || n > int64(len(d.b)) {
		return value{}, false
	}
	v := value{b: d.b[:n:n]}
	d.b = d.b[n:]
	return v, true
}

// deltaBytes are bytes that begin as the ones before them.
type deltaBytes struct {
	prefixes *delta
	suffixes deltaLengths
	last     []byte
	budget   *budget
	fixed    bool
	s        *pages
}

func (d *deltaBytes) next() (value, bool) {
	n, ok := d.prefixes.number()
	suffix, also := d.suffixes.next()
	if !ok || !also || n < 0 || n > int64(len(d.last)) || d.budget.take(n) != nil {
		return value{}, false
	}
	d.last = append(d.last[:n:n], suffix.b...)
	if d.fixed {
		if len(d.last) != d.s.width() {
			return value{}, false
		}
		return fixed(physicalFixed, d.last), true
	}
	return value{b: d.last}, true
}
