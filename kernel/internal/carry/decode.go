package carry

import (
	"fmt"
	"io"
	"reflect"
	"sync"
	"unsafe"
)

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

// reference reads a kind of reference, which may be an object's number, and an offset.
func (d *decoder) reference() (kind, offset uint64, err error) {
	if kind, err = number(d.r); err == nil && kind != nilReference && kind != emptyReference {
		offset, err = number(d.r)
	}
	return kind, offset, err
}

// lead sets the pointer at p to the target of a reference, which must have n values of a type.
func (d *decoder) lead(p unsafe.Pointer, kind, offset uint64, t reflect.Type, n int) error {
	if kind == staticReference {
		if !d.static.covers(uintptr(offset)) {
			return errBroken
		}
		// For the garbage collector it is not a pointer.
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
	case o.table || !fitsAt(o.t, o.n, uintptr(offset), t, n):
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
	}
	if _, err := io.Copy(io.Discard, content); err != nil || content.left > 0 {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
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
