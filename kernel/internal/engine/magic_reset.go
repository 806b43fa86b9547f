package engine

import (
	"fmt"

	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/program"
)

// reset makes the session new.
func (e *Engine) reset(out program.Output) error {
	// No cell declares anything or learns of the end of its process meanwhile.
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	forgotten := len(e.checker.Session.Live)
	restarted, err := e.startOver()
	if err != nil {
		return err
	}
	msg := ""
	if restarted {
		msg = "; its variables are gone with the process that had them"
	}
	out.Stream("stdout", fmt.Sprintf("The session is new: %s forgotten%s.\n", count(forgotten, "name is", "names are"), msg))
	return nil
}

// startOver forgets all that the session has declared, and starts a new process if the executor
// can.
func (e *Engine) startOver() (restarted bool, err error) {
	r, restarted := e.executor.(program.Restarter)
	if restarted {
		died, err := r.Restart()
		if err != nil {
			return false, err
		}
		e.dead = max(e.dead, died)
		e.chosen, e.compiled = false, false
		e.hooking.stale = true
	}
	c := e.checker
	numbers := c.Session.Numbers
	c.Reset()
	if restarted {
		e.lowerer = lower.New(c)
	} else { // the executor still has what it was sent
		c.Session.Numbers = numbers.Anew()
		e.lowerer = e.lowerer.Anew(c)
	}
	e.forgetCompiled()
	if modules, ok := e.compiler.(program.Modules); ok && restarted {
		modules.Forget()
	}
	return restarted, nil
}
