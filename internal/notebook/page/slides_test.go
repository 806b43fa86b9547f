package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hierml/notebook/internal/notebook"
)

// slidesOf returns the slides of cells: the text of the blocks of each, with bars between them, and
// the text of its notes behind a #.
func slidesOf(t *testing.T, cells ...*notebook.Cell) (found []string) {
	t.Helper()
	for _, s := range elements(parsedSlides(t, &notebook.Notebook{Cells: cells}), "section") {
		var blocks []string
		for _, e := range elements(s, "div") {
			if attribute(e.Parent, "class") == "sheet" {
				blocks = append(blocks, strings.Join(strings.Fields(nodeText(e)), " "))
			}
		}
		text := strings.Join(blocks, " | ")
		for _, notes := range elements(s, "aside") {
			text += " # " + strings.Join(strings.Fields(nodeText(notes)), " ")
		}
		found = append(found, text)
	}
	return found
}

func parsedSlides(t *testing.T, nb *notebook.Notebook) *html.Node {
	t.Helper()
	var b strings.Builder
	if err := WriteSlides(&b, nb, "t"); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements returns the elements of a name below a node.
func elements(n *html.Node, name string) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			found = append(found, d)
		}
	}
	return found
}

func nodeText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func slideCell(kind, source, slide string) *notebook.Cell {
	c := &notebook.Cell{Kind: kind, Source: source, Metadata: map[string]any{}}
	if slide != "" {
		c.Metadata["slideshow"] = map[string]any{"slide_type": slide}
	}
	return c
}

func TestSlides(t *testing.T) {
	text := strings.Repeat("word ", 150)
	trimmed := strings.TrimSpace(text)
	output := func(c *notebook.Cell, all ...*notebook.Output) *notebook.Cell {
		c.Outputs = all
		return c
	}
	figure := &notebook.Output{Kind: notebook.Display, Data: map[string]any{"image/png": "AAAA"}}
	printed := func(lines int) *notebook.Output {
		return &notebook.Output{Kind: notebook.Stream, Name: "stdout", Text: strings.Repeat("o\n", lines)}
	}
	for _, c := range []struct {
		name  string
		cells []*notebook.Cell
		want  []string
	}{
		{"nothing said", []*notebook.Cell{slideCell("markdown", "# One", ""), slideCell("code", "two", ""), slideCell("markdown", "### three", ""), slideCell("markdown", "## Four", "")}, []string{"One | two | three", "Four"}},
		{"said", []*notebook.Cell{
			slideCell("markdown", "# One", "slide"), slideCell("code", "two", "-"), slideCell("code", "three", "subslide"), slideCell("code", "four", "skip"), slideCell("markdown", "five", "notes"), slideCell("markdown", "## six", "fragment"),
		}, []string{"One | two", "three | six # five"}},
		{"before the first", []*notebook.Cell{slideCell("code", "one", ""), slideCell("markdown", "two", "slide")}, []string{"one", "two"}},
		{"bare text joins the next", []*notebook.Cell{
			slideCell("markdown", "# One", "slide"), slideCell("markdown", "two", "subslide"), slideCell("code", "three", "-"), slideCell("code", "four", "subslide"),
		}, []string{"One | two | three", "four"}},
		{"the last joins the one before", []*notebook.Cell{slideCell("code", "one", "slide"), slideCell("markdown", "two", "subslide"), slideCell("markdown", "three", "slide")}, []string{"one | two", "three"}},
		{"much text is a slide", []*notebook.Cell{slideCell("markdown", text, "slide"), slideCell("code", "one", "subslide")}, []string{trimmed, "one"}},
		{"a high slide continues, with its text as notes", []*notebook.Cell{
			slideCell("markdown", "# A\n\n"+text, "slide"), output(slideCell("code", "one", ""), figure, figure), slideCell("markdown", "two", ""),
		}, []string{"A | " + trimmed + " | one", " | two # " + trimmed}},
		{"what leads in stays", []*notebook.Cell{slideCell("markdown", text, "slide"), slideCell("markdown", "So:\n\n"+text, "")}, []string{trimmed, "So: | " + trimmed + " # " + trimmed}},
		{"a long output", []*notebook.Cell{output(slideCell("code", "one", "slide"), printed(100))}, []string{"one | " + strings.TrimSpace(strings.Repeat("o ", 100))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slidesOf(t, c.cells...); !slices.Equal(got, c.want) {
				t.Errorf("the slides are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
	if err := WriteSlides(new(strings.Builder), &notebook.Notebook{}, "t"); fmt.Sprint(err) != "the notebook has no cells for slides" {
		t.Errorf("of an empty notebook: %v", err)
	}
}

// TestCodeOfSlides has long cells of code: no slide has more than 15 lines, and none is lost.
func TestCodeOfSlides(t *testing.T) {
	for lines := range 70 {
		var b strings.Builder
		for k := range lines {
			fmt.Fprintf(&b, "%sf(%d)\n", []string{"", "\t", "\t\t", "\n"}[k%7%4], k)
		}
		parts := codeParts(b.String())
		if got, want := strings.Join(parts, "\n"), strings.Trim(b.String(), "\n"); got != want {
			t.Fatalf("%d lines become\n%s\nnot\n%s", lines, got, want)
		}
		total := 1 + strings.Count(strings.Trim(b.String(), "\n"), "\n")
		for _, part := range parts {
			if n := 1 + strings.Count(part, "\n"); n > codeLines || len(parts) > total/codeLines+2 {
				t.Errorf("of %d lines one of %d parts has %d", total, len(parts), n)
			}
		}
		for k, s := range elements(parsedSlides(t, &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Source: b.String() + "end"}, {Kind: notebook.Code, Source: "more"}}}), "section") {
			n := 0
			for _, e := range elements(s, "code") {
				n += 1 + strings.Count(nodeText(e), "\n")
			}
			if n > codeLines {
				t.Errorf("slide %d of %d lines has %d lines of code", k, total, n)
			}
		}
	}
	got := codeParts(strings.Repeat("a\n", 7) + "\n" + "func f() {\n" + strings.Repeat("\tb\n", 8) + "}")
	if len(got) != 2 || !strings.HasPrefix(got[1], "func f() {") {
		t.Errorf("code is divided in a function: %q", got)
	}
}

// TestSlidesOfCourse divides two chapters: each slide has something on it, and each line of code.
func TestSlidesOfCourse(t *testing.T) {
	for _, name := range []string{"01-tour.ipynb", "05-svm.ipynb"} {
		nb, err := notebook.ReadFile(filepath.Join("..", "..", "..", "notebooks", name))
		if err != nil {
			t.Fatal(err)
		}
		root := parsedSlides(t, nb)
		checkFormulas(t, name, root)
		for k, s := range elements(root, "section") {
			if nodeText(s) == "" && len(elements(s, "img")) == 0 {
				t.Errorf("%s: slide %d is empty", name, k+1)
			}
		}
		for _, c := range nb.Cells {
			if c.Kind == notebook.Code && slideType(c) != "skip" {
				first, _, _ := strings.Cut(strings.TrimSpace(c.Source), "\n")
				if !strings.Contains(nodeText(root), first) {
					t.Errorf("%s: no slide has %s", name, first)
				}
			}
		}
	}
}

// TestScriptsOfSlides holds that the page has two scripts, those that its policy allows, whatever
// the notebook brings.
func TestScriptsOfSlides(t *testing.T) {
	var cells []*notebook.Cell
	for _, bad := range []string{
		"<script>alert(1)</script>", `<section data-background-iframe="https://example.org" data-autoslide="1" onclick="alert(1)">x</section>`, `$\href{javascript:alert(1)}{x}$`,
		`<aside class="notes"><img src=x onerror=alert(1)></aside>`, `</div></section></div><div class="reveal"><iframe data-src="https://example.org"></iframe>`, `<a href="javascript:alert(1)" data-preview-link>x</a>`,
	} {
		for kind, cell := range ways {
			for _, slide := range []string{"slide", "notes", "fragment"} {
				c := cell(bad)
				c.Metadata = map[string]any{"slideshow": map[string]any{"slide_type": slide}}
				cells = append(cells, c)
			}
			if kind == "text" {
				cells = append(cells, &notebook.Cell{Kind: notebook.Raw, Source: bad}, &notebook.Cell{Kind: notebook.Markdown, Source: "# " + bad})
			}
		}
	}
	root := parsedSlides(t, &notebook.Notebook{Cells: cells, Metadata: map[string]any{"title": "</title><script>alert(1)</script>"}})
	policy := ""
	for _, m := range elements(root, "meta") {
		if attribute(m, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(m, "content")
		}
	}
	_, allowed, _ := strings.Cut(policy, "script-src ")
	hashes := strings.Fields(allowed)
	scripts := elements(root, "script")
	if len(scripts) != 2 || len(hashes) != 2 || !strings.HasPrefix(policy, "default-src 'none';") {
		t.Fatalf("%d scripts, and the policy %s", len(scripts), policy)
	}
	for k, s := range scripts {
		hash := sha256.Sum256([]byte(s.FirstChild.Data))
		if want := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; hashes[k] != want {
			t.Errorf("script %d has the hash %s, and the policy %s", k, want, hashes[k])
		}
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if n.Type == html.ElementNode && (strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "data-") && a.Key != "data-fragment-index" || strings.HasPrefix(a.Val, "javascript:") || n.Data == "iframe") {
				t.Errorf("<%s %s=%q> came through", n.Data, a.Key, a.Val)
			}
		}
	}
}

// TestHostileSlides has texts of 12 KB: the page grows by at most 40 times that.
func TestHostileSlides(t *testing.T) {
	slidesLength := func(c *notebook.Cell) int {
		var b strings.Builder
		if err := WriteSlides(&b, &notebook.Notebook{Cells: []*notebook.Cell{c, {Kind: notebook.Markdown, Source: "end"}}}, "t"); err != nil {
			t.Fatal(err)
		}
		return b.Len()
	}
	empty := slidesLength(&notebook.Cell{Kind: notebook.Markdown})
	for name, text := range shapes() {
		for _, where := range []string{"text", "code", "HTML"} {
			if page := slidesLength(ways[where](text(12_000))); page > empty+40*12_000 {
				t.Errorf("%s, %q: a page of %d bytes", where, name, page)
			}
		}
	}
}
