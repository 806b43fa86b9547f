package page

import (
	"strings"
	"testing"

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
	const inline, display = `<code class="math">`, `<code class="math display">`
	for _, c := range []struct {
		name, markdown string
		want           []string
		inline, blocks int
	}{
		{"in a sentence", `the loss $\Delta(y, \hat{y})$ of $y$`, []string{`the loss <code class="math">$\Delta(y, \hat{y})$</code> of`}, 2, 0},
		{"display in a sentence", "so $$a < b$$ holds", []string{">$$a &lt; b$$<", "holds"}, 0, 1},
		{"a block", "before\n\n$$\nx\n= y\n$$\n\nafter", []string{"<p>before</p>", ">$$\nx\n= y\n$$</code>", "<p>after</p>"}, 0, 1},
		{"a block behind a line", "before\n$$\nx\n$$\nafter", []string{"<p>before</p>", "<p>after</p>"}, 0, 1},
		{"lines like those of lists", "$$\na\n+ b\n- c\n\n> d\n= e\n---\n$$\nafter", []string{"<p>after</p>"}, 0, 1},
		{"on one line", "$$x$$\n$$y$$", nil, 0, 2},
		{"an environment", "\\begin{align*}\na &= b \\\\\n&= c\n\\end{align*}\n", []string{"a &amp;= b"}, 0, 1},
		{"emphasis", "$a_b*c*$", []string{">$a_b*c*$<"}, 1, 0},
		{"in a list", "- one $a$\n\n  $$\n  x\n  - y\n  $$\n- two", []string{"<li>", "two"}, 1, 1},
		{"in a table", "| a | b |\n|---|---|\n| $x$ | 1 |", []string{"<td>" + inline}, 1, 0},
		{"in a heading", "## The $\\alpha$", []string{"<h2 id=\"the-alpha\">The " + inline}, 1, 0},
		{"in code", "`$x$`\n\n    $$x$$\n", []string{"<code>$x$</code>", "$$x$$"}, 0, 0},
		{"no end", "$$ x\n\nand so on", []string{"$$ x"}, 0, 0},
		{"prices", "from $5 to $6", []string{"from $5 to $6"}, 0, 0},
		{"HTML", `$\text{<img src=x onerror=alert(1)>}$`, []string{"{&lt;img src=x"}, 1, 0},
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
			if strings.Contains(got, "<ul>") != (c.name == "in a list") || strings.Contains(got, "<img") {
				t.Error("something is a list, or a picture")
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}
