package main

import (
	"errors"
	"fmt"
	"io"
)

type A struct{ X int }
type B struct{ X int }
type Cel float64
type Fah float64
type Named interface{ Name() string }

func (a A) Name() string  { return "A" }
func (b *B) Name() string { return "B" }

type Multi struct{ errs []error }

func (m Multi) Error() string   { return fmt.Sprint(len(m.errs), " errors") }
func (m Multi) Unwrap() []error { return m.errs }

type Is404 struct{ code int }

func (e Is404) Error() string   { return fmt.Sprint("code ", e.code) }
func (e Is404) Is(t error) bool { o, ok := t.(Is404); return ok && o.code/100 == e.code/100 }
func kind(v any) string {
	switch v.(type) {
	case A:
		return "A"
	case *A:
		return "*A"
	case B:
		return "B"
	case []A:
		return "[]A"
	case map[string]B:
		return "mapB"
	case func(A) B:
		return "func"
	case Cel:
		return "Cel"
	case float64:
		return "float64"
	case [2]A:
		return "arr"
	case chan A:
		return "chan"
	case struct{ X int }:
		return "anon"
	case Named:
		return "Named"
	case error:
		return "error"
	case fmt.Stringer:
		return "Stringer"
	}
	return "?"
}

type S1 string

func (s S1) String() string { return "S1:" + string(s) }
func show(vs ...any) {
	for _, v := range vs {
		fmt.Print(kind(v), " ")
	}
	fmt.Println()
}
func tuple() (A, error) { return A{7}, nil }
func asAny() any        { return A{1} }
func pass(v any) any    { return v }

type Holder[T any] struct{ v T }

func (h Holder[T]) Any() any  { return h.v }
func typeName[T any]() string { var z T; return fmt.Sprintf("%T", z) }
func main() {
	show(A{1}, &A{1}, B{1}, []A{}, map[string]B{}, func(A) B { return B{} }, Cel(1), 1.5, [2]A{}, make(chan A), struct{ X int }{1}, &B{}, Multi{}, S1("x"), nil, Fah(1))
	var x any = A{1}
	_, isB := x.(B)
	a, isA := x.(A)
	fmt.Println(isB, a, isA, x == any(A{1}), x == any(B{1}), x == any(A{2}), pass(A{1}) == asAny())
	m := map[any]string{A{1}: "a", B{1}: "b", Cel(1): "c", 1.0: "f", "s": "s", 1: "i"}
	fmt.Println(len(m), m[A{1}], m[B{1}], m[Cel(1)], m[1.0], m[Fah(1)] == "")
	e := Multi{[]error{io.EOF, Is404{401}}}
	fmt.Println(errors.Is(e, io.EOF), errors.Is(e, Is404{404}), errors.Is(e, Is404{500}), errors.Is(fmt.Errorf("%w", e), io.EOF))
	var target Is404
	fmt.Println(errors.As(e, &target), target.code, e)
	var err error = Is404{1}
	var err2 error = Is404{1}
	fmt.Println(err == err2, err != nil, err == error(Is404{2}))
	switch err {
	case Is404{2}:
		fmt.Println("2")
	case Is404{1}:
		fmt.Println("1")
	}
	var n Named = A{1}
	var n2 Named = &B{2}
	fmt.Println(n == Named(A{1}), n == n2, n2 == n2, n.Name(), n2.Name())
	if b, ok := n2.(*B); ok {
		b.X = 50
	}
	fmt.Println(n2.(*B).X, kind(n), kind(n2))
	fmt.Println(typeName[A](), typeName[[]B](), typeName[map[string]Cel](), typeName[Holder[A]](), kind(Holder[A]{A{3}}.Any()), kind(Holder[float64]{2}.Any()))
	var st fmt.Stringer = S1("q")
	fmt.Println(st, st.String(), kind(st))
	s1, ok := st.(S1)
	fmt.Println(string(s1), ok, st == fmt.Stringer(S1("q")))
	ch := make(chan any, 3)
	ch <- A{4}
	ch <- Cel(2)
	fmt.Println(kind(<-ch), kind(<-ch))
	anys := []any{A{1}, B{2}, nil, 3}
	anys = append(anys, Cel(5), []any{A{6}})
	fmt.Println(anys, len(anys), kind(anys[4]))
	st2 := struct {
		V any
		E error
		N Named
	}{A{1}, Is404{2}, &B{3}}
	fmt.Println(kind(st2.V), kind(st2.E), kind(st2.N), st2.V, st2.E)
	r, er := tuple()
	var i any = r
	fmt.Println(kind(i), er)
	f := func(vs ...any) int { return len(vs) }
	fmt.Println(f(A{1}, 2, nil), f(anys...))
	defer func() {
		v := recover()
		if a, ok := v.(A); ok {
			fmt.Println("recovered", a.X)
		} else {
			fmt.Println(v)
		}
	}()
	var p any = &a
	p.(*A).X = 77
	fmt.Println(a.X, *p.(*A))
	panic(A{9})
}
