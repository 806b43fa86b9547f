package page

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

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
	for _, c := range []struct {
		name, markdown string
		want           []string
		inline, blocks int
	}{
		{"in a sentence", `the loss $\Delta(y, \hat{y})$ of $y$`, []string{`the loss <math><mrow><mrow><mi mathvariant="normal">Δ</mi>`, "of <math><mi>y</mi></math>"}, 2, 0},
		{"display in a sentence", "so $$a < b$$ holds", []string{"<mo>&lt;</mo>", "holds"}, 0, 1},
		{"a block", "before\n\n$$\nx\n= y\n$$\n\nafter", []string{"<p>before</p>\n<div class=\"formula\"><math", "<mo>=</mo>", "<p>after</p>"}, 0, 1},
		{"a block behind a line", "before\n$$\nx\n$$\nafter", []string{"<p>before</p>", "<p>after</p>"}, 0, 1},
		{"lines like those of lists", "$$\na\n+ b\n- c\n\n> d\n= e\n---\n$$\nafter", []string{"<p>after</p>"}, 0, 1},
		{"on one line", "$$x$$\n$$y$$", nil, 0, 2},
		{"an environment", "\\begin{align*}\na &= b \\\\\n&= c\n\\end{align*}\n", []string{"<mtable", "<mi>b</mi>"}, 0, 1},
		{"emphasis", "$a_b*c*$", []string{"<msub><mi>a</mi><mi>b</mi></msub><mo>∗</mo>"}, 1, 0},
		{"in a list", "- one $a$\n\n  $$\n  x\n  - y\n  $$\n- two", []string{"<li>", "two"}, 1, 1},
		{"in a table", "| a | b |\n|---|---|\n| $x$ | 1 |", []string{"<td><math>"}, 1, 0},
		{"a norm in a table", "| a | b |\n|---|---|\n| $\\|x\\|$ | 1 |", []string{"<mi>‖</mi><mi>x</mi>", "<td>1</td>"}, 1, 0},
		{"in a heading", "## The $\\alpha$", []string{"<h2 id=\"the-alpha\">The <math>"}, 1, 0},
		{"in code", "`$x$`\n\n    $$x$$\n", []string{"<code>$x$</code>", "$$x$$"}, 0, 0},
		{"no end", "$$ x\n\nand so on", []string{"$$ x"}, 0, 0},
		{"prices", "from $5 to $6", []string{"from $5 to $6"}, 0, 0},
		{"HTML", `$\text{<img src=x onerror=alert(1)>}$`, []string{"<mtext>&lt;img\u00a0src=x"}, 1, 0},
		{"an unknown command", `so $\nosuch{a<b}$ and $$\frac{1}{$$`, []string{`<code class="math">$\nosuch{a&lt;b}$</code>`, `<code class="math display">$$\frac{1}{$$</code>`}, 0, 0},
		{"a definition", `$\def\a{\a\a}\a$ and $\newcommand{\b}{b}$`, []string{`<code class="math">$\def\a{\a\a}\a$</code>`, `<code class="math">$\newcommand{\b}{b}$</code>`}, 0, 0},
		{"no definition", `$\left(a\right)\leftarrow\longrightarrow$`, []string{"⟶"}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pageOf(t, c.markdown)
			all, blocks := strings.Count(got, "<math"), strings.Count(got, `<math display="block"`)
			if all-blocks != c.inline || blocks != c.blocks {
				t.Errorf("%d formulas in lines and %d of their own, want %d and %d", all-blocks, blocks, c.inline, c.blocks)
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

// TestFormulasOfOutputs draws the LaTeX of outputs as programs write it.
func TestFormulasOfOutputs(t *testing.T) {
	const want = `<div class="formula"><math display="block" class="tml-display"><mrow><mi>x</mi><mo>&lt;</mo><mn>1</mn></mrow></math></div>`
	for _, latex := range []string{"x<1", "$x<1$", "$$x<1$$", "\n$$\nx<1\n$$\n", `\[x<1\]`, `\(x<1\)`} {
		body, err := bundle(&notebook.Output{Data: map[string]any{"text/latex": latex}}, newMarkdown(newIDs("")))
		if err != nil || string(body) != want {
			t.Errorf("%q is %s, %v", latex, body, err)
		}
	}
}

// TestFormulasOfNotebooks converts every formula of the course and of its solutions: no LaTeX is
// left outside of code.
func TestFormulasOfNotebooks(t *testing.T) {
	formulas := 0
	for _, pattern := range []string{"*.ipynb", "solutions/*.ipynb"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "notebooks", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			nb, err := notebook.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := Write(&b, nb, "t"); err != nil {
				t.Fatal(err)
			}
			root, err := html.Parse(strings.NewReader(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			formulas += checkFormulas(t, file, root)
		}
	}
	if formulas < 200 {
		t.Errorf("only %d formulas were found", formulas)
	}
}

// latex matches LaTeX in a text, and no prices.
var latex = regexp.MustCompile(`\\[a-zA-Z]|\$\$|\$[^ $]*[\\_^{][^$]*\$`)

// checkFormulas reports LaTeX below a node, and returns the number of formulas.
func checkFormulas(t *testing.T, file string, n *html.Node) (formulas int) {
	t.Helper()
	switch {
	case n.Type == html.ElementNode && n.Data == "math":
		formulas++
	case n.Type == html.ElementNode && n.Data == "code" && strings.Contains(attribute(n, "class"), "math"), n.Data == "merror":
		t.Errorf("%s: %s is not drawn", file, n.FirstChild.Data)
	case n.Type == html.ElementNode && (n.Data == "code" || n.Data == "pre" || n.Data == "style" || n.Data == "script"):
		return 0
	case n.Type == html.TextNode && latex.MatchString(n.Data):
		t.Errorf("%s: %q has LaTeX", file, n.Data)
	}
	for c := range n.ChildNodes() {
		formulas += checkFormulas(t, file, c)
	}
	return formulas
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
