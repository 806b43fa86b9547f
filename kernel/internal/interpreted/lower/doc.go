// Package lower turns a checked cell into a program of plain Go that the interpreter runs as the
// compiler would. testdata/lowering has the text of many cells.
//
// The principle: either the result is that of go run, or the cell is refused before it runs, with a
// sentence that names what the interpreter cannot do. Nothing is silently wrong.
//
// Package shape decides which types the lowered text has, package conversion how values get into
// interfaces and to compiled code, package traceback where places of panics are noted, and package
// change which names exist. Package interpreted runs the text.
//
// Wrong when the text does not mean the same as the cell.
//
// # The language that comes out
//
// The interpreter, yaegi, differs from Go in many places; a comment explains each difference at the
// code that avoids it. So the lowered text is in a smaller language, which the interpreter gets
// right:
//
//   - Structs have no methods. A method is a function whose first parameter is the receiver, and
//     the static type of an operand says which one a call means.
//   - There are no generic types and functions, only instances.
//   - Interfaces are those of compiled packages, and interface{}. A value of a type of the
//     session is in an interface together with a description of its type: it is carried.
//   - There is no defer, recover or go, no select with clauses, and no range over functions,
//     strings and integers. Functions of the bridge (b__), which package interpreted provides,
//     stand for the first ones, and plain loops for the others.
//   - Constants are literals. A statement is split if the interpreter would not keep the order of
//     its parts.
//
// # The order
//
// Lower goes through a cell once:
//
//  1. Package refusal refuses code that it recognizes without lowering.
//  2. Declare (package change) gives each declaration its lowered name.
//  3. Types are written. RelowerMentioning queues functions of earlier cells whose values get
//     methods from this cell, and Extend tells the bridge about these methods.
//  4. The statements at the top become the body of a function, cell__N (cell.go). Each statement
//     returns its text; everything else that the text needs is collected on the way: variables,
//     imports, descriptions, helper functions, and, in a queue, functions of the session.
//  5. Functions are taken from the queue until it is empty (func.go). Lowering one may queue
//     others, such as instances of generic functions.
//  6. The parts are joined: imports, types, variables, functions, and last cell__N, which begins
//     with the preparations for the first statement.
//
// If anything is refused on the way, a panic ends the lowering and Lower reverts all of it: the
// session is as before.
//
// # Names
//
// A name of the session has two underscores and a version, which no user's name has in the lowered
// text. A variable that is declared again with the same type keeps its version. A function gets a
// new one, and functions that call it are queued and lowered again. A function literal, and the
// value of a function, use a variable that holds the newest version, f__vN, because they outlive
// the change:
//
//	func f() int { return 1 }
//	g := func() int { return f() }
//	f()
//	=>
//	f__v1 = f__1
//	...
//	g__1 = func() int {
//		...
//		return f__v1()
//	}
//	...
//	b__.Show(false, f__1())
//
// Local variables keep their names, unless the name could hide one that lowered code uses. Labels
// become name__label, since the interpreter mistakes a label for a variable of that name.
// Temporaries are t__N, r__N for results, g__N for deferred calls, and so on.
//
// # Statements at the top
//
// Statements at the top have additional calls (cell.go). Reached says how far the cell got, so that
// a cell that fails declares the variables above. Show shows the last value. Stop ends the cell at
// an error that the statement leaves out:
//
//	func half(n int) (int, error) { return n / 2, nil }
//	n := half(4)
//	n
//	=>
//	t__3_0, t__3_1 := half__1(4)
//	b__.Stop(t__3_1, 1, 2, 6)
//	n__1 = t__3_0
//	b__.Reached(1)
//	b__.Show(false, n__1)
//	b__.Reached(2)
//
// # Values in interfaces
//
// All implicit conversions go through body.to (convert.go) and package conversion, which explains
// how interfaces hold values and what functions of compiled packages get.
//
// # Order of evaluation
//
// The interpreter evaluates the place of an assignment before the value, and in an assignment to
// several places it evaluates maps, keys and pointers only when it sets them. Go evaluates operands
// and calls first. So where it matters, and only there, operands and values go to temporaries
// (order.go, tuple.go, return.go, nil.go). While a statement is written, body.override holds the
// temporaries that replace expressions:
//
//	xs, i := []int{1, 2}, 0
//	i, xs[i] = 1, 5
//	=>
//	t__5 := xs__1
//	t__6 := i__1
//	t__7 := int(1)
//	t__8 := int(5)
//	i__1 = t__7
//	t__5[t__6] = t__8
//
// The interpreter also replaces a variable by a composite literal, instead of storing the literal
// in it, so a literal is assigned through a temporary. After a failed comma-ok form the value is
// set to zero.
//
// # Loops
//
// A variable of a for loop that outlives its iteration, in a literal or by its address, is a new
// one in each (loop.go). The loop keeps a pointer to the last one:
//
//	var fs []func() int
//	for i := 0; i < 3; i++ {
//		fs = append(fs, func() int { return i })
//	}
//	=>
//	i := int(0)
//	first__2 := true
//	last__2_0 := &i
//	for {
//		i := *last__2_0
//		last__2_0 = &i
//		if first__2 {
//			first__2 = false
//		} else {
//			i++
//		}
//		if !(i < 3) {
//			break
//		}
//		fs__1 = append(fs__1, make__3(&i))
//	}
//
// A separate function, make__3, makes the literal and gets the addresses of the captured variables:
// in the interpreter, a literal in a loop shares state with the next one.
//
// A range over a function is a call whose argument is the body (branch.go). A statement that leaves
// the body is noted in a variable, exit__N, and carried out after the call: 1 for return, and a
// number from 2 on for each break, continue and so on that means a statement outside. Another
// variable, state__N, is 0 while the iterator may call the body, 2 while the body runs, 1 when it
// was left and 3 when the iterator has returned. The bridge panics as Go does if the iterator calls
// the body in another state, or if it swallowed a panic of the body:
//
//	func first(seq func(yield func(int) bool)) int {
//		for v := range seq {
//			return v
//		}
//		return 0
//	}
//	=>
//	exit__2 := 0
//	var exit__2_0 int
//	state__2 := 0
//	seq(func(v int) bool {
//		if state__2 != 0 {
//			b__.Iterated(state__2)
//		}
//		state__2 = 2
//		exit__2_0 = v
//		exit__2 = 1
//		state__2 = 1
//		return false
//		state__2 = 0
//		return true
//	})
//	if state__2 == 2 {
//		b__.Iterated(4)
//	}
//	state__2 = 3
//	if exit__2 == 1 {
//		return exit__2_0
//	}
//
// Odd cases: goto and defer in such a body are refused. Where the function around has named
// results, or deferred calls, these hold the results that a return in the body sets.
//
// # Deferred calls
//
// The interpreter's own defer holds a lock while deferred calls run. So the statements of a
// function with deferred calls become a literal, which the bridge runs, and after it the deferred
// calls (defer.go). Results have names then:
//
//	func f() (err error) {
//		defer func() { recover() }()
//		panic(1)
//	}
//	=>
//	defers__2 := b__.Defers()
//	body__2 := func() {
//		...
//		g__5 := func() {
//			b__.Recover(4)
//		}
//		b__.Defer(defers__2, g__5, 4)
//		...
//		panic(1)
//	}
//	b__.Protect(defers__2, body__2)
//	return err
//
// recover works only in the deferred function itself, so each function that calls recover has a
// number, here 4, that the defer statement and the call both mention. 0 stands for a function that
// is not known before it runs: then the functions that call recover say their numbers when they
// begin (Entered).
//
// A go statement is a call of the bridge, which turns a panic of the goroutine into an error of the
// cell, and a select statement a call that answers with the number of a clause, followed by a
// switch (select.go).
//
// # Lines of panics
//
// The lowered text also supports tracebacks: before a statement that can panic, its place is noted
// in a variable. Package traceback writes these notes; body embeds them.
//
// # What is refused
//
// A cell is refused if no text is known that the interpreter gets right, with the position of the
// unsupported code. The functions named Refuse do it; RefuseAnywhere is for code that compiled
// cells do not support either:
//
//	func f(seq func(func(int) bool)) {
//		for range seq {
//			goto end
//		}
//	end:
//	}
//	=>
//	Refused: Cell [1]:3:3: the interpreter cannot run a goto inside a range over a function
package lower
