// Package assist completes and describes names in a cell that is being edited. It runs nothing,
// except that inspection asks the engine for the value of a variable while no cell runs. It sees an
// unfinished cell through a view (view.go): the text with its brackets closed and without the lines
// that do not parse, checked in spite of its errors. Nothing of that stays in the session. The
// expected type at the position (expect.go) decides the order.
//
// Wrong when a name that is in scope is missing: then check how the parser reads the repaired text
// (syntax/repair.go, mend.go).
package assist
