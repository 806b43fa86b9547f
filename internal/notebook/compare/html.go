package compare

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// breaks are the elements that begin a line, and cells those that are beside each other on a line.
var (
	breaks = map[atom.Atom]bool{
		atom.Address: true, atom.Article: true, atom.Blockquote: true, atom.Br: true, atom.Caption: true, atom.Dd: true, atom.Details: true,
		atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Figcaption: true, atom.Figure: true, atom.H1: true, atom.H2: true, atom.H3: true,
		atom.H4: true, atom.H5: true, atom.H6: true, atom.Hr: true, atom.Li: true, atom.Ol: true, atom.P: true, atom.Pre: true,
		atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tbody: true, atom.Tfoot: true, atom.Thead: true, atom.Tr: true, atom.Ul: true,
	}
	cells = map[atom.Atom]bool{atom.Td: true, atom.Th: true}
	// silent elements have no words for readers.
	silent = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true}
)

// wordsOfHTML returns the text of a piece of HTML, with one line per table row.
func wordsOfHTML(source string) string {
	z := html.NewTokenizer(strings.NewReader(source))
	var b strings.Builder
	quiet := 0 // depth inside silent elements
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return squeezed(b.String())
		case html.TextToken:
			if quiet == 0 {
				b.WriteString(strings.NewReplacer("\n", " ", "\u00a0", " ").Replace(string(z.Text())))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			element := atom.Lookup(name)
			switch {
			case silent[element] && kind == html.StartTagToken:
				quiet++
			case silent[element] && kind == html.EndTagToken:
				quiet = max(0, quiet-1)
			case breaks[element]:
				b.WriteByte('\n')
			case cells[element] && kind == html.StartTagToken:
				b.WriteString("  ")
			}
		}
	}
}

// squeezed removes empty lines and the space around lines.
func squeezed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
