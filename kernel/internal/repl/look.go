package repl

import (
	"os"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
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

var goLexer = lexers.Get("go")

// highlight returns Go with colours.
func (l look) highlight(source string) string {
	if !l.color {
		return source
	}
	tokens, err := goLexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, source)
	if err != nil {
		return source // colours are not worth a complaint
	}
	var b strings.Builder
	for _, token := range tokens.Tokens() {
		sgr := ""
		switch {
		case token.Type.InCategory(chroma.Keyword):
			sgr = colorKeyword
		case token.Type.InSubCategory(chroma.LiteralString):
			sgr = colorString
		case token.Type.InSubCategory(chroma.LiteralNumber):
			sgr = colorNumber
		case token.Type.InCategory(chroma.Comment):
			sgr = colorComment
		}
		if sgr == "" {
			b.WriteString(token.Value)
			continue
		}
		b.WriteString(l.paint(sgr, token.Value))
	}
	colored := b.String()
	if ansi.Strip(colored) != source {
		return source // the lexer changes line ends, or drops what it does not know
	}
	return colored
}
