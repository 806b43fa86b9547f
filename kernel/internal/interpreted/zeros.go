package interpreted

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// zeros has declared functions get negative zeros. When yaegi calls one, it sets only the
// parameters for which reflect does not find a zero, and to reflect a negative zero is one, also in
// a struct or an array. But it sets all that have an interface type. So the places of parameters
// with floating-point numbers get one, and what the function begins with gives them their own.
//
// The fields are not exported; newZeros fails if a version of yaegi does not have them.
type zeros struct {
	*instructions
	typ, types, generate uintptr // of a node
	parameters, results  uintptr // of a function's type
	data                 uintptr // of a frame
}

// A step is an instruction of yaegi, which returns the next one.
type step func(frame unsafe.Pointer) step

func newZeros(in *instructions) (z *zeros, err error) {
	defer func() {
		if r := recover(); r != nil {
			z, err = nil, fmt.Errorf("interpreter: this version of yaegi keeps its functions differently: %v", r)
		}
	}()
	field := func(t reflect.Type, name string, typ reflect.Type) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok || typ != nil && f.Type != typ {
			panic(fmt.Sprintf("%s has no field %s, or one of another type", t, name))
		}
		return f
	}
	node := reflect.TypeFor[interp.Program]().Field(in.root).Type.Elem()
	typ, generate, code := field(node, "typ", nil), field(node, "gen", nil), field(node, "exec", nil)
	frame := code.Type.In(0)
	if code.Type.NumIn() != 1 || code.Type.NumOut() != 1 || code.Type.Out(0) != code.Type || frame.Kind() != reflect.Pointer {
		panic("its instructions take something else than a frame, or return something else than the next")
	}
	if g := generate.Type; g.NumIn() != 1 || g.NumOut() != 0 || g.In(0) != reflect.PointerTo(node) {
		panic("its instructions are not made from a node alone")
	}
	places := field(frame.Elem(), "data", reflect.TypeFor[[]reflect.Value]())
	function := typ.Type.Elem()
	parameters, results := field(function, "arg", nil), field(function, "ret", nil)
	for _, list := range []reflect.Type{parameters.Type, results.Type} {
		if list != reflect.SliceOf(typ.Type) {
			panic("the types of parameters and results are not in lists")
		}
	}
	return &zeros{
		instructions: in, data: places.Offset,
		typ: typ.Offset, generate: generate.Offset, types: field(node, "types", reflect.TypeFor[[]reflect.Type]()).Offset,
		parameters: parameters.Offset, results: results.Offset,
	}, nil
}

// keep prepares the functions of a program that is compiled, and was not executed yet.
func (z *zeros) keep(p *interp.Program) {
	var tree func(n unsafe.Pointer)
	tree = func(n unsafe.Pointer) {
		children := at[[]unsafe.Pointer](n, z.child)
		if at[uint](n, z.kind) == z.function && len(children) == 4 {
			z.prepare(n, at[unsafe.Pointer](children[3], z.start))
			return
		}
		for _, c := range children {
			tree(c)
		}
	}
	if root := z.tree(p); root != nil {
		tree(root)
	}
}

// prepare prepares the function of a node that begins with start.
func (z *zeros) prepare(function, start unsafe.Pointer) {
	signature := at[unsafe.Pointer](function, z.typ)
	first := len(at[[]unsafe.Pointer](signature, z.results))
	end := first + len(at[[]unsafe.Pointer](signature, z.parameters))
	types := at[[]reflect.Type](function, z.types)
	type place struct {
		at  int
		typ reflect.Type
	}
	var own []place
	for i := first; i < min(end, len(types)); i++ {
		if hasFloats(types[i]) {
			own = append(own, place{i, types[i]})
			types[i] = reflect.TypeFor[any]()
		}
	}
	if len(own) == 0 {
		return
	}
	generate := (*func(unsafe.Pointer))(unsafe.Add(start, z.generate))
	made := *generate
	*generate = func(n unsafe.Pointer) {
		made(n)
		code := (*step)(unsafe.Add(n, z.code))
		next := *code
		*code = func(frame unsafe.Pointer) step {
			places := at[[]reflect.Value](frame, z.data)
			if places[own[0].at].Kind() != reflect.Interface {
				return next // a loop has come back to the beginning
			}
			for _, p := range own {
				v := reflect.New(p.typ).Elem()
				if given := places[p.at].Elem(); given.IsValid() {
					v.Set(given)
				}
				places[p.at] = v
			}
			return next // and not what it returns: faults look for it on the stack
		}
	}
}

// hasFloats reports whether a value of type t may hold a negative zero.
func hasFloats(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return hasFloats(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasFloats(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
