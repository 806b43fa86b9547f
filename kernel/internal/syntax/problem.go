package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/program"
)

const (
	Red   = "\x1b[31m"
	Bold  = "\x1b[1m"
	blue  = "\x1b[34m"
	Plain = "\x1b[0m"
)

// MaxProblems is how many complaints about one cell are shown.
const MaxProblems = 10

// ProblemsError words the complaints about a cell. name is the kind of the error.
func ProblemsError(name string, problems []Problem) *program.Error {
	e := &program.Error{Name: name}
	var messages []string
	for i, p := range problems {
		if i == MaxProblems {
			messages = append(messages, "too many errors")
			e.Traceback = append(e.Traceback, Red+"too many errors"+Plain)
			break
		}
		p.Msg = program.Shorten(p.Msg)
		if p.Source == nil {
			messages = append(messages, p.Msg)
			e.Traceback = append(e.Traceback, Red+p.Msg+Plain)
			continue
		}
		line, column := p.Source.Position(p.Offset)
		place := fmt.Sprintf("%s:%d:%d", p.Source.Cell.Title(), line, column)
		messages = append(messages, place+": "+p.Msg+p.Hint)
		e.Traceback = append(e.Traceback, Bold+place+": "+Red+p.Msg+Plain+p.Hint)
		e.Traceback = append(e.Traceback, p.Source.Excerpt(line, column)...)
	}
	e.Message = strings.Join(messages, "\n")
	return e
}

// maxExcerpt is how many bytes of a line are shown around a column.
const maxExcerpt = 1000

// Excerpt shows a line of the source with a caret under a column; column 0 shows no caret.
func (s *Source) Excerpt(line, column int) []string {
	lines := strings.Split(s.Cell.Source, "\n")
	if line < 1 || line > len(lines) {
		return nil
	}
	text := strings.TrimRight(lines[line-1], "\r")
	if len(text) > maxExcerpt {
		start, before := min(max(column-maxExcerpt/2, 0), len(text)), ""
		if start > 0 {
			before = "…"
			column -= start - len(before)
		}
		text = before + strings.ToValidUTF8(text[start:min(start+maxExcerpt, len(text))], "") + "…"
	}
	number := fmt.Sprintf("%5d | ", line)
	out := []string{blue + number + Plain + text}
	if column < 1 {
		return out
	}
	var pad strings.Builder
	for _, r := range text[:min(column-1, len(text))] {
		switch {
		case r == '\t':
			pad.WriteByte('\t')
		default:
			pad.WriteString(strings.Repeat(" ", runeWidth(r)))
		}
	}
	return append(out, strings.Repeat(" ", utf8.RuneCountInString(number)-2)+blue+"| "+Plain+pad.String()+Red+"^"+Plain)
}

// runeWidth is the number of columns that a terminal gives a rune.
func runeWidth(r rune) int {
	switch {
	case r == 0x200d || r >= 0xfe00 && r <= 0xfe0f || r >= 0x300 && r <= 0x36f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
