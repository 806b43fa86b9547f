package carry_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/kernel/internal/carry"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/interpreted"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// interpreting is a session of the interpreter.
type interpreting struct {
	unasked
	*interpreted.Interpreter
	lowered map[string]string // the newest variable of a name
	numbers map[string]string // of types, by the names that %T prints
}

func (s *interpreting) Run(ctx context.Context, p *program.Program, _ program.Output) (*program.Bundle, error) {
	for _, source := range p.Source {
		for _, m := range regexp.MustCompile(`b__\.Describe\((\d+), "\w+", ("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(source, -1) {
			var name string
			if _, err := fmt.Sscanf(m[2], "%q", &name); err != nil {
				return nil, err
			}
			s.numbers[name] = m[1]
		}
	}
	for _, v := range p.Variables {
		name, _, _ := strings.Cut(v, "__")
		s.lowered[name] = v
	}
	return s.Interpreter.Run(ctx, p)
}

func (s *interpreting) Close() error { return nil }

// unasked is an executor of what the tests do not ask for.
type unasked struct{ program.Executor }

// interpret runs cells.
func interpret(t testing.TB, cells ...string) *interpreting {
	t.Helper()
	in, err := interpreted.New(interpreted.Config{Symbols: stdlib.Symbols()})
	if err != nil {
		t.Fatal(err)
	}
	s := &interpreting{unasked{}, in, map[string]string{}, map[string]string{}}
	e := engine.New(engine.Config{Executor: s, Importer: stdlib.Importer})
	for i, c := range cells {
		if _, err := e.Run(t.Context(), program.Cell{Number: i + 1, Source: c}, &enginetest.Recorder{}); err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
	}
	return s
}

var units atomic.Int64

// promote carries the variables of a session that have the names of those of a compiled unit. The
// types are those that the session calls main.Name.
func (s *interpreting) promote(t testing.TB, variables map[string]any, types map[string]reflect.Type) []carry.Lost {
	t.Helper()
	unit := fmt.Sprintf("cell/carry%d", units.Add(1))
	code := cell.Code{Variables: variables, Types: map[string]reflect.Type{}}
	for name, typ := range types {
		if number := s.numbers[name]; number != "" {
			code.Types[unit+number] = typ
			code.Types[number] = typ
		}
	}
	cell.Register(unit, code)
	var moved []program.Moved
	for name := range variables {
		moved = append(moved, program.Moved{Name: name, Unit: unit, Variable: name, FromVariable: s.lowered[name]})
	}
	lost, err := carry.Variables(s.Interpreter, moved)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

type point struct{ x, y float64 }

func (p point) String() string { return fmt.Sprintf("<%v %v>", p.x, p.y) }

type shape interface{ Area() float64 }

type square struct {
	side float64
	note any
}

func (s square) Area() float64 { return s.side * s.side }

type node struct {
	name string
	next *node
	kids map[string]*node
	all  []*node
}

func TestPlain(t *testing.T) {
	s := interpret(t, `
type point struct { x, y float64 }
n := 3
text := "hello"
p := point{1, 2}
q := &p
list := []point{{1, 2}, {3, 4}, {5, 6}}
part := list[1:2]
third := &list[2].y
byName := map[string]point{"a": {1, 2}}
byPoint := map[point]int{{1, 2}: 3, {3, 4}: 5}
pn := &n
pp := &pn
arr := [3]int{1, 2, 3}
mid := arr[1:]
pa := &arr[2]
`)
	var n int
	var text string
	var p point
	var q *point
	var list, part []point
	var third *float64
	var byName map[string]point
	var byPoint map[point]int
	var pn *int
	var pp **int
	var arr [3]int
	var mid []int
	var pa *int
	lost := s.promote(t, map[string]any{"n": &n, "text": &text, "p": &p, "q": &q, "list": &list, "part": &part, "third": &third,
		"byName": &byName, "byPoint": &byPoint, "pn": &pn, "pp": &pp, "arr": &arr, "mid": &mid, "pa": &pa}, nil)
	if len(lost) > 0 {
		t.Fatal(lost)
	}
	if n != 3 || text != "hello" || p != (point{1, 2}) || fmt.Sprint(list, byName) != "[<1 2> <3 4> <5 6>] map[a:<1 2>]" {
		t.Error(n, text, p, list, byName)
	}
	if byPoint[point{1, 2}] != 3 || byPoint[point{3, 4}] != 5 || len(byPoint) != 2 {
		t.Error(byPoint)
	}
	byPoint[point{1, 2}]++
	if len(byPoint) != 2 {
		t.Error(byPoint)
	}
	if q != &p || pn != &n || pp != &pn || &part[0] != &list[1] || third != &list[2].y || pa != &arr[2] || &mid[0] != &arr[1] || cap(part) != 2 {
		t.Error("pointers do not point to the new variables")
	}
}

func TestInterfaces(t *testing.T) {
	s := interpret(t, `
import ("fmt"; "container/list"; "strings"; "math")
type Shape interface { Area() float64 }
type square struct { side float64; note any }
func (s square) Area() float64 { return s.side * s.side }
type celsius float64
func (c celsius) String() string { return fmt.Sprintf("%.1f C", float64(c)) }
type fault struct { code int }
func (f *fault) Error() string { return "fault" }
`, `
var s Shape = square{2, celsius(3)}
shapes := []Shape{square{1, nil}, &square{2, "x"}, nil}
var any1 any = square{3, []celsius{1, 2}}
bag := map[string]any{"a": celsius(1), "b": 2, "c": []any{square{4, nil}, "z"}}
keys := map[any]int{celsius(4): 4, "k": 5, square{1, nil}: 6}
keyed := map[Shape]string{square{1, nil}: "one"}
f := &fault{7}
var err error = f
wrapped := fmt.Errorf("wrapped: %w", f)
var str fmt.Stringer = celsius(5)
l := list.New()
l.PushBack(celsius(6))
l.PushBack(square{7, nil})
var nothing Shape
`)
	var (
		sh      shape
		shapes  []shape
		any1    any
		bag     map[string]any
		keys    map[any]int
		keyed   map[shape]string
		f       *fault
		err     error
		wrapped error
		str     fmt.Stringer
		nothing shape
	)
	_ = nothing
	lost := s.promote(t, map[string]any{"s": &sh, "shapes": &shapes, "any1": &any1, "bag": &bag, "keys": &keys, "keyed": &keyed,
		"f": &f, "err": &err, "wrapped": &wrapped, "str": &str, "nothing": &nothing},
		map[string]reflect.Type{"main.square": reflect.TypeFor[square](), "main.celsius": reflect.TypeFor[celsius](),
			"*main.fault": reflect.TypeFor[*fault]()})
	if len(lost) > 0 {
		t.Fatal(lost)
	}
	if sh != shape(square{2, celsius(3)}) || sh.Area() != 4 {
		t.Errorf("%#v", sh)
	}
	if len(shapes) != 3 || shapes[0] != shape(square{1, nil}) || *shapes[1].(*square) != (square{2, "x"}) || shapes[2] != nil {
		t.Errorf("%#v", shapes)
	}
	if !reflect.DeepEqual(any1, square{3, []celsius{1, 2}}) {
		t.Errorf("%#v", any1)
	}
	if !reflect.DeepEqual(bag, map[string]any{"a": celsius(1), "b": 2, "c": []any{square{4, nil}, "z"}}) {
		t.Errorf("%#v", bag)
	}
	if !reflect.DeepEqual(keys, map[any]int{celsius(4): 4, "k": 5, square{1, nil}: 6}) || keys[square{1, nil}] != 6 {
		t.Errorf("%#v", keys)
	}
	if keyed[square{1, nil}] != "one" {
		t.Errorf("%#v", keyed)
	}
	if err != error(f) || f.code != 7 || str != fmt.Stringer(celsius(5)) {
		t.Errorf("%#v %#v", err, str)
	}
	if u, ok := wrapped.(interface{ Unwrap() error }); !ok || u.Unwrap() != error(f) {
		t.Errorf("%#v", wrapped)
	}
}

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1f C", float64(c)) }

type fault struct{ code int }

func (f *fault) Error() string { return "fault" }

func TestRecursion(t *testing.T) {
	s := interpret(t, `
type node struct { name string; next *node; kids map[string]*node; all []*node }
`, `
a := &node{name: "a"}
b := &node{name: "b", next: a, kids: map[string]*node{"a": a}}
a.next = b
a.all = []*node{a, b}
var self any
self = &self
chain := &node{name: "end"}
for i := 0; i < 200000; i++ { chain = &node{next: chain} }
`)
	var a, b, chain *node
	var self any
	if lost := s.promote(t, map[string]any{"a": &a, "b": &b, "self": &self, "chain": &chain}, nil); len(lost) > 0 {
		t.Fatal(lost)
	}
	if a.next != b || b.next != a || b.kids["a"] != a || a.all[1] != b || a.name != "a" {
		t.Error(a, b)
	}
	if self.(*any) != &self {
		t.Error("a pointer to itself is another")
	}
	n := 0
	for x := chain; x != nil; x = x.next {
		n++
	}
	if n != 200001 {
		t.Error(n)
	}
}

func TestFunctions(t *testing.T) {
	s := interpret(t, `

import ("strings"; "math")
f := func() int { return 1 }
var none func(int) int
upper := strings.ToUpper
type holder struct { name string; call func(float64) float64; list []func() }
h := holder{"h", func(x float64) float64 { return x }, []func(){func() {}, nil}}
g := math.Sqrt
`)
	type holder struct {
		name string
		call func(float64) float64
		list []func()
	}
	var f func() int
	var none func(int) int
	var upper func(string) string
	var h holder
	var g func(float64) float64
	lost := s.promote(t, map[string]any{"f": &f, "none": &none, "upper": &upper, "h": &h, "g": &g}, nil)
	if len(lost) != 2 {
		t.Errorf("%v", lost)
	}
	for _, l := range lost {
		switch l.Name {
		case "f":
			if l.String() != "a function value made by interpreted code" {
				t.Error(l)
			}
		case "h":
			if l.String() != "h.call: a function value made by interpreted code (and 1 more)" {
				t.Error(l)
			}
		default:
			t.Error(l)
		}
	}
	if none != nil || upper("x") != "X" || g(4) != 2 || h.name != "h" || len(h.list) != 2 || h.list[1] != nil {
		t.Error(none == nil, h.name, len(h.list), h.call == nil)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "f: this function was made by interpreted code") {
			t.Error(text)
		}
	}()
	f()
}

func TestShown(t *testing.T) {
	s := interpret(t, "type celsius float64", "[]any{celsius(1), 2}", "celsius(3)", "func() {}")
	var nothing int
	s.promote(t, map[string]any{}, map[string]reflect.Type{"main.celsius": reflect.TypeFor[celsius]()})
	lost := s.promote(t, map[string]any{"nothing": &nothing}, map[string]reflect.Type{"main.celsius": reflect.TypeFor[celsius]()})
	if len(lost) != 1 || lost[0].String() != "the interpreter does not have it" {
		t.Error(lost)
	}
	if v := s.Kept(2); len(v) != 1 || !reflect.DeepEqual(v[0], []any{celsius(1), 2}) {
		t.Errorf("%#v", v)
	}
	if v := s.Kept(3); len(v) != 1 || v[0] != any(celsius(3)) {
		t.Errorf("%#v", v)
	}
}

func TestContext(t *testing.T) {
	type key struct {
		a int
		b string
		c any
	}
	s := interpret(t, "import \"context\"\ntype key struct{ a int; b string; c any }\ntype celsius float64", `
ctx := context.WithValue(context.Background(), key{1, "k", nil}, celsius(7))
`)
	var ctx context.Context
	lost := s.promote(t, map[string]any{"ctx": &ctx}, map[string]reflect.Type{"main.key": reflect.TypeFor[key](), "main.celsius": reflect.TypeFor[celsius]()})
	if len(lost) > 0 {
		t.Error(lost)
	}
	if got := ctx.Value(key{1, "k", nil}); got != any(celsius(7)) {
		t.Errorf("%#v in %#v", got, ctx)
	}
}
