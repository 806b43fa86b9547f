//go:build !unix

package main

import "errors"

// ownCPU is not known here: the comparison runs on Linux.
func ownCPU() (float64, error) { return 0, errors.ErrUnsupported }

// childrenCPU likewise.
func childrenCPU() (float64, error) { return 0, errors.ErrUnsupported }
