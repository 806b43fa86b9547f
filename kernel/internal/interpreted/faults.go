package interpreted

import (
	"fmt"
	"go/constant"
	"go/token"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// faults finds the details that yaegi omits from run-time errors. It indexes by reflect, whose
// panics do not say which index of how many. But when yaegi reports that a panic passes a function,
// the stack of the panic is still there: its traceback names the operation, and the arguments of
// runCfg are the innermost function's first node and its frame of variables. The operation's
// operands are in that frame. So the numbers cost nothing until something fails.
//
// The fields are unexported; newFaults fails if a version of yaegi lacks them.
type faults struct {
	node   nodeFields
	frame  frameFields
	symbol symbolFields
	// kinds and actions to look for.
	index, slice, assign, function, literal, call, binary, composite, entry, step uint
	// of a type
	rtype     uintptr
	fromStart uint
}

// The fields of yaegi's structs, by their offsets.
type nodeFields struct{ child, anc, findex, level, nleft, kind, pos, sym, action, rval, ident, typ uintptr }

type frameFields struct{ root, anc, data uintptr }

type symbolFields struct{ node, index, global uintptr }

// A fault is the operation of yaegi that panicked, with the operands in the words of Go's run-time
// error; unknown parts are empty.
type fault struct {
	operation string
	words     string
	// keyType is the type of an uncomparable value in an interface, and assigned is set if it is a
	// key that is assigned to.
	keyType  string
	assigned bool
	// ours is set if a function of the bridge panicked, compiled if another compiled function did.
	ours, compiled bool
}

// kinds are the operations of program.Frame, by those of yaegi.
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
			typ: offset(node, "typ", reflect.Pointer),
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
	typ, _ := node.FieldByName("typ")
	fs.rtype = offset(typ.Type.Elem(), "rtype", reflect.Interface)
	kind, _ := node.FieldByName("kind")
	action, _ := node.FieldByName("action")
	for number, place := range map[string]*uint{
		"indexExpr": &fs.index, "sliceExpr": &fs.slice, "assignStmt": &fs.assign,
		"funcDecl": &fs.function, "funcLit": &fs.literal, "callExpr": &fs.call, "binaryExpr": &fs.binary, "compositeLitExpr": &fs.composite, "keyValueExpr": &fs.entry, "incDecStmt": &fs.step,
	} {
		*place = numberOf(kind.Type, number)
	}
	fs.fromStart = numberOf(action.Type, "slice0")
	return fs, nil
}

// numberOf returns the number of type t with a name.
func numberOf(t reflect.Type, name string) uint {
	v := reflect.New(t).Elem()
	for n := uint(0); ; n++ {
		v.SetUint(uint64(n))
		if fmt.Sprint(v.Interface()) == name {
			return n
		}
	}
}

// at returns the value at an offset of a struct.
func at[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

// running matches the call in a traceback that runs a function, with the function's first node and
// its frame. The run time marks arguments that may be outdated with a question mark.
var running = regexp.MustCompile(`(?m)^github\.com/traefik/yaegi/interp\.runCfg\(0x([0-9a-f]+), 0x([0-9a-f]+), `)

// operating matches the operations of yaegi.
var operating = regexp.MustCompile(`(?m)^github\.com/traefik/yaegi/interp\.([A-Za-z0-9_]+)\.func`)

// last describes the panic that passes the innermost interpreted function of the calling goroutine.
// Call it only from code that yaegi calls then.
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
		f.ours = strings.Contains(text[:call[0]], "\n"+own+".") || strings.Contains(text[:call[0]], "\n"+own+"/values.")
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
	if f.compiled {
		return f
	}
	// Both are alive: the call with these arguments is on the stack.
	n, at := uintptr(node), uintptr(frame)
	describe := func(what func(n, frame unsafe.Pointer) string) string {
		return fs.describe(*(*unsafe.Pointer)(unsafe.Pointer(&n)), *(*unsafe.Pointer)(unsafe.Pointer(&at)), what)
	}
	switch f.operation {
	case "getIndexArray":
		f.words = describe(fs.only(fs.index))
	case "slice", "slice0":
		f.words = describe(fs.only(fs.slice))
	case "_make":
		f.words = describe(fs.only(fs.call))
	default:
		f.keyType = describe(func(n, frame unsafe.Pointer) string {
			name := fs.uncomparable(n, frame)
			f.assigned = name != "" && fs.assigned(n)
			return name
		})
	}
	return f
}

// compiled reports whether a function that yaegi called by reflection panicked, and not reflection
// itself. The text is the traceback from the panic on.
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

// describe returns the text about the operation of a function that fails, given its first node and
// its frame. Among the operations between the last note and the next one, it is the first for which
// what returns a text: that one must fail.
func (fs *faults) describe(start, frame unsafe.Pointer, what func(n, frame unsafe.Pointer) string) (words string) {
	defer func() {
		if recover() != nil {
			words = "" // the text without the operands must do
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
	from := map[int]bool{} // the positions of the last note
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
	// The values of a later case of a switch come after the notes of the earlier cases.
	for _, behindOthers := range []bool{false, true} {
		for _, n := range nodes {
			if pos := at[int](n, fs.node.pos); noted && !behind(pos, notes, from, behindOthers) {
				continue
			}
			if words := what(n, frame); words != "" {
				return words
			}
		}
		if !noted {
			break
		}
	}
	return ""
}

// behind reports whether the last note is the nearest one before a position, or, with behindOthers,
// any one before it.
func behind(pos int, notes []int, last map[int]bool, behindOthers bool) bool {
	nearest := 0
	for _, p := range notes {
		if p > pos {
			continue
		}
		if behindOthers && last[p] {
			return true
		}
		nearest = max(nearest, p)
	}
	return last[nearest]
}

// walk visits the nodes of a function, operands before their operations, and values before the
// places that they are assigned to.
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

// note reports whether a node is a note of the position, with the value that it notes and the
// current one.
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

// only returns operation for the nodes of one kind. Operands of other kinds may be outdated: yaegi
// keeps several in one place.
func (fs *faults) only(kind uint) func(n, frame unsafe.Pointer) string {
	return func(n, frame unsafe.Pointer) string {
		if at[uint](n, fs.node.kind) != kind {
			return ""
		}
		return fs.operation(n, frame)
	}
}

// operation words the failure of a node if it is an operation that fails.
func (fs *faults) operation(n, frame unsafe.Pointer) string {
	children := at[[]unsafe.Pointer](n, fs.node.child)
	kind := at[uint](n, fs.node.kind)
	if kind == fs.call && len(children) > 2 && at[string](children[0], fs.node.ident) == "make" {
		return makeWords(fs.made(children[1]), fs.bounds(children[2:], frame))
	}
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
	bounds := fs.bounds(children[1:], frame)
	if bounds == nil {
		return ""
	}
	if kind == fs.index {
		return indexWords(x, bounds[0])
	}
	if at[uint](n, fs.node.action) == fs.fromStart {
		bounds = append([]constant.Value{constant.MakeInt64(0)}, bounds...)
	}
	return sliceWords(x, bounds)
}

// bounds returns the values of nodes of integer types, nil if one is unknown.
func (fs *faults) bounds(nodes []unsafe.Pointer, frame unsafe.Pointer) []constant.Value {
	bounds := make([]constant.Value, len(nodes))
	for i, n := range nodes {
		if bounds[i] = fs.bound(n, frame); bounds[i] == nil {
			return nil
		}
	}
	return bounds
}

// made returns yaegi's type for a type node, nil if unknown.
func (fs *faults) made(n unsafe.Pointer) reflect.Type {
	if typ := at[unsafe.Pointer](n, fs.node.typ); typ != nil {
		return at[reflect.Type](typ, fs.rtype)
	}
	return nil
}

// makeWords words the failure of make, given the type, the length and possibly the capacity.
func makeWords(t reflect.Type, bounds []constant.Value) string {
	if t == nil || t.Kind() != reflect.Slice || len(bounds) == 0 {
		return ""
	}
	size := constant.MakeUint64(uint64(t.Elem().Size()))
	tooMany := func(n constant.Value) bool {
		bytes, ok := constant.Int64Val(constant.BinaryOp(n, token.MUL, size))
		return constant.Sign(n) < 0 || !ok || !allocatable(bytes)
	}
	last := bounds[len(bounds)-1]
	switch {
	case tooMany(bounds[0]):
		return "makeslice: len out of range"
	case tooMany(last) || constant.Compare(bounds[0], token.GTR, last):
		return "makeslice: cap out of range"
	}
	return ""
}

// allocatable reports whether the run time would try to allocate that many bytes. For a slice with
// a length beyond its capacity, it reports the error before it allocates anything.
func allocatable(bytes int64) (yes bool) {
	defer func() {
		if err, ok := recover().(error); ok {
			yes = strings.Contains(err.Error(), "cap out of range")
		}
	}()
	runtime.KeepAlive(makeBytes(bytes, 0))
	return true
}

//go:noinline
func makeBytes(length int64, capacity int) []byte { return make([]byte, length, capacity) }

func indexWords(x reflect.Value, i constant.Value) string {
	if constant.Sign(i) < 0 {
		return fmt.Sprintf("index out of range [%s]", i.ExactString())
	}
	if length := constant.MakeInt64(int64(x.Len())); constant.Compare(i, token.GEQ, length) {
		return fmt.Sprintf("index out of range [%s] with length %s", i.ExactString(), length)
	}
	return ""
}

// sliceWords words the failure of x[bounds...]; bounds holds the lowest index and, if given, the
// next two.
func sliceWords(x reflect.Value, bounds []constant.Value) string {
	length := constant.MakeInt64(int64(x.Len()))
	limit, of := length, "length"
	if x.Kind() == reflect.Slice {
		limit, of = constant.MakeInt64(int64(x.Cap())), "capacity"
	}
	const text = "slice bounds out of range "
	above := func(form string, i, j constant.Value) string {
		if constant.Sign(i) < 0 {
			form = strings.Replace(form, "%[2]s", "", 1)
			return text + fmt.Sprintf(form, i.ExactString())
		}
		if constant.Compare(i, token.GTR, j) {
			return text + fmt.Sprintf(form, i.ExactString(), j.ExactString())
		}
		return ""
	}
	beyond := func(colons string, i constant.Value) string {
		if constant.Sign(i) < 0 {
			return text + fmt.Sprintf("[%s%s]", colons, i.ExactString())
		}
		if constant.Compare(i, token.GTR, limit) {
			return text + fmt.Sprintf("[%s%s] with %s %s", colons, i.ExactString(), of, limit.ExactString())
		}
		return ""
	}
	var words [3]string
	switch len(bounds) {
	case 1:
		words[0] = above("[%[1]s:%[2]s]", bounds[0], length)
	case 2:
		words[0] = beyond(":", bounds[1])
		words[1] = above("[%[1]s:%[2]s]", bounds[0], bounds[1])
	case 3:
		words[0] = beyond("::", bounds[2])
		words[1] = above("[:%[1]s:%[2]s]", bounds[1], bounds[2])
		words[2] = above("[%[1]s:%[2]s:]", bounds[0], bounds[1])
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
	if b := fs.bound(n, frame); b != nil {
		return constant.Int64Val(b)
	}
	return 0, false
}

// bound returns the value of a node of an integer type, even if it is too large for int64; nil if
// unknown.
func (fs *faults) bound(n, frame unsafe.Pointer) constant.Value { return whole(fs.value(n, frame)) }

// whole returns the integer in a value of yaegi, nil if it is something else.
func whole(v reflect.Value) constant.Value {
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() {
		if c, ok := v.Interface().(constant.Value); ok {
			if c = constant.ToInt(c); c.Kind() == constant.Int {
				return c
			}
			return nil
		}
	}
	switch {
	case v.CanInt():
		return constant.MakeInt64(v.Int())
	case v.CanUint():
		return constant.MakeUint64(v.Uint())
	}
	return nil
}

// value returns the last value of a node.
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
