package columnar

import (
	"encoding/binary"
	"math"
)

// entryText is a value of a dictionary.
type entryText struct {
	text    string
	missing bool
}

// batch reads the arrays of a message one after the other, in the order of the schema.
type batch struct {
	rows         int64
	nodes        []int64 // length and number of missing values of each array
	buffers      []int64 // offset in the body, and length
	views        []int64 // how many buffers of text each array of views has
	body         []byte
	codec        codec
	budget       *budget
	dictionaries map[int64][]entryText
}

// series is an array.
type series struct {
	*field
	n        int64
	present  []byte // a bit each: whether there is a value; nil if all are there
	data     []byte
	offsets  []byte
	sizes    []byte // of views of lists
	texts    [][]byte
	elements *series
	entries  []entryText
}

// batch returns that of a table of the message.
func (a *arrow) batch(t flat, m *message, b *budget, dictionaries map[int64][]entryText) (*batch, error) {
	s := &batch{rows: t.number(0, 8, 0), nodes: t.numbers(1, 2), buffers: t.numbers(2, 2), views: t.numbers(4, 1), body: m.body, budget: b, dictionaries: dictionaries}
	if t.field(3) != 0 {
		switch t.table(3).number(0, 1, 0) {
		case 0:
			s.codec = framedLZ4
		case 1:
			s.codec = zstandard
		default:
			return nil, damaged("a batch has an unknown compression")
		}
	}
	if *m.bad || s.rows < 0 || s.rows > math.MaxInt64/8 {
		return nil, damaged("a batch cannot be read")
	}
	return s, nil
}

// readDictionary reads the values of a dictionary, or more of them.
func (a *arrow) readDictionary(m *message, dictionaries map[int64][]entryText, b *budget) error {
	id, f := m.header.number(0, 8, 0), (*field)(nil)
	if f = a.byID[id]; f == nil {
		return damaged("a dictionary belongs to no column")
	}
	s, err := a.batch(m.header.table(1), m, b, dictionaries)
	if err != nil {
		return err
	}
	if f.refused() != "" {
		return nil
	}
	values, err := s.series(f, false, 0)
	if err != nil {
		return err
	}
	if err := b.take(24 * values.n); err != nil {
		return err
	}
	var entries []entryText
	if m.header.number(2, 1, 0) != 0 { // more values
		entries = dictionaries[id]
	}
	for i := range values.n {
		e := entryText{missing: values.missing(i)}
		if !e.missing {
			v, err := values.value(i)
			if err != nil {
				return err
			}
			if e.text, err = f.meaning.text(v); err != nil {
				return err
			}
			if err := b.take(int64(len(e.text))); err != nil {
				return err
			}
		}
		entries = append(entries, e)
	}
	dictionaries[id] = entries
	return nil
}

// buffer returns the next one, decompressed unless it is only passed over.
func (s *batch) buffer(skip bool) ([]byte, error) {
	if len(s.buffers) < 2 {
		return nil, damaged("a batch has fewer buffers than its columns need")
	}
	at, n := s.buffers[0], s.buffers[1]
	s.buffers = s.buffers[2:]
	if at < 0 || n < 0 || n > int64(len(s.body)) || at > int64(len(s.body))-n {
		return nil, damaged("a buffer of %d bytes is not in its batch", n)
	}
	b := s.body[at : at+n]
	if s.codec == plain || skip || n == 0 {
		return b, nil
	}
	if n < 8 {
		return nil, damaged("a compressed buffer has %d bytes", n)
	}
	size := int64(binary.LittleEndian.Uint64(b))
	if size == -1 {
		return b[8:], nil
	}
	return s.codec.decompress(b[8:], size, s.budget)
}

// bytesFor returns the number of bytes for n bits.
func bytesFor(n int64) int64 { return n/8 + (n%8+7)/8 }

// series reads the array of a field, or passes over it.
func (s *batch) series(f *field, skip bool, depth int) (*series, error) {
	if len(s.nodes) < 2 {
		return nil, damaged("a batch has fewer arrays than its columns need")
	}
	if depth > nesting {
		return nil, damaged("a column has too many levels")
	}
	a := &series{field: f, n: s.nodes[0]}
	none := s.nodes[1]
	s.nodes = s.nodes[2:]
	if a.n < 0 || a.n > math.MaxInt64/64 {
		return nil, damaged("an array has %d values", a.n)
	}
	// need reads a buffer that must have n bytes.
	need := func(b *[]byte, n int64) error {
		var err error
		*b, err = s.buffer(skip)
		if err == nil && !skip && int64(len(*b)) < n {
			err = damaged("a buffer has %d bytes of %d", len(*b), n)
		}
		return err
	}
	kind := f.kind
	if f.dictionary != nil {
		kind = typeInt
	}
	if kind != typeNull && kind != typeUnion && kind != typeRunEnds {
		least := int64(0)
		if none > 0 {
			least = bytesFor(a.n)
		}
		if err := need(&a.present, least); err != nil {
			return nil, err
		}
		if int64(len(a.present)) < bytesFor(a.n) {
			a.present = nil
		}
	}
	var err error
	switch kind {
	case typeInt, typeFloat, typeDecimal, typeDate, typeTime, typeStamp, typeDuration, typeInterval, typeFixedBytes:
		width := f.width
		if kind == typeInterval || kind == typeFixedBytes {
			width = 0 // passed over
		}
		err = need(&a.data, a.n*width)
	case typeBool:
		err = need(&a.data, bytesFor(a.n))
	case typeBinary, typeText, typeLargeBinary, typeLargeText:
		if err = need(&a.offsets, 0); err == nil {
			err = need(&a.data, 0)
		}
		if err == nil && !skip && a.n > 0 && int64(len(a.offsets)) < (a.n+1)*f.width {
			err = damaged("a column of text has too few offsets")
		}
	case typeBinaryView, typeTextView:
		if err = need(&a.data, 16*a.n); err != nil {
			break
		}
		if len(s.views) == 0 || s.views[0] < 0 || s.views[0] > int64(len(s.buffers)/2) {
			return nil, damaged("a column of text has no number of buffers")
		}
		n := s.views[0]
		s.views = s.views[1:]
		for ; n > 0 && err == nil; n-- {
			var b []byte
			err = need(&b, 0)
			a.texts = append(a.texts, b)
		}
	case typeList, typeMap, typeLargeList:
		width := int64(4)
		if kind == typeLargeList {
			width = 8
		}
		err = need(&a.offsets, 0)
		if err == nil && !skip && a.n > 0 && int64(len(a.offsets)) < (a.n+1)*width {
			err = damaged("a column of lists has too few offsets")
		}
	case typeListView, typeLargeListView:
		width := int64(4)
		if kind == typeLargeListView {
			width = 8
		}
		if err = need(&a.offsets, a.n*width); err == nil {
			err = need(&a.sizes, a.n*width)
		}
	case typeUnion:
		if err = need(&a.data, 0); err == nil && f.union == 1 {
			err = need(&a.offsets, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	if f.dictionary != nil {
		a.entries = s.dictionaries[f.id]
		return a, nil
	}
	for _, child := range f.children {
		if a.elements, err = s.series(child, skip, depth+1); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// missing reports whether the value at a position is.
func (a *series) missing(i int64) bool {
	if a.present != nil && a.present[i/8]>>(i%8)&1 == 0 {
		return true
	}
	if a.dictionary == nil {
		return a.kind == typeNull
	}
	k := a.position(i)
	return k >= 0 && k < int64(len(a.entries)) && a.entries[k].missing
}

// position returns the position in the dictionary.
func (a *series) position(i int64) int64 { return wide(a.data[i*a.width:(i+1)*a.width], a.signed) }

// between returns the bytes of text or the elements from the offset at i to that at i+1.
func (a *series) between(i, width, most int64) (int64, int64, error) {
	from, to := wide(a.offsets[i*width:(i+1)*width], true), wide(a.offsets[(i+1)*width:(i+2)*width], true)
	if from < 0 || to < from || to > most {
		return 0, 0, damaged("an offset leads outside")
	}
	return from, to, nil
}

// value returns the value at a position, which is not missing.
func (a *series) value(i int64) (value, error) {
	if a.dictionary != nil {
		k := a.position(i)
		if k < 0 || k >= int64(len(a.entries)) {
			return value{}, damaged("a value is number %d of a dictionary of %d", k, len(a.entries))
		}
		return value{s: a.entries[k].text}, nil
	}
	switch a.kind {
	case typeBool:
		return value{i: int64(a.data[i/8] >> (i % 8) & 1)}, nil
	case typeFloat:
		return value{f: float(a.data[i*a.width : (i+1)*a.width])}, nil
	case typeDecimal:
		return value{b: a.data[i*a.width : (i+1)*a.width]}, nil
	case typeBinary, typeText, typeLargeBinary, typeLargeText:
		from, to, err := a.between(i, a.width, int64(len(a.data)))
		if err != nil {
			return value{}, err
		}
		return value{b: a.data[from:to]}, nil
	case typeBinaryView, typeTextView:
		// The length, and then the text itself or its beginning, its buffer and its place there.
		v := a.data[16*i : 16*i+16]
		n := int64(int32(binary.LittleEndian.Uint32(v)))
		if n >= 0 && n <= 12 {
			return value{b: v[4 : 4+n]}, nil
		}
		k, at := int64(binary.LittleEndian.Uint32(v[8:])), int64(binary.LittleEndian.Uint32(v[12:]))
		if n < 0 || k >= int64(len(a.texts)) || at > int64(len(a.texts[k])) || n > int64(len(a.texts[k]))-at {
			return value{}, damaged("a text is outside its buffer")
		}
		return value{b: a.texts[k][at : at+n]}, nil
	}
	return value{i: wide(a.data[i*a.width:(i+1)*a.width], a.meaning.what != unsigned)}, nil
}

// bounds returns the elements of the list at a position.
func (a *series) bounds(i int64) (from, to int64, err error) {
	width := int64(4)
	if a.kind == typeLargeList || a.kind == typeLargeListView {
		width = 8
	}
	switch a.kind {
	case typeFixedList:
		from, to = i*a.length, (i+1)*a.length
		if a.length > 0 && to/a.length != i+1 {
			to = math.MaxInt64
		}
	case typeListView, typeLargeListView:
		from = wide(a.offsets[i*width:(i+1)*width], true)
		n := wide(a.sizes[i*width:(i+1)*width], true)
		if from < 0 || n < 0 || n > a.elements.n || from > a.elements.n-n {
			return 0, 0, damaged("a list leads outside")
		}
		to = from + n
	default:
		return a.between(i, width, a.elements.n)
	}
	if from < 0 || to < from || to > a.elements.n {
		err = damaged("a list leads outside")
	}
	return from, to, err
}

// add adds n values to a column.
func (a *series) add(b *builder, start int64, n int) error {
	for i := start; i < start+int64(n); i++ {
		switch {
		case a.missing(i):
			b.none()
		case b.column.Kind != Lists:
			v, err := a.value(i)
			if err != nil {
				return err
			}
			if err := b.add(v); err != nil {
				return err
			}
		default:
			from, to, err := a.bounds(i)
			if err != nil {
				return err
			}
			words := []string{}
			for k := from; k < to; k++ {
				if err := b.budget.take(16); err != nil {
					return err
				}
				if a.elements.missing(k) {
					continue
				}
				v, err := a.elements.value(k)
				if err != nil {
					return err
				}
				word, err := b.string(v)
				if err != nil {
					return err
				}
				words = append(words, word)
			}
			b.list(words)
		}
	}
	return nil
}
