// Package nb is what notebooks call.
package nb

import "context"

// Context returns the running cell's context.
func Context() context.Context { return context.Background() }
