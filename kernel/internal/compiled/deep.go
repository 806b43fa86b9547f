package compiled

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Go ends a process when one of its stacks grows above a limit. A goroutine with endless recursion
// can end earlier, and alone: the checks in its functions see how large its stack is.

// deep says which stacks count as deep, and whom to tell about them.
type deep struct {
	size atomic.Uintptr // 0 while the search is off
	tell func(cell int)
}

// EndDeep ends the goroutines whose stacks have at least size bytes, each at its next check, until
// it is called with 0. It first calls tell with the cell of each, if that is known. EndDeep reports
// whether it can.
func (r *Runner) EndDeep(size uintptr, tell func(cell int)) bool {
	if !r.Used() || stackSize() == 0 {
		return false
	}
	if size > 0 {
		r.deep.tell = tell
	}
	switch before := r.deep.size.Swap(size); {
	case before == 0 && size > 0:
		cell.Stopping(1)
	case before > 0 && size == 0:
		cell.Stopping(-1)
	}
	return true
}

// endDeep ends the calling goroutine if its stack is deep: with its cell while that runs. Later it
// ends alone, and the cell's output says so.
func (r *Runner) endDeep() {
	size := r.deep.size.Load()
	if size == 0 || stackSize() < size {
		return
	}
	b := r.tasks.bearer()
	if b.ending {
		return
	}
	if b.task != nil {
		r.deep.tell(b.task.cell)
	}
	if b.task == nil || !r.tasks.stop(b.task, program.ErrDeep) {
		fmt.Fprintf(r.stdio.err, "a goroutine was ended: %s\n", program.ErrDeep.Message)
	}
	r.tasks.label(bearer{task: b.task, ending: true})
	runtime.Goexit()
}
