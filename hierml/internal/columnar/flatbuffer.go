package columnar

import "encoding/binary"

// flat is a table of Flatbuffers: at is its position in data. Its methods return zeros for what is
// not in data, and then set bad.
type flat struct {
	data []byte
	at   int64
	bad  *bool
}

// root returns the table that data has.
func root(data []byte, bad *bool) flat {
	f := flat{data: data, bad: bad}
	f.at = f.integer(0, 4, false)
	return f
}

// bytes returns n bytes at a position.
func (f flat) bytes(at, n int64) []byte {
	if at < 0 || n < 0 || n > int64(len(f.data)) || at > int64(len(f.data))-n {
		*f.bad = true
		return nil
	}
	return f.data[at : at+n]
}

// integer returns one of n bytes at a position.
func (f flat) integer(at, n int64, signed bool) int64 {
	b := f.bytes(at, n)
	if b == nil {
		return 0
	}
	return wide(b, signed)
}

// field returns the position of a field of the table, or 0 if it has none.
func (f flat) field(k int64) int64 {
	if f.data == nil {
		return 0
	}
	table := f.at - f.integer(f.at, 4, true)
	if 4+2*k+2 > f.integer(table, 2, false) {
		return 0
	}
	offset := f.integer(table+4+2*k, 2, false)
	if offset == 0 {
		return 0
	}
	return f.at + offset
}

// number returns an integer field of n bytes, or otherwise if the table has none.
func (f flat) number(k, n, otherwise int64) int64 {
	if at := f.field(k); at != 0 {
		return f.integer(at, n, true)
	}
	return otherwise
}

// follow returns the position that the offset at a position leads to.
func (f flat) follow(at int64) int64 { return at + f.integer(at, 4, false) }

// table returns a field that is a table. Without it the result has no fields.
func (f flat) table(k int64) flat {
	if at := f.field(k); at != 0 {
		return flat{f.data, f.follow(at), f.bad}
	}
	return flat{bad: f.bad}
}

// text returns a field that is a string.
func (f flat) text(k int64) string {
	at := f.field(k)
	if at == 0 {
		return ""
	}
	at = f.follow(at)
	return string(f.bytes(at+4, f.integer(at, 4, false)))
}

// vector returns the elements, of width bytes each, of a field that is a vector, and the position
// of the first.
func (f flat) vector(k, width int64) (elements []byte, at int64) {
	at = f.field(k)
	if at == 0 {
		return nil, 0
	}
	at = f.follow(at)
	return f.bytes(at+4, width*f.integer(at, 4, false)), at + 4
}

// tables returns a field that is a vector of tables.
func (f flat) tables(k int64) []flat {
	elements, at := f.vector(k, 4)
	var list []flat
	for i := int64(0); i < int64(len(elements)); i += 4 {
		list = append(list, flat{f.data, f.follow(at + i), f.bad})
	}
	return list
}

// numbers returns a field that is a vector of integers of 8 bytes, or of structs of them.
func (f flat) numbers(k, each int64) []int64 {
	elements, _ := f.vector(k, 8*each)
	list := make([]int64, len(elements)/8)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(elements[8*i:]))
	}
	return list
}
