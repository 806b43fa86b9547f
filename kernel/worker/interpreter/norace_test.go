//go:build !race

package interpreter

const raced = false
