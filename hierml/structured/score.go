package structured

// Scores writes <W_c, x> of every column into scores, which has Stride entries, for an instance
// given by its features, ascending, and their values. Features beyond those of w are ignored.
func (w *Weights) Scores(features []int32, values []float32, scores []float64) {
	w.nodeScores(features, values, scores)
}

// Scores turns scores of the columns into those of the candidates. sums is scratch space with one
// entry per column plus one.
func (a *Attributes) Scores(columns, sums, candidates []float64) {
	a.candidateScores(columns, sums, candidates)
}

// AddTo adds scale times the attribute vector of the candidate at position y to a step over the
// columns.
func (a *Attributes) AddTo(step *Step, y int, scale float64) { a.direct(int32(y), scale, step) }
