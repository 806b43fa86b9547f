package features

import "errors"

// What functions fail with that are given nothing.
var (
	errNoData   = errors.New("features: no data set, or one without a matrix, was given")
	errNoMatrix = errors.New("no matrix was given")
)
