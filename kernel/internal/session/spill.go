package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/internal/temporary"
)

const (
	// maxTail is how much of the end of the hidden text is shown after all.
	maxTail = 64 << 10
	// maxSpill bounds the file of a cell.
	maxSpill = 256 << 20
)

// A spill takes the text of a cell that exceeds its budget: all of it in a file, and the end of it
// in memory. The zero value is ready for use. It is not safe for concurrent use.
type spill struct {
	file *os.File
	size int64
	lost int64 // bytes that are missing from the file, too
	err  error // why they are
	tail strings.Builder
	// before is the size at which the page was cleared.
	before int64
}

var errSpilled = errors.New("the cell has ended")

// write adds a text.
func (s *spill) write(text string) {
	s.size += int64(len(text))
	s.keep(text)
	if s.err == nil && s.file == nil {
		s.file, s.err = temporary.File("output", ".txt")
	}
	if s.err == nil && s.size > maxSpill {
		s.err = fmt.Errorf("the file already has %s", binarySize(maxSpill))
	}
	if s.err == nil {
		var n int
		n, s.err = s.file.WriteString(text)
		text = text[n:]
	}
	if s.err != nil {
		s.lost += int64(len(text))
	}
}

// keep keeps the end of the text: at most twice maxTail is in memory.
func (s *spill) keep(text string) {
	if s.tail.Len()+len(text) > 2*maxTail {
		all := s.tail.String() + text[max(0, len(text)-maxTail):]
		s.tail.Reset()
		s.tail.WriteString(all[max(0, len(all)-maxTail):])
		return
	}
	s.tail.WriteString(text)
}

// end returns the end of the text, from the beginning of a line if possible.
func (s *spill) end() string {
	text := s.tail.String()
	text = text[max(0, len(text)-maxTail):]
	if int64(len(text)) == s.size-s.before {
		return text
	}
	if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
		return rest
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// cleared discards the end, since the page was cleared.
func (s *spill) cleared() {
	s.tail.Reset()
	s.before = s.size
}

// close closes the file. It returns a note on how much was omitted before the end and where it is,
// the end, and the path of the file. All are empty if nothing was omitted.
func (s *spill) close() (said, end, path string) {
	lost := s.err
	if s.file != nil {
		path = s.file.Name()
		lost = cmp.Or(lost, s.file.Close())
	}
	s.err = errSpilled
	if s.size == s.before {
		return "", "", path
	}
	end = s.end()
	if left := s.size - s.before - int64(len(end)); left > 0 {
		said = fmt.Sprintf("\n[%s of text omitted here", binarySize(left))
	} else {
		said = "\n[the end of the text"
	}
	if path != "" {
		said += "; until the kernel ends, the whole text is in " + path
	}
	if s.lost > 0 {
		said += fmt.Sprintf(", without the last %s: %v", binarySize(s.lost), lost)
	}
	return said + "]\n", end, path
}
