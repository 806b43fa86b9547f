package interpreted

import (
	"go/constant"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/stdlib/magic"
)

// hooks gives the check of the debugger's hooks, if magic.Stops(n), its own instruction: yaegi
// would call the function by reflection for each statement. It also creates the variables behind
// the check only when the program gets there: yaegi creates all variables of a function at each
// call, and those of hooks would be most of them.
//
// The fields are unexported; newZeros and newFaults fail if a version of yaegi lacks them.
type hooks struct {
	*instructions
	call, condition                            uint
	generate, value, place, level, sym, listed uintptr // of a node
	global                                     uintptr // of a symbol
	data                                       uintptr // of a frame
}

func newHooks(z *zeros, fs *faults) *hooks {
	return &hooks{
		instructions: z.instructions, generate: z.generate, listed: z.types, data: z.data,
		call: fs.call, condition: numberOf(z.kinds, "ifStmt0"),
		value: fs.node.rval, place: fs.node.findex, level: fs.node.level, sym: fs.node.sym, global: fs.symbol.global,
	}
}

// stops is what hooks call.
var stops = reflect.ValueOf(magic.Stops).Pointer()

// keep prepares the hooks of a program that is compiled, and was not executed yet.
func (h *hooks) keep(p *interp.Program) {
	var tree func(n, function unsafe.Pointer)
	tree = func(n, function unsafe.Pointer) {
		children := at[[]unsafe.Pointer](n, h.child)
		switch at[uint](n, h.kind) {
		case h.literal:
			return // yaegi has generated its instructions during compilation
		case h.function:
			function = n
		case h.condition:
			if number, ok := h.asked(children[0]); ok && function != nil {
				h.prepare(children[0], magic.Switch(number), h.later(n, function))
				return
			}
		}
		for _, c := range children {
			tree(c, function)
		}
	}
	if root := h.tree(p); root != nil {
		tree(root, nil)
	}
}

// asked returns the number of the hook in the condition of an if statement, if it is one of a hook.
func (h *hooks) asked(n unsafe.Pointer) (number int, ok bool) {
	children := at[[]unsafe.Pointer](n, h.child)
	if at[uint](n, h.kind) != h.call || len(children) != 2 {
		return 0, false
	}
	called := at[reflect.Value](children[0], h.value)
	if called.Kind() != reflect.Func || called.Pointer() != stops {
		return 0, false
	}
	c := whole(at[reflect.Value](children[1], h.value))
	if c == nil {
		return 0, false
	}
	hook, ok := constant.Int64Val(c)
	return int(hook), ok && hook >= 0 && hook < magic.MaxStops
}

// later removes the variables of a hook from those that its function creates when it is called, and
// returns a function that creates them in a frame. Variables are numbered in the order of the text:
// those of the hook are the condition's, and the following ones up to the last in it.
func (h *hooks) later(hook, function unsafe.Pointer) (places func(frame unsafe.Pointer)) {
	types := at[[]reflect.Type](function, h.listed)
	first := at[int](at[[]unsafe.Pointer](hook, h.child)[0], h.place)
	last := first
	var tree func(n unsafe.Pointer)
	tree = func(n unsafe.Pointer) {
		sym := at[unsafe.Pointer](n, h.sym)
		if global := sym != nil && at[bool](sym, h.global); !global && at[int](n, h.level) == 0 {
			last = max(last, at[int](n, h.place))
		}
		for _, c := range at[[]unsafe.Pointer](n, h.child) {
			tree(c)
		}
	}
	tree(hook)
	if first < 0 || last >= len(types) {
		return func(unsafe.Pointer) {}
	}
	own := slices.Clone(types[first : last+1])
	for i := range own {
		types[first+i] = reflect.TypeFor[struct{}]()
	}
	return func(frame unsafe.Pointer) {
		data := at[[]reflect.Value](frame, h.data)
		for i, t := range own {
			data[first+i] = reflect.New(t).Elem()
		}
	}
}

// prepare turns a condition into an instruction that reads a switch, and creates the variables of
// the hook.
func (h *hooks) prepare(n unsafe.Pointer, on *atomic.Bool, places func(frame unsafe.Pointer)) {
	generate := (*func(unsafe.Pointer))(unsafe.Add(n, h.generate))
	made := *generate
	*generate = func(n unsafe.Pointer) {
		made(n) // with the next instruction
		stop := at[step](at[unsafe.Pointer](n, h.next), h.code)
		pass := at[step](at[unsafe.Pointer](n, h.otherwise), h.code)
		*(*step)(unsafe.Add(n, h.code)) = func(frame unsafe.Pointer) step {
			if on.Load() {
				places(frame)
				return stop
			}
			return pass
		}
	}
}
