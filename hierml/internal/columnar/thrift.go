package columnar

import "encoding/binary"

// fields are those of a struct in Thrift's compact protocol by their numbers: int64 for integers
// and truth values, []byte, []any for lists and sets, and fields. Others are left out.
type fields map[int64]any

// compact reads Thrift's compact protocol from b. After an error, bad is set, and what it returns
// means nothing.
type compact struct {
	b   []byte
	bad bool
}

// nesting bounds structs within structs: those of Parquet have six levels.
const nesting = 32

func (c *compact) byte() byte {
	if len(c.b) == 0 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *compact) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *compact) varint() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (c *compact) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.bad = true
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

// structure reads a struct.
func (c *compact) structure(depth int) fields {
	f := fields{}
	for id := int64(0); !c.bad; {
		head := c.byte()
		kind := head & 15
		if kind == 0 {
			break
		}
		if delta := int64(head >> 4); delta != 0 {
			id += delta
		} else {
			id = c.varint()
		}
		switch kind {
		case 1, 2: // a truth value is its type
			f[id] = int64(2 - kind)
		default:
			f[id] = c.value(kind, depth)
		}
	}
	return f
}

func (c *compact) value(kind byte, depth int) any {
	switch kind {
	case 1, 2: // in lists, a truth value is a byte
		return int64(c.byte() & 1)
	case 3:
		return int64(int8(c.byte()))
	case 4, 5, 6:
		return c.varint()
	case 7:
		c.bytes(8)
		return nil
	case 8:
		return c.bytes(c.uvarint())
	case 9, 10, 11, 12:
		if depth == nesting {
			break
		}
		switch kind {
		case 12:
			return c.structure(depth + 1)
		case 11:
			c.entries(depth + 1)
			return nil
		}
		head := c.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = c.uvarint()
		}
		var list []any
		for ; n > 0 && !c.bad; n-- {
			list = append(list, c.value(head&15, depth+1))
		}
		return list
	}
	c.bad = true
	return nil
}

// entries skips those of a map.
func (c *compact) entries(depth int) {
	n := c.uvarint()
	if n == 0 {
		return
	}
	kinds := c.byte()
	for ; n > 0 && !c.bad; n-- {
		c.value(kinds>>4, depth)
		c.value(kinds&15, depth)
	}
}

// get returns a field, and whether the struct has it with that type.
func get[T int64 | []byte | []any | fields](f fields, id int64) (T, bool) {
	v, ok := f[id].(T)
	return v, ok
}

// number returns an integer, or otherwise if the struct has none.
func (f fields) number(id, otherwise int64) int64 {
	if v, ok := get[int64](f, id); ok {
		return v
	}
	return otherwise
}

// sub returns a struct in a struct, or an empty one.
func (f fields) sub(id int64) fields {
	v, _ := get[fields](f, id)
	return v
}
