package columnar

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Encodings of Parquet, by their numbers there.
const (
	encodePlain           = 0
	encodePlainDictionary = 2
	encodeRuns            = 3
	encodeDelta           = 5
	encodeDeltaLengths    = 6
	encodeDeltaBytes      = 7
	encodeDictionary      = 8
	encodeSplit           = 9
)

// pages reads the values of a column in a row group, page after page.
type pages struct {
	layout
	r      io.ReaderAt
	budget *budget
	codec  codec
	at     int64 // offset of the next page
	end    int64

	dictionary      []value
	left            int64 // values of the page that have not been read, missing ones among them
	repeats, levels runs
	values          decoder

	// ahead is the next value of a list's column, already read.
	ahead  entry
	peeked bool
}

// entry is a value with its levels.
type entry struct {
	repeat, define int
	value
}

// open returns the reader of a column of a row group.
func (p *parquet) open(l layout, chunk fields, b *budget) (*pages, error) {
	meta, ok := get[fields](chunk, 3)
	path, _ := get[[]byte](chunk, 1)
	switch {
	case len(path) > 0:
		return nil, damaged("its values are in another file, %q", path)
	case !ok:
		return nil, damaged("it has no metadata, or is encrypted")
	case meta.number(1, -1) != l.physical:
		return nil, damaged("its type differs from the schema's")
	}
	s := &pages{layout: l, r: p.r, budget: b, codec: codec(meta.number(4, 0)), at: meta.number(9, -1)}
	if dictionary := meta.number(11, 0); dictionary > 0 && dictionary < s.at {
		s.at = dictionary
	}
	size := meta.number(7, -1)
	if s.at < 4 || s.at > p.size || size < 0 || size > p.size-s.at {
		return nil, damaged("it would be at byte %d, with %d of the file's %d", s.at, size, p.size)
	}
	s.end = s.at + size
	return s, nil
}

// rows adds the values of the next n rows.
func (s *pages) rows(b *builder, n int) error {
	for range n {
		if s.maxRepeat > 0 {
			if err := s.list(b); err != nil {
				return err
			}
			continue
		}
		e, err := s.next()
		if err == io.EOF {
			err = damaged("it has fewer values than rows")
		}
		if err != nil {
			return err
		}
		if e.define < s.maxDefine || s.what == missing {
			b.none()
		} else if err := b.add(e.value); err != nil {
			return err
		}
	}
	return nil
}

// list adds the list of the next row: values up to the next one that repeats nothing.
func (s *pages) list(b *builder) error {
	words := []string{}
	for first := true; ; first = false {
		if !s.peeked {
			var err error
			if s.ahead, err = s.next(); err == io.EOF && !first {
				break
			} else if err == io.EOF {
				return damaged("it has fewer lists than rows")
			} else if err != nil {
				return err
			}
		}
		s.peeked = true
		e := s.ahead
		if first == (e.repeat > 0) {
			if first {
				return damaged("a list begins in its middle")
			}
			break
		}
		s.peeked = false
		if err := b.budget.take(16); err != nil {
			return err
		}
		switch {
		case e.define < s.empty:
			words = nil
		case e.define == s.maxDefine:
			word, err := b.string(e.value)
			if err != nil {
				return err
			}
			words = append(words, word)
		}
	}
	if words == nil {
		b.none()
	} else {
		b.list(words)
	}
	return nil
}

// next returns the next value, or io.EOF after the last.
func (s *pages) next() (entry, error) {
	for s.left == 0 {
		if err := s.page(); err != nil {
			return entry{}, err
		}
	}
	s.left--
	e := entry{define: s.maxDefine}
	ok := true
	if s.maxRepeat > 0 {
		e.repeat, ok = s.repeats.next()
	}
	if ok && s.maxDefine > 0 {
		e.define, ok = s.levels.next()
	}
	if !ok || e.repeat > s.maxRepeat || e.define > s.maxDefine {
		return e, damaged("its levels end early, or are none")
	}
	if e.define < s.maxDefine || s.what == missing {
		return e, nil
	}
	if e.value, ok = s.values.next(); !ok {
		return e, damaged("a page has fewer values than it states")
	}
	return e, nil
}

// header returns that of the next page, and moves behind it.
func (s *pages) header() (fields, error) {
	for window := int64(1 << 10); ; window *= 8 {
		b := make([]byte, min(window, s.end-s.at))
		if err := readAt(s.r, b, s.at); err != nil {
			return nil, err
		}
		c := compact{b: b}
		f := c.structure(0)
		if !c.bad {
			s.at += int64(len(b) - len(c.b))
			return f, nil
		}
		if window >= s.end-s.at {
			return nil, damaged("the header of a page at byte %d cannot be read", s.at)
		}
	}
}

// page reads the next page of data, and the dictionary before it if there is one.
func (s *pages) page() error {
	if s.at >= s.end {
		return io.EOF
	}
	h, err := s.header()
	if err != nil {
		return err
	}
	size, stored := h.number(2, -1), h.number(3, -1)
	if stored < 0 || stored > s.end-s.at {
		return damaged("a page would have %d bytes where %d are left", stored, s.end-s.at)
	}
	// Hostile metadata may state a page more than once.
	if err := s.budget.take(stored); err != nil {
		return err
	}
	b := make([]byte, stored)
	if err := readAt(s.r, b, s.at); err != nil {
		return err
	}
	s.at += stored
	if sum, ok := get[int64](h, 4); ok && uint32(sum) != crc32.ChecksumIEEE(b) {
		return damaged("a page has another checksum than it states")
	}
	switch h.number(1, -1) {
	case 0:
		return s.first(h.sub(5), b, size)
	case 2:
		return s.readDictionary(h.sub(7), b, size)
	case 3:
		return s.second(h.sub(8), b, size)
	}
	return nil // an index, which nobody needs
}

// first begins a page of the first version, in which levels are compressed with the values.
func (s *pages) first(h fields, b []byte, size int64) error {
	b, err := s.codec.decompress(b, size, s.budget)
	if err != nil {
		return err
	}
	for _, level := range []struct {
		most     int
		encoding int64
		runs     *runs
	}{{s.maxRepeat, h.number(4, encodeRuns), &s.repeats}, {s.maxDefine, h.number(3, encodeRuns), &s.levels}} {
		if level.most == 0 {
			continue
		}
		if level.encoding != encodeRuns {
			return damaged("its levels have encoding %d", level.encoding)
		}
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return damaged("a page ends within its levels")
		}
		n := binary.LittleEndian.Uint32(b)
		*level.runs = newRuns(b[4:4+n], level.most)
		b = b[4+n:]
	}
	return s.begin(h.number(1, -1), h.number(2, -1), b)
}

// second begins a page of the second version, in which levels are not compressed.
func (s *pages) second(h fields, b []byte, size int64) error {
	defines, repeats := h.number(5, 0), h.number(6, 0)
	if defines < 0 || repeats < 0 || defines > int64(len(b)) || repeats > int64(len(b))-defines {
		return damaged("a page ends within its levels")
	}
	s.repeats = newRuns(b[:repeats], s.maxRepeat)
	s.levels = newRuns(b[repeats:repeats+defines], s.maxDefine)
	b = b[repeats+defines:]
	if h.number(7, 1) == 1 && len(b) > 0 {
		var err error
		if b, err = s.codec.decompress(b, size-repeats-defines, s.budget); err != nil {
			return err
		}
	}
	return s.begin(h.number(1, -1), h.number(4, -1), b)
}

// begin begins to read the n values of a page, missing ones among them.
func (s *pages) begin(n, encoding int64, b []byte) error {
	if n < 0 {
		return damaged("a page has no number of values")
	}
	s.left = n
	var err error
	s.values, err = s.decoder(encoding, b)
	return err
}

// readDictionary reads the values that the pages of data refer to.
func (s *pages) readDictionary(h fields, b []byte, size int64) error {
	b, err := s.codec.decompress(b, size, s.budget)
	if err != nil {
		return err
	}
	n := h.number(1, -1)
	d := &plainValues{physical: s.physical, length: int(s.length), b: b}
	s.dictionary = nil
	for ; n > 0; n-- {
		v, ok := d.next()
		if !ok {
			return damaged("its dictionary has fewer values than it states")
		}
		if s.what == text {
			// Rows share the text of the dictionary.
			if v.s, err = clean(v.b); err != nil {
				return err
			}
			v.b = nil
		}
		s.dictionary = append(s.dictionary, v)
	}
	return nil
}
