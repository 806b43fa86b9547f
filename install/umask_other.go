//go:build !unix

package main

// restrict does nothing where files have no permissions.
func restrict() {}
