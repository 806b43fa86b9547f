package columnar

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

const (
	parquetMagic     = "PAR1"
	parquetEncrypted = "PARE"
)

// Physical types of Parquet, by their numbers there.
const (
	physicalBool = iota
	physicalInt32
	physicalInt64
	physicalInt96
	physicalFloat
	physicalDouble
	physicalBytes
	physicalFixed
)

// element is a node of Parquet's schema.
type element struct {
	name               string
	physical           int64 // -1 of groups
	length             int64
	optional, repeated bool
	converted          int64 // -1 if none
	logical            fields
	scale              int64
	children           []*element
	leaf               int // of others than groups: the position in each row group
}

// layout says how a column of rows is stored in a leaf of the schema.
type layout struct {
	*element
	meaning
	maxRepeat, maxDefine int
	// A value at a definition level of present or more is an element of a list, perhaps a missing
	// one. A level of empty is a list without elements, and a smaller one a missing list.
	present, empty int
}

// parquet is an open file of Parquet.
type parquet struct {
	r       io.ReaderAt
	size    int64
	leaves  int
	layouts []layout // one a column; without an element if the column is refused
	columns []Column
	groups  []fields
}

// openParquet reads the footer: the metadata, its length in 4 bytes, and the magic.
func (f *File) openParquet(r io.ReaderAt) error {
	var tail [8]byte
	if f.size < 12 {
		return damaged("it has %d bytes", f.size)
	}
	if err := readAt(r, tail[:], f.size-8); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case parquetMagic:
	case parquetEncrypted:
		return fmt.Errorf("the file is encrypted; write it without encryption")
	default:
		return damaged("it does not end with %q", parquetMagic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > f.size-12 {
		return damaged("its metadata would have %d of its %d bytes", n, f.size)
	}
	b := make([]byte, n)
	if err := readAt(r, b, f.size-8-n); err != nil {
		return err
	}
	c := compact{b: b}
	metadata := c.structure(0)
	if c.bad {
		return damaged("its metadata cannot be read")
	}
	p := &parquet{r: r, size: f.size}
	list, _ := get[[]any](metadata, 2)
	schema, rest, err := p.schema(list, 0)
	if err != nil {
		return err
	}
	if len(rest) > 0 || schema.physical >= 0 {
		return damaged("its schema is no tree")
	}
	for _, e := range schema.children {
		p.column(e)
	}
	groups, _ := get[[]any](metadata, 4)
	f.rows = 0
	for k, v := range groups {
		group, ok := v.(fields)
		rows := group.number(3, -1)
		if !ok || rows < 0 || f.rows+rows < f.rows {
			return damaged("row group %d has no number of rows", k+1)
		}
		f.rows += rows
		p.groups = append(p.groups, group)
	}
	f.columns = p.columns
	f.chunks = p.chunks
	return nil
}

// schema reads a node of the schema with its children, which follow it in the list, and returns
// the rest of the list.
func (p *parquet) schema(list []any, depth int) (*element, []any, error) {
	if len(list) == 0 || depth > nesting {
		return nil, nil, damaged("its schema is no tree")
	}
	node, _ := list[0].(fields)
	list = list[1:]
	name, _ := get[[]byte](node, 4)
	e := &element{
		name: strings.ToValidUTF8(string(name), "�"), physical: -1, length: node.number(2, 0),
		optional: node.number(3, 0) == 1, repeated: node.number(3, 0) == 2,
		converted: node.number(6, -1), logical: node.sub(10), scale: node.number(7, 0),
	}
	n, group := get[int64](node, 5)
	if !group || n == 0 && depth > 0 {
		e.physical = node.number(1, -1)
		if e.physical < physicalBool || e.physical > physicalFixed {
			return nil, nil, damaged("column %q has a type of number %d", e.name, e.physical)
		}
		e.leaf = p.leaves
		p.leaves++
		return e, list, nil
	}
	for ; n > 0; n-- {
		child, rest, err := p.schema(list, depth+1)
		if err != nil {
			return nil, nil, err
		}
		e.children, list = append(e.children, child), rest
	}
	return e, list, nil
}

// column adds a column: a leaf, or a list of leaves.
func (p *parquet) column(e *element) {
	l := layout{}
	step := func(e *element) {
		if e.optional {
			l.maxDefine++
		}
		if e.repeated {
			l.empty = l.maxDefine
			l.maxDefine++
			l.present = l.maxDefine
			l.maxRepeat++
		}
	}
	step(e)
	inner, refused := e, ""
	_, isMap := e.logical[2]
	_, isList := e.logical[3]
	switch {
	case e.physical >= 0:
	case isMap || e.converted == 1 || e.converted == 2:
		refused = "maps"
	case !isList && e.converted != 3 || e.repeated || len(e.children) != 1 || !e.children[0].repeated:
		refused = "structs"
	default: // a list: a group around a repeated leaf, or around a repeated group with a leaf
		inner = e.children[0]
		step(inner)
		if len(inner.children) == 1 {
			inner = inner.children[0]
			step(inner)
		}
		if inner.physical < 0 || l.maxRepeat > 1 {
			refused = "lists of structs or lists"
		}
	}
	column := Column{Name: e.name}
	if refused == "" {
		l.element = inner
		l.meaning, refused = inner.meaning()
		column.Kind, column.Type = l.kind(), l.name()
		if l.maxRepeat > 0 {
			column.Kind, column.Type = Lists, "list of "+column.Type
			if l.what == floating || l.what == decimal {
				refused = "lists of " + l.name()
			}
		}
	}
	if refused != "" {
		l.element, column.Type, column.Refused = nil, refused, refusal(refused)
	}
	p.layouts = append(p.layouts, l)
	p.columns = append(p.columns, column)
}

// name returns the name of the type.
func (l layout) name() string { return l.meaning.name }

// meaning returns what the values of a leaf stand for, or what they are if they are not read.
func (e *element) meaning() (m meaning, refused string) {
	unit := func(f fields) (int64, string) {
		switch {
		case f.sub(2)[1] != nil:
			return 1e3, "ms"
		case f.sub(2)[2] != nil:
			return 1e6, "us"
		}
		return 1e9, "ns"
	}
	has := func(logical, converted int64) bool {
		_, ok := e.logical[logical]
		return ok || len(e.logical) == 0 && e.converted == converted
	}
	switch {
	case has(11, -2):
		return meaning{name: "null", what: missing}, ""
	case has(5, 5):
		scale := e.logical.sub(5).number(1, e.scale)
		if scale < -1000 || scale > 1000 {
			return m, "decimal numbers of scale " + fmt.Sprint(scale)
		}
		return meaning{name: "decimal", what: decimal, scale: int(scale)}, ""
	}
	switch e.physical {
	case physicalBool:
		return meaning{name: "bool", what: truth}, ""
	case physicalFloat, physicalDouble:
		return meaning{name: map[int64]string{physicalFloat: "float32", physicalDouble: "float64"}[e.physical], what: floating}, ""
	case physicalInt96:
		return meaning{name: "timestamp[ns]", what: stamp, per: 1e9}, ""
	case physicalBytes:
		switch {
		case has(13, 20):
			return m, "BSON"
		case e.logical[16] != nil || e.logical[17] != nil || e.logical[18] != nil:
			return m, "geometries or variants"
		}
		return meaning{name: "string", what: text}, ""
	case physicalFixed:
		switch {
		case has(14, -2):
			return meaning{name: "uuid", what: uuid}, ""
		case has(15, -2) && e.length == 2:
			return meaning{name: "float16", what: floating}, ""
		}
		return m, fmt.Sprintf("blocks of %d bytes", e.length)
	}
	// Integers of 32 or 64 bits.
	switch {
	case has(6, 6):
		return meaning{name: "date", what: date}, ""
	case e.logical[7] != nil || e.converted == 7 || e.converted == 8:
		per, name := unit(e.logical.sub(7))
		if len(e.logical) == 0 {
			per, name = []int64{1e3, 1e6}[e.converted-7], []string{"ms", "us"}[e.converted-7]
		}
		return meaning{name: "time[" + name + "]", what: clock, per: per}, ""
	case e.logical[8] != nil || e.converted == 9 || e.converted == 10:
		per, name := unit(e.logical.sub(8))
		utc := e.logical.sub(8).number(1, 1) == 1
		if len(e.logical) == 0 {
			per, name = []int64{1e3, 1e6}[e.converted-9], []string{"ms", "us"}[e.converted-9]
		}
		return meaning{name: "timestamp[" + name + "]", what: stamp, per: per, utc: utc}, ""
	}
	bits, isSigned := int64(32), true
	if e.physical == physicalInt64 {
		bits = 64
	}
	if e.logical[10] != nil {
		bits, isSigned = e.logical.sub(10).number(1, bits), e.logical.sub(10).number(2, 1) == 1
	} else if e.converted >= 11 && e.converted <= 18 {
		bits, isSigned = 8<<((e.converted-11)%4), e.converted > 14
	}
	if isSigned {
		return meaning{name: fmt.Sprintf("int%d", bits), what: signed}, ""
	}
	return meaning{name: fmt.Sprintf("uint%d", bits), what: unsigned, bits: int(bits & 63)}, ""
}

// chunks reads the row groups one after the other.
func (p *parquet) chunks(ctx context.Context, b *budget, yield func(*Chunk) bool) error {
	builders := make([]builder, len(p.layouts))
	for k, l := range p.layouts {
		builders[k] = builder{meaning: l.meaning, column: p.columns[k], budget: b}
	}
	for g, group := range p.groups {
		leaves, _ := get[[]any](group, 1)
		if len(leaves) != p.leaves {
			return damaged("row group %d has %d columns of %d", g+1, len(leaves), p.leaves)
		}
		readers := make([]*pages, len(p.layouts))
		for k, l := range p.layouts {
			if l.element == nil {
				continue
			}
			leaf, _ := leaves[l.leaf].(fields)
			var err error
			if readers[k], err = p.open(l, leaf, b); err != nil {
				return fmt.Errorf("column %q of row group %d: %w", p.columns[k].Name, g+1, err)
			}
		}
		for rest := group.number(3, 0); rest > 0; {
			n := int(min(rest, chunkRows))
			rest -= int64(n)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.take(8 * int64(n) * int64(len(p.layouts))); err != nil {
				return err
			}
			c := &Chunk{Rows: n, Values: make([]Values, len(builders))}
			for k := range builders {
				if readers[k] == nil {
					continue
				}
				if err := readers[k].rows(&builders[k], n); err != nil {
					return fmt.Errorf("column %q of row group %d: %w", p.columns[k].Name, g+1, err)
				}
				c.Values[k] = builders[k].take()
			}
			if !yield(c) {
				return nil
			}
		}
	}
	return nil
}
