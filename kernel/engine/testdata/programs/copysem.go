package main

import (
	"fmt"
)

type V struct {
	X, Y int
	T    [2]int
}
type W struct {
	V V
	P *V
	S []V
	M map[string]V
}

func mod(v V) V      { v.X = 100; v.T[0] = 9; return v }
func modp(v *V)      { v.X = 200; v.T[1] = 8 }
func modarr(a [3]V)  { a[0].X = 5 }
func modslice(s []V) { s[0].X = 6 }
func ret() [2]V      { return [2]V{{X: 1}, {X: 2}} }

var G = V{X: 1}

func setG() { G.X++; G = V{X: G.X * 10} }
func main() {
	a := V{1, 2, [2]int{3, 4}}
	b := a
	c := mod(a)
	fmt.Println(a, b, c)
	modp(&a)
	fmt.Println(a, b)
	arr := [3]V{a, b, c}
	arr2 := arr
	arr2[0].X = -1
	modarr(arr)
	modslice(arr[:])
	fmt.Println(arr[0].X, arr2[0].X)
	w := W{V: a, P: &a, S: []V{a, b}, M: map[string]V{"a": a}}
	w2 := w
	w2.V.X = 1
	w2.P.X = 2
	w2.S[0].X = 3
	fmt.Println(w.V.X, w.P.X, a.X, w.S[0].X, w.M["a"].X)
	for _, v := range w.S {
		v.X = 1000
	}
	for i := range w.S {
		w.S[i].Y = 77
	}
	fmt.Println(w.S)
	f := func(v V) { v.X = 0 }
	f(a)
	g := func() { a.X = 55 }
	g()
	fmt.Println(a.X)
	ch := make(chan V, 1)
	ch <- a
	a.X = 56
	d := <-ch
	fmt.Println(d.X, a.X)
	var i any = a
	a.X = 57
	fmt.Println(i.(V).X, a.X)
	j := i
	e := j.(V)
	e.X = 99
	fmt.Println(i.(V).X, e.X)
	m := map[V]int{a: 1}
	a.X = 0
	fmt.Println(m[a], len(m))
	x := ret()[1]
	x.X++
	fmt.Println(x.X, ret()[1].X)
	p := &w.V
	p.X = 31
	q := *p
	q.X = 32
	fmt.Println(w.V.X, q.X, p.X)
	pa := &arr
	pa[1].X = 500
	fmt.Println(arr[1].X, len(pa))
	s := arr[:]
	s[2].X = 600
	fmt.Println(arr[2].X)
	setG()
	setG()
	fmt.Println(G.X)
	swap := []V{{X: 1}, {X: 2}}
	swap[0], swap[1] = swap[1], swap[0]
	fmt.Println(swap[0].X, swap[1].X)
	t := struct {
		V
		n int
	}{V{X: 4}, 5}
	u := t
	u.X = 44
	fmt.Println(t.X, u.X)
	var z V
	z, y := mod(z), z
	fmt.Println(z.X, y.X)
	fs := map[string]func(V) V{"m": mod}
	fmt.Println(fs["m"](V{}).X)
	ptrs := []*V{}
	for i := 0; i < 3; i++ {
		v := V{X: i}
		ptrs = append(ptrs, &v)
	}
	fmt.Println(ptrs[0].X, ptrs[1].X, ptrs[2].X)
	aa := [2][2]int{{1, 2}, {3, 4}}
	bb := aa
	bb[0][0] = 100
	row := aa[1]
	row[0] = 50
	fmt.Println(aa, bb, row)
	type L struct {
		next *L
		v    int
	}
	var head *L
	for i := range 3 {
		head = &L{head, i}
	}
	for n := head; n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	n1 := *head
	n1.v = 70
	fmt.Println(head.v, n1.v, n1.next == head.next)
	k := 5
	pk := &k
	*pk += 3
	pp := &pk
	**pp *= 2
	fmt.Println(k)
	k, l := 1, k
	fmt.Println(k, l, *pk)
	var sl []int
	for i := range 5 {
		sl = append(sl, i)
	}
	sl2 := append(sl[:1], sl[3:]...)
	fmt.Println(sl, sl2)
	h := W{}
	h.P = &h.V
	h.V.X = 8
	fmt.Println(h.P.X)
	h = W{V: V{X: 9}}
	fmt.Println(h.V.X, h.P == nil)
}
