package interpreted

import "sync/atomic"

// An atomic.Value holds values of one type, and compares such. These are its methods for values
// that may be carriers, which are of one type all.

func atomicStore(v *atomic.Value, value any) {
	consistent(v, "store", value)
	v.Store(value)
}

func atomicSwap(v *atomic.Value, value any) any {
	consistent(v, "swap", value)
	return v.Swap(value)
}

func atomicCompareAndSwap(v *atomic.Value, old, value any) bool {
	if x, ok := carried(old); ok {
		if y, ok := carried(value); ok && x.d != y.d {
			panic("sync/atomic: compare and swap of inconsistently typed values")
		}
	}
	consistent(v, "compare and swap", value)
	return v.CompareAndSwap(old, value)
}

// consistent panics as v does if it holds a value of another session type.
func consistent(v *atomic.Value, operation string, value any) {
	if x, ok := carried(v.Load()); ok {
		if y, ok := carried(value); ok && x.d != y.d {
			panic("sync/atomic: " + operation + " of inconsistently typed value into Value")
		}
	}
}
