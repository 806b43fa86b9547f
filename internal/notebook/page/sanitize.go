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
	p.AllowAttrs("style").Globally() // see withHarmlessStyles
	p.AllowElements("progress", "meter", "figure", "figcaption")
	p.AllowAttrs("value", "max", "min").Matching(bluemonday.Number).OnElements("progress", "meter")
	// The boxes of GitHub's lists of tasks.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	return p
})

// sanitized returns the harmless part of a piece of HTML, which is in balance.
func sanitized(s string) template.HTML {
	return template.HTML(withHarmlessStyles(harmless().Sanitize(s)))
}
