package engine

// Inspect describes what stands at, or ends before, the cursor, a position in
// Unicode code points of the source: its declaration and documentation, with
// detail 1 its source, too, where it was declared in a cell. It returns nil if
// nothing is known of it.
func (e *Engine) Inspect(source string, cursor, detail int) *Bundle {
	return nil
}
