package main

import (
	"fmt"
)

type Number interface{ ~int | ~int64 | ~float64 }

func Sum[T Number](xs ...T) T {
	var s T
	for _, x := range xs {
		s += x
	}
	return s
}
func Map[T, U any](xs []T, f func(T) U) []U {
	r := make([]U, 0, len(xs))
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}
func Filter[S ~[]E, E any](s S, f func(E) bool) S {
	var r S
	for _, e := range s {
		if f(e) {
			r = append(r, e)
		}
	}
	return r
}
func Keys[M ~map[K]V, K comparable, V any](m M) int { return len(m) }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (T, bool) {
	var zero T
	if len(s.items) == 0 {
		return zero, false
	}
	x := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}
func (s Stack[E]) Len() int { return len(s.items) }

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func MakePair[K comparable, V any](k K, v V) Pair[K, V] { return Pair[K, V]{k, v} }
func (p Pair[K, V]) String() string                     { return fmt.Sprintf("<%v=%v>", p.Key, p.Val) }

type Tree[T any] struct {
	Left, Right *Tree[T]
	Val         T
}

func (t *Tree[T]) Insert(v T, less func(a, b T) bool) *Tree[T] {
	if t == nil {
		return &Tree[T]{Val: v}
	}
	if less(v, t.Val) {
		t.Left = t.Left.Insert(v, less)
	} else {
		t.Right = t.Right.Insert(v, less)
	}
	return t
}
func (t *Tree[T]) Walk(f func(T)) {
	if t == nil {
		return
	}
	t.Left.Walk(f)
	f(t.Val)
	t.Right.Walk(f)
}

type ID int

func Max[T int | float64 | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}
func Ptr[T any](v T) *T { return &v }
func Kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case string:
		return "string"
	case ID:
		return "ID"
	}
	return "?"
}
func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[int64](), Sum([]ID{3, 4}...))
	fmt.Println(Map([]int{1, 2}, func(i int) string { return fmt.Sprint(i * 2) }), Filter([]int{1, 2, 3, 4}, func(i int) bool { return i%2 == 0 }))
	s := &Stack[string]{}
	s.Push("a")
	s.Push("b")
	v, ok := s.Pop()
	fmt.Println(v, ok, s.Len(), Keys(map[string]int{"a": 1}))
	p := MakePair("x", 3)
	fmt.Println(p, p.Key, []Pair[int, ID]{{1, 2}})
	fmt.Printf("%T %v\n", p, MakePair(ID(1), []string{"q"}))
	var t *Tree[int]
	for _, x := range []int{5, 2, 8, 1} {
		t = t.Insert(x, func(a, b int) bool { return a < b })
	}
	t.Walk(func(x int) { fmt.Print(x, " ") })
	fmt.Println(Max(2, 3), Max("a", "b"), *Ptr(4.5), Kind(3), Kind("s"), Kind(ID(2)), Kind(2.0))
	f := Max[float64]
	fmt.Println(f(1, 2))
	var st Stack[Pair[string, int]]
	st.Push(MakePair("k", 1))
	fmt.Println(st.items[0], st.Len())
}
