package columnar

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

const (
	arrowMagic        = "ARROW1"
	arrowContinuation = "\xff\xff\xff\xff"
	featherMagic      = "FEA1"
)

// Types of Arrow, by their numbers there.
const (
	typeNull = iota + 1
	typeInt
	typeFloat
	typeBinary
	typeText
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeStamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedBytes
	typeFixedList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeText
	typeLargeList
	typeRunEnds
	typeBinaryView
	typeTextView
	typeListView
	typeLargeListView
)

// field is a column of Arrow, or a part of one.
type field struct {
	name     string
	kind     int64 // of the values, those of the dictionary if there is one
	width    int64 // of a value, or of a position in the dictionary: bytes
	signed   bool  // positions in the dictionary
	length   int64 // of a list of fixed length
	union    int64 // its mode: 1 has offsets
	meaning  meaning
	children []*field

	// dictionary is the part of the schema that describes the values of a dictionary, or nil.
	dictionary *field
	id         int64
}

// arrow is an open file or stream of Arrow.
type arrow struct {
	r       io.ReaderAt
	at, end int64 // of the messages behind the schema
	file    bool
	places  []int64 // of the messages of a file
	fields  []*field
	columns []Column
	byID    map[int64]*field // the values of dictionaries
}

// message is the metadata of one, and its body.
type message struct {
	kind   int64
	header flat
	body   []byte
	bad    *bool
}

// openArrow reads the schema: the first message of a stream, or a part of the footer of a file.
func (f *File) openArrow(r io.ReaderAt, file bool) error {
	a := &arrow{r: r, end: f.size, byID: map[int64]*field{}}
	bad := new(bool)
	var schema flat
	if file {
		footer, err := a.footer(bad)
		if err != nil {
			return err
		}
		schema = footer.table(1)
		// Blocks are the place of a message, the size of its metadata, and that of its body.
		for k := int64(2); k <= 3; k++ {
			blocks := footer.numbers(k, 3)
			for i := 0; i+2 < len(blocks); i += 3 {
				a.places = append(a.places, blocks[i])
			}
		}
		a.file = true
	} else {
		m, at, err := a.message(0)
		if err != nil {
			return err
		}
		if m == nil || m.kind != 1 {
			return damaged("it does not begin with a schema")
		}
		a.at, schema, bad = at, m.header, m.bad
	}
	if schema.number(0, 2, 0) != 0 {
		return fmt.Errorf("its numbers are big endian, which is not supported; write it on another machine")
	}
	for _, t := range schema.tables(1) {
		a.fields = append(a.fields, a.field(t, 0))
	}
	if *bad {
		return damaged("its schema cannot be read")
	}
	for _, c := range a.fields {
		a.columns = append(a.columns, c.column())
	}
	f.columns, f.chunks = a.columns, a.chunks
	return nil
}

// footer reads that of a file: it ends with a table, its size in 4 bytes, and the magic.
func (a *arrow) footer(bad *bool) (flat, error) {
	var tail [10]byte
	if a.end < 18 {
		return flat{}, damaged("it has %d bytes", a.end)
	}
	if err := readAt(a.r, tail[:], a.end-10); err != nil {
		return flat{}, err
	}
	if string(tail[4:]) != arrowMagic {
		return flat{}, damaged("it does not end with %q", arrowMagic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > a.end-18 {
		return flat{}, damaged("its footer would have %d of its %d bytes", n, a.end)
	}
	b := make([]byte, n)
	if err := readAt(a.r, b, a.end-10-n); err != nil {
		return flat{}, err
	}
	return root(b, bad), nil
}

// message reads that at an offset, and returns the offset of the next. It is nil at the end.
func (a *arrow) message(at int64) (*message, int64, error) {
	if at == a.end {
		return nil, at, nil
	}
	if at < 0 || at > a.end-4 {
		return nil, 0, damaged("a message would be at byte %d of %d", at, a.end)
	}
	var head [8]byte
	n := min(8, a.end-at)
	if err := readAt(a.r, head[:n], at); err != nil {
		return nil, 0, err
	}
	// Before version 0.15 there were no 4 bytes of continuation.
	size, start := int64(binary.LittleEndian.Uint32(head[:])), at+4
	if string(head[:4]) == arrowContinuation {
		size, start = int64(binary.LittleEndian.Uint32(head[4:])), at+8
	}
	if size == 0 {
		return nil, at, nil
	}
	if start > a.end || size > a.end-start {
		return nil, 0, damaged("a message at byte %d would have %d bytes", at, size)
	}
	metadata := make([]byte, size)
	if err := readAt(a.r, metadata, start); err != nil {
		return nil, 0, err
	}
	m := &message{bad: new(bool)}
	t := root(metadata, m.bad)
	m.kind, m.header = t.number(1, 1, 0), t.table(2)
	body := t.number(3, 8, 0)
	start += size
	if *m.bad || body < 0 || body > a.end-start {
		return nil, 0, damaged("a message at byte %d would have a body of %d bytes", at, body)
	}
	m.body = make([]byte, body)
	return m, start + body, readAt(a.r, m.body, start)
}

// field reads a column of the schema.
func (a *arrow) field(t flat, depth int) *field {
	f := &field{name: strings.ToValidUTF8(t.text(0), "�"), kind: t.number(2, 1, 0)}
	if depth > nesting || *t.bad {
		*t.bad = true
		return f
	}
	f.describe(t.table(3))
	for _, child := range t.tables(5) {
		f.children = append(f.children, a.field(child, depth+1))
	}
	if t.field(4) == 0 {
		return f
	}
	d := t.table(4)
	position := d.table(1)
	indexed := &field{name: f.name, dictionary: f, id: d.number(0, 8, 0), width: position.number(0, 4, 32) / 8, signed: position.field(1) == 0 || position.number(1, 1, 1) != 0}
	switch indexed.width {
	case 1, 2, 4, 8:
	default:
		*t.bad = true
	}
	a.byID[indexed.id] = f
	return indexed
}

// describe reads the table of a type.
func (f *field) describe(t flat) {
	units := []string{"s", "ms", "us", "ns"}
	per := []int64{1, 1e3, 1e6, 1e9}
	unit := func(otherwise int64) int64 { return t.number(0, 2, otherwise) & 3 }
	f.meaning = meaning{name: "null"}
	switch f.kind {
	case typeInt:
		bits := t.number(0, 4, 0)
		f.width = bits / 8
		f.meaning = meaning{name: fmt.Sprintf("uint%d", bits), what: unsigned}
		if t.number(1, 1, 0) != 0 {
			f.meaning = meaning{name: fmt.Sprintf("int%d", bits), what: signed}
		}
	case typeFloat:
		f.width = 2 << (t.number(0, 2, 0) & 3)
		f.meaning = meaning{name: fmt.Sprintf("float%d", 8*f.width), what: floating}
	case typeBinary, typeText, typeLargeBinary, typeLargeText, typeBinaryView, typeTextView:
		f.meaning = meaning{name: "string", what: text}
		f.width = 4
		if f.kind == typeLargeBinary || f.kind == typeLargeText {
			f.width = 8
		}
	case typeBool:
		f.meaning = meaning{name: "bool", what: truth}
	case typeDecimal:
		f.width = t.number(2, 4, 128) / 8
		f.meaning = meaning{name: "decimal", what: decimal, scale: int(min(max(t.number(1, 4, 0), -1000), 1000)), little: true}
	case typeDate:
		f.meaning, f.width = meaning{name: "date", what: date}, 4
		if t.number(0, 2, 1) != 0 {
			f.meaning, f.width = meaning{name: "date", what: date, per: 1e3}, 8
		}
	case typeTime:
		u := unit(1)
		f.meaning, f.width = meaning{name: "time[" + units[u] + "]", what: clock, per: per[u]}, t.number(1, 4, 32)/8
	case typeStamp:
		u := unit(0)
		f.meaning, f.width = meaning{name: "timestamp[" + units[u] + "]", what: stamp, per: per[u], utc: t.text(1) != ""}, 8
	case typeDuration:
		f.meaning, f.width = meaning{name: "duration[" + units[unit(1)] + "]", what: signed}, 8
	case typeFixedBytes:
		f.width = t.number(0, 4, 0)
	case typeFixedList:
		f.length = t.number(0, 4, 0)
	case typeUnion:
		f.union = t.number(0, 2, 0)
	}
	switch f.meaning.what {
	case signed, unsigned, floating, date, clock, stamp:
		if f.width != 1 && f.width != 2 && f.width != 4 && f.width != 8 {
			*t.bad = true
		}
	case decimal:
		if f.width < 4 || f.width > 32 {
			*t.bad = true
		}
	}
	if f.width < 0 || f.length < 0 {
		*t.bad = true
	}
}

// leaf returns the field that has the values: that of the dictionary, if there is one.
func (f *field) leaf() *field {
	if f.dictionary != nil {
		return f.dictionary
	}
	return f
}

// list reports whether the values are lists.
func (f *field) list() bool {
	switch f.kind {
	case typeList, typeLargeList, typeFixedList, typeListView, typeLargeListView:
		return f.dictionary == nil && len(f.children) == 1
	}
	return false
}

// refused says why values that are no lists are not read.
func (f *field) refused() string {
	switch f.leaf().kind {
	case typeMap:
		return "maps"
	case typeStruct, typeUnion:
		return "structs"
	case typeList, typeLargeList, typeFixedList, typeListView, typeLargeListView:
		return "lists of lists"
	case typeNull, typeInt, typeFloat, typeBinary, typeText, typeBool, typeDecimal, typeDate, typeTime, typeStamp,
		typeDuration, typeLargeBinary, typeLargeText, typeBinaryView, typeTextView:
		return ""
	case typeFixedBytes:
		return fmt.Sprintf("blocks of %d bytes", f.leaf().width)
	}
	return fmt.Sprintf("values of type %d", f.leaf().kind)
}

// column describes the field as a column.
func (f *field) column() Column {
	inner := f
	if f.list() {
		inner = f.children[0]
	}
	m := inner.leaf().meaning
	c := Column{Name: f.name, Kind: m.kind(), Type: m.name, Categorical: f.dictionary != nil}
	refused := inner.refused()
	if inner.dictionary != nil {
		c.Kind = Text
	}
	if f.list() {
		c.Kind, c.Type = Lists, "list of "+m.name
		if refused == "" && inner.dictionary == nil && m.kind() == Number && m.what != signed && m.what != unsigned {
			refused = "lists of " + m.name
		}
	}
	if refused != "" {
		c.Type, c.Refused = refused, refusal(refused)
	}
	return c
}

// chunks reads the batches of rows, and the dictionaries before them.
func (a *arrow) chunks(ctx context.Context, b *budget, yield func(*Chunk) bool) error {
	builders := make([]builder, len(a.fields))
	for k, f := range a.fields {
		inner := f
		if f.list() {
			inner = f.children[0]
		}
		builders[k] = builder{meaning: inner.meaning, column: a.columns[k], budget: b}
		if inner.dictionary != nil { // whose values are text already
			builders[k].meaning = meaning{what: text}
		}
	}
	dictionaries := map[int64][]entryText{}
	for at, k := a.at, 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.file && k == len(a.places) {
			return nil
		}
		if a.file {
			at = a.places[k]
		}
		m, next, err := a.message(at)
		if err != nil || m == nil {
			return err
		}
		at = next
		if err := b.take(int64(len(m.body))); err != nil { // a footer may state a message more than once
			return err
		}
		switch m.kind {
		case 2:
			if err := a.readDictionary(m, dictionaries, b); err != nil {
				return err
			}
			continue
		case 3:
		default:
			continue
		}
		batch, err := a.batch(m.header, m, b, dictionaries)
		if err != nil {
			return err
		}
		columns := make([]*series, len(a.fields))
		for k, f := range a.fields {
			if columns[k], err = batch.series(f, a.columns[k].Refused != "", 0); err != nil {
				return fmt.Errorf("column %q: %w", f.name, err)
			}
			if columns[k].n != batch.rows {
				return damaged("column %q has %d values in a batch of %d rows", f.name, columns[k].n, batch.rows)
			}
		}
		for start := int64(0); start < batch.rows; start += chunkRows {
			n := int(min(chunkRows, batch.rows-start))
			if err := b.take(8 * int64(n) * int64(len(a.fields))); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			c := &Chunk{Rows: n, Values: make([]Values, len(builders))}
			for k := range builders {
				if a.columns[k].Refused != "" {
					continue
				}
				if err := columns[k].add(&builders[k], start, n); err != nil {
					return fmt.Errorf("column %q: %w", a.columns[k].Name, err)
				}
				c.Values[k] = builders[k].take()
			}
			if !yield(c) {
				return nil
			}
		}
	}
}
