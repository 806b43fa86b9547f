// Package assist completes and describes what stands in a cell that is being written. It runs
// nothing, save that inspection asks the engine what a variable looks like while no cell runs. It
// sees a cell, as far as it is written, through a view (view.go): the text with its brackets closed
// and without the lines that do not parse, checked in spite of its errors, of which nothing stays
// in the session. What the place asks for (expect.go) decides the order.
//
// Wrong when a name that is in scope is missing: then see what the parser makes of the repaired
// text (syntax/repair.go, mend.go).
package assist
