package page

import (
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"github.com/hierml/notebook/internal/notebook"
)

// The measures of a slide in pixels, for the styles of slides.css. The heights of blocks are
// estimates: a slide that is too high after all scrolls.
const (
	slideHeight  = 660 // between the margins
	titleHeight  = 38
	figureHeight = 300 // at least; a figure fills what is left of the slide
	outputHeight = 480 // at most; a longer output scrolls
	bareHeight   = 200 // of text that makes no slide alone
	textColumns  = 84  // fewer than fit, as formulas are wider than their letters
	codeColumns  = 93  // in the usual size
	wideColumns  = 109
	codeLines    = 15 // at most on a slide
	titleLength  = 80
)

// A blockKind is the class of a block in slides.css.
type blockKind string

const (
	headingBlock blockKind = "heading"
	textBlock    blockKind = "text"
	codeBlock    blockKind = "input"
	outputBlock  blockKind = "output"
	figureBlock  blockKind = "figure"
	noteBlock    blockKind = "note"
)

// A block is a part of a cell that stays together on a slide.
type block struct {
	Kind   blockKind
	Class  string // further classes
	Body   template.HTML
	Step   int    // blocks with the same number above 0 appear together, after those without
	Height int    // estimated
	Lines  int    // of code
	Text   string // of a heading
	Leads  bool   // to the next block: a heading, or a text that ends in a colon
}

// makeBlocks returns the blocks of a cell.
func makeBlocks(c *notebook.Cell, language string, text *markdown) ([]block, error) {
	var blocks []block
	switch c.Kind {
	case notebook.Markdown:
		return text.blocks(c)
	case notebook.Code:
		for _, part := range codeParts(c.Source) {
			blocks = append(blocks, makeCodeBlock(part, language))
		}
		if slices.ContainsFunc(blocks, func(b block) bool { return b.Class != "" }) {
			for i := range blocks {
				blocks[i].Class = "wide" // all parts have the same size
			}
		}
	default:
		blocks = append(blocks, makeOutputBlock(output{Class: "raw", Body: pre(c.Source)}))
	}
	for _, o := range c.Outputs {
		shown, err := makeOutput(o, text)
		if err != nil {
			return nil, err
		}
		b := makeOutputBlock(shown)
		if last := len(blocks) - 1; b.Kind == figureBlock && last >= 0 && blocks[last].Kind == figureBlock {
			blocks[last].Body += b.Body // beside the one before
		} else {
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

func makeCodeBlock(source, language string) block {
	b := block{Kind: codeBlock, Body: highlight(source, language), Height: 30}
	for line := range strings.SplitSeq(source, "\n") {
		b.Lines++
		length := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		b.Height += 27 * max(1, (length+wideColumns-1)/wideColumns)
		if length > codeColumns {
			b.Class = "wide"
		}
	}
	return b
}

func makeOutputBlock(o output) block {
	if strings.HasPrefix(string(o.Body), "<img") {
		return block{Kind: figureBlock, Body: o.Body, Height: figureHeight}
	}
	b := block{Kind: outputBlock, Class: o.Class, Body: o.Body}
	lines, colon := measure(o.Body)
	b.Leads = colon && lines == 1
	b.Height = 18 + 34*lines
	if strings.HasPrefix(string(o.Body), "<pre>") {
		b.Height = 18 + 26*lines
	}
	if b.Height > outputHeight {
		b.Height, b.Class = outputHeight, b.Class+" long"
	}
	return b
}

// blocks returns the blocks of a cell of text: its headings, paragraphs, lists, formulas and
// tables.
func (m *markdown) blocks(c *notebook.Cell) ([]block, error) {
	doc, source, err := m.document(c)
	if err != nil {
		return nil, err
	}
	var blocks []block
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		body, err := m.render(n, source)
		if err != nil {
			return nil, err
		}
		b := block{Kind: textBlock, Body: body}
		lines, colon := measure(body)
		b.Height, b.Leads = 8+37*lines, colon
		switch n := n.(type) {
		case *ast.Heading:
			b.Kind, b.Height, b.Text, b.Leads = headingBlock, 74-11*min(n.Level, 3), plain(n, source), true
		case *formulaBlock:
			b.Height = 82
		}
		if strings.Contains(string(body), "<img") {
			b.Height += figureHeight
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// measure estimates how many lines a piece of HTML has on a slide, and says whether it ends in a
// colon.
func measure(piece template.HTML) (lines int, colon bool) {
	column, preformatted := 0, false
	end := func() {
		lines += (column + textColumns - 1) / textColumns
		column = 0
	}
	tokens := html.NewTokenizer(strings.NewReader(string(piece)))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			end()
			return lines, colon
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			switch string(name) {
			case "pre":
				preformatted = !preformatted
				end()
			case "br", "p", "li", "tr", "div", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "caption":
				end()
			}
		case html.TextToken:
			text := string(tokens.Text())
			if trimmed := strings.TrimSpace(text); trimmed != "" {
				colon = strings.HasSuffix(trimmed, ":")
			}
			if !preformatted {
				column += utf8.RuneCountInString(strings.TrimSpace(text))
				continue
			}
			for line := range strings.Lines(text) {
				column += utf8.RuneCountInString(line)
				if strings.HasSuffix(line, "\n") {
					end()
				}
			}
		}
	}
}

// codeParts divides code into parts of codeLines at most, of about the same length, where a line is
// empty or not indented if possible.
func codeParts(source string) []string {
	source = strings.Trim(source, "\n")
	if strings.TrimSpace(source) == "" {
		return nil
	}
	all := strings.Split(source, "\n")
	var parts []string
	for count := (len(all) + codeLines - 1) / codeLines; len(all) > codeLines; {
		cut := (len(all) + count - 1) / count
		for k := min(codeLines, cut+3); k > max(cut-4, len(all)-codeLines*(count-1)-1, 0); k-- {
			if all[k-1] == "" || !strings.HasPrefix(all[k], "\t") && !strings.HasPrefix(all[k], "}") {
				cut = k
				if all[k-1] == "" {
					break
				}
			}
		}
		parts = append(parts, strings.Join(all[:cut], "\n"))
		all = all[cut:]
		count--
	}
	return append(parts, strings.Join(all, "\n"))
}

// A section is what stands below a heading, in groups of blocks that begin a slide each.
type section []group

type group []block

// slides divides a section into slides. A group of little text alone is joined to the next one, or
// to the one before if it is the last.
func (s section) slides() []slide {
	var groups []group
	bare := false
	for _, g := range s {
		if last := len(groups) - 1; bare && last >= 0 {
			groups[last] = append(groups[last], g...)
		} else {
			groups = append(groups, g)
		}
		bare = groups[len(groups)-1].bare()
	}
	if last := len(groups) - 1; bare && last > 0 {
		groups[last-1] = append(groups[last-1], groups[last]...)
		groups = groups[:last]
	}
	title := ""
	for _, b := range s[0] {
		if b.Kind == headingBlock {
			title = b.Text
			break
		}
	}
	if utf8.RuneCountInString(title) > titleLength {
		title = string([]rune(title)[:titleLength]) + "…"
	}
	var all []slide
	for _, g := range groups {
		all = append(all, g.slides(title)...)
	}
	return all
}

// bare says whether a group has little text, and nothing else.
func (g group) bare() bool {
	height := 0
	for _, b := range g {
		switch b.Kind {
		case textBlock:
			height += b.Height
		case headingBlock, noteBlock:
		default:
			return false
		}
	}
	return height <= bareHeight
}

// slides divides a group into slides that its blocks fit on. The notes of a slide that continues
// another one are the text of that.
func (g group) slides(title string) []slide {
	var all []slide
	var notes []template.HTML
	var shown []block
	add := func(blocks []block) {
		s := slide{Title: title, Blocks: blocks}
		if blocks[0].Kind == headingBlock {
			s.Title = ""
		}
		if last := len(all) - 1; last >= 0 {
			for _, b := range all[last].Blocks {
				if b.Kind == textBlock {
					s.Notes = append(s.Notes, b.Body)
				}
			}
		}
		all = append(all, s)
	}
	for _, b := range g {
		if b.Kind == noteBlock {
			notes = append(notes, b.Body)
			continue
		}
		if !fits(append(shown, b)) {
			keep := len(shown)
			for keep > 0 && shown[keep-1].Leads {
				keep--
			}
			if keep > 0 {
				add(shown[:keep:keep])
				shown = shown[keep:]
			}
		}
		shown = append(shown, b)
	}
	if len(shown) > 0 {
		add(shown)
	}
	if len(all) > 0 {
		all[0].Notes = append(notes, all[0].Notes...)
	}
	return all
}

// fits says whether blocks fit on a slide.
func fits(blocks []block) bool {
	height, code := 0, 0
	if blocks[0].Kind != headingBlock {
		height = titleHeight
	}
	for _, b := range blocks {
		height += b.Height
		code += b.Lines
	}
	return height <= slideHeight && code <= codeLines
}
