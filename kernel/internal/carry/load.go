package carry

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
)

var errBroken = errors.New("the file with their values is damaged")

// Load reads the output of Save, of size bytes, into variables by their names. A negative size
// means that it is unknown; then the input is trusted. Load returns the parts whose types this
// process does not have; they are zero.
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

// A loader reads. left is how many bytes may still come, minus those for which memory was
// allocated.
type loader struct {
	r      *bufio.Reader
	left   uint64
	static static
	vars   map[string]reflect.Value

	types   []reflect.Type
	objects []object
	lost    []Lost
}

// An object is memory for n values, or a map. It is not valid if its type is unknown.
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

// holders reads which variables hold values of a type in interfaces, and records that they lose
// them if the type is missing.
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

// make allocates the memory of an object.
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

// spend accounts for memory for n values of a type: as many bytes must follow.
func (l *loader) spend(t reflect.Type, n uint64) error {
	if t.Size() > 0 && n > 1<<46/uint64(t.Size()) {
		return errBroken
	}
	return l.expect(n, least(t))
}

// expect reports whether n values of at least that many bytes can follow.
func (l *loader) expect(n, least uint64) error {
	least = max(least, 1)
	if n > l.left/least {
		return errBroken
	}
	l.left -= n * least
	return nil
}

const otherType = "its type has changed"

// lose records a loss in a variable, once for each variable.
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
