// Package check type-checks the pieces of a cell against the session, by go/types: first what the
// cell declares without bodies, then its statements in order, then bodies. Functions of earlier
// cells that mention a name which the cell declares again are checked again with it (following.go),
// and functions may wait for names that no cell has declared yet (forward.go). An assignment that
// leaves out an error (forgotten.go) does not compile; it is then checked again with a blank for
// the error. References to values that other cells showed (_, Out[n]) become calls with the type of
// the value (recall.go). Constant strings that would take too much memory are refused before
// go/types computes them (constants.go), and the work stops with the context of the cell where it
// can (cancel.go). Its trees answer questions about typed Go for both back ends.
//
// It leaves the session unchanged: Checked.Rollback removes methods that it has added to types of
// earlier cells. Package change applies a checked cell to the session.
//
// Wrong when a good cell does not compile, a bad one does, or a message differs from the
// compiler's.
//
// # Followers
//
// A function means what its names mean now, not what they meant when it was declared. If a cell
// declares a name again, and differently, the functions of earlier cells that mention it follow:
// they are declared again with the cell, as if it held their text. In the examples, the last of
// several cells is the one that is checked:
//
//	const size = 2
//	func double() int { return 2 * size }
//	---
//	const size = 3
//	=>
//	double is declared again
//
// Changed decides which names count as changed (following.go): a constant with another value or
// type, a type that is not identical, a function with another type, and a kind of declaration in
// the place of another. If a function gets another body and the same type, its callers need no
// check, and none follows:
//
//	func one() int { return 1 }
//	func two() int { return 2 * one() }
//	---
//	func one() int { return 3 }
//	=>
//	nothing is declared again
//
// A follower can change, too: in the next example the result of one gets another type. So
// CheckWaiting (forward.go) checks a cell in a loop, and each round is an attempt, with a list of
// the functions that are declared with the cell:
//
//  1. The list begins with the functions that waited for a name that the cell declares, and
//     those that follow a variable of the cell before (below).
//  2. The cell is parsed and checked, with the functions of the list.
//  3. If it compiles, the functions that mention a changed name, and are neither in the list nor
//     declared by the cell, are added, and the next attempt begins at 2. If there are none, the
//     check is done. A name counts as changed also if a follower declares it.
//  4. If it does not compile, followers with failures are taken out of the list, and the next
//     attempt begins. They are left (Checked.Left), with the compiler's message about them. A
//     failure of the cell itself is an error, unless there are functions to add as in 3: the cell
//     may need them.
//
// Each attempt adds to one of the lists, of functions that are declared with the cell or of those
// that are left, so the loop ends:
//
//	type unit int
//	func one() unit { return 1 }
//	func two() unit { return 2 * one() }
//	---
//	type unit float64
//	=>
//	one is declared again
//	two is declared again
//
// Package change decides what happens to a function that is left (leaving.go). It keeps the older
// meaning, and a note says so:
//
//	const size = 2
//	func double() int { return 2 * size }
//	---
//	const size = "a"
//	=>
//	note: double keeps the older size: invalid operation: 2 * size (mismatched types untyped int and untyped string)
//
// Called functions are different: calls of the older function would hide the newer one. So the
// caller waits for a function of that name with which it compiles:
//
//	func one() int { return 1 }
//	func two() int { return 2 * one() }
//	---
//	func one() string { return "" }
//	=>
//	note: two does not compile any more: invalid operation: 2 * one() (mismatched types untyped int and string)
//
// and follows the cell that declares it:
//
//	func one() int { return 1 }
//	func two() int { return 2 * one() }
//	---
//	func one() string { return "" }
//	---
//	func one() int { return 3 }
//	=>
//	two is declared again
//
// Odd cases:
//
//   - A variable that is declared again with another type is followed with the next cell (Late).
//     Until its statement has run the older variable exists, and functions that the cell calls
//     before then use it. A function that mentions such a variable and another changed name is
//     left.
//   - A method of a cell may hide a promoted method of an earlier one. Functions that selected
//     the promoted method follow the new one (selectsOthers).
//   - Types and values do not follow: a value keeps the type that it was made with. Function
//     literals are values.
//   - A function that waits does not follow: it is checked when a name that it waits for is
//     declared.
//   - A function whose text the cell declares itself does not follow.
//
// A method that hides a promoted one:
//
//	type A struct{}
//	func (A) M() int { return 1 }
//	type B struct{ A }
//	func use(b B) int { return b.M() }
//	---
//	func (B) M() int { return 2 }
//	=>
//	use is declared again
//
// A variable, and the cell after the one that declares it again:
//
//	x := 1
//	func get() any { return x }
//	---
//	x := "a"
//	---
//	get()
//	=>
//	get is declared again
package check
