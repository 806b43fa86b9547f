//go:build unix

package session

import (
	"context"
	"os"
)

// watchEvent does nothing: interrupts are signals here.
func watchEvent(context.Context, chan<- os.Signal) error { return nil }
