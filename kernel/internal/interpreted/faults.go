package interpreted

import (
	"fmt"
	"go/constant"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// faults finds what yaegi leaves out of run-time errors. It indexes by reflect, whose panics do not
// say which index of how many. But when yaegi reports that a panic passes a function, the stack of
// the panic is still there: its traceback names the operation, and the arguments of runCfg are the
// innermost function's first node and its frame of variables. The operation's operands are in that
// frame. So it costs nothing to have the numbers until something fails.
//
// The fields are not exported; newFaults fails if a version of yaegi does not have them.
type faults struct {
	node   nodeFields
	frame  frameFields
	symbol symbolFields
	// kinds and actions that are looked for.
	index, slice, assign, function, literal uint
	fromStart                               uint
}

// The fields of yaegi's structs, by their offsets.
type nodeFields struct{ child, anc, findex, level, nleft, kind, pos, sym, action, rval, ident uintptr }

type frameFields struct{ root, anc, data uintptr }

type symbolFields struct{ node, index, global uintptr }

// A fault is the operation of yaegi that panicked, with the operands in the words of Go's run-time
// error; empty as far as they are not known.
type fault struct {
	operation string
	words     string
	// ours is set if a function of the bridge panicked, compiled if another compiled function did.
	ours, compiled bool
}

// kinds are those of program.Frame, of yaegi's operations.
var kinds = map[string]string{
	"getIndexArray": "index", "slice": "slice", "slice0": "slice", "getIndexMap": "map", "getIndexMap2": "map",
	"callBin": "call", "call": "call", "_panic": "panic", "_make": "make", "_close": "close", "send": "send",
	"quo": "divide", "rem": "divide", "quoConst": "divide", "quoAssign": "divide", "remAssign": "divide",
	"deref": "nil", "getPtrIndexSeq": "nil", "getPtrIndexSeqField": "nil", "convert": "conversion",
	"equal": "compare", "notEqual": "compare",
}

func newFaults(i *interp.Interpreter) (fs *faults, err error) {
	defer func() {
		if r := recover(); r != nil {
			fs, err = nil, fmt.Errorf("interpreter: this version of yaegi keeps its nodes and frames differently: %v", r)
		}
	}()
	v := reflect.ValueOf(i).Elem().Type()
	roots, ok := v.FieldByName("roots")
	frame, isFrame := v.FieldByName("frame")
	if !ok || !isFrame {
		return nil, fmt.Errorf("interpreter: this version of yaegi keeps its nodes and frames elsewhere: it lacks the fields roots and frame")
	}
	node := roots.Type.Elem().Elem()
	frameType := frame.Type.Elem()
	offset := func(t reflect.Type, name string, kind reflect.Kind) uintptr {
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != kind {
			panic(fmt.Sprintf("%s has no field %s of kind %s", t, name, kind))
		}
		return f.Offset
	}
	symbol, ok := node.FieldByName("sym")
	if !ok {
		panic("a node has no symbol")
	}
	fs = &faults{
		node: nodeFields{
			child: offset(node, "child", reflect.Slice), anc: offset(node, "anc", reflect.Pointer),
			findex: offset(node, "findex", reflect.Int), level: offset(node, "level", reflect.Int),
			nleft: offset(node, "nleft", reflect.Int),
			kind:  offset(node, "kind", reflect.Uint), pos: offset(node, "pos", reflect.Int),
			sym: offset(node, "sym", reflect.Pointer), action: offset(node, "action", reflect.Uint),
			rval: offset(node, "rval", reflect.Struct), ident: offset(node, "ident", reflect.String),
		},
		frame: frameFields{
			root: offset(frameType, "root", reflect.Pointer), anc: offset(frameType, "anc", reflect.Pointer),
			data: offset(frameType, "data", reflect.Slice),
		},
		symbol: symbolFields{
			node:   offset(symbol.Type.Elem(), "node", reflect.Pointer),
			index:  offset(symbol.Type.Elem(), "index", reflect.Int),
			global: offset(symbol.Type.Elem(), "global", reflect.Bool),
		},
	}
	kind, _ := node.FieldByName("kind")
	action, _ := node.FieldByName("action")
	for number, place := range map[string]*uint{
		"indexExpr": &fs.index, "sliceExpr": &fs.slice, "assignStmt": &fs.assign,
		"funcDecl": &fs.function, "funcLit": &fs.literal,
	} {
		*place = numberOf(kind.Type, number)
	}
	fs.fromStart = numberOf(action.Type, "slice0")
	return fs, nil
}

// numberOf returns the number of type t that has a name.
func numberOf(t reflect.Type, name string) uint {
	v := reflect.New(t).Elem()
	for n := uint(0); ; n++ {
		v.SetUint(uint64(n))
		if fmt.Sprint(v.Interface()) == name {
			return n
		}
	}
}

// at returns what is at an offset of a struct.
func at[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

// running matches the call that carries out a function in a traceback, with the function's first
// node and its frame. The run time puts a question mark behind arguments that may not be what they
// were.
var running = regexp.MustCompile(`(?m)^github\.com/traefik/yaegi/interp\.runCfg\(0x([0-9a-f]+), 0x([0-9a-f]+), `)

// operating matches the operations of yaegi.
var operating = regexp.MustCompile(`(?m)^github\.com/traefik/yaegi/interp\.([A-Za-z0-9_]+)\.func`)

// last describes the panic that passes the innermost interpreted function of the calling goroutine.
// It must be called by what yaegi calls then.
func (fs *faults) last() fault {
	buf := make([]byte, 1<<14)
	text := string(buf[:runtime.Stack(buf, false)])
	_, text, ok := strings.Cut(text, "\npanic(")
	if !ok {
		return fault{}
	}
	call := running.FindStringSubmatchIndex(text)
	if call == nil {
		return fault{}
	}
	var f fault
	if m := operating.FindAllStringSubmatch(text[:call[0]], -1); len(m) > 0 {
		f.operation = m[len(m)-1][1]
		f.ours = strings.Contains(text[:call[0]], "\ngithub.com/hierml/notebook/kernel/internal/interpreted.")
		f.compiled = f.operation == "callBin" && !f.ours && compiled(text[:call[0]])
	}
	node, err := strconv.ParseUint(text[call[2]:call[3]], 16, 64)
	if err != nil {
		return f
	}
	frame, err := strconv.ParseUint(text[call[4]:call[5]], 16, 64)
	if err != nil {
		return f
	}
	switch f.operation {
	case "getIndexArray", "slice", "slice0":
		n, at := uintptr(node), uintptr(frame)
		// Both are alive: the call that has them as arguments is on the stack.
		f.words = fs.describe(*(*unsafe.Pointer)(unsafe.Pointer(&n)), *(*unsafe.Pointer)(unsafe.Pointer(&at)))
	}
	return f
}

// compiled reports whether a function that yaegi called by reflect panicked, and not reflect on
// being asked to call it. The text is the traceback from the panic on.
func compiled(text string) bool {
	calls := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		if calls++; calls > 2 && strings.HasPrefix(line, "reflect.Value.call(") {
			return true
		}
	}
	return false
}

// describe words the operation of a function that fails, given its first node and its frame. Of the
// operations between the note that was made last and the next it is the first that cannot work.
func (fs *faults) describe(start, frame unsafe.Pointer) (words string) {
	defer func() {
		if recover() != nil {
			words = "" // what is known without the operands has to do
		}
	}()
	function := start
	for {
		anc := at[unsafe.Pointer](function, fs.node.anc)
		if kind := at[uint](function, fs.node.kind); anc == nil || kind == fs.function || kind == fs.literal {
			break
		}
		function = anc
	}
	var nodes []unsafe.Pointer
	fs.walk(function, function, func(n unsafe.Pointer) { nodes = append(nodes, n) })
	noted := false
	from := map[int]bool{} // the positions of the note that was made last
	var notes []int
	for _, n := range nodes {
		if value, holds, ok := fs.note(n, frame); ok {
			noted = true
			pos := at[int](n, fs.node.pos)
			notes = append(notes, pos)
			if value == holds {
				from[pos] = true
			}
		}
	}
	for _, n := range nodes {
		if noted {
			pos, note := at[int](n, fs.node.pos), 0
			for _, p := range notes {
				if p <= pos && p > note {
					note = p
				}
			}
			if !from[note] {
				continue
			}
		}
		if words := fs.operation(n, frame); words != "" {
			return words
		}
	}
	return ""
}

// walk visits the nodes of a function, operands before what is done with them, and values before
// the places that they are assigned to.
func (fs *faults) walk(function, n unsafe.Pointer, visit func(unsafe.Pointer)) {
	if n == nil || n != function && at[uint](n, fs.node.kind) == fs.literal {
		return
	}
	children := at[[]unsafe.Pointer](n, fs.node.child)
	if left := at[int](n, fs.node.nleft); at[uint](n, fs.node.kind) == fs.assign && left < len(children) {
		children = append(slices.Clone(children[left:]), children[:left]...)
	}
	for _, c := range children {
		fs.walk(function, c, visit)
	}
	visit(n)
}

// note reports whether a node notes where the function is, and which value it notes and which one
// is noted now.
func (fs *faults) note(n, frame unsafe.Pointer) (value, holds int64, ok bool) {
	if at[uint](n, fs.node.kind) != fs.assign {
		return 0, 0, false
	}
	children := at[[]unsafe.Pointer](n, fs.node.child)
	if len(children) != 2 || !strings.HasPrefix(at[string](children[0], fs.node.ident), "at__") {
		return 0, 0, false
	}
	a, ok := fs.integer(children[0], frame)
	b, also := fs.integer(children[1], frame)
	return b, a, ok && also
}

// operation words what fails if a node is an operation that fails.
func (fs *faults) operation(n, frame unsafe.Pointer) string {
	children := at[[]unsafe.Pointer](n, fs.node.child)
	kind := at[uint](n, fs.node.kind)
	if kind != fs.index && kind != fs.slice || len(children) < 2 {
		return ""
	}
	x := fs.value(children[0], frame)
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	switch x.Kind() {
	case reflect.Slice, reflect.Array, reflect.String:
	default:
		return ""
	}
	bounds := make([]int64, len(children)-1)
	for i, c := range children[1:] {
		b, ok := fs.integer(c, frame)
		if !ok {
			return ""
		}
		bounds[i] = b
	}
	if kind == fs.index {
		return indexWords(x, bounds[0])
	}
	if at[uint](n, fs.node.action) == fs.fromStart {
		bounds = append([]int64{0}, bounds...)
	}
	return sliceWords(x, bounds)
}

func indexWords(x reflect.Value, i int64) string {
	if i < 0 {
		return fmt.Sprintf("index out of range [%d]", i)
	}
	if i >= int64(x.Len()) {
		return fmt.Sprintf("index out of range [%d] with length %d", i, x.Len())
	}
	return ""
}

// sliceWords words the failure of x[bounds...]; bounds holds the lowest index and, if given, the
// next two.
func sliceWords(x reflect.Value, bounds []int64) string {
	limit, of := int64(x.Len()), "length"
	if x.Kind() == reflect.Slice {
		limit, of = int64(x.Cap()), "capacity"
	}
	const text = "slice bounds out of range "
	above := func(form string, i, j int64) string {
		if i < 0 {
			form = strings.Replace(form, "%[2]d", "", 1)
			return text + fmt.Sprintf(form, i)
		}
		if i > j {
			return text + fmt.Sprintf(form, i, j)
		}
		return ""
	}
	beyond := func(colons string, i int64) string {
		if i < 0 {
			return text + fmt.Sprintf("[%s%d]", colons, i)
		}
		if i > limit {
			return text + fmt.Sprintf("[%s%d] with %s %d", colons, i, of, limit)
		}
		return ""
	}
	var words [3]string
	switch len(bounds) {
	case 1:
		words[0] = above("[%[1]d:%[2]d]", bounds[0], int64(x.Len()))
	case 2:
		words[0] = beyond(":", bounds[1])
		words[1] = above("[%[1]d:%[2]d]", bounds[0], bounds[1])
	case 3:
		words[0] = beyond("::", bounds[2])
		words[1] = above("[:%[1]d:%[2]d]", bounds[1], bounds[2])
		words[2] = above("[%[1]d:%[2]d:]", bounds[0], bounds[1])
	}
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// integer returns the value of a node of an integer type.
func (fs *faults) integer(n, frame unsafe.Pointer) (int64, bool) {
	v := fs.value(n, frame)
	if !v.IsValid() {
		return 0, false
	}
	if v.CanInterface() {
		if c, ok := v.Interface().(constant.Value); ok {
			return constant.Int64Val(constant.ToInt(c))
		}
	}
	switch {
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), true
	}
	return 0, false
}

// value returns the value that a node had last.
func (fs *faults) value(n, frame unsafe.Pointer) reflect.Value {
	if v := at[reflect.Value](n, fs.node.rval); v.IsValid() {
		return v
	}
	index, level := at[int](n, fs.node.findex), at[int](n, fs.node.level)
	if sym := at[unsafe.Pointer](n, fs.node.sym); sym != nil {
		index = at[int](sym, fs.symbol.index)
		if node := at[unsafe.Pointer](sym, fs.symbol.node); index < 0 && node != nil && node != n {
			return fs.value(node, frame)
		}
		if at[bool](sym, fs.symbol.global) {
			level = -1
		}
	}
	for ; level > 0; level-- {
		frame = at[unsafe.Pointer](frame, fs.frame.anc)
	}
	if level < 0 {
		frame = at[unsafe.Pointer](frame, fs.frame.root)
	}
	data := at[[]reflect.Value](frame, fs.frame.data)
	if index < 0 || index >= len(data) {
		return reflect.Value{}
	}
	return data[index]
}
