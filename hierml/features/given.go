package features

import "errors"

// Errors of functions that are called with nil.
var (
	errNoData   = errors.New("features: the data set is nil or has no matrix")
	errNoMatrix = errors.New("the matrix is nil")
)
