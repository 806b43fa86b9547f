package interpreted

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// recursive corrects the types that refer to each other. While yaegi lays out a struct, what refers
// to it gets a stand-in, and when the outermost struct is done all stand-ins become references to
// one of them. The layout is right as long as what is referred to is behind a pointer, or as much
// as one; then only the types of the fields have to be set, and those that yaegi keeps of
// expressions.
//
// The fields are not exported; newRecursive fails if a version of yaegi does not have them.
type recursive struct {
	scopes reflect.Value
	typ    reflect.Type // itype
	rtype  uintptr      // its field
	cats   map[uint]string
}

func newRecursive(i *interp.Interpreter) (r *recursive, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("interpreter: this version of yaegi keeps its types differently: %v", p)
		}
	}()
	r = &recursive{scopes: reflect.ValueOf(i).Elem().FieldByName("scopes"), cats: map[uint]string{}}
	field := func(t reflect.Type, name string, kind reflect.Kind) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != kind {
			panic(fmt.Sprintf("%s has no field %s of kind %s", t, name, kind))
		}
		return f
	}
	symbols := field(r.scopes.Type().Elem().Elem(), "sym", reflect.Map).Type
	r.typ = field(symbols.Elem().Elem(), "typ", reflect.Pointer).Type.Elem()
	r.rtype = field(r.typ, "rtype", reflect.Interface).Offset
	for name, kind := range map[string]reflect.Kind{"key": reflect.Pointer, "val": reflect.Pointer, "arg": reflect.Slice, "ret": reflect.Slice, "name": reflect.String, "length": reflect.Int, "incomplete": reflect.Bool} {
		field(r.typ, name, kind)
	}
	field(field(r.typ, "field", reflect.Slice).Type.Elem(), "typ", reflect.Pointer)
	cat := field(r.typ, "cat", reflect.Uint).Type
	for _, name := range []string{"structT", "ptrT", "sliceT", "variadicT", "arrayT", "chanT", "mapT", "funcT", "linkedT"} {
		r.cats[numberOf(cat, name)] = name
	}
	// Those of one direction, after chanT, have no names.
	chans := numberOf(cat, "chanT")
	r.cats[chans+1], r.cats[chans+2] = "chanSendT", "chanRecvT"
	return r, nil
}

// declared returns the type of that name, the zero value if there is none.
func (r *recursive) declared(name string) reflect.Value {
	scope := r.scopes.MapIndex(reflect.ValueOf("main"))
	if !scope.IsValid() {
		return reflect.Value{}
	}
	symbol := scope.Elem().FieldByName("sym").MapIndex(reflect.ValueOf(name))
	if !symbol.IsValid() || symbol.Elem().FieldByName("typ").IsNil() {
		return reflect.Value{}
	}
	return symbol.Elem().FieldByName("typ")
}

// settle corrects the types of these names.
func (r *recursive) settle(names []string) error {
	s := &settling{recursive: r, seen: map[unsafe.Pointer]bool{}}
	for _, name := range names {
		t := r.declared(name)
		if !t.IsValid() {
			return fmt.Errorf("it has not declared the type %s", name)
		}
		s.of(t)
	}
	for len(s.structs) > 0 {
		t := s.structs[0]
		s.structs = s.structs[1:]
		made := *s.made(t)
		fields := t.Elem().FieldByName("field")
		if made == nil || made.Kind() != reflect.Struct || made.NumField() != fields.Len() {
			continue
		}
		for i := range fields.Len() {
			want, got := s.of(fields.Index(i).FieldByName("typ")), made.Field(i).Type
			if want == nil || want == got {
				continue
			}
			if !alike(want, got) {
				return unlaid(t)
			}
			if err := setFieldType(made, i, want); err != nil {
				return err
			}
		}
		if !laidOut(made) {
			return unlaid(t)
		}
	}
	return nil
}

func unlaid(t reflect.Value) error {
	name, _, _ := strings.Cut(t.Elem().FieldByName("name").String(), "__")
	return fmt.Errorf("it cannot lay out structs in memory that contain each other through pointers in several ways, as %s does", name)
}

// laidOut reports whether the fields of a struct have the room that their types need: a stand-in
// for a struct that another one contains would have had none.
func laidOut(t reflect.Type) bool {
	end, align := uintptr(0), uintptr(1)
	for i := range t.NumField() {
		f := t.Field(i)
		a := uintptr(f.Type.Align())
		end, align = (end+a-1)&^(a-1), max(align, a)
		if f.Offset != end {
			return false
		}
		end += f.Type.Size()
	}
	if n := t.NumField(); n > 0 && end > 0 && t.Field(n-1).Type.Size() == 0 {
		end++ // so that its address is none of what follows
	}
	return t.Size() == (end+align-1)&^(align-1)
}

// settling is one run of settle.
type settling struct {
	*recursive
	seen    map[unsafe.Pointer]bool // by itype
	structs []reflect.Value         // whose fields are to be looked at
}

// made is where yaegi keeps what it has made of a type.
func (s *settling) made(t reflect.Value) *reflect.Type {
	return (*reflect.Type)(unsafe.Add(t.UnsafePointer(), s.rtype))
}

// of returns what a type is at run time, nil if that is not known, and corrects what yaegi keeps.
func (s *settling) of(t reflect.Value) reflect.Type {
	if t.IsNil() {
		return nil
	}
	v := t.Elem()
	if v.FieldByName("incomplete").Bool() {
		if d := s.declared(v.FieldByName("name").String()); d.IsValid() && d.UnsafePointer() != t.UnsafePointer() {
			return s.of(d)
		}
		return nil
	}
	var want reflect.Type
	part := func(name string) reflect.Type { return s.of(v.FieldByName(name)) }
	switch cat := s.cats[uint(v.FieldByName("cat").Uint())]; cat {
	case "structT":
		if !s.seen[t.UnsafePointer()] {
			s.seen[t.UnsafePointer()] = true
			s.structs = append(s.structs, t)
		}
		return *s.made(t)
	case "mapT":
		if key, val := part("key"), part("val"); key != nil && val != nil {
			want = reflect.MapOf(key, val)
		}
	case "funcT":
		in, out := s.list(v.FieldByName("arg")), s.list(v.FieldByName("ret"))
		made := *s.made(t)
		if in != nil && out != nil && made != nil {
			want = reflect.FuncOf(in, out, made.IsVariadic())
		}
	case "ptrT", "sliceT", "variadicT", "arrayT", "chanT", "chanSendT", "chanRecvT", "linkedT":
		val := part("val")
		if val == nil {
			break
		}
		switch cat {
		case "ptrT":
			want = reflect.PointerTo(val)
		case "sliceT", "variadicT":
			want = reflect.SliceOf(val)
		case "arrayT":
			want = reflect.ArrayOf(int(v.FieldByName("length").Int()), val)
		case "chanT":
			want = reflect.ChanOf(reflect.BothDir, val)
		case "chanSendT":
			want = reflect.ChanOf(reflect.SendDir, val)
		case "chanRecvT":
			want = reflect.ChanOf(reflect.RecvDir, val)
		default:
			want = val
		}
	}
	if want == nil {
		return *s.made(t)
	}
	if made := s.made(t); *made != nil {
		*made = want
	}
	return want
}

// list is of for the types of parameters or results; nil if one is not known.
func (s *settling) list(types reflect.Value) []reflect.Type {
	list := make([]reflect.Type, types.Len())
	for i := range list {
		if list[i] = s.of(types.Index(i)); list[i] == nil {
			return nil
		}
	}
	return list
}

// alike reports whether one type can be set in place of another: what they refer to is not in their
// values.
func alike(a, b reflect.Type) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func:
		return true
	case reflect.Array:
		return a.Len() == b.Len() && alike(a.Elem(), b.Elem())
	}
	return false
}

// setFieldType sets the type of a field of a struct that was made at run time. The declarations are
// those of package internal/abi; it is an error where they are not any more.
func setFieldType(t reflect.Type, field int, to reflect.Type) error {
	type structField struct {
		_   unsafe.Pointer // name
		typ unsafe.Pointer
		_   uintptr // offset
	}
	type structType struct {
		_      [2]uintptr // sizes
		_      uint32     // hash
		_      [4]uint8   // flags
		_      [2]uintptr // equality, what the collector reads
		_      [2]int32   // name, type of pointers to it
		_      unsafe.Pointer
		fields []structField
	}
	pointer := func(t reflect.Type) unsafe.Pointer {
		return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
	}
	fields := (*structType)(pointer(t)).fields
	if len(fields) != t.NumField() || fields[field].typ != pointer(t.Field(field).Type) {
		return errors.New("it does not know how this release of Go lays out types that refer to each other")
	}
	fields[field].typ = pointer(to)
	return nil
}
