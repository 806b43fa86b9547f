package page

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// escape matches the control sequences of terminals: colours and other sequences that begin with
// ESC [, titles and links, and other two-byte sequences.
var escape = regexp.MustCompile("\x1b(?:\\[([0-9;:?]*)[ -/]*([@-~])|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// terminal returns text as HTML that looks as in a terminal: with colours, and with the effects of
// carriage returns and backspaces.
func terminal(text string) template.HTML {
	var b strings.Builder
	var state graphics
	var s spans
	write := func(text string) {
		if text != "" {
			s.write(&b, state.tag(), text)
		}
	}
	text = notebook.Overwritten(text)
	end := 0
	for _, m := range escape.FindAllStringSubmatchIndex(text, -1) {
		write(text[end:m[0]])
		end = m[1]
		if m[4] >= 0 && text[m[4]:m[5]] == "m" {
			state.set(text[m[2]:m[3]])
		}
	}
	write(text[end:])
	s.write(&b, "", "")
	return template.HTML(b.String())
}

// graphics is the current style of a terminal.
type graphics struct {
	bold, faint, italic, underline, inverse bool
	// The colours are a class, or a CSS colour that begins with #, or empty.
	foreground, background string
}

// tag returns the opening tag for text in this style, empty for plain text.
func (g graphics) tag() string {
	if g == (graphics{}) {
		return ""
	}
	var classes, styles []string
	for _, c := range []struct {
		on   bool
		name string
	}{{g.bold, "bold"}, {g.faint, "faint"}, {g.italic, "italic"}, {g.underline, "underline"}, {g.inverse, "inverse"}} {
		if c.on {
			classes = append(classes, "ansi-"+c.name)
		}
	}
	for _, c := range []struct{ color, suffix, property string }{{g.foreground, "-fg", "color"}, {g.background, "-bg", "background-color"}} {
		switch {
		case strings.HasPrefix(c.color, "#"):
			styles = append(styles, c.property+":"+c.color)
		case c.color != "":
			classes = append(classes, "ansi-"+c.color+c.suffix)
		}
	}
	tag := "<span"
	if len(classes) > 0 {
		tag += ` class="` + strings.Join(classes, " ") + `"`
	}
	if len(styles) > 0 {
		tag += ` style="` + strings.Join(styles, ";") + `"`
	}
	return tag + ">"
}

var colors = [8]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// set applies the parameters of a sequence that ends in m.
func (g *graphics) set(parameters string) {
	var p []int
	for _, s := range strings.FieldsFunc(parameters+";", func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return
		}
		p = append(p, n)
	}
	if len(p) == 0 {
		p = []int{0}
	}
	for i := 0; i < len(p); i++ {
		switch n := p[i]; {
		case n == 0:
			*g = graphics{}
		case n == 1:
			g.bold = true
		case n == 2:
			g.faint = true
		case n == 3:
			g.italic = true
		case n == 4:
			g.underline = true
		case n == 7:
			g.inverse = true
		case n == 22:
			g.bold, g.faint = false, false
		case n == 23:
			g.italic = false
		case n == 24:
			g.underline = false
		case n == 27:
			g.inverse = false
		case n >= 30 && n <= 37:
			g.foreground = colors[n-30]
		case n >= 90 && n <= 97:
			g.foreground = colors[n-90] + "-intense"
		case n >= 40 && n <= 47:
			g.background = colors[n-40]
		case n >= 100 && n <= 107:
			g.background = colors[n-100] + "-intense"
		case n == 39:
			g.foreground = ""
		case n == 49:
			g.background = ""
		case n == 38 || n == 48:
			color, used := extended(p[i+1:])
			if n == 38 {
				g.foreground = color
			} else {
				g.background = color
			}
			i += used
		}
	}
}

// extended reads a colour after 38 or 48: 5 and one of 256, or 2 and red, green, blue. It returns
// how many parameters it has used.
func extended(p []int) (color string, used int) {
	switch {
	case len(p) >= 2 && p[0] == 5:
		return indexed(p[1]), 2
	case len(p) >= 4 && p[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", p[1]&255, p[2]&255, p[3]&255), 4
	}
	return "", len(p)
}

// indexed returns one of the 256 colours: 16 by name, a cube of 6x6x6, and 24 greys.
func indexed(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 8:
		return colors[n]
	case n < 16:
		return colors[n-8] + "-intense"
	case n < 232:
		level := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}
