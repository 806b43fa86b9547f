// Package trial loads the plugin of a kit's trial. It is the one thing of
// package build that belongs into the program that loads plugins.
package trial

import (
	"fmt"

	"github.com/hierml/notebook/kernel/build"
	"github.com/hierml/notebook/kernel/worker/compiled/cell"
)

// Load loads a plugin that Kit.Trial built by open, which is plugin.Open, and
// runs it. The error says in one sentence that this program cannot load what
// its kit builds, and why.
func Load(file string, open func(file string) error) (err error) {
	if err := open(file); err != nil {
		return fmt.Errorf("compiled cells do not match this program; run `go run ./install` again: %w", err)
	}
	code, ok := cell.Lookup(build.TrialUnit)
	if !ok {
		return fmt.Errorf("the plugin in %s has no trial", file)
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("compiled cells run wrong: %v", wrong)
		}
	}()
	code.Run()
	return nil
}
