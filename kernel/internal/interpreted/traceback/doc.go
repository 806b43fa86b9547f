// Package traceback writes what lets lowered code say where in a cell it panicked.
//
// In come the functions of a cell, while package lower writes them, and the syntax trees that each
// statement evaluates. Out come the line that identifies a function, the notes that stand before
// its statements, and the declarations of both. The statements themselves are package lower's, and
// package interpreted reads the notes when a panic has ended the functions. What can panic at all
// is a question for package typed.
//
// Wrong when a traceback names another line than the one that panicked, or leaves out a function.
//
// # Frames
//
// The interpreter knows which functions a panic ends, by the line of the first statement of each.
// It does not know where in the function the panic happened. So a function with a statement that
// can panic is a frame: a line directive gives it a line that is its number, and before such a
// statement the lowered code notes line*1000+column in a variable of the frame:
//
//	func get(m []int, i int) int { return m[i] }
//	=>
//	//line _.go:1000010
//	at__1000010 = 1039
//	return m[i]
//
// # Fewer notes
//
// Notes cost time, so those that change nothing are left out. [Notes] follow the text in the order
// in which it runs and know which place the variable holds. Where two ways meet, as behind a branch
// or at the beginning of a loop, nothing is known (Forget). Neither is it after a call that may run
// lowered code, because that may note lines of the same function (CallsBack).
//
// Before a loop in which only one line can panic, that line is noted once (Hoist):
//
//	func fill(m []int) {
//		for i := 0; i < 3; i++ {
//			m[i] = i
//		}
//	}
//	=>
//	at__1000010 = 3003
//	for i := int(0); i < 3; i++ {
//		m[i] = i
//	}
//
// If several operations of a statement can panic, its note is the statement's own place, and the
// checker remembers the operations: which one it was is found out when it has failed.
package traceback
