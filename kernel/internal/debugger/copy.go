package debugger

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
)

// An Undeclared is the body of the response to copyToGlobals if the session has no variable with
// the needed name and type. The caller may declare one and ask again.
type Undeclared struct {
	// Name and Type are those of the variable, as a cell would write them.
	Name string `json:"undeclared"`
	Type string `json:"type"`
}

// copied answers copyToGlobals: a variable of the session gets the value of one of a call.
func (d *Debugger) copied(a *arguments) (any, error) {
	if !token.IsIdentifier(a.To) || a.To == "_" {
		return nil, fmt.Errorf("%q is not a valid variable name", a.To)
	}
	c, shown, err := d.at(a.FromFrame)
	if err != nil {
		return nil, err
	}
	var list []variable
	if c != nil {
		list = c.names()
	}
	globals := d.globals()
	from, ok := find(append(list, globals...), a.From)
	if !ok {
		return nil, fmt.Errorf("no variable %s in this call", a.From)
	}
	to, ok := find(globals, a.To)
	if !ok || to.typ != from.typ || !to.value.rv.CanSet() || to.value.rv.Type() != from.value.rv.Type() {
		return Undeclared{a.To, from.typ}, fmt.Errorf("the session has no variable %s of type %s", a.To, from.typ)
	}
	d.mu.Lock()
	if shown != d.shown {
		err = errors.New("the program has continued since these variables were shown")
	} else {
		to.value.rv.Set(from.value.rv)
	}
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	to.value.typ = from.value.typ // which is the same
	told := map[string]any{"value": to.value.text(), "type": to.typeName()}
	maps.Copy(told, d.expandable(&to, nil, 0, shown))
	return told, nil
}

// find returns the variable with a name.
func find(list []variable, name string) (n variable, ok bool) {
	at := slices.IndexFunc(list, func(n variable) bool { return n.name == name && n.value.rv.IsValid() })
	if at < 0 {
		return variable{}, false
	}
	return list[at], true
}
