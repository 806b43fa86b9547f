package assist

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/types"
	"strings"
	"unicode/utf8"
)

// Packages may have thousands of names, and sentences may be long: these bound the listed names,
// and the letters of a sentence.
const (
	maxExports   = 120
	longSynopsis = 100
)

// exports lists the functions and types of a package, a line each: the name, and the first sentence
// of the documentation.
func (v *view) exports(pkg *types.Package) string {
	var names, lines []string
	widest, more := 0, 0
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		shown := name
		switch scope.Lookup(name).(type) {
		case *types.Func:
			shown += "()"
		case *types.TypeName:
		default:
			continue
		}
		if !ast.IsExported(name) {
			continue
		}
		if len(names) == maxExports {
			more++
			continue
		}
		names = append(names, shown)
		widest = max(widest, utf8.RuneCountInString(shown))
	}
	for _, name := range names {
		bare := strings.TrimSuffix(name, "()")
		text := strings.TrimPrefix(new(doc.Package).Synopsis(v.doc(pkg.Path(), bare)), bare+" ")
		if letters := []rune(text); len(letters) > longSynopsis {
			text = strings.TrimSpace(string(letters[:longSynopsis-1])) + "…"
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%-*s  %s", widest, name, text)))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(lines, "\n")
}
