package page

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark fills rows of a table that are shorter than the head, and searches all cells for each
// escaped bar, so both take quadratic time and space. These are the limits of a notebook; a table
// beyond them stays plain text.
const (
	lackingCells = 10_000
	escapedBars  = 1000
)

// A tableParser is goldmark's parser of tables, with limits.
type tableParser struct {
	parser.ParagraphTransformer
	lacking, escaped *int // how many are left
}

// newTableParser returns a parser of the tables of a notebook.
func newTableParser() tableParser {
	lacking, escaped := lackingCells, escapedBars
	return tableParser{extension.NewTableParagraphTransformer(), &lacking, &escaped}
}

// Transform implements parser.ParagraphTransformer.
func (p tableParser) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns, lacking, escaped := 0, 0, 0
	for i, line := range node.Lines().Sliced(0, node.Lines().Len()) {
		content := line.Value(reader.Source())
		switch {
		case columns > 0:
			lacking += max(0, columns-cellsOf(content))
		case i > 0 && len(bytes.Trim(content, " \t\r\n\v\f|:-")) == 0:
			columns = cellsOf(content)
		}
		if bytes.IndexByte(content, '`') >= 0 {
			escaped += bytes.Count(content, []byte(`\|`))
		}
	}
	if columns == 0 || lacking > *p.lacking || escaped > *p.escaped {
		return
	}
	*p.lacking -= lacking
	*p.escaped -= escaped
	p.ParagraphTransformer.Transform(node, reader, pc)
}

// cellsOf returns the number of cells in a row of a table, whose first and last bar are optional.
func cellsOf(row []byte) int {
	row = bytes.TrimSpace(row)
	row = bytes.TrimPrefix(row, []byte("|"))
	row = bytes.TrimSuffix(row, []byte("|"))
	return bytes.Count(row, []byte("|")) + 1
}

// Extend implements goldmark.Extender.
func (p tableParser) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(p, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewTableHTMLRenderer(), 500)))
}
