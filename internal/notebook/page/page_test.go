package page

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hierml/notebook/internal/notebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPage compares the page of a notebook that has everything with a golden file, which was looked
// at in a browser.
func TestPage(t *testing.T) {
	nb, err := notebook.ReadFile(filepath.Join("testdata", "page.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Write(&b, nb, "page"); err != nil {
		t.Fatal(err)
	}
	// The styles have a file of their own.
	before, rest, _ := strings.Cut(b.String(), "<style>")
	_, after, ok := strings.Cut(rest, "</style>")
	if !ok {
		t.Fatal("the page has no styles")
	}
	got := before + "<style></style>" + after
	golden := filepath.Join("testdata", "page.golden.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page is not %s; see what changed with go test -update and git diff. It is:\n%s", golden, got)
	}
}

// TestAlternatives looks at the texts of pictures: that of the metadata, or else the plain one.
func TestAlternatives(t *testing.T) {
	data := func(mime string) map[string]any {
		return map[string]any{mime: "AAAA", "text/plain": "tree\n├── \"a\""}
	}
	for _, c := range []struct {
		output notebook.Output
		want   string
	}{
		{notebook.Output{Data: data("image/png"), Metadata: map[string]any{"image/png": map[string]any{"alt": "Accuracy <&> \"gap\""}}}, `alt="Accuracy &lt;&amp;&gt; &#34;gap&#34;"`},
		{notebook.Output{Data: data("image/svg+xml"), Metadata: map[string]any{"image/png": map[string]any{"alt": "no"}}}, "alt=\"tree\n├── &#34;a&#34;\""},
		{notebook.Output{Data: data("image/jpeg")}, "alt=\"tree\n"},
	} {
		body, err := bundle(&c.output, nil)
		if err != nil || !strings.Contains(string(body), c.want) {
			t.Errorf("got %s, %v; want %s", body, err, c.want)
		}
	}
}

// TestPaper holds what the styles say of paper: nothing scrolls, lines break, and a picture is no
// higher than a sheet.
func TestPaper(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, &notebook.Notebook{}, "page"); err != nil {
		t.Fatal(err)
	}
	_, paper, ok := strings.Cut(b.String(), "@media print {")
	if !ok {
		t.Fatal("the page has no styles for paper")
	}
	paper, _, _ = strings.Cut(paper, "\n}")
	if strings.Contains(paper, "overflow: auto") || strings.Contains(paper, "overflow-x: auto") || strings.Contains(paper, "scroll;") {
		t.Errorf("something scrolls on paper: %s", paper)
	}
	for _, selector := range []string{"pre, .output pre, .output.data pre, .output.error pre, code.math.display", ".markdown table", ".formula", ".output", "img"} {
		_, rules, ok := strings.Cut(paper, "\t"+selector+" {")
		rules, _, _ = strings.Cut(rules, "}")
		want := map[bool]string{true: "max-height: 240mm", false: "overflow: visible"}[selector == "img"]
		if !ok || !strings.Contains(rules, want) {
			t.Errorf("%s on paper has %q, want %s", selector, rules, want)
		}
	}
}

// TestDark holds that the dark colours are for screens alone, and that each is a variable of the
// light ones, for which no other colour is left in the styles of text.
func TestDark(t *testing.T) {
	light, text, ok := strings.Cut(style, "\n}")
	if !ok || !strings.HasPrefix(dark, "@media screen and (prefers-color-scheme: dark) {") {
		t.Fatal("the styles have no colours for light and dark")
	}
	for _, m := range regexp.MustCompile(`(--[a-z]+): (#[0-9a-f]+)`).FindAllStringSubmatch(light, -1) {
		if !strings.Contains(dark, m[1]+": #") || !strings.Contains(text, "var("+m[1]+")") {
			t.Errorf("%s is not used, or has no dark colour", m[1])
		}
		if strings.Contains(text, "background: "+m[2]+";") {
			t.Errorf("%s is a background in the dark, too", m[2])
		}
	}
}

// TestHarmless tries what must not come through from a notebook.
func TestHarmless(t *testing.T) {
	for _, bad := range []string{
		`<script>alert(1)</script>`,
		`<img src=x onerror=alert(1)>`,
		`<a href="javascript:alert(1)">x</a>`,
		`<iframe src="https://example.org"></iframe>`,
		`<svg onload=alert(1)><script>alert(1)</script></svg>`,
		`<style>body { display: none }</style>`,
		`<form action="https://example.org"><input type="text" name="password"></form>`,
		`<meta http-equiv="refresh" content="0;url=https://example.org">`,
		`<base href="https://example.org">`,
		`<p style="position: fixed; top: 0">x</p>`,
		`<p style="background: url(https://example.org/x)">x</p>`,
		`<link rel="stylesheet" href="https://example.org/x.css">`,
		`$\href{javascript:alert(1)}{x}$ and $\url{javascript:alert(1)}$ and $\includegraphics{https://example.org/x.png}$`,
		`$\text{<script>alert(1)</script><img src=x onerror=alert(1)>}$ and $\unicode{x3c}script$`,
		`$\class{x" onclick="alert(1)}{x}$ and $\style{position:fixed}{x}$ and $\data{onclick=alert(1)}{x}$ and $\id{x}{y}$`,
		`$\color{red;position:fixed}x$ and $\colorbox{url(https://example.org/x)}{x}$`,
		`<math href="javascript:alert(1)"><mi onclick="alert(1)" xlink:href="javascript:alert(1)" style="position: fixed">x</mi></math>`,
		`<math><semantics><mi>x</mi><annotation-xml encoding="text/html"><img src=x onerror=alert(1)><style>p { position: fixed }</style></annotation-xml></semantics></math>`,
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">`,
		`<math><maction actiontype="statusline#https://example.org" href="javascript:alert(1)">x</maction></math>`,
	} {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{
			{Kind: notebook.Markdown, Source: bad},
			{Kind: notebook.Code, Outputs: []*notebook.Output{
				{Kind: notebook.Display, Data: map[string]any{"text/html": bad}},
				{Kind: notebook.Display, Data: map[string]any{"text/markdown": bad}},
				{Kind: notebook.Display, Data: map[string]any{"text/latex": bad}},
				{Kind: notebook.Display, Data: map[string]any{"image/png": `x" onerror="alert(1)`, "text/plain": bad}},
				{Kind: notebook.Stream, Name: "stdout", Text: bad},
			}},
		}}
		var b strings.Builder
		if err := Write(&b, nb, bad); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(b.String(), "<body>")
		root, err := html.Parse(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if slices.Contains([]string{"script", "iframe", "object", "embed", "svg", "style", "form", "meta", "base", "link"}, n.Data) {
				t.Errorf("an element %s came through from %s", n.Data, bad)
			}
			for _, a := range n.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"),
					a.Key != "alt" && strings.Contains(a.Val, "javascript:"),
					a.Key == "style" && (strings.Contains(a.Val, "position") || strings.Contains(a.Val, "url")),
					n.Data == "input" && a.Key == "type" && a.Val != "checkbox":
					t.Errorf("%s=%q came through from %s", a.Key, a.Val, bad)
				}
			}
		}
	}
}

func TestTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain <b>":                        "plain &lt;b&gt;",
		"\x1b[31mred\x1b[0m.":              `<span class="ansi-red-fg">red</span>.`,
		"\x1b[1;94mx\x1b[22my\x1b[39mz":    `<span class="ansi-bold ansi-blue-intense-fg">x</span><span class="ansi-blue-intense-fg">y</span>z`,
		"\x1b[38;5;196mx\x1b[48;5;250my":   `<span style="color:#ff0000">x</span><span style="color:#ff0000;background-color:#bcbcbc">y</span>`,
		"\x1b[38;2;1;2;300mx":              `<span style="color:#01022c">x</span>`,
		"\x1b[38:5:9mx\x1b[mx":             `<span class="ansi-red-intense-fg">x</span>x`,
		"\x1b[3;4;7mx\x1b[23;24;27my":      `<span class="ansi-italic ansi-underline ansi-inverse">x</span>y`,
		"\x1b[2Kx\x1b]0;title\x07y\x1b[1A": "xy",
		"10%\r100%\ndone\r\n":              "100%\ndone\n",
		"ab\bc\n\b":                        "ac\n",
		"working\r":                        "working",
		"\x1b[38;5mx\x1b[999999999999my":   "xy",
	} {
		if got := string(terminal(text)); got != want {
			t.Errorf("terminal(%q) = %s, want %s", text, got, want)
		}
	}
}
