package carry

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

var errBroken = errors.New("what was saved of them is broken")

// Load reads what Save wrote, of that many bytes, into variables by their
// names. A size below zero is not known, and then what is read is trusted. What is
// of a type that this process does not have is returned, and is zero.
func Load(r io.Reader, size int64, vars []Named) ([]Lost, error) {
	static, err := staticMemory()
	if err != nil {
		return nil, fmt.Errorf("loading variables: %w", err)
	}
	l := &loader{r: bufio.NewReaderSize(r, pieceSize), left: uint64(size), static: static, vars: map[string]reflect.Value{}}
	for _, v := range vars {
		l.vars[v.Name] = v.Value
	}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("loading variables: %w", err)
	}
	return l.lost, nil
}

// A loader reads. Left is how many bytes more there can be at most, as far as
// memory was asked for on their account.
type loader struct {
	r      *bufio.Reader
	left   uint64
	static static
	vars   map[string]reflect.Value

	types   []reflect.Type
	texts   []string // what the types are called
	objects []object
	lost    []Lost
}

// An object is memory for n values, or a map. It is not valid if its type is not
// known.
type object struct {
	t      reflect.Type
	n      int
	memory reflect.Value // a pointer to the first, or the map
	table  bool
	name   string // of a variable
}

func (l *loader) load() error {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(l.r, head); err != nil || string(head) != magic {
		return errBroken
	}
	id, err := text(l.r)
	if err != nil {
		return err
	}
	if id != l.static.id {
		return errOther
	}
	if err := l.typeTable(); err != nil {
		return err
	}
	if err := l.header(); err != nil {
		return err
	}
	for i := range l.objects {
		if err := l.contents(&l.objects[i]); err != nil {
			return err
		}
	}
	if end, err := text(l.r); err != nil || end != "end" {
		return errBroken
	}
	return nil
}

// A source is what numbers and texts are read from.
type source interface {
	io.Reader
	io.ByteReader
}

func number(r source) (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errBroken, err)
	}
	return n, nil
}

func text(r source) (string, error) {
	n, err := number(r)
	if err != nil {
		return "", err
	}
	b, err := read(r, n)
	return string(b), err
}

// read reads n bytes. It asks for memory as they come.
func read(r io.Reader, n uint64) ([]byte, error) {
	b := make([]byte, 0, min(n, pieceSize))
	for uint64(len(b)) < n {
		if len(b) == cap(b) {
			b = append(b, make([]byte, min(n-uint64(len(b)), uint64(len(b))))...)[:len(b)]
		}
		now := b[len(b):min(uint64(cap(b)), n)]
		if _, err := io.ReadFull(r, now); err != nil {
			return nil, fmt.Errorf("%w: %w", errBroken, err)
		}
		b = b[:len(b)+len(now)]
	}
	return b, nil
}

func (l *loader) typeTable() error {
	names := &names{known: map[string]reflect.Type{}}
	for _, v := range l.vars {
		names.note(v.Type())
	}
	count, err := number(l.r)
	if err != nil {
		return err
	}
	for range count {
		description, err := text(l.r)
		if err != nil {
			return err
		}
		form, err := text(l.r)
		if err != nil {
			return err
		}
		n, err := number(l.r)
		if err != nil {
			return err
		}
		var parts []reflect.Type
		for range n {
			i, err := number(l.r)
			if err != nil {
				return err
			}
			if i < firstType || i-firstType >= uint64(len(l.types)) {
				return errBroken
			}
			parts = append(parts, l.types[i-firstType])
		}
		t := names.find(description, parts)
		if t != nil && fmt.Sprintf("%d %d", t.Size(), t.Kind()) != form {
			t = nil
		}
		l.types = append(l.types, t)
		l.texts = append(l.texts, description)
	}
	return nil
}

// typeOf returns a type by its number in the text.
func (l *loader) typeOf(n uint64) (reflect.Type, error) {
	if n < firstType || n-firstType >= uint64(len(l.types)) {
		return nil, errBroken
	}
	return l.types[n-firstType], nil
}

func (l *loader) header() error {
	count, err := number(l.r)
	if err != nil {
		return err
	}
	for range count {
		kind, err := number(l.r)
		if err != nil {
			return err
		}
		o := object{n: 1, table: kind == mapObject}
		if kind > variableObject {
			return errBroken
		}
		if kind == variableObject {
			if o.name, err = text(l.r); err != nil {
				return err
			}
		}
		typeNumber, err := number(l.r)
		if err != nil {
			return err
		}
		if o.t, err = l.typeOf(typeNumber); err != nil {
			return err
		}
		if o.table && o.t != nil && o.t.Kind() != reflect.Map {
			return errBroken
		}
		if !o.table {
			n, err := number(l.r)
			if err != nil {
				return err
			}
			if n == 0 || n > 1<<40 {
				return errBroken
			}
			o.n = int(n)
		}
		if err := l.make(&o, l.textOf(typeNumber)); err != nil {
			return err
		}
		l.objects = append(l.objects, o)
	}
	return nil
}

func (l *loader) textOf(n uint64) string { return l.texts[n-firstType] }

// make makes the memory of an object.
func (l *loader) make(o *object, typeText string) error {
	switch {
	case o.t == nil:
		if o.name != "" {
			l.lose(o.name, typeText)
		}
	case o.table:
		o.memory = reflect.New(o.t).Elem()
		o.memory.Set(reflect.MakeMap(o.t))
	case o.name != "" && l.vars[o.name].IsValid():
		if l.vars[o.name].Type() != o.t || o.n != 1 {
			l.lose(o.name, typeText)
			o.t = nil
			return nil
		}
		o.memory = l.vars[o.name].Addr()
	default:
		if err := l.spend(o.t, uint64(o.n)); err != nil {
			return err
		}
		if o.n == 1 {
			o.memory = reflect.New(o.t)
			return nil
		}
		list := reflect.New(reflect.SliceOf(o.t)).Elem()
		list.Set(reflect.MakeSlice(list.Type(), o.n, o.n))
		o.memory = list.Index(0).Addr()
	}
	return nil
}

// spend asks for memory for n values of a type: there must be as many bytes to be
// read.
func (l *loader) spend(t reflect.Type, n uint64) error {
	if t.Size() > 0 && n > 1<<46/uint64(t.Size()) {
		return errBroken
	}
	return l.expect(n, least(t))
}

// expect reports whether there can be n times so many bytes.
func (l *loader) expect(n, least uint64) error {
	least = max(least, 1)
	if n > l.left/least {
		return errBroken
	}
	l.left -= n * least
	return nil
}

func (l *loader) lose(name, typeText string) {
	lost := Lost{Name: name, Path: name, Why: "its type is not there any more: " + typeText}
	if !slices.Contains(l.lost, lost) {
		l.lost = append(l.lost, lost)
	}
}

// contents reads the pieces of an object.
func (l *loader) contents(o *object) error {
	p := &pieceReader{r: l.r}
	if o.memory.IsValid() {
		d := &decoder{loader: l, r: p}
		var err error
		if o.table {
			err = d.entries(o.memory)
		} else {
			err = d.values(o.memory.UnsafePointer(), o.t, o.n)
		}
		if err != nil {
			return err
		}
		if !p.ended {
			if _, err := p.ReadByte(); !errors.Is(err, io.EOF) {
				return errBroken
			}
		}
		return nil
	}
	if _, err := io.Copy(io.Discard, p); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// A pieceReader reads what pieces wrote, up to the empty one.
type pieceReader struct {
	r     *bufio.Reader
	left  uint64
	ended bool
}

func (p *pieceReader) next() error {
	for p.left == 0 {
		if p.ended {
			return io.EOF
		}
		n, err := number(p.r)
		if err != nil {
			return err
		}
		p.left, p.ended = n, n == 0
	}
	return nil
}

func (p *pieceReader) Read(b []byte) (int, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b[:min(uint64(len(b)), p.left)])
	p.left -= uint64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (p *pieceReader) ReadByte() (byte, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	b, err := p.r.ReadByte()
	if err == nil {
		p.left--
	} else {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// A decoder reads the values of an object.
type decoder struct {
	*loader
	r     source
	depth int
}

func (d *decoder) values(p unsafe.Pointer, t reflect.Type, n int) error {
	if isRaw(t) {
		if _, err := io.ReadFull(d.r, unsafe.Slice((*byte)(p), uintptr(n)*t.Size())); err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
		return nil
	}
	for i := range n {
		if err := d.value(unsafe.Add(p, uintptr(i)*t.Size()), t); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) value(p unsafe.Pointer, t reflect.Type) error {
	switch kindOf(t) {
	case rawKind:
		return d.values(p, t, 1)
	case stringKind:
		s, err := text(d.r)
		*(*string)(p) = s
		return err
	case pointerKind:
		return d.pointer(p, t.Elem())
	case atomicPointerKind:
		elem, _ := atomicPointer(t)
		return d.pointer(unsafe.Add(p, t.Size()-unsafe.Sizeof(p)), elem)
	case sliceKind:
		return d.slice(p, t)
	case mapKind:
		n, err := number(d.r)
		if err != nil || n == nilReference {
			return err
		}
		if n < firstObject || n-firstObject >= uint64(len(d.objects)) {
			return errBroken
		}
		o := &d.objects[n-firstObject]
		if o.t == t && o.table {
			reflect.NewAt(t, p).Elem().Set(o.memory)
		} else if o.t != nil {
			return errBroken
		}
		return nil
	case interfaceKind:
		return d.iface(p, t)
	case syncMapKind:
		return d.syncMap((*sync.Map)(p))
	case arrayKind:
		return d.values(p, t.Elem(), t.Len())
	case structKind:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := d.value(unsafe.Add(p, f.Offset), f.Type); err != nil {
				return err
			}
		}
		return nil
	}
	n, err := number(d.r)
	if err == nil && n != 0 {
		err = errBroken
	}
	return err
}

// pointer reads a pointer to a value of a type.
func (d *decoder) pointer(p unsafe.Pointer, t reflect.Type) error {
	kind, offset, err := d.reference()
	if err != nil || kind == nilReference {
		return err
	}
	if kind == emptyReference {
		if t.Size() > 0 {
			return errBroken
		}
		*(*unsafe.Pointer)(p) = reflect.New(t).UnsafePointer()
		return nil
	}
	return d.lead(p, kind, offset, t, 1)
}

// reference reads a kind of reference, which may be an object's number, and an
// offset.
func (d *decoder) reference() (kind, offset uint64, err error) {
	if kind, err = number(d.r); err == nil && kind != nilReference && kind != emptyReference {
		offset, err = number(d.r)
	}
	return kind, offset, err
}

// lead makes the pointer at p lead to where a reference says that n values of a
// type are.
func (d *decoder) lead(p unsafe.Pointer, kind, offset uint64, t reflect.Type, n int) error {
	if kind == staticReference {
		if !d.static.covers(uintptr(offset)) {
			return errBroken
		}
		// It is no pointer for the garbage collector.
		*(*uintptr)(p) = d.static.base + uintptr(offset)
		return nil
	}
	if kind-firstObject >= uint64(len(d.objects)) {
		return errBroken
	}
	o := &d.objects[kind-firstObject]
	switch {
	case o.t == nil:
		return nil
	case o.table || !within(o.t, o.n, uintptr(offset), t, n):
		return errBroken
	}
	*(*unsafe.Pointer)(p) = unsafe.Add(o.memory.UnsafePointer(), offset)
	return nil
}

func (d *decoder) slice(p unsafe.Pointer, t reflect.Type) error {
	kind, offset, err := d.reference()
	if err != nil || kind == nilReference {
		return err
	}
	length, err := number(d.r)
	if err != nil {
		return err
	}
	capacity, err := number(d.r)
	if err != nil {
		return err
	}
	if length > capacity || capacity > 1<<40 {
		return errBroken
	}
	if kind == emptyReference {
		if capacity > 0 && t.Elem().Size() > 0 {
			return errBroken
		}
		*(*unsafe.Pointer)(p) = reflect.New(reflect.ArrayOf(0, t.Elem())).UnsafePointer()
	} else {
		if capacity == 0 {
			return errBroken
		}
		if err := d.lead(p, kind, offset, t.Elem(), int(capacity)); err != nil || *(*unsafe.Pointer)(p) == nil {
			return err
		}
	}
	parts := (*[3]uintptr)(p)
	parts[1], parts[2] = uintptr(length), uintptr(capacity)
	return nil
}

func (d *decoder) iface(p unsafe.Pointer, t reflect.Type) error {
	n, err := number(d.r)
	if err != nil || n == nilType {
		return err
	}
	if n == typeType {
		if n, err = number(d.r); err != nil {
			return err
		}
		held, err := d.typeOf(n)
		if err == nil && held != nil && rtypeType.AssignableTo(t) {
			reflect.NewAt(t, p).Elem().Set(reflect.ValueOf(held))
		}
		return err
	}
	held, err := d.typeOf(n)
	if err != nil {
		return err
	}
	size, err := number(d.r)
	if err != nil {
		return err
	}
	content := &limited{d.r, size}
	if held != nil && held.AssignableTo(t) && kindOf(held) != neverKind {
		if d.depth++; d.depth > maxDepth {
			return errBroken
		}
		if err := d.spend(held, 1); err != nil {
			return err
		}
		box := reflect.New(held)
		own := &decoder{loader: d.loader, r: content, depth: d.depth}
		if err := own.value(box.UnsafePointer(), held); err != nil {
			return err
		}
		reflect.NewAt(t, p).Elem().Set(box.Elem())
		d.depth--
	} else if held == nil {
		d.lose("", d.textOf(n))
	}
	if _, err := io.Copy(io.Discard, content); err != nil || content.left > 0 {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// limited reads so many bytes.
type limited struct {
	r    source
	left uint64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(b[:min(uint64(len(b)), l.left)])
	l.left -= uint64(n)
	return n, err
}

func (l *limited) ReadByte() (byte, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	b, err := l.r.ReadByte()
	if err == nil {
		l.left--
	}
	return b, err
}

func (d *decoder) entries(m reflect.Value) error {
	n, err := number(d.r)
	if err != nil {
		return err
	}
	t := m.Type()
	if err := d.expect(n, least(t.Key())+least(t.Elem())); err != nil {
		return err
	}
	for range n {
		key, value := reflect.New(t.Key()), reflect.New(t.Elem())
		if err := d.value(key.UnsafePointer(), t.Key()); err != nil {
			return err
		}
		if err := d.value(value.UnsafePointer(), t.Elem()); err != nil {
			return err
		}
		if !key.Elem().Comparable() {
			return errBroken
		}
		m.SetMapIndex(key.Elem(), value.Elem())
	}
	return nil
}

func (d *decoder) syncMap(m *sync.Map) error {
	n, err := number(d.r)
	if err != nil {
		return err
	}
	for range n {
		var key, value any
		if err := d.value(unsafe.Pointer(&key), anyType); err != nil {
			return err
		}
		if err := d.value(unsafe.Pointer(&value), anyType); err != nil {
			return err
		}
		if key != nil && !reflect.ValueOf(key).Comparable() {
			return errBroken
		}
		m.Store(key, value)
	}
	return nil
}
