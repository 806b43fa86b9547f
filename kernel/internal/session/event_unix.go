//go:build unix

package session

import (
	"context"
	"os"
)

// watchEvent does nothing: interrupts are signals here.
func heedEvent(context.Context, chan<- os.Signal) error { return nil }
