package engine

// A Completion is what may stand at a position of a cell.
type Completion struct {
	// Start and End bound, in Unicode code points of the source, what a
	// candidate replaces.
	Start, End int
	Candidates []Candidate
}

// A Candidate is one way to complete a cell.
type Candidate struct {
	Text string
	// Kind is "function", "method", "type", "struct", "interface", "field",
	// "variable", "constant", "package", "keyword" or "path".
	Kind string
	// Signature is the type of the candidate, as Go writes it; of a function
	// its parameters and results.
	Signature string
}

// Complete returns what may stand at the cursor, a position in Unicode code
// points of the source, given what the session has declared.
func (e *Engine) Complete(source string, cursor int) Completion {
	return Completion{Start: cursor, End: cursor}
}
