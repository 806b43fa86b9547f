package page

import (
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// harmless allows elements that format text and tables, and nothing that acts, loads, or leaves its
// place on the page. It is created on demand, to keep the start of the program fast.
var harmless = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowDataURIImages()
	p.AllowStyling()
	p.AllowAttrs("style").Globally() // see withHarmlessStyles
	p.AllowElements("progress", "meter", "figure", "figcaption")
	p.AllowAttrs("value", "max", "min").Matching(bluemonday.Number).OnElements("progress", "meter")
	// MathML, without the elements that link, act, or hold other languages.
	p.AllowNoAttrs().OnElements(mathElements...)
	p.AllowAttrs(mathAttributes...).Matching(regexp.MustCompile(`^[-+a-zA-Z0-9.%# ]*$`)).OnElements(mathElements...)
	// The boxes of GitHub's task lists.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	return p
})

var (
	mathElements = strings.Fields(`math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom
		menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd`)
	mathAttributes = strings.Fields(`accent accentunder columnalign columnlines columnspacing columnspan depth display
		displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant
		maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy
		symmetric voffset width`)
)

// sanitized returns the harmless part of a piece of HTML, with balanced tags.
func sanitized(s string) template.HTML {
	return template.HTML(withHarmlessStyles(harmless().Sanitize(s)))
}
