package classifier

import "github.com/hierml/notebook/hierml/solver"

// Training is the record of how a model was trained.
type Training struct {
	// Status says why the training ended: Converged if it reached the requested gap or, for a
	// perceptron, had nothing left to update. It is zero for the current model of a
	// perceptron.Learner.
	Status  solver.Status
	Epochs  int // passes over the instances
	Seconds float64
	// Certificate has the primal and the dual value of the solved problem and the duality gap
	// between them. It is nil for methods that do not solve an optimization problem.
	Certificate *solver.Result
}

// Solved returns the record of a training from the result of its solver.
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
