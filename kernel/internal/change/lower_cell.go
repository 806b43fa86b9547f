package change

// declaresBetween reports whether the statement before index i declares
// variables, so that a failure later has to keep them.
func (ch *Change) DeclaresBetween(i int) bool {
	for _, v := range ch.Variables {
		if v.Statement == i-1 {
			return true
		}
	}
	return false
}
