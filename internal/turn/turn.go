// Package turn lets others run while something computes, where one thread does everything: in a
// page of a browser, to which no message is delivered as long as a goroutine runs.
//
// Whoever computes for long asks by [Err] or [Cause] whether to go on. Elsewhere than in a page they
// do what context does.
package turn

import "context"

// Err takes a turn, and returns ctx.Err().
func Err(ctx context.Context) error {
	Take()
	return ctx.Err()
}

// Cause takes a turn, and returns context.Cause(ctx).
func Cause(ctx context.Context) error {
	Take()
	return context.Cause(ctx)
}
