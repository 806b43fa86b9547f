package carry

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Save writes a magic, the program's identity, the types, the list of objects, and then the
// contents of each, in pieces, so that the other process can skip those that it cannot read.
// Numbers are varints.
//
// An object is memory behind pointers, or a map. A pointer is the number of an object and an offset
// in it: values of one type have the same layout in all processes of a program.
const magic = "hierml variables 1\n"

const (
	pieceSize = 64 << 10

	memoryObject   = 0
	mapObject      = 1
	variableObject = 2

	nilReference    = 0
	staticReference = 1
	emptyReference  = 2 // to a value without a size
	firstObject     = 3

	nilType   = 0
	typeType  = 1 // a reflect.Type
	firstType = 2
)

// Save writes variables, and everything that can be reached from them, for another process of this
// program. It preserves sharing and cycles. No cell code may run.
//
// It returns the parts that cannot be saved, one remark per variable; they are zero after loading:
// functions, channels, files, connections, timers and other values that are useful only in their
// process.
func Save(w io.Writer, vars []Named) ([]Lost, error) {
	c, err := collect(vars)
	if err != nil {
		return nil, fmt.Errorf("saving variables: %w", err)
	}
	s := &saver{collector: c, w: bufio.NewWriterSize(w, pieceSize), types: map[reflect.Type]uint64{}}
	s.write([]byte(magic))
	s.text(c.static.id)
	s.typeTable()
	s.header()
	for _, o := range c.objects {
		s.contents(o)
	}
	s.text("end")
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err != nil {
		return nil, fmt.Errorf("saving variables: %w", s.err)
	}
	return c.lost, nil
}

// A saver writes. After an error it writes nothing more.
type saver struct {
	*collector
	w   *bufio.Writer
	err error

	types map[reflect.Type]uint64
	list  []reflect.Type
}

func (s *saver) write(p []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
}

func (s *saver) number(n uint64) {
	var b [binary.MaxVarintLen64]byte
	s.write(b[:binary.PutUvarint(b[:], n)])
}

func (s *saver) text(t string) {
	s.number(uint64(len(t)))
	s.write([]byte(t))
}

// typeTable writes the types of objects and of values in interfaces. Each comes after its parts.
func (s *saver) typeTable() {
	for _, o := range s.objects {
		s.addType(o.t)
	}
	var boxed []reflect.Type
	for t := range s.boxed {
		boxed = append(boxed, t)
	}
	slices.SortFunc(boxed, func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
	for _, t := range boxed {
		s.addType(t)
	}
	s.number(uint64(len(s.list)))
	for _, t := range s.list {
		for _, d := range []string{describe(t), formOf(t)} {
			s.text(d)
		}
		parts := partsOf(t)
		s.number(uint64(len(parts)))
		for _, part := range parts {
			s.number(s.types[part])
		}
		s.number(uint64(len(s.boxed[t])))
		for _, l := range s.boxed[t] {
			s.text(l.Name)
			s.text(l.Path)
			s.text(l.Why)
			s.number(uint64(l.More))
		}
	}
}

func (s *saver) addType(t reflect.Type) {
	if _, ok := s.types[t]; ok {
		return
	}
	for _, part := range partsOf(t) {
		s.addType(part)
	}
	s.types[t] = firstType + uint64(len(s.list))
	s.list = append(s.list, t)
}

func (s *saver) header() {
	s.number(uint64(len(s.objects)))
	for _, o := range s.objects {
		switch {
		case o.variable != nil:
			s.number(variableObject)
			s.text(o.variable.Name)
		case o.table:
			s.number(mapObject)
		default:
			s.number(memoryObject)
		}
		s.number(s.types[o.t])
		if !o.table {
			s.number(uint64(o.n))
		}
	}
}

// contents writes an object in pieces, of which the last is empty.
func (s *saver) contents(o *region) {
	p := &pieces{to: s}
	e := &encoder{saver: s, w: p}
	if o.table {
		e.entries(o)
	} else {
		e.values(o.at, o.t, o.n)
	}
	p.flush()
	s.number(0)
}

// pieces writes bytes in pieces.
type pieces struct {
	to  *saver
	buf []byte
}

func (p *pieces) Write(b []byte) (int, error) {
	if len(p.buf) == 0 && len(b) >= pieceSize {
		p.to.number(uint64(len(b)))
		p.to.write(b)
		return len(b), nil
	}
	p.buf = append(p.buf, b...)
	if len(p.buf) >= pieceSize {
		p.flush()
	}
	return len(b), nil
}

func (p *pieces) flush() {
	if len(p.buf) > 0 {
		p.to.number(uint64(len(p.buf)))
		p.to.write(p.buf)
		p.buf = p.buf[:0]
	}
}

// An encoder writes values of an object.
type encoder struct {
	*saver
	w     io.Writer
	depth int
}

func (e *encoder) put(b []byte) {
	if _, err := e.w.Write(b); err != nil {
		e.err = errors.Join(e.err, err)
	}
}

func (e *encoder) uint(n uint64) {
	var b [binary.MaxVarintLen64]byte
	e.put(b[:binary.PutUvarint(b[:], n)])
}

func (e *encoder) values(p unsafe.Pointer, t reflect.Type, n int) {
	if isRaw(t) {
		e.put(unsafe.Slice((*byte)(p), uintptr(n)*t.Size()))
		return
	}
	for i := range n {
		e.value(unsafe.Add(p, uintptr(i)*t.Size()), t)
	}
}

func (e *encoder) value(p unsafe.Pointer, t reflect.Type) {
	switch kindOf(t) {
	case rawKind:
		e.put(unsafe.Slice((*byte)(p), t.Size()))
	case stringKind:
		text := *(*string)(p)
		e.uint(uint64(len(text)))
		e.put(unsafe.Slice(unsafe.StringData(text), len(text)))
	case pointerKind:
		e.reference(*(*unsafe.Pointer)(p), t.Elem(), 1)
	case atomicPointerKind:
		target, _ := atomicPointer(t)
		e.reference(atomicWord(p, t), target, 1)
	case sliceKind:
		v := reflect.NewAt(t, p).Elem()
		if e.reference(*(*unsafe.Pointer)(p), t.Elem(), v.Cap()) {
			e.uint(uint64(v.Len()))
			e.uint(uint64(v.Cap()))
		}
	case mapKind:
		if ref, ok := e.refs[seen{*(*unsafe.Pointer)(p), t}]; ok {
			e.uint(firstObject + uint64(ref.object))
		} else {
			e.uint(nilReference)
		}
	case interfaceKind:
		e.iface(reflect.NewAt(t, p).Elem())
	case syncMapKind:
		e.syncMap((*sync.Map)(p))
	case arrayKind:
		e.values(p, t.Elem(), t.Len())
	case structKind:
		for i := range t.NumField() {
			f := t.Field(i)
			e.value(unsafe.Add(p, f.Offset), f.Type)
		}
	default:
		e.uint(0)
	}
}

// reference writes a pointer to n values of a type, and reports whether the target is known.
func (e *encoder) reference(p unsafe.Pointer, t reflect.Type, n int) bool {
	if p == nil {
		e.uint(nilReference)
		return false
	}
	if t.Size() == 0 || n == 0 {
		e.uint(emptyReference)
		return true
	}
	if ref, ok := e.refs[seen{p, t}]; ok {
		e.uint(firstObject + uint64(ref.object))
		e.uint(uint64(ref.offset))
		return true
	}
	if offset, ok := e.static.offset(p); ok {
		e.uint(staticReference)
		e.uint(uint64(offset))
		return true
	}
	e.uint(nilReference) // lost
	return false
}

func (e *encoder) iface(v reflect.Value) {
	if v.IsNil() {
		e.uint(nilType)
		return
	}
	held := v.Elem()
	t := held.Type()
	if t == rtypeType {
		e.uint(typeType)
		e.uint(e.types[held.Interface().(reflect.Type)])
		return
	}
	if e.depth++; e.depth > maxDepth || e.cannotHold(t) != "" {
		e.uint(nilType)
	} else {
		e.uint(e.types[t])
		var box boxed
		own := &encoder{saver: e.saver, w: &box, depth: e.depth}
		own.copied(held)
		e.uint(uint64(len(box)))
		e.put(box)
	}
	e.depth--
}

// boxed is the encoded content of an interface.
type boxed []byte

func (b *boxed) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// copied writes a value that is not addressable.
func (e *encoder) copied(v reflect.Value) {
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	e.value(box.UnsafePointer(), v.Type())
}

func (e *encoder) entries(o *region) {
	table := o.at
	m := reflect.NewAt(o.t, unsafe.Pointer(&table)).Elem()
	e.uint(uint64(m.Len()))
	for entries := m.MapRange(); entries.Next(); {
		e.copied(entries.Key())
		e.copied(entries.Value())
	}
}

func (e *encoder) syncMap(m *sync.Map) {
	var all []any
	m.Range(func(key, value any) bool {
		all = append(all, key, value)
		return true
	})
	e.uint(uint64(len(all) / 2))
	for i := range all {
		e.value(unsafe.Pointer(&all[i]), anyType)
	}
}
