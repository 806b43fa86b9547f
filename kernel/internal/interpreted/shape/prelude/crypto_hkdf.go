//go:build ignore

// Package hkdf is what the engine runs in place of the generic functions of
// the standard package of this name.
package hkdf

import "hash"

func hkdfExtract(h func() hash.Hash, secret, salt []byte) ([]byte, error)

func hkdfExpand(h func() hash.Hash, pseudorandomKey []byte, info string, keyLength int) ([]byte, error)

func Extract[H hash.Hash](h func() H, secret, salt []byte) ([]byte, error) {
	return hkdfExtract(func() hash.Hash { return h() }, secret, salt)
}

func Expand[H hash.Hash](h func() H, pseudorandomKey []byte, info string, keyLength int) ([]byte, error) {
	return hkdfExpand(func() hash.Hash { return h() }, pseudorandomKey, info, keyLength)
}

func Key[Hash hash.Hash](h func() Hash, secret, salt []byte, info string, keyLength int) ([]byte, error) {
	extracted, err := Extract(h, secret, salt)
	if err != nil {
		return nil, err
	}
	return Expand(h, extracted, info, keyLength)
}
