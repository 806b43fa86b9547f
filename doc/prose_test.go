package doc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxWords is the number of words that a sentence of the README or of a page in this folder may
// have. Most should have at most 20.
const maxWords = 30

var (
	// unread has the parts of a page that are not sentences: code, tables, headings and pictures.
	unread = regexp.MustCompile("(?ms)^ *```.*?^ *```$|^\\|[^\n]*$|^#[^\n]*$|^ *!\\[[^\n]*$|<[a-z]+ [^>]*>")
	// A block is a paragraph or an item of a list.
	block       = regexp.MustCompile(`(?m)\n\s*\n|^ *(?:[*-]|[0-9]+\.) `)
	inlineCode  = regexp.MustCompile("`[^`]*`")
	link        = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	sentenceEnd = regexp.MustCompile(`[.!?][)*"]*(?:\s+|$)|\s·\s`)
)

// longSentences returns the sentences of a page in Markdown that have more than maxWords words.
// Inline code counts as one word.
func longSentences(page string) []string {
	var long []string
	for _, text := range block.Split(unread.ReplaceAllString(page, "\n"), -1) {
		text = link.ReplaceAllString(inlineCode.ReplaceAllString(text, "CODE"), "$1")
		for _, sentence := range sentenceEnd.Split(text, -1) {
			if words := strings.Fields(sentence); len(words) > maxWords {
				long = append(long, strings.Join(words, " "))
			}
		}
	}
	return long
}

// TestSentences checks the length of the sentences in the README and in the pages of this folder.
func TestSentences(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range longSentences(string(text)) {
			t.Errorf("%s: a sentence of %d words, at most %d: %s", page, len(strings.Fields(sentence)), maxWords, sentence)
		}
	}
}

// TestLongSentences checks that longSentences finds a long sentence, and nothing else.
func TestLongSentences(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct {
		page string
		long int
	}{
		{words(maxWords) + ". " + words(maxWords) + "!", 0},
		{words(maxWords+1) + ".", 1},
		{words(20) + "\n" + words(20) + ".", 1},
		{words(20) + "\n\n" + words(20), 0},
		{"* " + words(20) + "\n* " + words(20), 0},
		{words(maxWords-4) + " `" + words(30) + "` [" + words(3) + "](" + words(30) + ")", 0},
		{"```\n" + words(50) + "\n```\n| " + words(50) + " |\n# " + words(50), 0},
	} {
		if got := longSentences(c.page); len(got) != c.long {
			t.Errorf("%q has %d long sentences, want %d", c.page, len(got), c.long)
		}
	}
}

// dated are phrases that messages and the comments of exported names no longer have, with what to
// write instead. Add a row when you have removed the last occurrence of a phrase.
var dated = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bone's own\b`), "your own"},
	{regexp.MustCompile(`(?i)\bfor want of\b`), "for lack of"},
	{regexp.MustCompile(`(?i)\blooks? whether\b`), "checks whether"},
	{regexp.MustCompile(`(?:^|\. )There is what\b`), "a subject, as in: The file has"},
	{regexp.MustCompile(`(?i)\bhas (?:it|them) (?:done|made|run|drawn|read)\b`), "the verb, as in: runs it"},
	{regexp.MustCompile(`(?i)\bis had\b`), "is available"},
	{regexp.MustCompile(`(?i)\bby and by\b`), "gradually"},
}

// TestPhrases looks for dated phrases in string literals and in the comments of packages and of
// exported names.
func TestPhrases(t *testing.T) {
	for _, path := range files(t, ".go") {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.Base(path), "z_") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		check := func(at token.Pos, text string) {
			for _, d := range dated {
				if found := d.phrase.FindString(text); found != "" {
					t.Errorf("%s: write %q instead of %q", set.Position(at), d.instead, found)
				}
			}
		}
		comment := func(doc *ast.CommentGroup) {
			if doc != nil {
				check(doc.Pos(), doc.Text())
			}
		}
		comment(file.Doc)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.IsExported() {
					comment(n.Doc)
				}
			case *ast.GenDecl:
				comment(n.Doc)
			case *ast.TypeSpec:
				if n.Name.IsExported() {
					comment(n.Doc)
				}
			case *ast.ValueSpec:
				if n.Names[0].IsExported() {
					comment(n.Doc)
					comment(n.Comment)
				}
			case *ast.Field:
				if len(n.Names) > 0 && n.Names[0].IsExported() {
					comment(n.Doc)
					comment(n.Comment)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					if text, err := strconv.Unquote(n.Value); err == nil {
						check(n.Pos(), text)
					}
				}
			}
			return true
		})
	}
}
