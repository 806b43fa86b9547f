// Package enum writes and reads the values of enumerations as words, for types that implement
// encoding.TextMarshaler and encoding.TextUnmarshaler by it.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Marshal returns the word of a value, of which words has all from 0.
func Marshal[E ~int](value E, words []string) ([]byte, error) {
	if value < 0 || int(value) >= len(words) {
		return nil, fmt.Errorf("%T is %d; it must be 0 to %d: %s", value, int(value), len(words)-1, strings.Join(words, ", "))
	}
	return []byte(words[value]), nil
}

// Unmarshal sets the value to that of a word, in whatever case.
func Unmarshal[E ~int](value *E, words []string, text []byte) error {
	i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, string(text)) })
	if i < 0 {
		return fmt.Errorf("%T cannot be %.40q; there are %s", *value, text, strings.Join(words, ", "))
	}
	*value = E(i)
	return nil
}
