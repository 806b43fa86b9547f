//go:build ignore

// Package pbkdf2 is what the engine runs in place of the generic functions of
// the standard package of this name.
package pbkdf2

import "hash"

func pbkdf2Key(h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error)

func Key[Hash hash.Hash](h func() Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	return pbkdf2Key(func() hash.Hash { return h() }, password, salt, iter, keyLength)
}
