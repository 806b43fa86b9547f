package repl

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hierml/notebook/internal/notebook/code"
)

// A look describes what a terminal can show besides text.
type look struct {
	color bool
	// control says that the cursor can be moved, and its position queried.
	control bool
}

// lookOf returns the look of an output file. It respects the user's NO_COLOR.
func lookOf(f *os.File) look {
	control := isTerminal(f) && os.Getenv("TERM") != "dumb"
	return look{color: control && os.Getenv("NO_COLOR") == "", control: control}
}

// plain returns a text, without its colours if the terminal does not show them.
func (l look) plain(text string) string {
	if l.color {
		return text
	}
	return ansi.Strip(text)
}

// paint formats a text in one of the terminal's own colours, by SGR number.
func (l look) paint(sgr, text string) string {
	if !l.color {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// The colours are from the terminal's palette, which its user has made readable, by SGR number.
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
