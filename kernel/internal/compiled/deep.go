package compiled

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Go ends a process one of whose stacks grows above a limit. A goroutine that recurses without end
// can end before, by itself alone: its functions check, and see there how large the stack is that
// they run on.

// deep says which stacks are deep, and who is told of those found.
type deep struct {
	size atomic.Uintptr // 0 while none is looked for
	tell func(cell int)
}

// EndDeep ends the goroutines whose stacks have at least that many bytes, each where it next
// checks, until it is called with 0. tell hears of the cell of each before, if that is known.
// EndDeep reports whether it can.
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

// endDeep ends the calling goroutine if its stack is deep: with its cell while that runs, and else
// alone, of which its cell is told.
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
