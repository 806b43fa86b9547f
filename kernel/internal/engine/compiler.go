package engine

import (
	"context"

	"github.com/hierml/notebook/internal/toolchain"
)

// A Compiler builds units into a plugin for the executor's process.
type Compiler interface {
	// Build builds units in their order and returns the file of the plugin.
	// It keeps what later units need. The end of ctx ends it.
	Build(ctx context.Context, units []toolchain.Unit) (plugin string, err error)
	// Close removes what is kept.
	Close() error
}
