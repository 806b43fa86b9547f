package main

import (
	"fmt"
	"sort"
	"strings"
)

type Inner struct {
	A int
	b string
}
type Outer struct {
	Inner
	C   []Inner
	D   map[string]Inner
	E   *Inner
	F   func() int
	G   any
	H   error
	arr [2]Inner
}
type Node struct {
	Val      int
	Next     *Node
	children []*Node
}
type Tree struct {
	root *Node
	size int
}

func (t *Tree) add(v int) { t.root = &Node{Val: v, Next: t.root}; t.size++ }

type Matrix [2][2]float64

func (m Matrix) Mul(o Matrix) (r Matrix) {
	for i := range 2 {
		for j := range 2 {
			for k := range 2 {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return
}
func (m *Matrix) Set(i, j int, v float64) { m[i][j] = v }

type Grid [][]rune

func (g Grid) String() string {
	var s strings.Builder
	for _, r := range g {
		s.WriteString(string(r))
		s.WriteByte('/')
	}
	return s.String()
}
func main() {
	o := Outer{Inner: Inner{1, "x"}, C: []Inner{{2, "y"}}, D: map[string]Inner{"k": {3, "z"}}, E: &Inner{4, "w"}}
	o.F = func() int { return o.A }
	o.G = o.Inner
	o.arr[1].A = 9
	o.C[0].A = 22
	o.E.b = "changed"
	fmt.Println(o.A, o.b, o.C, o.D, *o.E, o.F(), o.G, o.H, o.arr)
	o2 := o
	o2.A, o2.C[0].b = 100, "shared"
	fmt.Println(o.A, o.C, o2.A, o2.Inner)
	t := Tree{}
	for i := range 3 {
		t.add(i)
	}
	for n := t.root; n != nil; n = n.Next {
		fmt.Print(n.Val, " ")
	}
	fmt.Println(t.size)
	m := Matrix{{1, 2}, {3, 4}}
	m.Set(0, 0, 5)
	fmt.Println(m.Mul(Matrix{{1, 0}, {0, 1}}), m == Matrix{{5, 2}, {3, 4}})
	g := Grid{[]rune("ab"), []rune("cd")}
	g[0][0] = 'z'
	fmt.Println(g, len(g))
	fmt.Printf("%v %s\n", g, g)
	root := &Node{Val: 1}
	root.children = append(root.children, &Node{Val: 2}, &Node{Val: 3})
	root.children[0].children = []*Node{{Val: 4}}
	var walk func(n *Node, d int)
	walk = func(n *Node, d int) {
		fmt.Print(strings.Repeat("-", d), n.Val, " ")
		for _, c := range n.children {
			walk(c, d+1)
		}
	}
	walk(root, 0)
	fmt.Println()
	type kv struct {
		k string
		v int
	}
	counts := map[string]int{}
	for _, w := range strings.Fields("a b a c b a") {
		counts[w]++
	}
	var kvs []kv
	for k, v := range counts {
		kvs = append(kvs, kv{k, v})
	}
	sort.Slice(kvs, func(i, j int) bool { return kvs[i].v > kvs[j].v })
	fmt.Println(kvs)
	mk := map[Inner]string{{1, "a"}: "one"}
	mk[Inner{2, "b"}] = "two"
	fmt.Println(mk[Inner{1, "a"}], len(mk), mk[Inner{2, "b"}])
	pm := map[*Node]bool{root: true}
	fmt.Println(pm[root], pm[t.root])
	var zero Outer
	fmt.Println(zero.C == nil, zero.E == nil, zero.F == nil, zero.G == nil, zero.D["q"])
	sl := make([]Inner, 2, 5)
	sl[1] = Inner{A: 7}
	sl = append(sl, sl...)
	fmt.Println(sl, len(sl))
	x := []struct{ a, b int }{{1, 2}}
	x[0].a += 5
	fmt.Println(x)
	fmt.Printf("%+v\n", Inner{1, "q"})
	fmt.Printf("%v %+v\n", &Inner{1, "q"}, []*int{nil})
	nested := map[string]map[string]int{"a": {"b": 1}}
	nested["a"]["c"]++
	nested["z"] = map[string]int{}
	nested["z"]["y"] += 4
	fmt.Println(nested)
	bits := [...]string{2: "two", 0: "zero"}
	fmt.Println(len(bits), bits)
}
