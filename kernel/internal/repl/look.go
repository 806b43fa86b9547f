package repl

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hierml/notebook/internal/notebook/code"
)

// A look says what a terminal can show besides text.
type look struct {
	color bool
	// control says that the cursor can be moved, and asked where it is.
	control bool
}

// lookOf returns the look of a file that text is written to. The user's NO_COLOR is heeded.
func lookOf(f *os.File) look {
	control := isTerminal(f) && os.Getenv("TERM") != "dumb"
	return look{color: control && os.Getenv("NO_COLOR") == "", control: control}
}

// plain returns a text with its colours only if those are wanted.
func (l look) plain(text string) string {
	if l.color {
		return text
	}
	return ansi.Strip(text)
}

// paint writes a text in a colour of the terminal's own, by its SGR number.
func (l look) paint(sgr, text string) string {
	if !l.color {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// The colours are those of the terminal's own palette, which its user has made readable, by their
// SGR numbers.
const (
	colorKeyword = "35"
	colorString  = "32"
	colorNumber  = "36"
	colorComment = "90"
	colorIn      = "32"
	colorOut     = "31"
)

// colors are those of pieces of Go.
var colors = map[code.Kind]string{
	code.Keyword:  colorKeyword,
	code.Constant: colorKeyword,
	code.Type:     colorKeyword,
	code.String:   colorString,
	code.Number:   colorNumber,
	code.Comment:  colorComment,
}

// highlight returns Go with colours.
func (l look) highlight(source string) string {
	if !l.color {
		return source
	}
	var b strings.Builder
	for _, p := range code.Pieces(source) {
		if sgr := colors[p.Kind]; sgr != "" {
			b.WriteString(l.paint(sgr, p.Text))
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
