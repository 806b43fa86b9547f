package page

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// A heading is a heading in one of a notebook's cells.
type heading struct {
	Level int
	ID    string
	Text  string
}

// ids are the ids of the headings of a notebook: their words in lower case, after a prefix. Each is
// unique: further headings with the same words get numbers from 1.
type ids struct {
	prefix string
	used   map[string]int // with the last number tried after it
}

func newIDs(prefix string) *ids { return &ids{prefix, make(map[string]int)} }

// below returns the ids for a notebook of a book, with the notebook's id as prefix. All ids of the
// book differ.
func (s *ids) below(id string) *ids { return &ids{id + "-", s.used} }

// Generate implements parser.IDs.
func (s *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	base := s.prefix + cmp.Or(words(string(value)), "heading")
	id := base
	for {
		if _, taken := s.used[id]; !taken {
			break
		}
		s.used[base]++
		id = fmt.Sprintf("%s-%d", base, s.used[base])
	}
	s.used[id] = 0
	return []byte(id)
}

// Put implements parser.IDs.
func (s *ids) Put(value []byte) { s.used[string(value)] += 0 }

// words returns the letters and digits of a text in lower case, with hyphens between the words.
func words(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(parts, "-")
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	writePlain(&b, n, source)
	return b.String()
}

func writePlain(b *strings.Builder, n ast.Node, source []byte) {
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
			writePlain(b, c, source)
		}
	}
}
