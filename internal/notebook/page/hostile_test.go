package page

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/parser"
	"golang.org/x/net/html"

	"github.com/hierml/notebook/internal/notebook"
)

// ways are where a text can stand in a notebook.
var ways = map[string]func(text string) *notebook.Cell{
	"text": func(text string) *notebook.Cell { return &notebook.Cell{Kind: notebook.Markdown, Source: text} },
	"code": func(text string) *notebook.Cell { return &notebook.Cell{Kind: notebook.Code, Source: text} },
	"stream": func(text string) *notebook.Cell {
		return outputCell(&notebook.Output{Kind: notebook.Stream, Name: "stdout", Text: text})
	},
	"error": func(text string) *notebook.Cell {
		return outputCell(&notebook.Output{Kind: notebook.Failure, Traceback: strings.SplitAfter(text, "\n")})
	},
	"HTML": func(text string) *notebook.Cell {
		return outputCell(&notebook.Output{Kind: notebook.Display, Data: map[string]any{"text/html": text}})
	},
	"Markdown": func(text string) *notebook.Cell {
		return outputCell(&notebook.Output{Kind: notebook.Display, Data: map[string]any{"text/markdown": text}})
	},
	"LaTeX": func(text string) *notebook.Cell {
		return outputCell(&notebook.Output{Kind: notebook.Display, Data: map[string]any{"text/latex": text}})
	},
}

func outputCell(o *notebook.Output) *notebook.Cell {
	return &notebook.Cell{Kind: notebook.Code, Outputs: []*notebook.Output{o}}
}

// cost returns how long the page of a cell is, and how many bytes are allocated to make it.
func cost(t testing.TB, c *notebook.Cell) (page, allocated int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var b strings.Builder
	if err := Write(&b, &notebook.Notebook{Cells: []*notebook.Cell{c}}, "t"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return b.Len(), int(after.TotalAlloc - before.TotalAlloc)
}

// repeated returns a text of about n bytes.
func repeated(piece string, n int) string { return strings.Repeat(piece, n/len(piece)) }

// shapes are texts of about n bytes. Some of them took half a minute, or became pages of a hundred
// megabytes.
func shapes() map[string]func(n int) string {
	all := make(map[string]func(n int) string)
	for _, piece := range []string{
		"# same\n", "#\n\n", "# same\n## same-1\n", "[a](", "*a_ ", "![a][", "~~a_ ", "<!-- ", "<a ", "`a``b", "|a|\n\\```go\n", "[", "]", "<", "**a* ", "$a ", "$$", "$$ a\n", "[a]: b\n",
		"[a]: b\n\n[a]", "> ", ">", "- ", "-\n", "1. ", "|", "| a |\n|:-:|\n", "http://a ", "a@a ", "_a_@", "\\begin{align}\n", "\\begin{align} \\end{align} a\n", "&a", "&lt;", "\\[", "*", "_",
		"<http://", "[^a]", "- [ ] a\n", "a\n===\n", "***\n", "`\\|`", "|`\\|`|\n|-|\n", "a  \n", "<b style='color:red'>", "<table><tr><td>", "<details>", "<a href=x>", "\u00a0", "\x00", "\r", "\b", "\"",
		"\x1b[1m", "\x1b[1ma\x1b[0m", "\x1b[38;5;1ma", "\x1bMa", "\x1b]0;", "a\r", "a\b", "+", "*\"\"", "a ", "if ", "/**/", "'", "(", "[[a](b)", "![](attachment:a)", "[](((", "<p>\n\n", "```\n", "    a\n",
	} {
		all[piece] = func(n int) string { return repeated(piece, n) }
	}
	all["short rows of a wide table"] = func(n int) string {
		return repeated("|a", n/3) + "\n" + repeated("|-", n/3) + "\n" + repeated("|b|\n", n/3)
	}
	all["empty cells in the middle"] = func(n int) string {
		return repeated("|a", 200) + "\n" + repeated("|:-:", 400) + "\n" + repeated(strings.Repeat("|", 101)+"\n", n)
	}
	all["many wide tables"] = func(n int) string {
		table := repeated("|a", 200) + "\n" + repeated("|:-:", 400) + "\n" + repeated("|\n", 100) + "\n"
		return repeated(table, n)
	}
	all["references to a long address"] = func(n int) string { return "[a]: " + repeated("b", n/2) + "\n\n" + repeated("[a]", n/2) }
	all["images of a long address"] = func(n int) string { return "[a]: b '" + repeated("&", n/2) + "'\n\n" + repeated("![a]", n/2) }
	all["quotes in each other"] = func(n int) string { return repeated(">", n/2) + "\n" + repeated("> a\n", n/2) }
	all["all styles at once"] = func(n int) string {
		return "\x1b[1;2;3;4;7;38;2;1;2;3;48;2;1;2;3m" + repeated("a\x1b[K", n)
	}
	all["a style and another"] = func(n int) string {
		return "\x1b[1;2;3;4;7;38;2;1;2;3;48;2;1;2;3m" + repeated("a\x1b[22ma\x1b[1m", n)
	}
	all["one tag with many attributes"] = func(n int) string { return "<p " + repeated("class=a ", n) + ">" }
	all["one style with many declarations"] = func(n int) string { return "<p style='" + repeated("color:red;", n) + "'>" }
	all["runs of backticks"] = func(n int) string {
		var b strings.Builder
		for k := 1; b.Len() < n; k++ {
			b.WriteString(strings.Repeat("`", k) + " ")
		}
		return b.String()
	}
	return all
}

// TestHostileMarkdown has texts of 36 KB in all places of a notebook: the page of each is below a
// megabyte, and what is allocated for it is bounded. Both are about four times as much as for a
// fourth of the text.
func TestHostileMarkdown(t *testing.T) {
	for name, text := range shapes() {
		for where, cell := range ways {
			page, allocated := cost(t, cell(text(36_000)))
			if page > 1_000_000 || allocated > 100<<20 {
				t.Errorf("%s, %q: a page of %d bytes, for which %d MB are allocated", where, name, page, allocated>>20)
			}
			if less, few := cost(t, cell(text(9000))); page > 6*less+100_000 || allocated > 6*few+10<<20 {
				t.Errorf("%s, %q: a page of %d bytes, and of %d for a fourth; %d and %d MB are allocated", where, name, page, less, allocated>>20, few>>20)
			}
		}
	}
}

// pieces are what the texts of FuzzPages are made of.
var pieces = []string{
	"a", " ", "    ", "\n", "\n\n", "\t", "#", "## a", "*", "**", "_", "~~", "`", "``", "```go\n", "~~~", "[", "]", "(", ")", "[a]", "[a]: ", "[a](", "![a](", "](b)", "<", "<a href=", "<b>", "</b>",
	"<!--", "-->", "<?", "<![CDATA[", "<p>", "<td>", "<table>", ">", "> ", "- ", "* ", "1. ", "- [ ] ", "|", "|a|b|\n", "|-|-|\n", ":-:|", "\\", "\\|", "&", "&amp;", "&#", "\"", "'", "=", "---", "***\n",
	"$", "$$", "\\begin{align}\n", "\\end{align}\n", "http://a", "www.a.b", "a@a.a", "mailto:", "attachment:x", ":", "!", "{", "^", "é", "\u00a0", "\x00", "\r", "\b", "\x1b[1m", "\x1b[0m", "\x1b[", "\x1b]",
	"0", "/*", "//", "if ", "<-", "x(", "style=\"", "color:red", "; ", "<script>", "<svg>", "<pre>", "<li>", "class=a ",
}

// FuzzPages makes pages of fragments that are repeated 2,000 times. A page is at most 30 times as
// long as the text, beside what every page has, and what is allocated for it is bounded likewise.
// Formulas allocate more, by the square of their length, up to maxWork.
func FuzzPages(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	some := func() string {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for k := range 200 {
		before, behind := "", ""
		if k%2 == 0 {
			before, behind = strings.Repeat(some(), k), some()
		}
		f.Add(before, some(), behind)
	}
	f.Fuzz(func(t *testing.T, before, piece, behind string) {
		text := before + strings.Repeat(piece, 2000) + behind
		if len(text) > 200_000 {
			return
		}
		for where, cell := range ways {
			if page, allocated := cost(t, cell(text)); page > 200_000+30*len(text) || allocated > 20<<20+2000*len(text)+drawn(where, text) {
				t.Errorf("%s: of %d bytes a page of %d, for which %d MB are allocated", where, len(text), page, allocated>>20)
			}
		}
	})
}

// drawn returns how many bytes may be allocated to draw the formulas of a text.
func drawn(where, text string) int {
	switch {
	case where == "LaTeX" && len(text) <= maxFormula:
		return 200 * len(text) * len(text)
	case (where == "text" || where == "Markdown") && strings.Contains(text, "$"):
		return 40_000 * min(len(text), maxWork)
	}
	return 0
}

// TestBudgets has more than there may be of what goldmark takes long for.
func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		name, text, counted string
		want                int
	}{
		{"marks of a block", strings.Repeat("*a* ", marksOfBlock), "<em>", marksOfBlock / 2},
		{"quotes in each other", strings.Repeat(">", 5*depthOfBlocks) + " a", "<blockquote>", depthOfBlocks},
		{"lists in each other", strings.Repeat("- ", 5*depthOfBlocks) + "a", "<ul>", depthOfBlocks / 2},
		{"definitions of links", strings.Repeat("[a]: b\n", linesOfParagraphs+1), "[a]: b", linesOfParagraphs + 1},
		{"escaped bars", "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", escapedBars+1), "<table>", 0},
		{"lacking cells", repeated("|a", 300) + "\n" + repeated("|-", 300) + "\n" + strings.Repeat("|b\n", 100), "<table>", 0},
	} {
		if got := strings.Count(pageOf(t, c.text), c.counted); got != c.want {
			t.Errorf("%s: %d times %s, not %d", c.name, got, c.counted, c.want)
		}
	}
}

// TestFormulaBudgets has formulas that are too long, too deep, and too many: their LaTeX is shown.
// The next notebook has formulas again.
func TestFormulaBudgets(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for k := range n {
			fmt.Fprintf(&b, "$a_{%d}$\n\n", k)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text  string
		least, most int // of formulas that are drawn
	}{
		{"a long one", "$" + strings.Repeat("a", maxFormula+1) + "$", 0, 0},
		{"braces", "$" + strings.Repeat("{", maxFormula/2-1) + "a" + strings.Repeat("}", maxFormula/2-1) + "$", 0, 1},
		{"fractions", "$" + strings.Repeat(`\frac{1}{`, 180) + "a" + strings.Repeat("}", 180) + "$", 0, 1},
		{"expansions", "$" + strings.Repeat(`\iff`, maxFormula/4) + "$", 0, 0},
		{"exponential time", "$" + strings.Repeat(`\mathllap{`, 100) + "a" + strings.Repeat("}", 100) + "$ and $b$", 0, 0},
		{"a wide matrix", `$\begin{matrix}` + strings.Repeat("&", maxFormula-40) + `\end{matrix}$`, 0, 0},
		{"many", many(2500), 500, maxWork / work("a_{1}")},
		{"the same", strings.Repeat("$a$ and so on\n\n", 1000), 1000, 1000},
		{"few", many(300), 300, 300},
	} {
		page := pageOf(t, c.text)
		if got := strings.Count(page, "<math"); got < c.least || got > c.most || got+strings.Count(page, `<code class="math">`) != strings.Count(c.text, "$")/2 {
			t.Errorf("%s: %d formulas are drawn, want %d to %d, and the LaTeX of the others", c.name, got, c.least, c.most)
		}
	}
}

// TestPanicOfFormula has an interpreter that panics: the formula stays LaTeX, and the next is
// drawn.
func TestPanicOfFormula(t *testing.T) {
	d := newDrawing()
	d.convert = func(string, bool) (string, error) { panic("a fault of the interpreter") }
	if got := d.html("$a$", false); got != `<code class="math">$a$</code>` {
		t.Errorf("the formula is %s", got)
	}
	if got := d.html("$b$", false); got != "<math><mi>b</mi></math>" {
		t.Errorf("the next is %s", got)
	}
}

// FuzzFormulas draws any text: it stays LaTeX, or its MathML is sanitized without a loss of text.
func FuzzFormulas(f *testing.F) {
	for _, latex := range []string{`\frac12`, `\left(\sqrt[3]{x}\right)`, `\begin{cases}a&b\\c&d\end{cases}`, `\text{a $b$ <i>}`, `\ce{H2O}`, `x^{y^{z}}_{'}`, `\color{#f00}x`, "\xff", "é\U0001d4dc", `\char"110000`, `\rule{1em}{-1em}`} {
		f.Add(latex, true)
	}
	convert := newConverter()
	f.Fuzz(func(t *testing.T, latex string, display bool) {
		d := newDrawing()
		d.convert = convert
		raw := string(d.html(latex, display))
		if before, after := textOf(t, raw), textOf(t, string(sanitized(raw))); before != after {
			t.Errorf("%q loses text: %q of %q", latex, after, before)
		}
	})
}

// textOf returns the text of a piece of HTML.
func textOf(t *testing.T, piece string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(piece))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// TestNextClosing compares what is remembered of fences with what is found, and holds that it is
// not looked for again.
func TestNextClosing(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString([]string{"$$", "$$\n", "a", "\n", `\`, `\$`}[random.IntN(6)])
		}
		source := []byte(b.String())
		pc := parser.NewContext()
		// A block is looked for at the beginning of lines, behind its fence.
		for at := range source {
			if bytes.HasPrefix(source[at:], []byte("$$")) && (at == 0 || source[at-1] == '\n' && (at == 1 || source[at-2] != '\\')) {
				want := closing(source[at+2:], "$$")
				if want >= 0 {
					want += at + 2
				}
				if got := nextClosing(source, at+2, "$$", pc); got != want {
					t.Fatalf("%q from %d: at %d, want %d", source, at+2, got, want)
				}
			}
		}
	}
	pc, source := parser.NewContext(), []byte("a    $$   ")
	if nextClosing(source, 0, "$$", pc) != 5 || nextClosing(source, 7, "$$", pc) != -1 {
		t.Error("the fence is not found")
	}
	copy(source, "$$$$$$$$$$")
	if got := nextClosing(source, 7, "$$", pc); got != -1 {
		t.Errorf("it is looked for again where there is none, and found at %d", got)
	}
}

// What is usual stays within the bounds.
func TestUsualWithinBounds(t *testing.T) {
	many := strings.Repeat("[a](b) and *c* and ~~d~~\n\n", 2*marksOfBlock)
	if got := strings.Count(pageOf(t, many), "<em>c</em>"); got != 2*marksOfBlock {
		t.Errorf("%d of %d are emphasised", got, 2*marksOfBlock)
	}
	bars := "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", escapedBars)
	if got := strings.Count(pageOf(t, bars), "<td><code>|</code></td>"); got != escapedBars {
		t.Errorf("%d of %d escaped bars", got, escapedBars)
	}
	table := "| a | b | c |\n|---|:-:|---|\n" + strings.Repeat("| 1 |\n", 1000)
	if got := pageOf(t, table); strings.Count(got, "<tr>") != 1001 || strings.Count(got, "<td></td>") != 2000 {
		t.Error("a table with short rows is none")
	}
	rows := "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | $\\|x\\|$ |\n", 11_000)
	if got := strings.Count(pageOf(t, rows), "<tr>"); got != 11_001 {
		t.Errorf("%d of 11,001 rows", got)
	}
	links := strings.Repeat("[one], [two][one] and ![three][one]\n\n", 100) + "[one]: https://example.com/a 'title'\n"
	if got := strings.Count(pageOf(t, links), `"https://example.com/a"`); got != 300 {
		t.Errorf("%d of 300 links lead to their address", got)
	}
	if got := strings.Count(pageOf(t, strings.Repeat("`` `a` `` and ```b``` and `c`\n\n", 500)), "<code>"); got != 1500 {
		t.Errorf("%d of 1500 pieces of code", got)
	}
	if got := strings.Count(pageOf(t, strings.Repeat("$a$ and $b$, $$c$$, for $5\n\n", 500)), `<math`); got != 1500 {
		t.Errorf("%d of 1500 formulas", got)
	}
}

// TestHeadings has headings with the same words: each id is there once, also where another heading
// has that number in its words.
func TestHeadings(t *testing.T) {
	id := regexp.MustCompile(`<h\d id="([^"]*)"`)
	idsOf := func(page string) (all []string) {
		for _, m := range id.FindAllStringSubmatch(page, -1) {
			all = append(all, m[1])
		}
		return all
	}
	got := idsOf(pageOf(t, "# Same 1\n# Same\n# Same\n# same!\n# Same-1\n# Same 2\n# ...\n#\n# Heading"))
	want := []string{"same-1", "same", "same-2", "same-3", "same-1-1", "same-2-1", "heading", "heading-1", "heading-2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// One notebook's id and words can be another's.
	var b strings.Builder
	text := &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Markdown, Source: "# B c\n# C\n# Same\n# Same"}}}
	if err := WriteBook(&b, []Part{{"a.ipynb", text}, {"a-b.ipynb", text}, {"a/b.ipynb", text}}, "t"); err != nil {
		t.Fatal(err)
	}
	all := idsOf(b.String())
	if unique := slices.Compact(slices.Sorted(slices.Values(all))); len(all) != 12 || len(unique) != 12 {
		t.Errorf("the ids of a book are %q", all)
	}
}

// TestAttachments names an attached image often, in several ways: it is shown ten times.
func TestAttachments(t *testing.T) {
	image := strings.Repeat("A", 4000)
	c := &notebook.Cell{
		Kind: notebook.Markdown, Source: strings.Repeat("![a](attachment:a.png) ![a](attachment:%61.png) ", 100) + "![b](attachment:b.png)",
		Attachments: map[string]any{"a.png": map[string]any{"image/png": image}, "b.png": map[string]any{"image/png": image + "BBBB"}},
	}
	var b strings.Builder
	if err := Write(&b, &notebook.Notebook{Cells: []*notebook.Cell{c}}, "t"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), image+`"`); got != notebook.ShownAttachments || !strings.Contains(b.String(), image+`BBBB"`) {
		t.Errorf("the image is shown %d times", got)
	}
}
