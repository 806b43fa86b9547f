package engine

import (
	"fmt"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// adviseAfter is how long a cell computes in the interpreter before its user is
// told what compiling would gain.
const adviseAfter = 2 * time.Second

// advise tells, once in a session, what compiling would gain, if a cell has
// computed for some time in interpreted code and nobody has chosen that.
func (e *Engine) advise(cell program.Cell, computed time.Duration, out program.Output) {
	e.mu.Lock()
	due := computed >= adviseAfter && e.mode == program.AutoMode && !e.compiled && e.open != nil && e.cannot == nil && !e.advised
	e.advised = e.advised || due
	e.mu.Unlock()
	if !due {
		return
	}
	how := "%engine compiled"
	if cell.Name != "" {
		how = "--engine compiled"
	}
	out.Stream("stderr", fmt.Sprintf("note: this cell computed for %.1f s in the interpreter; compiled, loops run 30 to 100 times as fast: %s\n", computed.Seconds(), how))
}
