package perceptron

import "github.com/hierml/notebook/hierml/gram"

// instance is the instance of one step.
type instance struct {
	gram.Vector
	number int
	labels []int32 // positions of the candidates that are its labels, ascending
}

// weights is the form of w that the method updates.
type weights interface {
	// scores returns the scores of all candidates, valid until the next call. It returns an error
	// if the kernel does not support the instance.
	scores(x *instance) ([]float64, error)
	// square returns the squared norm of an instance.
	square(x *instance) float64
	// add adds the change to w: u (x) x, where u has the given values at some columns. It returns
	// an error if the kernel does not support the instance.
	add(x *instance, c change, columns []int32, u []float64) error
}

// change is a stored update: after step s, size times Phi(x, y)-Phi(x, z) is part of w.
type change struct {
	number int // of the instance
	step   int
	pair   [2]int32
	size   float64
}

// share returns the size of the change in w, or in the mean of w over all steps up to the last one:
// [Cai08, (5.15)].
func (c *change) share(averaged bool, last int) float64 {
	if !averaged {
		return c.size
	}
	return c.size * float64(last+1-c.step) / float64(last)
}

// core is the common mechanism of all methods: visit an instance and change the weights if it is a
// mistake.
type core struct {
	*rule
	weights weights
	steps   int
	updates int
}

// visit learns from an instance and reports whether it was a mistake. An instance with an error
// does not count as a step.
func (c *core) visit(x *instance) (mistake bool, err error) {
	c.steps++
	defer func() {
		if err != nil {
			c.steps--
		}
	}()
	scores, err := c.weights.scores(x)
	if err != nil {
		return false, err
	}
	p, ok := c.choose(x.labels, scores)
	if !ok {
		return false, nil
	}
	mistake = c.mistaken(p, scores)
	if c.wrong(p) {
		err = c.update(x, p)
	}
	return mistake, err
}

// update takes the step for a mistake, if there is one: a Hieron has none for an instance without
// features.
func (c *core) update(x *instance, p pair) error {
	square := c.weights.square(x)
	size := c.size(p, square)
	if c.hieron && size == 0 {
		return nil
	}
	columns, u := c.direction(p.y, p.z, size)
	if err := c.weights.add(x, change{number: x.number, step: c.steps, pair: [2]int32{p.y, p.z}, size: size}, columns, u); err != nil {
		return err
	}
	c.updates++
	if size > 0 {
		var product float64
		for _, v := range u {
			product += v * v
		}
		c.tolerance = max(c.tolerance, rounding*product/size*square)
	}
	if c.settings.Observe != nil {
		candidates := c.attributes.Candidates()
		c.settings.Observe(Update{Step: c.steps, Instance: x.number, Label: candidates[p.y], Other: candidates[p.z], Margin: p.margin, Size: size})
	}
	return nil
}

// inputError is the error of an invalid kernel.
type inputError struct{ text string }

func (e *inputError) Error() string { return e.text }
