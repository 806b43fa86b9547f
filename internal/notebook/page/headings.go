package page

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// A heading is one of a notebook's cells.
type heading struct {
	Level int
	ID    string
	Text  string
}

// ids are those of the headings of a notebook: their words in small letters, after a prefix. Each is given once.
type ids struct {
	prefix string
	used   map[string]bool
}

// Generate implements parser.IDs.
func (s *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := s.prefix + words(string(value))
	for s.used[id] || id == "" {
		id += "-"
	}
	s.used[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (s *ids) Put(value []byte) { s.used[string(value)] = true }

// words returns the letters and digits of a text in small letters, with a hyphen for what is between them.
func words(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(parts, "-")
}

// plain returns the text of a node without its form.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Value(source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *formula:
			b.WriteString(c.latex)
		default:
			b.WriteString(plain(c, source))
		}
	}
	return b.String()
}
