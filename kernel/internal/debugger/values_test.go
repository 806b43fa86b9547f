package debugger

import (
	"reflect"
	"testing"
)

// TestNamedStructs tells structs whose type reflection has no name for, as those of interpreted
// cells.
func TestNamedStructs(t *testing.T) {
	type own struct{ X int }
	plain := struct {
		X int
		Y string
	}{1, "a"}
	for _, c := range []struct {
		v         any
		typ, want string
	}{
		{plain, "Pt", `Pt{X: 1, Y: "a"}`},
		{&plain, "*Pt", `&Pt{X: 1, Y: "a"}`},
		{plain, "", `struct { X int; Y string }{X: 1, Y: "a"}`},
		{own{2}, "Pt", "debugger.own{X: 2}"},
		{3, "Pt", "3"},
		{(*own)(nil), "*Pt", "nil"},
	} {
		n := variable{value: value{rv: reflect.ValueOf(c.v)}, typ: c.typ}
		if got := n.text(); got != c.want {
			t.Errorf("%v as %s: got %s, want %s", c.v, c.typ, got, c.want)
		}
	}
}
