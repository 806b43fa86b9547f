package interpreted

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"github.com/hierml/notebook/kernel/internal/program"
)

// bridge returns the functions that lowered code calls, as a package.
func (in *Interpreter) bridge() interp.Exports {
	functions := map[string]any{
		"Frame":         in.frames.register,
		"Reached":       in.setReached,
		"Whole":         in.whole,
		"Show":          in.show,
		"Stop":          stop,
		"Kept":          in.keptValue,
		"Carry":         in.types.Carry,
		"Describe":      in.types.Describe,
		"Embed":         in.types.Embed,
		"Address":       in.types.Address,
		"Method":        in.types.AddMethod,
		"Get":           values.Get,
		"CarryError":    in.types.CarryError,
		"CarryStringer": in.types.CarryStringer,
		"Find":          in.types.Find,
		"Has":           in.types.Has,
		"Implements":    values.Implements,
		"IsNative":      values.IsNative,
		"Is":            in.types.Is,
		"Take":          in.types.Take,
		"Assign":        in.types.Assign,
		"Wrap":          in.types.Wrap,
		"Unwrap":        values.Unwrap,
		"NotA":          values.NotA,
		"Lacks":         in.types.Lacks,
		"LacksCompiled": values.LacksCompiled,
		"Count":         count,
		"PanicValue":    panicValue,
		"NotNil":        values.NotNil,
		"NilPointer":    values.NilPointer,
		"Iterated":      iterated,
		"ErrorsAs":      in.types.ErrorsAs,
		"Defers":        func() *defers { return &defers{} },
		"Defer":         func(d *defers, f func(), number int) { d.calls = append(d.calls, deferred{f, number}) },
		"Protect":       in.protect,
		"Recover":       in.recover,
		"RecoverAtLast": in.recoverAtLast,
		"Entered":       in.entered,
		"Through":       in.through,
		"Operand":       values.Operand,
		"Operands":      values.Operands,
		"Plain":         values.Plain,
		"PlainList":     values.PlainList,
		"AtomicStore":   values.AtomicStore,
		"AtomicSwap":    values.AtomicSwap,
		"AtomicCAS":     values.AtomicCompareAndSwap,
		"Verbs":         values.Verbs,
		"Unmarshal":     values.UnmarshalJSON,
		"Decode":        values.DecoderDecode,
		"Starts":        starts,
		"Clear":         clearValue,
		"Min":           func(v ...float64) float64 { return slices.Min(v) },
		"Max":           func(v ...float64) float64 { return slices.Max(v) },
		"Print":         in.print,
		"Println":       in.println,
		"Words":         func(v any) words { return words{v} },
		"Go":            in.start,
		"Coroutine":     in.coroutine,
		"Select":        in.selects,
		"Lock":          in.lock,
		"RLock":         in.rlock,
		"Await":         in.await,
		"AwaitCond":     in.awaitCond,
		"GroupGo":       in.groupGo,
		"Waits":         in.waits,
		"Interruptible": in.interruptibleFunc,
		"EndsWithCell":  in.endsWithCell,
		"Standard":      in.standard,
		"ParseFlags":    parseFlags,
		"Fatal":         loggerFatal,
		"Fatalf":        loggerFatalf,
		"Fatalln":       loggerFatalln,
	}
	maps.Copy(functions, in.sliceFunctions())
	maps.Copy(functions, genericFunctions())
	symbols := map[string]reflect.Value{}
	for name, f := range functions {
		symbols[name] = reflect.ValueOf(f)
	}
	return interp.Exports{"hierml/bridge/bridge": symbols}
}

// setReached records how many of the cell's statements have run.
func (in *Interpreter) setReached(statement int) {
	id := goroutineID()
	in.mu.Lock()
	defer in.mu.Unlock()
	if t := in.tasks[id]; t != nil {
		t.reached = statement
	}
}

// whole calls a function, or the named method of a receiver, and assigns its results to the targets
// of places; nil drops a result. It is a statement of the cell that an interrupt does not cut.
// number is how many statements have run then.
func (in *Interpreter) whole(number int, places []any, callee any, method string, args ...any) {
	f := reflect.ValueOf(callee)
	if method != "" {
		f = f.MethodByName(method)
	}
	values := make([]reflect.Value, len(args))
	for i, arg := range args {
		values[i] = reflect.New(f.Type().In(i)).Elem()
		if v := reflect.ValueOf(arg); v.IsValid() {
			values[i].Set(v)
		}
	}
	if t := in.task(); t != nil {
		t.keeps.Store(true)
		defer t.keeps.Store(false)
	}
	for i, result := range f.Call(values) {
		if places[i] != nil {
			reflect.ValueOf(places[i]).Elem().Set(result)
		}
	}
	in.setReached(number)
}

// show records the display of the values of the cell's last expression. It omits the last of
// several results if that is a nil error.
func (in *Interpreter) show(lastIsError bool, results ...any) {
	if n := len(results); lastIsError && n > 1 && results[n-1] == nil {
		results = results[:n-1]
	}
	display := in.config.Display
	if display == nil {
		display = values.Text
	}
	bundle := display(results)
	id := goroutineID()
	in.mu.Lock()
	defer in.mu.Unlock()
	if t := in.tasks[id]; t != nil {
		t.bundle, t.values = bundle, results
	}
}

// title returns the name of a cell in errors.
func (in *Interpreter) title(cell int) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if title := in.titles[cell]; title != "" {
		return title
	}
	return fmt.Sprintf("Cell [%d]", cell)
}

// Kept returns the values of a cell whose program has the field Keep; nil if it showed none.
func (in *Interpreter) Kept(cell int) []any {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.kept[cell]
}

// keptValue returns one of the values of a cell.
func (in *Interpreter) keptValue(cell, i int) any {
	if values := in.Kept(cell); i < len(values) {
		return values[i]
	}
	return nil
}

// starts returns the offsets of the characters of a string.
func starts(s string) []int {
	list := make([]int, 0, len(s))
	for i := range s {
		list = append(list, i)
	}
	return list
}

func clearValue(v any) {
	if r := reflect.ValueOf(v); r.IsValid() {
		r.Clear()
	}
}

func (in *Interpreter) stderr() interface{ Write([]byte) (int, error) } {
	if in.config.Stderr == nil {
		return os.Stderr
	}
	return in.config.Stderr
}

// start runs f in a new goroutine.
func (in *Interpreter) start(f func()) { go in.aside(f)() }

// coroutine returns a function that resumes a coroutine, which calls run; in pause, run waits to be
// resumed. The coroutine belongs to the task, and the cell, of the goroutine that resumes it.
func (in *Interpreter) coroutine(run func(pause func())) (resume func()) {
	var c program.Coroutine
	var t *task
	next, _ := iter.Pull(func(yield func(struct{}) bool) {
		id := goroutineID()
		in.frames.begin(id)
		defer in.frames.end(id)
		defer in.leave(id)
		in.join(id, t)
		c.Body(func() {
			run(func() {
				yield(struct{}{})
				c.Resumed()
				in.join(id, t)
			})
		})
	})
	return func() {
		c.Resume()
		defer c.Paused()
		t = in.task()
		next()
	}
}

// aside returns a function that calls f in a goroutine that belongs to the task of the calling one.
// If it panics or exits, so does the task; if that is over, standard error says so, and the session
// continues.
func (in *Interpreter) aside(f func()) func() {
	t := in.task()
	return func() {
		id := goroutineID()
		in.frames.begin(id)
		defer in.frames.end(id)
		in.join(id, t)
		defer in.leave(id)
		defer func() {
			if r := recover(); r != nil {
				in.failedAside(t, r, id)
			}
			if t != nil {
				t.settle(id)
			}
		}()
		f()
	}
}

func (in *Interpreter) failedAside(t *task, value any, goroutine uint64) {
	cell := 0
	if t != nil {
		cell = t.cell
	}
	err := in.runtimeError(value, goroutine, cell)
	if t != nil && t.fail(err) {
		return
	}
	if err.Exit != nil {
		fmt.Fprintf(in.stderr(), "os.Exit(%d) in a goroutine: only the goroutine ends\n", err.Exit.Status)
		return
	}
	fmt.Fprint(in.stderr(), err.InGoroutine(in.title))
}
