// Package conversion writes Go's implicit conversions: of a value to an interface, in assignments,
// calls, returns, literals, sends and comparisons, back from an interface, in assertions and type
// switches, and to the parameters of functions of compiled packages.
//
// The input is the text of an operand with its static type, and the type or compiled function that
// gets it. The output is the text of the converted operand, or a refusal. Only this package decides
// how a value becomes an interface. It uses no syntax trees and does not evaluate operands: package
// lower decides about their order. Package shape says how types are represented, and
// interpreted/values has the carriers at run time.
//
// Wrong when a value in an interface shows another type than its own, an assertion another answer
// than Go's, or compiled code prints, encodes or compares something else than it would in a
// compiled program.
//
// # Values in interfaces
//
// A value of a type that compiled code knows stays unchanged. Other values are carried with the
// number of their description. The compiled interfaces error and fmt.Stringer hold a carrier that
// has their method, and for other compiled interfaces the bridge makes a wrapper with the methods
// of the cell's type:
//
//	type point struct{ X, Y int }
//	var a any = point{1, 2}
//	var b any = 3
//	=>
//	t__2 := interface{}(b__.Carry(3, point__1{X: 1, Y: 2}))
//	a__1 = t__2
//	b__.Reached(1)
//	b__1 = 3
//
// The way back asks the bridge, in assertions and in type switches, which become switches on the
// answers:
//
//	type point struct{ X, Y int }
//	var a any
//	p := a.(point)
//	=>
//	p__1 = func(x interface{}) point__1 {
//		var v point__1
//		if b__.Is(x, 2) {
//			b__.Take(x, &v)
//		} else {
//			b__.NotA(x, "interface {}", "main.point", false)
//		}
//		return v
//	}(a__1)
//
// # What compiled functions get
//
// A compiled function that examines a value of a session type finds neither its type's name, nor
// its methods, nor the names of its fields. So the table of treatments (handed.go) says what each
// function does with its operands. A function that is not in the table is refused such values:
// before the cell runs if their types say so, and at run time if they are in interfaces (Plain).
// Those that print get carriers, which print themselves:
//
//	type name string
//	n := name("x")
//	fmt.Print(1, n)
//	=>
//	fmt__p.Print(1, b__.Operand(b__.Carry(2, n__1)))
//
// A verb that fmt answers without asking the operand, such as %T, would show the carrier. So calls
// whose format may contain one go through a function (Formatter) in which the bridge checks format
// and operands first.
//
// Functions that compiled code calls end with the cell (Interruptible), as do contexts passed to
// it.
package conversion
