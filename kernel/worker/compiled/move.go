package compiled

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/compiled/cell"
)

// Variable returns a variable of a unit, which is addressable.
func Variable(unit, name string) (reflect.Value, error) {
	code, ok := cell.Lookup(unit)
	if !ok {
		return reflect.Value{}, fmt.Errorf("compiled: there is no unit %s", unit)
	}
	v := reflect.ValueOf(code.Variables[name])
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return reflect.Value{}, fmt.Errorf("compiled: the unit %s has no variable %s", unit, name)
	}
	return v.Elem(), nil
}

// move moves variables from unit to unit, where their type is the same, and has
// the others carried over. The bundle tells which stay behind; it is nil if
// there are none.
func (r *Runner) move(moved []engine.Moved) (*engine.Bundle, error) {
	left := map[string]any{}
	var others []engine.Moved
	for _, m := range moved {
		done, err := moveWithin(m)
		if err != nil {
			return nil, err
		}
		if !done {
			others = append(others, m)
		}
	}
	if len(others) > 0 && r.config.Carry != nil {
		more, err := r.config.Carry(others)
		if err != nil {
			return nil, err
		}
		maps.Copy(left, more)
		others = nil
	}
	for _, m := range others {
		left[m.Key()] = "nothing carries it over"
	}
	if len(left) == 0 {
		return nil, nil
	}
	return &engine.Bundle{Data: map[string]any{engine.LeftBehind: left}}, nil
}

// moveWithin moves a variable between units, and reports whether it could: its
// type may be another, and it may be the interpreter's.
func moveWithin(m engine.Moved) (bool, error) {
	if m.FromUnit == "" {
		return false, nil
	}
	from, err := Variable(m.FromUnit, m.FromVariable)
	if err != nil {
		return false, err
	}
	code, ok := cell.Lookup(m.Unit)
	if !ok {
		return false, fmt.Errorf("compiled: there is no unit %s", m.Unit)
	}
	if slot := reflect.ValueOf(code.Moved[m.Variable]); slot.IsValid() {
		if slot.Type().Elem() != from.Addr().Type() {
			return false, nil
		}
		slot.Elem().Set(from.Addr())
		return true, nil
	}
	to, err := Variable(m.Unit, m.Variable)
	if err != nil {
		return false, err
	}
	if to.Type() != from.Type() {
		return false, nil
	}
	to.Set(from)
	return true, nil
}
