package engine

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/hooks"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/magic"
)

// hooking is what the engine knows of the hooks in cells.
type hooking struct {
	on    bool
	sites int // numbered so far
	// known are the hooks of all cells. requests are the requests of front ends, kept for another
	// process; stale says that there is one.
	known    []*program.Hooks
	requests map[string][]byte
	stale    bool
	// again are the texts of earlier cells, by the numbers of the cells that declare their
	// functions again.
	again map[int]string
}

// has reports whether a cell has hooks.
func (h *hooking) has(cell int) bool {
	return slices.ContainsFunc(h.known, func(known *program.Hooks) bool { return known.Cell == cell })
}

// Hook decides whether cells that begin from now on stop for the debugger.
func (e *Engine) Hook(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hooking.on = on
}

// hooked returns a checked cell with hooks if cells have them. e.mu is held.
func (e *Engine) hooked(k *check.Checked) (*check.Checked, []*program.Hooks, error) {
	earlier, again := e.hooking.again[k.Source.Cell.Number]
	if !e.hooking.on || k.Source.Cell.Aside && !again {
		return k, nil, nil
	}
	src, h := hooks.Add(k, e.checker, e.hooking.sites)
	if src != nil && again {
		h.Source = earlier
	}
	if src == nil || e.hooking.sites+len(h.Sites) > magic.MaxStops {
		return k, nil, nil
	}
	e.hooking.sites += len(h.Sites)
	e.hooking.known = append(e.hooking.known, h)
	k.Rollback()
	e.checker.Forget(k.Source)
	hooked, err := e.checker.CheckSource(src)
	if err != nil {
		return nil, nil, &faultError{fmt.Sprintf("the cell does not compile with the debugger's hooks: %v\n%s", err, src.Text)}
	}
	return hooked, []*program.Hooks{h}, nil
}
