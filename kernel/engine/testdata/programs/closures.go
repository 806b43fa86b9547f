package main

import (
	"fmt"
	"sort"
	"strings"
)

type Op func(int, int) int
type Visitor interface{ Visit(n int) Visitor }
type V struct{ depth int }

func (v V) Visit(n int) Visitor {
	if n == 0 {
		return nil
	}
	return V{v.depth + 1}
}

func compose(fs ...func(int) int) func(int) int {
	return func(x int) int {
		for _, f := range fs {
			x = f(x)
		}
		return x
	}
}
func fib() func() int                         { a, b := 0, 1; return func() int { r := a; a, b = b, a+b; return r } }
func variadic(pre string, xs ...int) string   { return fmt.Sprint(pre, len(xs), xs) }
func multi() (int, string, error)             { return 1, "a", nil }
func take(i int, s string, e error) string    { return fmt.Sprint(i, s, e) }
func apply(f func(...int) int, xs ...int) int { return f(xs...) }
func main() {
	ops := map[string]Op{"+": func(a, b int) int { return a + b }, "*": func(a, b int) int { return a * b }}
	fmt.Println(ops["+"](2, 3), ops["*"](2, 3), ops["-"] == nil)
	f := fib()
	for range 8 {
		fmt.Print(f(), " ")
	}
	fmt.Println(compose(func(x int) int { return x + 1 }, func(x int) int { return x * 10 })(4))
	fmt.Println(variadic("a"), variadic("b", 1, 2), variadic("c", []int{4, 5, 6}...))
	fmt.Println(take(multi()))
	var v Visitor = V{}
	for i := 2; v != nil; i-- {
		fmt.Print(v.(V).depth, " ")
		v = v.Visit(i)
	}
	fmt.Println(apply(func(xs ...int) int { return len(xs) }, 1, 2, 3))
	var rec func(int) int
	rec = func(n int) int {
		if n <= 1 {
			return 1
		}
		return n * rec(n-1)
	}
	fmt.Println(rec(10))
	x := 1
	inc := func() { x++ }
	inc()
	inc()
	fmt.Println(x, func() int { return x * 2 }())
	words := strings.Fields("the quick brown fox")
	sort.Slice(words, func(i, j int) bool {
		return len(words[i]) < len(words[j]) || len(words[i]) == len(words[j]) && words[i] < words[j]
	})
	fmt.Println(words, strings.Map(func(r rune) rune {
		if r == 'o' {
			return '0'
		}
		return r
	}, "foo"))
	people := []struct {
		Name string
		Age  int
	}{{"A", 30}, {"B", 20}}
	sort.Slice(people, func(i, j int) bool { return people[i].Age < people[j].Age })
	fmt.Println(people)
	func(xs ...string) { fmt.Println(len(xs)) }()
	g := func() (a, b int) { a = 1; b = 2; return }
	p, q := g()
	fmt.Println(p, q)
}
