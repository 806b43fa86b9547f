package session

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// The limits of a cell's output on its page, in bytes.
const (
	maxText = 5 << 20
	maxData = 256 << 20
	// dataCost is added to the size of each display, so that the number of small ones is bounded as
	// well: to 16384.
	dataCost = 16 << 10
	// curbedText is how much text an interrupted cell may still write.
	curbedText = 256 << 10
)

// A budget bounds the output that a cell leaves on the page. The zero value is for a new cell. It
// is safe for concurrent use.
type budget struct {
	mu         sync.Mutex
	written    int // bytes of text since the page was cleared
	shown      int // bytes of data
	left       int // of text after an interrupt
	curbed     bool
	textNoted  bool // the limit was reached and noted
	dataNoted  bool
	lostValues int64 // values that were left out
	// spill takes the text that exceeds the budget.
	spill spill
}

// text spends the budget on a text. It returns the part to show now. The first time that this is
// not all of the text, it also returns a note for the user.
func (b *budget) text(text string) (shown, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := maxText - b.written
	if b.curbed {
		room = min(room, b.left)
	}
	if len(text) <= room {
		b.written += len(text)
		b.left -= len(text)
		return text, ""
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	// Later, shorter texts must not be shown either.
	b.written, b.left = maxText, 0
	b.spill.write(text[room:])
	if b.textNoted {
		return text[:room], ""
	}
	b.textNoted = true
	if b.curbed {
		return text[:room], "\n[the cell was interrupted; its further output is hidden, and the end of it shown when the cell finishes]\n"
	}
	return text[:room], fmt.Sprintf("\n[output truncated at %s; the end is shown when the cell finishes]\n", binarySize(maxText))
}

// data spends the budget on data of a size.
func (b *budget) data(size int) (ok bool, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown+size+dataCost <= maxData {
		b.shown += size + dataCost
		return true, ""
	}
	b.lostValues++
	if b.dataNoted {
		return false, ""
	}
	b.dataNoted = true
	return false, "\n[display limit of the cell reached; further displays are only counted]\n"
}

// clear records that the page was cleared.
func (b *budget) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written, b.shown = 0, 0
	b.textNoted, b.dataNoted = false, false
	b.spill.cleared()
}

// curb leaves the cell only a little more text.
func (b *budget) curb() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.curbed, b.left = true, curbedText
}

// end returns what to show when a cell has ended: a note on the omitted output, and the end of the
// text. The path is that of the closed file with all of the text; text is only counted from then
// on.
func (b *budget) end() (said, tail, path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	said, tail, path = b.spill.close()
	if b.lostValues > 0 {
		said += fmt.Sprintf("[not shown: %d values]\n", b.lostValues)
	}
	return said, tail, path
}

// binarySize formats a number of bytes for people.
func binarySize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.4g GiB", float64(n)/(1<<30))
}
