package interpreted

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// instructions finds operations for which yaegi has generated no instruction. yaegi does not report
// them: at such an operation, the function ends as if it had returned.
//
// The fields are unexported; newInstructions fails if a version of yaegi lacks them.
type instructions struct {
	root                                      int // the field of a program
	child, start, next, otherwise, code, kind uintptr
	kinds                                     reflect.Type
	function, literal, ret                    uint
}

func newInstructions(i *interp.Interpreter) (in *instructions, err error) {
	defer func() {
		if r := recover(); r != nil {
			in, err = nil, fmt.Errorf("interpreter: this version of yaegi keeps its instructions differently: %v", r)
		}
	}()
	program := reflect.TypeFor[interp.Program]()
	root, ok := program.FieldByName("root")
	if !ok || len(root.Index) != 1 || root.Type.Kind() != reflect.Pointer {
		return nil, fmt.Errorf("interpreter: this version of yaegi keeps its programs differently: they have no root")
	}
	node := root.Type.Elem()
	offset := func(name string, kind reflect.Kind) uintptr {
		f, ok := node.FieldByName(name)
		if !ok || f.Type.Kind() != kind {
			panic(fmt.Sprintf("%s has no field %s of kind %s", node, name, kind))
		}
		return f.Offset
	}
	kind, _ := node.FieldByName("kind")
	return &instructions{
		root:  root.Index[0],
		child: offset("child", reflect.Slice), start: offset("start", reflect.Pointer),
		next: offset("tnext", reflect.Pointer), otherwise: offset("fnext", reflect.Pointer),
		code: offset("exec", reflect.Func), kind: offset("kind", reflect.Uint),
		kinds:    kind.Type,
		function: numberOf(kind.Type, "funcDecl"), literal: numberOf(kind.Type, "funcLit"),
		ret: numberOf(kind.Type, "returnStmt"), // it does nothing after its values
	}, nil
}

// tree returns the outermost node of a program, nil if it has none.
func (in *instructions) tree(p *interp.Program) unsafe.Pointer {
	return reflect.ValueOf(p).Elem().Field(in.root).UnsafePointer()
}

// missing returns an error for an operation of an executed program that has no instruction.
func (in *instructions) missing(p *interp.Program) error {
	root := in.tree(p)
	if root == nil {
		return nil
	}
	seen := map[unsafe.Pointer]bool{}
	var tree func(n unsafe.Pointer) error
	tree = func(n unsafe.Pointer) error {
		children := at[[]unsafe.Pointer](n, in.child)
		if kind := at[uint](n, in.kind); (kind == in.function || kind == in.literal) && len(children) == 4 {
			if err := in.path(at[unsafe.Pointer](children[3], in.start), seen); err != nil {
				return err
			}
		}
		for _, c := range children {
			if err := tree(c); err != nil {
				return err
			}
		}
		return nil
	}
	return tree(root)
}

// path follows the instructions from a node on.
func (in *instructions) path(n unsafe.Pointer, seen map[unsafe.Pointer]bool) error {
	for n != nil && !seen[n] {
		seen[n] = true
		if at[unsafe.Pointer](n, in.code) == nil && at[uint](n, in.kind) != in.ret {
			kind := reflect.New(in.kinds).Elem()
			kind.SetUint(uint64(at[uint](n, in.kind)))
			return fmt.Errorf("it has no instruction for a %v like the one here", kind.Interface())
		}
		if err := in.path(at[unsafe.Pointer](n, in.otherwise), seen); err != nil {
			return err
		}
		n = at[unsafe.Pointer](n, in.next)
	}
	return nil
}
