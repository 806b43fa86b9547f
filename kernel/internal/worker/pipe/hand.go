package pipe

import "errors"

var errNotHanded = errors.New("the worker is started by the kernel, which gives it the pipes it needs")
