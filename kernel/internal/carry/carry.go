// Package carry takes the values of variables from the interpreter to compiled cells, from older
// compiled cells to newer ones, and from one process to another.
//
// # In place
//
// The interpreter lays values out in memory as the compiler does: its types differ from the
// compiled ones in names, in methods, and in what stands in the first word of an interface. The
// same is true of a type that is compiled anew with more methods. So values stay where they are and
// are read as the other type from then on: pointers, cycles, shared slices and maps are kept
// without further ado, and a large slice of numbers costs nothing. What has to be changed is
// changed in place: interfaces, the keys of maps that hash otherwise, and functions.
//
// Only the variables themselves move, where the compiled code has its own; then pointers to the old
// ones are bent to the new ones wherever they are found.
//
// # What is not carried
//
// Functions that the interpreter made are replaced by ones that say so when they are called. Values
// whose form is another in compiled code, and those in interfaces whose type is not known there,
// become zero. Each variable with such a part is named, once.
//
// What compiled functions and the run time hold out of sight is not seen: the variables that a
// compiled function has kept, values behind unsafe.Pointer, and goroutines. Those that still run go
// on with what they have: what they write to an older variable later, later cells may not see, and
// they must not write to maps meanwhile.
//
// # Out of the process
//
// Save writes variables and all that they lead to, and Load reads them in another process of the
// same program that has units with the same types. Memory that several pointers or slices lead to
// is written once.
package carry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Interpreter is what is asked of the interpreter.
type Interpreter interface {
	// Variable returns a variable by its lowered name. It is addressable.
	Variable(lowered string) (reflect.Value, bool)
	// Held returns the value of a session type that an interface holds, and the number of its type.
	Held(v any) (value any, number int, ok bool)
	// Type tells of a type by its number: its kind, its name as %T prints it, whether that was
	// declared, and the numbers of its parts, 0 for types that are the compiled ones.
	Type(number int) (kind, name string, declared bool, elems []int)
	// Shown returns the values that cells showed, to be set.
	Shown() [][]any
}

// Lost is a variable that was not carried over, or not whole.
type Lost struct {
	Name string // the user's
	Key  string // program.Moved's
	Path string // what part of it: x.field[3]
	Why  string // in a few words
	More int    // how many further parts are lost
}

// String says what is lost and why.
func (l Lost) String() string {
	text := l.Why
	if l.Path != l.Name {
		text = l.Path + ": " + l.Why
	}
	if l.More > 0 {
		text += fmt.Sprintf(" (and %d more)", l.More)
	}
	return text
}

// Behind tells of what was lost by keys.
func Behind(lost []Lost) program.LeftBehind {
	var left program.LeftBehind
	for _, l := range lost {
		of := &left.InPart
		if l.Path == l.Name {
			of = &left.Whole
		}
		if *of == nil {
			*of = map[string]string{}
		}
		(*of)[l.Key] = l.String()
	}
	return left
}

// Variables carries variables over: those of the interpreter, and those of older units. All that
// are carried at one time keep what they share. The units must be loaded, and no code of cells may
// run. A variable that stays in its unit can be among them, to be named if it is lost. Where types
// were compiled anew, what the interfaces of all variables of units hold becomes of the newest
// types, and so do the values that cells have shown.
//
// The errors are faults of the program: variables that are not there.
func Variables(in Interpreter, moved []program.Moved, shown ...[]any) ([]Lost, error) {
	if !slices.ContainsFunc(moved, func(v program.Moved) bool { return v.FromUnit == "" }) {
		in = nil
	}
	naturalize()
	m := newMover(in)
	var list []*variable
	for _, v := range moved {
		x, err := m.find(v)
		switch {
		case err != nil:
			return nil, err
		case x.from.IsValid():
			list = append(list, x)
		default:
			m.variable = x
			m.lose(nil, "the interpreter does not have it")
		}
	}
	m.move(list)
	lost := m.lost
	list = nil
	if m.anew {
		for key, p := range cell.Variables() {
			v := reflect.ValueOf(p).Elem()
			_, name, _ := strings.Cut(key, ".")
			list = append(list, &variable{Moved: program.Moved{Name: name}, from: v, to: v, link: true})
		}
	}
	m.move(list)
	if in == nil {
		lost = m.lost
	}
	cell.Renew(m.anew, func(t reflect.Type) reflect.Type {
		if !outdated(t) { // which is found faster
			return t
		}
		return m.types.current(t)
	})
	if in != nil {
		shown = append(shown, in.Shown()...)
	}
	for _, values := range shown {
		m.show(values)
	}
	return lost, nil
}

// A variable is one to be carried.
type variable struct {
	program.Moved
	from, to reflect.Value // addressable
	link     bool          // to is where from was
	pointer  reflect.Value // of the unit, to it
}

// find returns the variable, and where it goes. It is not valid where the interpreter does not have
// it.
func (m *mover) find(v program.Moved) (*variable, error) {
	x := &variable{Moved: v}
	var err error
	if v.FromUnit != "" {
		if x.from, err = variableOf(v.FromUnit, v.FromVariable); err != nil {
			return nil, err
		}
	}
	if v.Unit == v.FromUnit && v.Variable == v.FromVariable {
		x.to, x.link = x.from, true
		return x, nil
	}
	code, ok := cell.Lookup(v.Unit)
	if !ok {
		return nil, fmt.Errorf("carry: unit %s is not loaded", v.Unit)
	}
	if v.FromUnit == "" {
		if m.in == nil {
			return nil, fmt.Errorf("carry: there is no interpreter with the variable %s", v.FromVariable)
		}
		if x.from, ok = m.in.Variable(v.FromVariable); !ok {
			return x, nil
		}
	}
	if p, ok := code.Moved[v.Variable]; ok {
		// The pointer of the unit is set to the old variable, of whatever type.
		x.pointer, x.link = reflect.ValueOf(p).Elem(), true
		x.to = reflect.NewAt(x.pointer.Type().Elem(), x.from.Addr().UnsafePointer()).Elem()
		x.pointer.Set(x.to.Addr())
		return x, nil
	}
	x.to, err = variableOf(v.Unit, v.Variable)
	return x, err
}

// variableOf returns a variable of a unit, or the one that it points to.
func variableOf(unit, name string) (reflect.Value, error) {
	code, ok := cell.Lookup(unit)
	if !ok {
		return reflect.Value{}, fmt.Errorf("carry: unit %s is not loaded", unit)
	}
	if p, ok := code.Variables[name]; ok {
		return reflect.ValueOf(p).Elem(), nil
	}
	if p, ok := code.Moved[name]; ok && !reflect.ValueOf(p).Elem().IsNil() {
		return reflect.ValueOf(p).Elem().Elem(), nil
	}
	return reflect.Value{}, fmt.Errorf("carry: unit %s has no variable %s", unit, name)
}

// move carries variables over.
func (m *mover) move(list []*variable) {
	var good []*variable
	for _, v := range list {
		m.variable = v
		if !m.forms.same(v.from.Type(), v.to.Type()) {
			if v.link {
				v.pointer.Set(reflect.New(v.to.Type()))
			}
			m.lose(nil, formOther(v.from.Type(), v.to.Type()))
			continue
		}
		good = append(good, v)
		if !v.link {
			m.slots.add(v.from, v.to)
			// As memory of the old type: it has the same form.
			reflect.NewAt(v.from.Type(), v.to.Addr().UnsafePointer()).Elem().Set(v.from)
		}
	}
	m.slots.sort()
	for _, v := range good {
		m.variable = v
		m.inline(nil, v.to.Addr().UnsafePointer(), v.from.Type(), v.to.Type(), false)
		m.drain()
	}
}

// show carries over values that were shown. What cannot be stays what it is, and whoever asks for
// it finds that it is of another type.
func (m *mover) show(values []any) {
	m.variable = &variable{Moved: program.Moved{Name: "Out"}}
	for i, v := range values {
		if v == nil {
			continue
		}
		if held, changed, why := m.held(nil, reflect.ValueOf(v)); changed && why == "" {
			values[i] = held.Interface()
		}
		m.drain()
	}
}
