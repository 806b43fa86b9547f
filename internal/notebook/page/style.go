package page

import (
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// styles are the properties that style attributes may set, with the allowed values. They are
// created on demand, like harmless.
var styles = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for names, values := range map[string]string{
		"text-align":                        `left|right|center|start|end|justify`,
		"math-depth":                        `[0-9]`,
		"color background background-color": `#[0-9a-fA-F]{3,8}|[a-zA-Z]+|(rgb|hsl)a?\([0-9., %/]+\)`,
		"font-weight font-style font-variant-numeric font-family white-space border-collapse vertical-align text-decoration": `[a-zA-Z0-9, '"-]+`,
		"border border-top border-bottom border-left border-right":                                                           `[a-zA-Z0-9#. ]+`,
		"padding padding-left padding-right padding-top padding-bottom font-size line-height " +
			"width max-width min-width height max-height margin margin-left margin-right margin-top margin-bottom": `([0-9.]+(px|em|rem|ex|ch|pt|%)? ?|auto ?){1,4}`,
	} {
		allowed := regexp.MustCompile(`^(` + values + `)$`)
		for name := range strings.FieldsSeq(names) {
			all[name] = allowed
		}
	}
	return all
})

// harmlessStyle returns the allowed declarations of a style attribute. No allowed value contains a
// semicolon, nor any way to write one with other characters.
func harmlessStyle(style string) string {
	var kept []string
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if allowed := styles()[name]; allowed != nil && allowed.MatchString(value) {
			kept = append(kept, name+": "+value)
		}
	}
	return strings.Join(kept, "; ")
}

// withHarmlessStyles filters the style attributes of sanitized HTML. The policy does not check
// them, because its parser of style sheets is no longer maintained.
func withHarmlessStyles(sanitized string) string {
	if !strings.Contains(sanitized, "style") {
		return sanitized
	}
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(sanitized))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return b.String() // the end
		}
		raw := string(tokens.Raw()) // Token overwrites it
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			b.WriteString(raw)
			continue
		}
		token := tokens.Token()
		attributes, styled := token.Attr[:0], false
		for _, a := range token.Attr {
			if a.Key == "style" {
				styled = true
				if a.Val = harmlessStyle(a.Val); a.Val == "" {
					continue
				}
			}
			attributes = append(attributes, a)
		}
		if token.Attr = attributes; styled {
			raw = token.String()
		}
		b.WriteString(raw)
	}
}
