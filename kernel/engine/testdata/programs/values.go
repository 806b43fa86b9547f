package main

import (
	"fmt"
)

type Point struct{ X, Y int }

func (p *Point) Move(dx, dy int) *Point { p.X += dx; p.Y += dy; return p }
func (p Point) Add(q Point) Point       { return Point{p.X + q.X, p.Y + q.Y} }

type Line struct {
	A, B Point
	tags map[string][]int
}
type Named struct {
	Point
	*Line
	Label string
}

func change(p Point)     { p.X = 100 }
func changeArr(a [3]int) { a[0] = 100 }
func main() {
	p := Point{1, 2}
	q := p
	q.X = 9
	change(p)
	a := [3]int{1, 2, 3}
	b := a
	b[0] = 7
	changeArr(a)
	fmt.Println(p, q, a, b, a == b, p == Point{1, 2})
	p.Move(1, 1).Move(2, 2)
	fmt.Println(p, p.Add(q))
	l := Line{A: p, tags: map[string][]int{"x": {1}}}
	l.B.Move(5, 5)
	l.tags["x"] = append(l.tags["x"], 2)
	m := map[string]Point{"a": {1, 2}}
	pt := m["a"]
	pt.X = 50
	fmt.Println(l.A, l.B, l.tags, m, pt)
	ps := []*Point{{1, 2}, {3, 4}}
	ps[0].X = 10
	for _, x := range ps {
		x.Move(1, 1)
	}
	fmt.Println(*ps[0], *ps[1], len(ps))
	arr := []Point{{1, 1}, {2, 2}}
	for i := range arr {
		arr[i].Move(1, 0)
	}
	for _, v := range arr {
		v.Move(100, 0)
	}
	fmt.Println(arr)
	n := Named{Point: Point{1, 2}, Line: &l, Label: "n"}
	n.Move(1, 1)
	n.X++
	n.A.X = 77
	fmt.Println(n.Point, n.X, n.Line.A, l.A, n.Add(Point{1, 1}))
	mm := map[string]*Point{"z": {}}
	mm["z"].X++
	fmt.Println(mm["z"].X)
	f := p.Move
	p = Point{}
	f(1, 1)
	g := p.Add
	p.X = 1000
	fmt.Println(p, g(Point{1, 1}))
	s := []int{1, 2, 3, 4, 5}
	t := s[1:3:4]
	t = append(t, 10)
	t = append(t, 11)
	t[0] = 99
	fmt.Println(s, t, len(t), cap(s[2:]))
	copy(s, s[2:])
	fmt.Println(s)
	type local struct{ a, b int }
	ls := []local{{1, 2}, {3, 4}}
	fmt.Println(ls, local{5, 6})
	anon := struct {
		A int
		B []string
	}{1, []string{"x"}}
	fmt.Printf("%v %+v\n", anon, anon)
	x, y := 1, 2
	x, y = y, x
	s[0], s[1] = s[1], s[0]
	fmt.Println(x, y, s)
	var np *Point
	fmt.Println(np == nil, np)
	c := make([][]int, 2)
	for i := range c {
		c[i] = make([]int, 2)
		c[i][1] = i
	}
	fmt.Println(c)
	pp := &arr[1]
	pp.X = -1
	fmt.Println(arr[1], &arr[0] == pp, *pp)
}
