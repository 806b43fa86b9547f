//go:build race

package interpreted

const raced = true
