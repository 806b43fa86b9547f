package page

import (
	"html/template"
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// harmless lets through what formats text and tables, and nothing that acts, loads, or reaches out
// of its place on the page. It is made when a page is: every start of the program would pay for it.
var harmless = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowDataURIImages()
	p.AllowStyling()
	p.AllowStyles("text-align").Matching(regexp.MustCompile(`^(left|right|center|start|end|justify)$`)).Globally()
	p.AllowStyles("color", "background", "background-color").Matching(regexp.MustCompile(`^(#[0-9a-fA-F]{3,8}|[a-zA-Z]+|(rgb|hsl)a?\([0-9., %/]+\))$`)).Globally()
	p.AllowStyles("font-weight", "font-style", "font-variant-numeric", "font-family", "white-space", "border-collapse", "vertical-align", "text-decoration").
		Matching(regexp.MustCompile(`^[a-zA-Z0-9, '"-]+$`)).Globally()
	p.AllowStyles("border", "border-top", "border-bottom", "border-left", "border-right").Matching(regexp.MustCompile(`^[a-zA-Z0-9#. ]+$`)).Globally()
	p.AllowStyles("padding", "padding-left", "padding-right", "padding-top", "padding-bottom", "font-size", "line-height",
		"width", "max-width", "min-width", "height", "max-height", "margin", "margin-left", "margin-right", "margin-top", "margin-bottom").
		Matching(regexp.MustCompile(`^([0-9.]+(px|em|rem|ex|ch|pt|%)? ?|auto ?){1,4}$`)).Globally()
	p.AllowElements("progress", "meter", "figure", "figcaption")
	p.AllowAttrs("value", "max", "min").Matching(bluemonday.Number).OnElements("progress", "meter")
	// The boxes of GitHub's lists of tasks.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	return p
})

// sanitized returns the harmless part of a piece of HTML, which is in balance.
func sanitized(s string) template.HTML { return template.HTML(harmless().Sanitize(s)) }
