package values

import "sync/atomic"

// An atomic.Value holds values of one type, and compares such. These are its methods for values
// that may be carriers, which are of one type all.

func AtomicStore(v *atomic.Value, value any) {
	consistent(v, "store", value)
	v.Store(value)
}

func AtomicSwap(v *atomic.Value, value any) any {
	consistent(v, "swap", value)
	return v.Swap(value)
}

func AtomicCompareAndSwap(v *atomic.Value, old, value any) bool {
	if x, ok := Carried(old); ok {
		if y, ok := Carried(value); ok && x.Description != y.Description {
			panic("sync/atomic: compare and swap of inconsistently typed values")
		}
	}
	consistent(v, "compare and swap", value)
	return v.CompareAndSwap(old, value)
}

// consistent panics as v does if it holds a value of another session type.
func consistent(v *atomic.Value, operation string, value any) {
	if x, ok := Carried(v.Load()); ok {
		if y, ok := Carried(value); ok && x.Description != y.Description {
			panic("sync/atomic: " + operation + " of inconsistently typed value into Value")
		}
	}
}
