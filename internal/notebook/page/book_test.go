package page

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hierml/notebook/internal/notebook"
)

func markdownOf(sources ...string) *notebook.Notebook {
	nb := new(notebook.Notebook)
	for _, s := range sources {
		nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Markdown, Source: s})
	}
	return nb
}

// TestBook binds two chapters, with solutions of the first.
func TestBook(t *testing.T) {
	parts := []Part{
		{"one.ipynb", markdownOf(
			"# First\n\n## Same\n\nSee [the second](two.ipynb), [a part of it](two.ipynb#Same), [this](#Same) and [another](other.ipynb).",
			"## Exercises\n\n1. Do it.\n\n[Solutions](solutions/one.ipynb)",
			"The [solutions](solutions/one.ipynb), again:\n\n[Once more](solutions/one.ipynb)")},
		{"two.ipynb", markdownOf("# Second\n\n## Same\n\n## Same\n\n[The first](one.ipynb)\n\n[Itself](two.ipynb)")},
		{"solutions/one.ipynb", markdownOf("# Solutions\n\nTo [the chapter](../one.ipynb).\n\n[The second](../two.ipynb)")},
	}
	var b strings.Builder
	if err := WriteBook(&b, parts, "All of it"); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	ids, links, elements := make(map[string]int), make(map[string]string), make(map[string]int)
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		elements[n.Data]++
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href" && n.FirstChild != nil && n.Parent.Data == "p" && n.Parent.Parent.Data != "nav":
				links[n.FirstChild.Data] = a.Val
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	if elements["article"] != 2 || elements["details"] != 1 {
		t.Errorf("there are %d chapters and %d folded notebooks, not 2 and 1:\n%s", elements["article"], elements["details"], &b)
	}
	for text, want := range map[string]string{
		"the second": "#two", "a part of it": "#two-same", "this": "#one-same", "another": "other.ipynb", "solutions": "#solutions-one", "Once more": "#solutions-one",
		"The first": "#one", "Itself": "#two", "the chapter": "#one", "The second": "#two",
	} {
		if links[text] != want {
			t.Errorf("%q leads to %q, not %q", text, links[text], want)
		}
		if id, inside := strings.CutPrefix(want, "#"); inside && ids[id] == 0 {
			t.Errorf("nothing has the id %s", id)
		}
	}
	_, nav, _ := strings.Cut(b.String(), "<nav>")
	nav, _, _ = strings.Cut(nav, "</nav>")
	want := `
<p class="level1"><a href="#one">First</a></p>
<p class="level2"><a href="#one-same">Same</a></p>
<p class="level2"><a href="#one-exercises">Exercises</a></p>
<p class="level1"><a href="#two">Second</a></p>
<p class="level2"><a href="#two-same">Same</a></p>
<p class="level2"><a href="#two-same-1">Same</a></p>
`
	if nav != want {
		t.Errorf("the contents are %s\nand not %s", nav, want)
	}
}

// TestBookInCircles binds notebooks that would fold each other and themselves.
func TestBookInCircles(t *testing.T) {
	var b strings.Builder
	parts := []Part{{"a.ipynb", markdownOf("[b](b.ipynb)\n\n[a](a.ipynb)")}, {"b.ipynb", markdownOf("[a](a.ipynb)\n\n[b](b.ipynb)")}, {"a b.ipynb", markdownOf("x")}, {"a-b.ipynb", markdownOf("y")}}
	if err := WriteBook(&b, parts, "circles"); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{`<article id="a">`: 1, `<details id="b">`: 1, `<article id="b">`: 0, `<article id="a-b">`: 1, `<article id="a-b-1">`: 1} {
		if got := strings.Count(b.String(), id); got != want {
			t.Errorf("%s is there %d times, not %d", id, got, want)
		}
	}
}
