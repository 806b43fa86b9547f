package pipe

import "errors"

var errNotHanded = errors.New("do not run the worker yourself: the kernel starts it, and gives it the pipes that it needs")
