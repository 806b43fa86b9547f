package classifier

// Sparse tells whether the model keeps the weights that are not zero alone.
func (m *Model) Sparse() bool { return m.sparse != nil }
