package engine

import (
	"fmt"

	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// reset makes the session a new one.
func (e *Engine) reset(out program.Output) error {
	// No cell declares anything meanwhile, nor learns of the end of its process.
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	forgotten := len(e.checker.Session.Live)
	restarted, err := e.anew()
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

// anew forgets all that the session has declared, and starts a new process where the executor can
// do that.
func (e *Engine) anew() (restarted bool, err error) {
	fresh := state.NewSession()
	r, restarted := e.executor.(program.Restarter)
	if restarted {
		died, err := r.Restart()
		if err != nil {
			return false, err
		}
		e.dead = max(e.dead, died)
		e.chosen, e.compiled = false, false
		e.hooking.stale = true
	} else {
		// The executor still has what it was sent.
		old := e.checker.Session
		fresh.Versions, fresh.Serial, fresh.Aliases, fresh.Sent = old.Versions, old.Serial, old.Aliases, old.Sent
	}
	c := e.checker
	c.Session, c.Files, c.Pkg = fresh, syntax.NewFiles(), nil
	e.lowerer = lower.New(c)
	e.forgetCompiled()
	if modules, ok := e.compiler.(program.Modules); ok && restarted {
		modules.Forget()
	}
	return restarted, nil
}
