package page

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark takes quadratic time for some texts. It checks all earlier brackets and asterisks of a
// block for each that might close them, all surrounding quotes and lists for each line, and all
// earlier lines for each link definition. Only this many are checked; the rest is plain text.
const (
	marksOfBlock      = 1000
	depthOfBlocks     = 100
	linesOfParagraphs = 5000
)

// A budget is an inline parser that stops looking when the marks of its block are used up.
type budget struct{ parser.InlineParser }

var marksKey = parser.NewContextKey()

// Parse implements parser.InlineParser. The end of a link costs nothing: the link may have begun
// before.
func (b budget) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if line, _ := block.PeekLine(); len(line) == 0 || line[0] != ']' {
		used, _ := pc.Get(marksKey).(int)
		if used >= marksOfBlock {
			return nil
		}
		pc.Set(marksKey, used+1)
	}
	return b.InlineParser.Parse(parent, block, pc)
}

// CloseBlock implements parser.CloseBlocker.
func (b budget) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	pc.Set(marksKey, 0)
	if inner, ok := b.InlineParser.(parser.CloseBlocker); ok {
		inner.CloseBlock(parent, block, pc)
	}
}

// A closedSpans is goldmark's parser of inline code. For each run of backticks, goldmark searches
// the block for another of the same length; once there is none, this one does not search again.
type closedSpans struct{ parser.InlineParser }

var openSpans = parser.NewContextKey()

// Parse implements parser.InlineParser.
func (s closedSpans) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	open := pc.ComputeIfAbsent(openSpans, func() any { return make(map[int]bool) }).(map[int]bool)
	line, segment := block.PeekLine()
	length := len(line) - len(bytes.TrimLeft(line, "`"))
	if open[length] {
		block.Advance(length)
		return ast.NewTextSegment(segment.WithStop(segment.Start + length))
	}
	n := s.InlineParser.Parse(parent, block, pc)
	_, closed := n.(*ast.CodeSpan)
	open[length] = !closed
	return n
}

// CloseBlock implements parser.CloseBlocker.
func (closedSpans) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) { pc.Set(openSpans, nil) }

// inlineParsers are those of goldmark and of GitHub's extensions that look back, each with the
// budget.
func inlineParsers() []util.PrioritizedValue {
	parsers := append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))
	for i, p := range parsers {
		inner := p.Value.(parser.InlineParser)
		if inner == parser.NewCodeSpanParser() {
			inner = closedSpans{inner}
		}
		parsers[i].Value = budget{inner}
	}
	return parsers
}

// A shallow is a parser of container blocks that opens none that is too deep.
type shallow struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > depthOfBlocks {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// blockParsers are those of goldmark, with limits for quotes and lists, which contain other blocks.
func blockParsers() []util.PrioritizedValue {
	parsers := parser.DefaultBlockParsers()
	for i, p := range parsers {
		switch fmt.Sprintf("%T", p.Value) {
		case fmt.Sprintf("%T", parser.NewListParser()), fmt.Sprintf("%T", parser.NewBlockquoteParser()):
			parsers[i].Value = shallow{p.Value.(parser.BlockParser)}
		}
	}
	return parsers
}

// A short transforms only paragraphs that are not too long.
type short struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (s short) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= linesOfParagraphs {
		s.ParagraphTransformer.Transform(node, reader, pc)
	}
}

func paragraphTransformers() []util.PrioritizedValue {
	transformers := parser.DefaultParagraphTransformers()
	for i, t := range transformers {
		transformers[i].Value = short{t.Value.(parser.ParagraphTransformer)}
	}
	return transformers
}
