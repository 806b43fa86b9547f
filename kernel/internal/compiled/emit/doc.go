// Package emit writes the units of compiled cells: the user's own text as a package of its own,
// which for the compiler is one with those of earlier cells (package toolchain), with the names of
// other units' declarations qualified, and with guards that let it be stopped (guard*.go).
// testdata/emission has the units of many cells, and testdata/guard guarded programs.
//
// Building what it writes is left to package toolchain, and running it to package compiled.
//
// Wrong when a unit does not compile that the check let pass, a panic has the wrong column
// (sites.go), or a cell cannot be stopped.
//
// # A unit
//
// Types, constants and functions are declared as they stand. Variables of the statements at the top
// are those of the package. The statements stand in one function, where a declaration of a variable
// is an assignment. What they show, and how far they got, goes to package cell:
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
// Names that the emission writes end or begin with ˑ, which no user types. The user's text is not
// printed from the syntax tree: it is copied with edits (syntax.Edits), which add no lines. A line
// directive before each piece gives panics their lines, and /cell/0 stands for text that is not the
// user's.
//
// A later unit imports those whose declarations it mentions. A variable that is declared again with
// the same type stays where it is:
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
//  1. own (decl.go) collects what the unit declares: what the cell declares, and what must be
//     compiled again with it. These are functions that call a function which the cell declares
//     again (check/following.go), and where a type of an earlier cell gets a method, the type and
//     all that mentions it, variables among them, whose values are moved.
//  2. claim gives them their names in the unit.
//  3. declare writes them, in this order: types, constants, variables, functions.
//  4. statements (stmt.go) writes the statements at the top. An error that a statement leaves out
//     goes to a variable errˑ, which Failed looks at.
//  5. assemble puts imports in front, of packages that the text really mentions, and an init
//     function behind, which registers the unit with package cell.
//  6. again looks for a loaded unit with the same text that declares nothing new. If there is one,
//     the cell runs that and compiles nothing.
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
// does os.Exit. The guard makes the user's text do what it did, and end with its cell. It walks a
// function or a statement once (Guard.walk) and collects edits. They copy no text of the user, so
// that they go together with those that give names another form. There are five kinds.
//
// First, checks (guard.go). Check looks at a number that is 0 unless a cell is being stopped or a
// stack is very deep. If it is not 0, Check asks the runner whether that concerns this goroutine,
// and ends it after its deferred calls. A check stands where a loop's body begins, where a function
// begins, and before a goto:
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
// Every way to run for ever goes through a loop, a goto or a call. So there is no check where it
// would cost more than the work: in a function that calls nothing of the user, unless it is too
// large to be inlined in any case (enters), and in a range loop of at most 16 rounds that has no
// loop in it (short). A function that compiled packages call, as in sort.Slice(xs, less), may be
// called without end although it has no check. It is passed as a literal that has one
// (guard_callback.go):
//
//	func less(i, j int) bool { return i < j }
//	xs := []int{2, 1}
//	sort.Slice(xs, less)
//	=>
//	sortˑ.Slice(xs, func(p1ˑˑ int, p2ˑˑ int) bool { cellˑ.Check(); return less(p1ˑˑ, p2ˑˑ) })
//
// In a function with defer recover() the check is a call that is not inlined, CheckApart: recover
// looks at the frame that an inlined check could be taken for.
//
// Second, channels (guard_channel.go). Operations are functions of package cell, which wait for the
// channel or the end of the cell. A range loop becomes a loop that receives, and a select without
// default gets a clause. Stop does not return; the loop around it tells the compiler so:
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
// the cell. Another function is called by a literal; it and its arguments are evaluated where the
// statement stands, in one assignment. An argument that is nil or a constant has no type that a
// variable could get, and is passed as it is:
//
//	n := 1
//	go fmt.Println(n, nil)
//	go func() { panic(1) }()
//	=>
//	{ functionˑˑ, a1ˑˑ, _ :=  cellˑ.FmtPrintln, n, 0; go func() { defer cellˑ.Caught(); functionˑˑ(a1ˑˑ, nil) }() }
//	...
//	go func() { defer cellˑ.Caught(); panic(1) }()
//
// Fourth, functions of the standard library (guard_library.go, guard_file.go). Those that wait, end
// the process, or use the standard files are functions of packages cell and standard of the same
// types. Those that wait for something outside of the program go through Waits, which leaves them
// behind when the cell is stopped. Contexts that they are given end with the cell:
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
// Fifth, methods (guard_method.go). A literal that is kept calls a method of the session by a
// variable that holds the newest version, as it does with functions.
//
// What a guard cannot write without changing the meaning stays as it is: operations on a channel
// whose type is a type parameter, go recover(), go statements whose arguments get their types from
// the call, and methods that are values, such as m.Lock in f := m.Lock. Such a cell may not stop
// until the operation ends.
package emit
