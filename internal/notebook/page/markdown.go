package page

import (
	"bytes"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A markdown makes HTML of the Markdown of a notebook, as GitHub and Jupyter know it. Formulas stay the LaTeX that
// they are written in.
type markdown struct {
	goldmark.Markdown
	ids      *ids
	place    *place    // nil for a notebook alone
	headings []heading // of the cells so far
}

// newMarkdown returns a markdown whose headings have ids that begin with a prefix.
func newMarkdown(prefix string) *markdown {
	return &markdown{ids: &ids{prefix: prefix, used: make(map[string]bool)}, Markdown: goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blockParsers()...),
			parser.WithInlineParsers(inlineParsers()...),
			parser.WithParagraphTransformers(paragraphTransformers()...),
		)),
		goldmark.WithExtensions(extension.Table, extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithInlineParsers(util.Prioritized(budget{formulaParser{}}, 150)),
			parser.WithBlockParsers(util.Prioritized(formulaBlockParser{}, 150)),
		),
		goldmark.WithRendererOptions(
			html.WithUnsafe(), // what comes out is sanitised
			renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100), util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500)),
		),
	)}
}

// cell returns the HTML of a cell, and the notebooks that are folded behind it. Images that the text takes from the
// attachments, which are MIME bundles by name, become part of it.
func (m *markdown) cell(source string, attachments map[string]any) (template.HTML, []folded, error) {
	doc := m.parse(source)
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			if name, ok := bytes.CutPrefix(n.Destination, []byte("attachment:")); ok {
				n.Destination = []byte(attached(string(name), attachments))
			}
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				m.headings = append(m.headings, heading{Level: n.Level, ID: string(id.([]byte)), Text: plain(n, []byte(source))})
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", nil, err
	}
	var behind []folded
	if m.place != nil {
		if behind, err = m.place.settle(doc, []byte(source)); err != nil {
			return "", nil, err
		}
	}
	body, err := m.render(doc, source)
	return body, behind, err
}

// html returns the HTML of a text.
func (m *markdown) html(source string) (template.HTML, error) {
	return m.render(m.parse(source), source)
}

func (m *markdown) parse(source string) ast.Node {
	return m.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(parser.NewContext(parser.WithIDs(m.ids))))
}

func (m *markdown) render(doc ast.Node, source string) (template.HTML, error) {
	var b bytes.Buffer
	if err := m.Renderer().Render(&b, []byte(source), doc); err != nil {
		return "", err
	}
	return sanitized(b.String()), nil
}

// attached returns the address of an attached image, which is the image.
func attached(name string, attachments map[string]any) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	bundle, _ := attachments[name].(map[string]any)
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if data, ok := bundle[mime].(string); ok {
			return dataURI(mime, data)
		}
	}
	return ""
}

// A formula is LaTeX between dollar signs, which Markdown is to leave alone.
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

// Parse reads a formula by the rules of Pandoc: behind the opening dollar and before the closing
// one is no space, and behind the closing one no digit.
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
		end := closing(string(rest), fence)
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

// closing returns where the fence is in the line, behind no backslash, or -1.
func closing(line, fence string) int {
	for i := 0; i < len(line); i++ {
		switch {
		case strings.HasPrefix(line[i:], fence):
			return i
		case line[i] == '\\':
			i++
		}
	}
	return -1
}

// A formulaBlock is a formula that begins a line, with two dollar signs or as an environment.
// Whatever its lines begin with, they are no lists or headings.
type formulaBlock struct {
	ast.BaseBlock
	fence string // what ends it
}

var formulaBlockKind = ast.NewNodeKind("FormulaBlock")

func (*formulaBlock) Kind() ast.NodeKind { return formulaBlockKind }

func (*formulaBlock) IsRaw() bool { return true }

func (f *formulaBlock) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

type formulaBlockParser struct{}

func (formulaBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

// environment matches the beginning of what LaTeX shows as a formula of its own.
var environment = regexp.MustCompile(`^\\begin\{((?:align|alignat|equation|gather|multline)\*?)\}`)

// Open begins a block if it has an end, with nothing behind it on its line.
func (formulaBlockParser) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	trimmed := bytes.TrimLeft(line, " ")
	fence, skip := "$$", 2
	if m := environment.FindSubmatch(trimmed); m != nil {
		fence, skip = `\end{`+string(m[1])+"}", len(m[0])
	} else if !bytes.HasPrefix(trimmed, []byte(fence)) {
		return nil, parser.NoChildren
	}
	rest := reader.Source()[segment.Start+len(line)-len(trimmed)+skip:]
	end := closing(string(rest), fence)
	if end < 0 {
		return nil, parser.NoChildren
	}
	after, _, _ := bytes.Cut(rest[end+len(fence):], []byte("\n"))
	if len(bytes.TrimSpace(after)) > 0 {
		return nil, parser.NoChildren // it stands in a sentence
	}
	block := &formulaBlock{fence: fence}
	block.Lines().Append(segment)
	if closing(string(trimmed[skip:]), fence) >= 0 {
		block.fence = "" // it ends on this line
	}
	reader.AdvanceToEOL()
	return block, parser.NoChildren
}

func (formulaBlockParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	block := node.(*formulaBlock)
	line, segment := reader.PeekLine()
	if block.fence == "" || line == nil {
		return parser.Close
	}
	block.Lines().Append(segment)
	if closing(string(line), block.fence) >= 0 {
		block.fence = ""
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (formulaBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

func (formulaBlockParser) CanInterruptParagraph() bool { return true }

func (formulaBlockParser) CanAcceptIndentedLine() bool { return false }

// nodes renders formulas and blocks of code.
type nodes struct{}

func (n nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(formulaKind, n.formula)
	r.Register(formulaBlockKind, n.formulaBlock)
	r.Register(ast.KindFencedCodeBlock, n.block)
}

func (nodes) formula(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	f := node.(*formula)
	_, err := w.WriteString(string(formulaHTML(f.latex, f.display)))
	return ast.WalkSkipChildren, err
}

func (nodes) formulaBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString("<p>" + string(formulaHTML(string(node.Lines().Value(source)), true)) + "</p>\n")
	return ast.WalkSkipChildren, err
}

// formulaHTML shows LaTeX as it is written.
func formulaHTML(latex string, display bool) template.HTML {
	class := "math"
	if display {
		class += " display"
	}
	return template.HTML(`<code class="` + class + `">` + template.HTMLEscapeString(strings.TrimSpace(latex)) + "</code>")
}

func (nodes) block(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := node.(*ast.FencedCodeBlock)
	_, err := w.WriteString(string(highlight(string(block.Lines().Value(source)), string(block.Language(source)))))
	return ast.WalkSkipChildren, err
}
