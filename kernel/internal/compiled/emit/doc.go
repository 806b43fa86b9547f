// Package emit writes the units of compiled cells: the user's text as a separate package, which the
// compiler treats as one with those of earlier cells (package toolchain). The names of other units'
// declarations are qualified, and guards make it possible to stop the code (guard*.go).
// testdata/emission has the units of many cells, and testdata/guard guarded programs.
//
// Package toolchain builds the units, and package compiled runs them.
//
// Wrong when a unit does not compile although the check passed, a panic has the wrong column
// (sites.go), or a cell cannot be stopped.
//
// # A unit
//
// Types, constants and functions are declared unchanged. Variables of the statements at the top
// become variables of the package. The statements are in one function, where a declaration of a
// variable is an assignment. Their values, and how far they got, go to package cell:
//
//	x := 1
//	func double(n int) int { return 2 * n }
//	double(x)
//	=>
//	//line /cell/1/Cell [1]:1:1
//	var x int
//	...
//	//line /cell/1/Cell [1]:2:1
//	func double(n int) int { return 2 * n }
//	func runˑ() {
//	//line /cell/1/Cell [1]:1:1
//	x = 1
//	//line /cell/0:1:1
//	cellˑ.Reached(1)
//	//line /cell/1/Cell [1]:3:1
//	cellˑ.Show(false, double(x))
//
// Generated names end or begin with ˑ, which users do not type. The user's text is not printed from
// the syntax tree, but copied with edits (syntax.Edits), which add no lines. A line directive
// before each piece gives panics their lines; /cell/0 marks generated text.
//
// A later unit imports the units whose declarations it mentions. A variable that is declared again
// with the same type stays where it is:
//
//	x := 1
//	---
//	x := 2
//	=>
//	k1ˑ "cell/1"
//	...
//	//line /cell/2/Cell [2]:1:1
//	k1ˑ.x = 2
//
// Emit goes through these steps:
//
//  1. own (decl.go) collects the declarations of the unit: those of the cell, and those that
//     must be compiled again with it. The latter are functions that call a function which the cell
//     declares again (check/following.go). If a type of an earlier cell gets a method, they are
//     also the type and everything that mentions it, including variables, whose values are moved.
//  2. claim gives them their names in the unit.
//  3. declare writes them, in this order: types, constants, variables, functions.
//  4. statements (stmt.go) writes the statements at the top. An error that a statement leaves
//     out goes to a variable errˑ, which Failed checks.
//  5. assemble prepends imports of the packages that the text really mentions, and appends an
//     init function, which registers the unit with package cell.
//  6. reuse looks for a loaded unit with the same text that declares nothing new. If there is
//     one, the cell runs that and compiles nothing.
//
// A function calls functions of the session directly, because it is compiled again when they
// change. A function literal, and a method, may outlive them, so it calls a variable that holds the
// newest version:
//
//	func f() int { return 1 }
//	g := func() int { return f() }
//	=>
//	var ˑf func() int
//	...
//	g = func() int { cellˑ.Check(); return ˑf() }
//	...
//	func init() { ˑf = f; cellˑ.RegisterRun("cell/1", runˑ, map[string]any{"g": &g}) }
//
// # The guard
//
// A goroutine of compiled code cannot be ended from outside, a panic in it ends the process, and so
// does os.Exit. The guard keeps the meaning of the user's text, and makes it end with its cell. It
// walks a function or a statement once (Guard.walk) and collects edits. They copy no user text, so
// that they combine with the edits that rename identifiers. There are five kinds.
//
// First, checks (guard.go). Check reads a number that is 0 unless a cell is being stopped or a
// stack is very deep. If it is not 0, Check asks the runner whether that concerns this goroutine,
// and ends it after its deferred calls. There is a check at the beginning of each loop body and
// function, and before each goto:
//
//	func fib(n int) int {
//		if n < 2 {
//			return n
//		}
//		return fib(n-1) + fib(n-2)
//	}
//	func larger(a, b int) int { return max(a, b) }
//	for i := 0; i < 1e9; i++ {
//		larger(i, 1)
//	}
//	for range 3 {
//	}
//	again:
//		goto again
//	=>
//	func fib(n int) int { cellˑ.Check();
//		if n < 2 {
//			return n
//		}
//		return fib(n-1) + fib(n-2)
//	}
//	...
//	func larger(a, b int) int { return max(a, b) }
//	...
//	for i := 0; i < 1e9; i++ { cellˑ.Check();
//		larger(i, 1)
//	}
//	...
//	for range 3 {
//	}
//	...
//	again:
//		cellˑ.Check(); goto again
//
// Every way to run forever goes through a loop, a goto or a call. So there is no check where it
// would cost more than the work: in a function that calls no user code, unless it is too large for
// inlining (enters), and in a range loop of at most 16 rounds without an inner loop (short).
// Compiled packages may call a function without a check forever, as in sort.Slice(xs, less). It is
// therefore passed as a literal with a check (guard_callback.go):
//
//	func less(i, j int) bool { return i < j }
//	xs := []int{2, 1}
//	sort.Slice(xs, less)
//	=>
//	sortˑ.Slice(xs, func(p1ˑˑ int, p2ˑˑ int) bool { cellˑ.Check(); return less(p1ˑˑ, p2ˑˑ) })
//
// In a function with defer recover() the check is a call that is not inlined, CheckApart: recover
// inspects the frame, and could mistake an inlined check for another frame.
//
// Second, channels (guard_channel.go). Operations become functions of package cell, which wait for
// the channel or the end of the cell. A range loop becomes a loop that receives, and a select
// without default gets a clause. Stop does not return; the loop around it tells the compiler so:
//
//	c := make(chan int, 1)
//	c <- 1
//	for v := range c {
//		fmt.Println(v)
//	}
//	select {
//	case v := <-c:
//		fmt.Println(v)
//	}
//	=>
//	cellˑ.Send(c , 1)
//	...
//	for channelˑˑ := c; ; { cellˑ.Check(); v, okˑˑ := cellˑ.ReceiveOK(channelˑˑ); if !okˑˑ { break }; {
//		cellˑ.FmtPrintln(v)
//	}}
//	...
//	select { case <-cellˑ.Done(): for { cellˑ.Stop() };
//	case v := <-c:
//		cellˑ.FmtPrintln(v)
//	}
//
// Third, goroutines (guard_go.go). A literal defers Caught, which turns a panic into an error of
// the cell. Any other function is called by a literal; the function and its arguments are evaluated
// at the statement, in one assignment. An argument that is nil or a constant has no type for a
// variable, and is passed directly:
//
//	n := 1
//	go fmt.Println(n, nil)
//	go func() { panic(1) }()
//	=>
//	{ functionˑˑ, a1ˑˑ, _ :=  cellˑ.FmtPrintln, n, 0; go func() { defer cellˑ.Caught(); functionˑˑ(a1ˑˑ, nil) }() }
//	...
//	go func() { defer cellˑ.Caught(); panic(1) }()
//
// Fourth, functions of the standard library (guard_library.go, guard_file.go). Functions that wait,
// end the process, or use the standard files are replaced by functions of packages cell and
// standard of the same types. Functions that wait for something outside the program go through
// Waits, which abandons them when the cell is stopped. Contexts passed to them end with the cell:
//
//	var m sync.Mutex
//	m.Lock()
//	time.Sleep(1)
//	log.New(os.Stderr, "", 0).Println(1)
//	resp := http.Get("http://localhost")
//	=>
//	cellˑ.Lock(&m)
//	...
//	cellˑ.Sleep(1)
//	...
//	logˑ.New(standardˑ.Of(osˑ.Stderr), "", 0).Println(1)
//	...
//	{ v0ˑ, errˑ := cellˑ.Waits("", httpˑ.Get)("http://localhost"); cellˑ.Failed(errˑ, 1, 5, 9); resp = v0ˑ }
//
// Fifth, methods (guard_method.go). A stored literal calls a method of the session through a
// variable that holds the newest version, as with functions.
//
// Code that a guard cannot rewrite without changing its meaning stays unchanged: operations on a
// channel whose type is a type parameter, go recover(), go statements whose arguments get their
// types from the call, and methods that are values, such as m.Lock in f := m.Lock. Such a cell may
// not stop until the operation ends.
package emit
