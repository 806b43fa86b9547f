package main

import (
	"fmt"
)

type Shape interface {
	Area() float64
	Name() string
}
type Square struct{ S float64 }
type Circle struct{ R float64 }

func (s Square) Area() float64  { return s.S * s.S }
func (s Square) Name() string   { return "square" }
func (c *Circle) Area() float64 { return 3 * c.R * c.R }
func (c *Circle) Name() string  { return "circle" }
func describe(s Shape) string {
	switch v := s.(type) {
	case Square:
		return fmt.Sprint("S", v.S)
	case *Circle:
		return fmt.Sprint("C", v.R)
	case nil:
		return "nil"
	}
	return "?"
}
func main() {
	shapes := []Shape{Square{2}, &Circle{1}, Square{2}}
	total := 0.0
	for _, s := range shapes {
		total += s.Area()
		fmt.Println(s.Name(), describe(s))
	}
	fmt.Println(total, shapes[0] == shapes[2], shapes[0] == shapes[1], describe(nil))
	m := map[Shape]int{}
	m[Square{1}]++
	m[Square{1}]++
	fmt.Println(len(m), m[Square{1}])
	if sq, ok := shapes[0].(Square); ok {
		fmt.Println(sq.S)
	}
	_, ok := shapes[0].(*Circle)
	fmt.Println(ok)
	var n interface{ Name() string } = shapes[1]
	fmt.Println(n.Name())
	if _, ok := n.(Shape); ok {
		fmt.Println("still a shape")
	}
	if _, ok := n.(interface{ Missing() }); !ok {
		fmt.Println("no Missing")
	}
	f := shapes[0].Area
	fmt.Println(f(), Shape.Area(shapes[0]), Square.Area(Square{3}), (*Circle).Name(&Circle{}))
}
