package carry

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
)

var errBroken = errors.New("what was saved of them is broken")

// Load reads what Save wrote, of that many bytes, into variables by their names. A size below zero
// is not known, and then what is read is trusted. What is of a type that this process does not have
// is returned, and is zero.
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

// A loader reads. Left is how many bytes more there can be at most, as far as memory was asked for
// on their account.
type loader struct {
	r      *bufio.Reader
	left   uint64
	static static
	vars   map[string]reflect.Value

	types   []reflect.Type
	objects []object
	lost    []Lost
}

// An object is memory for n values, or a map. It is not valid if its type is not known.
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
		t := names.find(description, form, parts)
		l.types = append(l.types, t)
		if err := l.holders(t == nil); err != nil {
			return err
		}
	}
	return nil
}

// holders reads which variables hold values of a type in interfaces, and notes that they lose them
// without the type.
func (l *loader) holders(without bool) error {
	count, err := number(l.r)
	if err != nil {
		return err
	}
	for range count {
		var lost Lost
		for _, field := range []*string{&lost.Name, &lost.Path, &lost.Why} {
			if *field, err = text(l.r); err != nil {
				return err
			}
		}
		more, err := number(l.r)
		if err != nil {
			return err
		}
		if lost.More = int(more); without {
			l.lose(lost)
		}
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
		if err := l.make(&o); err != nil {
			return err
		}
		l.objects = append(l.objects, o)
	}
	return nil
}

// make makes the memory of an object.
func (l *loader) make(o *object) error {
	switch {
	case o.t == nil:
		if o.name != "" {
			l.lose(Lost{Name: o.name, Path: o.name, Why: otherType})
		}
	case o.table:
		o.memory = reflect.New(o.t).Elem()
		o.memory.Set(reflect.MakeMap(o.t))
	case o.name != "" && l.vars[o.name].IsValid():
		if l.vars[o.name].Type() != o.t || o.n != 1 {
			l.lose(Lost{Name: o.name, Path: o.name, Why: otherType})
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

// spend asks for memory for n values of a type: there must be as many bytes to be read.
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

const otherType = "its type is another now"

// lose notes what of a variable is lost, once for each.
func (l *loader) lose(lost Lost) {
	i := slices.IndexFunc(l.lost, func(other Lost) bool { return other.Name == lost.Name })
	switch {
	case i < 0:
		l.lost = append(l.lost, lost)
	case lost.Path == lost.Name:
		l.lost[i] = lost
	default:
		l.lost[i].More += 1 + lost.More
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
