package page

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/hierml/notebook/internal/notebook"
)

// A markdown converts the Markdown of a notebook to HTML, in the dialect of GitHub and Jupyter.
// Formulas stay LaTeX source.
type markdown struct {
	goldmark.Markdown
	ids      *ids
	drawing  *drawing
	place    *place    // nil for a notebook alone
	headings []heading // of the cells so far
	spared   int       // bytes of addresses that links may still refer to
}

// newMarkdown returns a markdown whose headings get these ids.
func newMarkdown(ids *ids) *markdown {
	drawing := newDrawing()
	return &markdown{ids: ids, drawing: drawing, spared: sparedAddresses, Markdown: goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blockParsers()...),
			parser.WithInlineParsers(inlineParsers()...),
			parser.WithParagraphTransformers(paragraphTransformers()...),
		)),
		goldmark.WithExtensions(newTableParser(), extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(budget{formulaParser{}}, 150)),
			parser.WithBlockParsers(util.Prioritized(formulaBlockParser{}, 150)),
		),
		goldmark.WithRendererOptions(
			html.WithUnsafe(), // the result is sanitised
			renderer.WithNodeRenderers(util.Prioritized(nodes{drawing}, 100), util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500)),
		),
	)}
}

// cell returns the HTML of a cell, and the notebooks that are folded after it. Attached images in
// the text become part of it.
func (m *markdown) cell(c *notebook.Cell) (template.HTML, []folded, error) {
	doc, source, err := m.document(c)
	if err != nil {
		return "", nil, err
	}
	var behind []folded
	if m.place != nil {
		if behind, err = m.place.settle(doc, source); err != nil {
			return "", nil, err
		}
	}
	body, err := m.render(doc, source)
	return body, behind, err
}

// document returns the nodes of a cell and its text. Images that the text takes from the
// attachments become part of it.
func (m *markdown) document(c *notebook.Cell) (ast.Node, []byte, error) {
	source := []byte(c.Source)
	doc, err := m.parse(source)
	if err != nil {
		return nil, nil, err
	}
	shown := make(map[string]int)
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			if name, ok := bytes.CutPrefix(n.Destination, []byte("attachment:")); ok {
				n.Destination = nil
				bundle, plain := c.Attachment(string(name))
				if shown[plain]++; shown[plain] <= notebook.ShownAttachments {
					n.Destination = []byte(attached(bundle))
				}
			}
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				m.headings = append(m.headings, heading{Level: n.Level, ID: string(id.([]byte)), Text: plain(n, source)})
			}
		}
		return ast.WalkContinue, nil
	})
	return doc, source, err
}

// html returns the HTML of a text.
func (m *markdown) html(text string) (template.HTML, error) {
	source := []byte(text)
	doc, err := m.parse(source)
	if err != nil {
		return "", err
	}
	return m.render(doc, source)
}

// sparedAddresses bounds the bytes of the addresses of a notebook's reference links, beyond twice
// its text: an address is defined once and may be used often.
const sparedAddresses = 10_000

// parse returns the nodes of a text. It drops parts that would make a node much longer on the page
// than in the text.
func (m *markdown) parse(source []byte) (ast.Node, error) {
	doc := m.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(m.ids))))
	m.spared += 2 * len(source)
	refer := func(reference *ast.ReferenceLink, destination, title *[]byte) {
		switch length := len(*destination) + len(*title); {
		case reference == nil:
		case length > m.spared:
			*destination, *title = nil, nil
		default:
			m.spared -= length
		}
	}
	return doc, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			refer(n.Reference, &n.Destination, &n.Title)
		case *ast.Image:
			refer(n.Reference, &n.Destination, &n.Title)
		case *tables.TableCell:
			if n.FirstChild() == nil { // only its borders would be visible
				n.Alignment = tables.AlignNone
			}
		}
		return ast.WalkContinue, nil
	})
}

func (m *markdown) render(doc ast.Node, source []byte) (template.HTML, error) {
	var b bytes.Buffer
	if err := m.Renderer().Render(&b, source, doc); err != nil {
		return "", err
	}
	return sanitized(b.String()), nil
}

// attached returns the data address of an attached image.
func attached(bundle map[string]any) string {
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if data, ok := bundle[mime].(string); ok {
			return dataURI(mime, data)
		}
	}
	return ""
}

// A formula is LaTeX between dollar signs, which Markdown must leave unchanged.
type formula struct {
	ast.BaseInline
	latex   string // with the dollar signs
	display bool   // between two dollar signs
}

var formulaKind = ast.NewNodeKind("Formula")

func (*formula) Kind() ast.NodeKind { return formulaKind }

func (f *formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"LaTeX": f.latex}, nil)
}

type formulaParser struct{}

func (formulaParser) Trigger() []byte { return []byte{'$'} }

// Parse reads a formula by Pandoc's rules: no space after the opening dollar or before the closing
// one, and no digit after the closing one.
func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, position := block.Position()
	fence := "$"
	if first, _ := block.PeekLine(); bytes.HasPrefix(first, []byte("$$")) {
		fence = "$$"
	}
	block.Advance(len(fence))
	var b strings.Builder
	for {
		rest, _ := block.PeekLine()
		if rest == nil {
			block.SetPosition(line, position)
			return nil
		}
		end := closing(rest, fence)
		if end >= 0 {
			b.Write(rest[:end])
			latex := b.String()
			after := rest[end+len(fence):]
			digit := len(after) > 0 && after[0] >= '0' && after[0] <= '9'
			if fence == "$" && (latex == "" || latex != strings.TrimSpace(latex) || digit) {
				block.SetPosition(line, position)
				return nil
			}
			block.Advance(end + len(fence))
			return &formula{latex: fence + latex + fence, display: fence == "$$"}
		}
		b.Write(rest)
		block.AdvanceLine()
	}
}

// closing returns the index of the fence in the line, unless a backslash precedes it, or -1.
func closing(line []byte, fence string) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == fence[0] && bytes.HasPrefix(line[i:], []byte(fence)):
			return i
		case line[i] == '\\':
			i++
		}
	}
	return -1
}

// A formulaBlock is a formula that begins a line, with two dollar signs or as an environment. Its
// lines are never lists or headings.
type formulaBlock struct {
	ast.BaseBlock
	fence string // its end
}

var formulaBlockKind = ast.NewNodeKind("FormulaBlock")

func (*formulaBlock) Kind() ast.NodeKind { return formulaBlockKind }

func (*formulaBlock) IsRaw() bool { return true }

func (f *formulaBlock) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

type formulaBlockParser struct{}

func (formulaBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

// environment matches the beginning of a LaTeX environment for displayed formulas.
var environment = regexp.MustCompile(`^\\begin\{((?:align|alignat|equation|gather|multline)\*?)\}`)

// Open begins a block if the block has an end, with nothing after it on its line.
func (formulaBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	trimmed := bytes.TrimLeft(line, " ")
	fence, skip := "$$", 2
	if m := environment.FindSubmatch(trimmed); m != nil {
		fence, skip = `\end{`+string(m[1])+"}", len(m[0])
	} else if !bytes.HasPrefix(trimmed, []byte(fence)) {
		return nil, parser.NoChildren
	}
	source := reader.Source()
	end := nextClosing(source, segment.Start+len(line)-len(trimmed)+skip, fence, pc)
	if end < 0 {
		return nil, parser.NoChildren
	}
	after, _, _ := bytes.Cut(source[end+len(fence):], []byte("\n"))
	if len(bytes.TrimSpace(after)) > 0 {
		return nil, parser.NoChildren // it is part of a sentence
	}
	block := &formulaBlock{fence: fence}
	block.Lines().Append(segment)
	if closing(trimmed[skip:], fence) >= 0 {
		block.fence = "" // it ends on this line
	}
	reader.AdvanceToEOL()
	return block, parser.NoChildren
}

// closings has the position of the last closing fence found, or -1, for each fence.
var closings = parser.NewContextKey()

// nextClosing returns the position of the next fence after a place in the source, or -1. Places
// ascend: the fence found for an earlier place is the next one for all places before it.
func nextClosing(source []byte, from int, fence string, pc parser.Context) int {
	found := pc.ComputeIfAbsent(closings, func() any { return make(map[string]int) }).(map[string]int)
	if end, known := found[fence]; known && (end < 0 || end >= from) {
		return end
	}
	end := closing(source[from:], fence)
	if end >= 0 {
		end += from
	}
	found[fence] = end
	return end
}

func (formulaBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	block := node.(*formulaBlock)
	line, segment := reader.PeekLine()
	if block.fence == "" || line == nil {
		return parser.Close
	}
	block.Lines().Append(segment)
	if closing(line, block.fence) >= 0 {
		block.fence = ""
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (formulaBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

func (formulaBlockParser) CanInterruptParagraph() bool { return true }

func (formulaBlockParser) CanAcceptIndentedLine() bool { return false }

// nodes renders formulas and blocks of code.
type nodes struct{ drawing *drawing }

func (r nodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(formulaKind, r.formula)
	to.Register(formulaBlockKind, r.formulaBlock)
	to.Register(ast.KindFencedCodeBlock, r.block)
}

func (r nodes) formula(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	f := node.(*formula)
	_, err := w.WriteString(string(r.drawing.html(f.latex, f.display)))
	return ast.WalkSkipChildren, err
}

func (r nodes) formulaBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString(string(r.drawing.block(string(node.Lines().Value(source)))) + "\n")
	return ast.WalkSkipChildren, err
}

func (nodes) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := node.(*ast.FencedCodeBlock)
	_, err := w.WriteString(string(highlight(string(block.Lines().Value(source)), string(block.Language(source)))))
	return ast.WalkSkipChildren, err
}
