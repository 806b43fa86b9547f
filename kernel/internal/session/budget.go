package session

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// What a cell may leave on the page that shows it, in bytes.
const (
	maxText = 5 << 20
	maxData = 256 << 20
	// dataCost is what each display costs besides its size, so that small ones are bounded as well:
	// to 16384.
	dataCost = 16 << 10
	// curbedText is how much an interrupted cell may still write.
	curbedText = 256 << 10
)

// A budget bounds what a cell leaves on the page. The zero value is that of a new cell. It is safe
// for concurrent use.
type budget struct {
	mu         sync.Mutex
	written    int // bytes of text since the page was cleared
	shown      int // bytes of data
	left       int // of text after an interrupt
	curbed     bool
	textNoted  bool // that the limit was reached
	dataNoted  bool
	lostValues int64 // values that were left out
	// spill takes the text for which there is no room.
	spill spill
}

// text spends the budget on a text. It returns what of it is to be shown now, and a note for the
// user when it is not all of it for the first time.
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
	// Shorter texts that would fit are not to follow.
	b.written, b.left = maxText, 0
	b.spill.write(text[room:])
	if b.textNoted {
		return text[:room], ""
	}
	b.textNoted = true
	if b.curbed {
		return text[:room], "\n[the cell was interrupted; of what it writes from here on, the end is shown]\n"
	}
	return text[:room], fmt.Sprintf("\n[output limit of %s reached: of what follows, the end is shown when the cell has ended]\n", binarySize(maxText))
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
	return false, "\n[display limit of the cell reached: what follows is not shown, only counted]\n"
}

// clear says that the page was cleared.
func (b *budget) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written, b.shown = 0, 0
	b.textNoted, b.dataNoted = false, false
	b.spill.cleared()
}

// curb leaves the cell little more to write.
func (b *budget) curb() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.curbed, b.left = true, curbedText
}

// end returns what is left to show of a cell that has ended: what was left out, and the end of the
// text. The path is that of the file that has all of the text, which is closed; text is counted
// only from then on.
func (b *budget) end() (said, tail, path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	said, tail, path = b.spill.close()
	if b.lostValues > 0 {
		said += fmt.Sprintf("[not shown: %d values]\n", b.lostValues)
	}
	return said, tail, path
}

// binarySize writes a number of bytes as people read it.
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
