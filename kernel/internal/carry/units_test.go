package carry_test

import (
	"container/list"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

var units atomic.Int64 // that were registered

// before and after are one type of the session, which got a method.
type (
	before struct {
		x    int
		next *before
		any  any
	}
	after struct {
		x    int
		next *after
		any  any
	}
	shapeBefore interface{ At() int }
	shapeAfter  interface{ At() int }
)

func (b before) At() int { return b.x }

func (a after) At() int { return a.x }

func (a after) Later() string { return "later" }

// recompile registers a unit with variables of older types and one with pointers to them as newer
// ones, and carries them over.
func recompile(t *testing.T, variables, moved map[string]any, old, new map[string]reflect.Type) []carry.Lost {
	t.Helper()
	first, second := fmt.Sprintf("cell/carry%d", units.Add(1)), fmt.Sprintf("cell/carry%d", units.Add(1))
	own := func(types map[string]reflect.Type) map[string]reflect.Type {
		out := map[string]reflect.Type{}
		for key, typ := range types {
			out[first+key] = typ
		}
		return out
	}
	cell.Register(first, cell.Code{Variables: variables, Types: own(old)})
	cell.Register(second, cell.Code{Moved: moved, Types: own(new)})
	var list []program.Moved
	for name := range moved {
		list = append(list, program.Moved{Name: name, Unit: second, Variable: name, FromUnit: first, FromVariable: name})
	}
	lost, err := carry.Variables(list)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

func TestRecompiled(t *testing.T) {
	x := before{x: 1}
	x.next = &x
	x.any = &x
	values := []before{{x: 2}, {x: 3, any: before{x: 4}}}
	var shown shapeBefore = before{x: 5}
	bag := []any{before{x: 6}, &values[0], []before{{x: 7}}, map[string]before{"a": {x: 8}}, 9, "text", nil, [2]before{}}
	keys := map[any]int{before{x: 10}: 1, "k": 2}
	nested := map[string]any{"deep": map[string]any{"deeper": before{x: 11}}}
	var m sync.Map
	m.Store("a", before{x: 12})
	m.Store(before{x: 13}, 1)
	var value atomic.Value
	value.Store(before{x: 14})
	var pointer atomic.Pointer[any]
	var held any = before{x: 15}
	pointer.Store(&held)
	l := list.New()
	l.PushBack(before{x: 16})
	err := fmt.Errorf("%w", fmt.Errorf("inner"))
	call := func() int { return 17 }
	ch := make(chan any, 3)
	ch <- before{x: 18}
	ch <- 1

	var (
		newX      *after
		newValues *[]after
		newShown  *shapeAfter
	)
	lost := recompile(t,
		map[string]any{"x": &x, "values": &values, "shown": &shown, "bag": &bag, "keys": &keys, "nested": &nested, "m": &m, "value": &value,
			"pointer": &pointer, "l": &l, "err": &err, "call": &call, "ch": &ch},
		map[string]any{"x": &newX, "values": &newValues, "shown": &newShown},
		map[string]reflect.Type{"p": reflect.TypeFor[before](), "s": reflect.TypeFor[shapeBefore]()},
		map[string]reflect.Type{"p": reflect.TypeFor[after](), "s": reflect.TypeFor[shapeAfter]()})
	if len(lost) > 0 {
		t.Fatal(lost)
	}
	if newX.x != 1 || newX.next != newX || newX.any != any(newX) {
		t.Errorf("%+v", newX)
	}
	if (*newValues)[1].any != any(after{x: 4}) || &(*newValues)[0] != bag[1] {
		t.Errorf("%+v", *newValues)
	}
	if *newShown != shapeAfter(after{x: 5}) || (*newShown).At() != 5 {
		t.Errorf("%+v", *newShown)
	}
	want := []any{after{x: 6}, &(*newValues)[0], []after{{x: 7}}, map[string]after{"a": {x: 8}}, 9, "text", nil, [2]after{}}
	if !reflect.DeepEqual(bag, want) {
		t.Errorf("%#v", bag)
	}
	if keys[after{x: 10}] != 1 || keys["k"] != 2 || len(keys) != 2 {
		t.Errorf("%#v", keys)
	}
	if nested["deep"].(map[string]any)["deeper"] != any(after{x: 11}) {
		t.Errorf("%#v", nested)
	}
	a, _ := m.Load("a")
	b, _ := m.Load(after{x: 13})
	if a != any(after{x: 12}) || b != any(1) {
		t.Errorf("%#v %#v", a, b)
	}
	if value.Load() != any(after{x: 14}) || held != any(after{x: 15}) || l.Front().Value != any(after{x: 16}) {
		t.Errorf("%#v %#v %#v", value.Load(), held, l.Front().Value)
	}
	if call() != 17 || err.Error() != "inner" || <-ch != any(after{x: 18}) || <-ch != any(1) {
		t.Error("what has nothing to do with it changed")
	}
}

func TestNotThere(t *testing.T) {
	for want, m := range map[string]program.Moved{
		"carry: unit cell/none is not loaded":                     {Unit: "cell/none", Variable: "x", FromUnit: "cell/there", FromVariable: "x"},
		"carry: unit cell/there has no pointer to the variable y": {Unit: "cell/there", Variable: "y", FromUnit: "cell/there", FromVariable: "x"},
		"carry: unit cell/there has no variable y":                {Unit: "cell/there", Variable: "x", FromUnit: "cell/there", FromVariable: "y"},
	} {
		x := 1
		cell.Register("cell/there", cell.Code{Variables: map[string]any{"x": &x}})
		if _, err := carry.Variables([]program.Moved{m}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBehind(t *testing.T) {
	if left := carry.Behind(nil); left.Whole != nil || left.InPart != nil {
		t.Errorf("of nothing: %v", left)
	}
	left := carry.Behind([]carry.Lost{{Name: "x", Key: "cell/1.x", Path: "x", Why: "no"}, {Name: "y", Key: "cell/1.y", Path: "y.z", Why: "no", More: 2}})
	if want := (program.LeftBehind{Whole: map[string]string{"cell/1.x": "no"}, InPart: map[string]string{"cell/1.y": "y.z: no (and 2 more)"}}); !reflect.DeepEqual(left, want) {
		t.Errorf("%v, want %v", left, want)
	}
}
