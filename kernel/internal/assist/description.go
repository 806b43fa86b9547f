package assist

import (
	"go/doc/comment"
	"go/token"
	"go/types"
	"html"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A description is the result of inspecting an object.
type description struct {
	declaration   string
	instance      string     // the instance of a generic function
	variable      *types.Var // of the session; else nil
	value         string     // of the variable, in a few words
	documentation string     // as in comments
	place         string     // where it was declared; empty for predeclared objects
	// typeDeclaration and typeDocumentation describe the type of a variable.
	typeDeclaration, typeDocumentation string
	source                             string
	exports                            string // members of a package, one per line
}

// bundle returns the description as plain text, as Markdown and as HTML.
func (d *description) bundle() *program.Bundle {
	parser := comment.Parser{
		// Names in brackets are links, but lead nowhere here.
		LookupSym: func(string, string) bool { return true },
	}
	printer := comment.Printer{
		HeadingLevel: 4,
		HeadingID:    func(*comment.Heading) string { return "" },
		DocLinkURL:   func(*comment.DocLink) string { return "" },
	}
	var plain, markdown, page []string
	code := func(title, text string) {
		if text == "" {
			return
		}
		if title != "" {
			title += "\n\n"
		}
		plain = append(plain, title+text)
		markdown = append(markdown, title+magics.Fenced(text))
		page = append(page, paragraph(title)+"<pre><code>"+html.EscapeString(text)+"</code></pre>")
	}
	code("", d.declaration)
	code("Here:", d.instance)
	code("Value:", d.value)
	prose := func(text string) {
		if text == "" {
			return
		}
		doc := parser.Parse(text)
		plain = append(plain, strings.TrimSpace(string(printer.Text(doc))))
		markdown = append(markdown, strings.TrimSpace(string(printer.Markdown(doc))))
		page = append(page, strings.TrimSpace(string(printer.HTML(doc))))
	}
	prose(d.documentation)
	if d.place != "" {
		plain = append(plain, "Declared in "+d.place+".")
		markdown = append(markdown, "Declared in `"+d.place+"`.")
		page = append(page, "<p>Declared in <code>"+html.EscapeString(d.place)+"</code>.</p>")
	}
	code("Type:", d.typeDeclaration)
	prose(d.typeDocumentation)
	code("Source:", d.source)
	code("Functions and types:", d.exports)
	return &program.Bundle{Data: map[string]any{
		"text/plain":    strings.Join(plain, "\n\n") + "\n",
		"text/markdown": strings.Join(markdown, "\n\n") + "\n",
		"text/html":     strings.Join(page, "\n") + "\n",
	}}
}

// paragraph returns a line of text as HTML; nothing for an empty one.
func paragraph(text string) string {
	if text == "" {
		return ""
	}
	return "<p>" + html.EscapeString(strings.TrimSpace(text)) + "</p>\n"
}

// commentAt returns the comment on the code at an offset: above its line, or else beside it.
func commentAt(text string, offset int) string {
	lines := strings.Split(text, "\n")
	row := strings.Count(text[:offset], "\n")
	if above := lines[commentStart(lines, row):row]; len(above) > 0 {
		return uncomment(above)
	}
	if end := strings.IndexByte(text[offset:], '\n'); end >= 0 {
		text = text[:offset+end]
	}
	// Only a comment to the end of the line is wanted; a comment after a bracket belongs to the
	// code that follows.
	if tok, start := syntax.Unended(text); tok == token.COMMENT && !strings.HasSuffix(strings.TrimSpace(text[:start]), "{") {
		return uncomment([]string{text[start:]})
	}
	return ""
}

// commentStart returns the first line of the comment that ends above a line; the line itself if
// there is none.
func commentStart(lines []string, row int) int {
	first := row
	if row > 0 && strings.HasSuffix(strings.TrimSpace(lines[row-1]), "*/") {
		for i := row - 1; i >= 0; i-- {
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "/*") {
				return i
			}
		}
		return row
	}
	for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "//") {
		first--
	}
	return first
}

// uncomment returns the text of the lines of a comment.
func uncomment(lines []string) string {
	var out []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "//"); ok {
			out = append(out, strings.TrimPrefix(rest, " "))
			continue
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, "/*"), "*/")
		out = append(out, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(out, "\n")) + "\n"
}

// itemAt returns the source of the declaration or statement at an offset, with the comment above
// it.
func itemAt(text string, offset int) string {
	for _, it := range syntax.Split(magics.Without(text, nil)) {
		if it.Start <= offset && offset < it.End {
			lines := strings.Split(text, "\n")
			row := strings.Count(text[:it.Start], "\n")
			first := commentStart(lines, row)
			if first == row {
				return text[it.Start:it.End]
			}
			return strings.Join(lines[first:row], "\n") + "\n" + text[it.Start:it.End]
		}
	}
	return ""
}
