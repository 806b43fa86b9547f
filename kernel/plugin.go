//go:build cgo && (linux || darwin || freebsd)

package main

import "plugin"

// loadPlugin loads a plugin into this process. Only this program does: one that can takes longer to
// link, and needs a C compiler for it.
func loadPlugin(path string) error {
	_, err := plugin.Open(path)
	return err
}
