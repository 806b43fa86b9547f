package classifier

import "github.com/hierml/notebook/hierml/solver"

// Training is the record of how a model was trained.
type Training struct {
	// Status says why the training ended: Converged if it reached the gap asked for or, of a
	// perceptron, had nothing left to update. It is zero of a model that a perceptron.Learner has
	// so far.
	Status  solver.Status
	Epochs  int // passes over the instances
	Seconds float64
	// Certificate is the outcome of the problem that was solved, with its primal and dual value and
	// the gap between them. It is nil of methods that solve no problem.
	Certificate *solver.Result
}

// Solved returns the record of a training that solved a problem with the given result.
func Solved(r *solver.Result) Training {
	return Training{Status: r.Status, Epochs: r.Epochs, Seconds: r.Seconds, Certificate: r}
}

// end says why the training ended.
func (t *Training) end() string {
	if t.Status == 0 {
		return "online, so far"
	}
	return t.Status.String()
}
