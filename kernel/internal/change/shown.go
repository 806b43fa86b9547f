package change

import "go/types"

// Shows records the types of the values that the cell will show.
func (ch *Change) Shows(t ...types.Type) { ch.Shown = t }

// Keep lets later cells find the value that the cell has shown.
func (ch *Change) Keep() {
	cell := ch.K.Source.Cell
	if ch.Shown == nil || cell.Aside {
		return
	}
	ch.C.Transcript.Show(cell.ExecutionCount(), cell.Number, ch.Shown)
}
