//go:build !cgo || !(linux || darwin || freebsd)

package main

// loadPlugin is nil where Go has no plugins.
var loadPlugin func(path string) error
