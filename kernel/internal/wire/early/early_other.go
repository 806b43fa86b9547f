//go:build !cgo || !linux

package early

import (
	"net"
	"os"
)

// Listener returns nil: nothing is listening yet.
func Listener(string) (net.Listener, error) { return nil, nil }

// Parent returns the id of the process that started this one.
func Parent() int { return os.Getppid() }
