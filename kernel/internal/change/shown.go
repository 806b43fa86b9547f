package change

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// Shows notes what the cell will show.
func (ch *Change) Shows(t ...types.Type) { ch.Shown = t }

// Keep has later cells find the value that the cell has shown.
func (ch *Change) Keep() {
	cell := ch.K.Source.Cell
	if ch.Shown == nil || cell.Aside {
		return
	}
	out := &state.Shown{Cell: cell.Number, Types: ch.Shown}
	ch.S.Shown[cell.ExecutionCount()] = out
	ch.S.LastShown = out
}
