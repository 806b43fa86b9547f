package page

import (
	"bytes"
	"html/template"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chtml "github.com/alecthomas/chroma/v2/formatters/html"

	"github.com/hierml/notebook/internal/notebook"
)

// The lexer and the style are the page's own: chroma's collections of them take ten milliseconds to
// load, whatever the program then does.
var (
	goNames = []string{"go", "golang"}

	goLexer = chroma.MustNewLexer(&chroma.Config{Name: "Go", Aliases: goNames}, goRules)

	plain = chroma.MustNewLexer(&chroma.Config{Name: "plain"}, func() chroma.Rules {
		return chroma.Rules{"root": {{Pattern: `.+|\n`, Type: chroma.Text}}}
	})

	colours = chroma.MustNewStyle("page", chroma.StyleEntries{
		chroma.Comment:             "italic #57606a",
		chroma.Keyword:             "#cf222e",
		chroma.KeywordType:         "#cf222e",
		chroma.KeywordConstant:     "#0550ae",
		chroma.LiteralNumber:       "#0550ae",
		chroma.LiteralString:       "#0a3069",
		chroma.LiteralStringEscape: "#0550ae",
		chroma.NameFunction:        "#6639ba",
		chroma.NameBuiltin:         "#6639ba",
		chroma.Operator:            "#0550ae",
	})
)

// goRules follows the lexical elements of the Go specification.
func goRules() chroma.Rules {
	words := func(suffix string, list ...string) string { return chroma.Words(`\b`, `\b`+suffix, list...) }
	return chroma.Rules{"root": {
		{Pattern: `\s+`, Type: chroma.Text},
		{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
		{Pattern: `/\*[\s\S]*?(\*/|$)`, Type: chroma.CommentMultiline},
		{Pattern: "`[^`]*(`|$)", Type: chroma.LiteralString},
		{Pattern: `"(\\.|[^"\\\n])*("|(?=\n)|$)`, Type: chroma.LiteralString},
		{Pattern: `'(\\.|[^'\\\n])*('|(?=\n)|$)`, Type: chroma.LiteralStringChar},
		{Pattern: words(``, "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func",
			"go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var"), Type: chroma.Keyword},
		{Pattern: words(``, "true", "false", "iota", "nil"), Type: chroma.KeywordConstant},
		{Pattern: words(`(?=\()`, "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min",
			"new", "panic", "print", "println", "real", "recover"), Type: chroma.NameBuiltin},
		{Pattern: words(``, "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
			"int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"), Type: chroma.KeywordType},
		{Pattern: `(0[xX][\da-fA-F_.]+([pP][+-]?\d+)?|0[bB][01_]+|0[oO][0-7_]+|(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?)i?`, Type: chroma.LiteralNumber},
		{Pattern: `[\pL_][\pL\pN_]*(?=\()`, Type: chroma.NameFunction},
		{Pattern: `[\pL_][\pL\pN_]*`, Type: chroma.Name},
		{Pattern: `[+\-*/%&|^<>=!:~]+|\.\.\.`, Type: chroma.Operator},
		{Pattern: `[()\[\]{},;.]`, Type: chroma.Punctuation},
		{Pattern: `.`, Type: chroma.Text},
	}}
}

// A highlighter colours code.
type highlighter struct {
	language string // of the code cells
	format   *chtml.Formatter
	css      string
}

func newHighlighter(nb *notebook.Notebook) (*highlighter, error) {
	h := &highlighter{language: "go", format: chtml.New(chtml.WithClasses(true), chtml.TabWidth(4), chtml.PreventSurroundingPre(true))}
	for _, key := range []string{"kernelspec", "language_info"} {
		info, _ := nb.Metadata[key].(map[string]any)
		for _, field := range []string{"language", "name", "pygments_lexer"} {
			// The name of a kernel is no language, that of language_info is.
			if name, ok := info[field].(string); ok && !(key == "kernelspec" && field == "name") {
				h.language = name
			}
		}
	}
	var css bytes.Buffer
	if err := h.format.WriteCSS(&css, colours); err != nil {
		return nil, err
	}
	h.css = css.String()
	return h, nil
}

// html returns code: Go in colours, other languages without. An empty language is that of the
// notebook.
func (h *highlighter) html(source, language string) (template.HTML, error) {
	if language == "" {
		language = h.language
	}
	lexer := plain
	if slices.Contains(goNames, strings.ToLower(language)) {
		lexer = goLexer
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`<pre class="chroma"><code>`)
	if err := h.format.Format(&b, colours, tokens); err != nil {
		return "", err
	}
	b.WriteString("</code></pre>")
	return template.HTML(b.String()), nil
}
