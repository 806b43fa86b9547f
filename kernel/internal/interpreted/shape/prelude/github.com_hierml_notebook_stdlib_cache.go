//go:build ignore

// Package cache is what the engine runs in place of the generic function of
// the package of this name.
package cache

import "github.com/hierml/notebook/stdlib/cache"

func Cache[T any](key string, f func() (T, error)) (T, error) {
	var value T
	err := cache.Keep(key, &value, func() error {
		var err error
		value, err = f()
		return err
	})
	return value, err
}
