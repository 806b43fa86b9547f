package page

import (
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/notebook"
)

// pageOf returns the body of the page of a text.
func pageOf(t *testing.T, markdown string) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Markdown, Source: markdown}}}, "t"); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "<body>")
	return body
}

func TestFormulas(t *testing.T) {
	const inline, display = `<span class="formula"><math xmlns="http://www.w3.org/1998/Math/MathML">`, `<span class="formula display"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block"`
	for _, c := range []struct {
		name, markdown string
		want           []string
		inline, blocks int
	}{
		{"in a sentence", `the loss $\Delta(y, \hat{y})$ of $y$`, []string{"<mi mathvariant=\"normal\">Δ</mi>", "the loss <span"}, 2, 0},
		{"display in a sentence", "so $$a < b$$ holds", []string{"<mo>&lt;</mo>", "holds"}, 0, 1},
		{"a block", "before\n\n$$\nx\n= y\n$$\n\nafter", []string{"<p>before</p>", "<p>after</p>"}, 0, 1},
		{"a block behind a line", "before\n$$\nx\n$$\nafter", []string{"<p>before</p>", "<p>after</p>"}, 0, 1},
		{"lines like those of lists", "$$\na\n+ b\n- c\n\n> d\n= e\n---\n$$\nafter", []string{"<p>after</p>"}, 0, 1},
		{"on one line", "$$x$$\n$$y$$", nil, 0, 2},
		{"an environment", "\\begin{align*}\na &= b \\\\\n&= c\n\\end{align*}\n", []string{"<mtable"}, 0, 1},
		{"in a list", "- one $a$\n\n  $$\n  x\n  - y\n  $$\n- two", []string{"<li>", "two"}, 1, 1},
		{"in a table", "| a | b |\n|---|---|\n| $x$ | 1 |", []string{"<td>" + inline}, 1, 0},
		{"in a heading", "## The $\\alpha$", []string{"<h2 id=\"the-alpha\">The " + inline}, 1, 0},
		{"in code", "`$x$`\n\n    $$x$$\n", []string{"<code>$x$</code>", "$$x$$"}, 0, 0},
		{"no end", "$$ x\n\nand so on", []string{"$$ x"}, 0, 0},
		{"prices", "from $5 to $6", []string{"from $5 to $6"}, 0, 0},
		{"a wrong one", `$\frac{1$ and $x$`, []string{`<code class="formula" title="ParseError: KaTeX parse error: `, `>\frac{1</code>`}, 1, 0},
		{"an unknown command", `$\nope$`, []string{`>\nope</code>`}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pageOf(t, c.markdown)
			if i, b := strings.Count(got, inline), strings.Count(got, display); i != c.inline || b != c.blocks {
				t.Errorf("%d formulas in lines and %d of their own, want %d and %d", i, b, c.inline, c.blocks)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s is missing", want)
				}
			}
			if strings.Contains(got, "formula-") || strings.Contains(got, "<ul>") != (c.name == "in a list") {
				t.Error("something is left, or is a list")
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// TestHostileFormulas holds that formulas bring in nothing that acts, and end.
func TestHostileFormulas(t *testing.T) {
	for name, latex := range map[string]string{
		"a link":       `\href{javascript:alert(1)}{x}`,
		"an address":   `\url{https://example.org}`,
		"a picture":    `\includegraphics{https://example.org/x.png}`,
		"HTML":         `\text{<script>alert(1)</script><img src=x onerror=alert(1)>}`,
		"an attribute": `\htmlStyle{position: fixed}{x}\htmlId{x}{y}`,
		"a colour":     `\textcolor{" onclick="alert(1)}{x}`,
		"recursion":    `\def\a{\a\a}\a`,
		"depth":        strings.Repeat("{", 50000) + "x" + strings.Repeat("}", 50000),
		"a wide space": `\rule{100000em}{100000em}`,
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			got := pageOf(t, "$"+latex+"$")
			for _, bad := range []string{"<a ", "href=", "<img", "<script", `src="`, "onclick=\"", "position", "100000em;"} {
				// What is shown as text is shown: only tags count.
				for i := range strings.SplitSeq(got, "<") {
					tag, _, _ := strings.Cut("<"+i, ">")
					if strings.Contains(tag, bad) && !strings.Contains(tag, "title=") {
						t.Errorf("%s came through in %s", bad, tag)
					}
				}
			}
			if took := time.Since(begun); took > 4*formulaTime {
				t.Errorf("it took %v", took)
			}
		})
	}
}
