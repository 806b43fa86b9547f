package interpreted

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"hash"
	"hash/maphash"
)

// genericFunctions are the bridge's functions for generic functions of other compiled packages, as
// instances that serve all types.
func genericFunctions() map[string]any {
	return map[string]any{
		"HashOf":      maphash.Comparable[any],
		"WriteHash":   maphash.WriteComparable[any],
		"HkdfExtract": hkdf.Extract[hash.Hash],
		"HkdfExpand":  hkdf.Expand[hash.Hash],
		"Pbkdf2Key":   pbkdf2.Key[hash.Hash],
	}
}
