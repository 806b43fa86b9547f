package turn

import "sync/atomic"

var deep atomic.Pointer[func()]

// OnDeep has f called when interpreted calls are nested deeper than a browser has room for. f asks
// for the end of them, and does not wait.
func OnDeep(f func()) { deep.Store(&f) }

// Deep says that they are. The copy of yaegi calls it that install/internal/turned writes.
func Deep() {
	if f := deep.Load(); f != nil {
		(*f)()
	}
}
