package carry

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Lost is a variable that was not carried over, or not completely.
type Lost struct {
	Name string // the user's
	Key  string // program.Moved's
	Path string // the lost part: x.field[3]
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

// Behind summarizes losses by key.
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

// Variables carries the variables of older units over to newer ones. Variables carried in one call
// keep what they share. The units must be loaded, and no cell code may run. A variable that stays
// in its unit can be included, to be named if a part of it is lost. If types were compiled again,
// the values in interfaces of all variables of units get the newest types, and so do the values
// that cells have shown.
//
// An error is a fault of the program: a variable that does not exist.
func Variables(moved []program.Moved, shown ...[]any) ([]Lost, error) {
	naturalize()
	m := newMover()
	var list []*variable
	for _, v := range moved {
		x, err := find(v)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	m.move(list)
	if m.anew {
		list = nil
		for key, p := range cell.Variables() {
			v := reflect.ValueOf(p).Elem()
			_, name, _ := strings.Cut(key, ".")
			list = append(list, &variable{Moved: program.Moved{Name: name}, from: v, to: v})
		}
		m.move(list)
	}
	lost := m.lost
	cell.Renew(m.anew, func(t reflect.Type) reflect.Type {
		if !outdated(t) { // this check is faster
			return t
		}
		return m.types.current(t)
	})
	for _, values := range shown {
		m.show(values)
	}
	return lost, nil
}

// A variable is carried over. Its value stays in the same memory.
type variable struct {
	program.Moved
	from, to reflect.Value // addressable
	// of the newer unit, to the variable; not valid if that has its own unit's type
	pointer reflect.Value
}

// find returns a variable, and sets the pointer of the newer unit to it.
func find(v program.Moved) (*variable, error) {
	from, err := variableOf(v.FromUnit, v.FromVariable)
	if err != nil {
		return nil, err
	}
	x := &variable{Moved: v, from: from, to: from}
	if v.Unit == v.FromUnit && v.Variable == v.FromVariable {
		return x, nil
	}
	code, ok := cell.Lookup(v.Unit)
	if !ok {
		return nil, fmt.Errorf("carry: unit %s is not loaded", v.Unit)
	}
	p, ok := code.Moved[v.Variable]
	if !ok {
		return nil, fmt.Errorf("carry: unit %s has no pointer to the variable %s", v.Unit, v.Variable)
	}
	x.pointer = reflect.ValueOf(p).Elem()
	x.to = reflect.NewAt(x.pointer.Type().Elem(), from.Addr().UnsafePointer()).Elem()
	x.pointer.Set(x.to.Addr())
	return x, nil
}

// variableOf returns a variable of a unit, or the variable that it points to.
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
	for _, v := range list {
		m.variable = v
		if !m.forms.same(v.from.Type(), v.to.Type()) {
			v.pointer.Set(reflect.New(v.to.Type()))
			m.lose(nil, fmt.Sprintf("the memory layout of type %s has changed", v.to.Type()))
			continue
		}
		m.inline(nil, v.to.Addr().UnsafePointer(), v.from.Type(), v.to.Type())
		m.drain()
	}
}

// show carries over the values of cells. A value that cannot be carried over stays the same, and a
// cell that asks for it finds that its type has changed.
func (m *mover) show(values []any) {
	m.variable = &variable{Moved: program.Moved{Name: "Out"}}
	for i, v := range values {
		if v == nil {
			continue
		}
		if held, changed := m.held(nil, reflect.ValueOf(v)); changed {
			values[i] = held.Interface()
		}
		m.drain()
	}
}
