package chart

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// object and list are values for encoding/json.
type (
	object = map[string]any
	list   = []any
)

// pixels returns a length in the pixels of a web page, of which there are 96 to the inch.
func pixels(l vg.Length) float64 { return math.Round(float64(l / vg.Inch * 96)) }

// hex returns a colour as web pages write it. An ink is that of the page's text, and where it is
// pale, a grey that shows on all pages.
func hex(c color.Color) string {
	switch c {
	case ink, color.Black:
		return "currentColor"
	case paleInk:
		return "#7c7c7c"
	case frameInk:
		return "#8c8c8c"
	case gridInk:
		return "#80808040"
	}
	return plainHex(c)
}

func plainHex(c color.Color) string {
	rgba := color.RGBAModel.Convert(c).(color.RGBA)
	return fmt.Sprintf("#%02x%02x%02x", rgba.R, rgba.G, rgba.B)
}

const webFont = "Liberation Sans, Arial, Helvetica, sans-serif"

// webConfig returns the style of this package for Vega and Vega-Lite. It names every colour,
// because a front end with a dark theme sets those that are not named to its own. There is no
// background, and inks are those of the page, see hex.
func webConfig() object {
	return object{
		"background": "transparent",
		"font":       webFont,
		"axis": object{
			"labelColor": hex(ink), "titleColor": hex(ink), "labelFont": webFont, "titleFont": webFont,
			"labelFontSize": 13, "titleFontSize": 15, "titleFontWeight": "normal", "labelFontWeight": "normal",
			"gridColor": hex(gridInk), "domainColor": hex(frameInk), "tickColor": hex(frameInk),
		},
		"title":  object{"color": hex(ink), "font": webFont, "fontSize": 17, "fontWeight": "normal"},
		"legend": object{"labelColor": hex(ink), "titleColor": hex(ink), "labelFont": webFont, "titleFont": webFont, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal"},
		"style":  object{"guide-label": object{"fill": hex(ink)}, "guide-title": object{"fill": hex(ink)}, "cell": object{"stroke": hex(frameInk)}},
	}
}

// embedding tells front ends how to show a picture: as a part of the page, so that the colour of
// the page's text is that of the picture's, and with a menu to save it, but not to send it to a web
// site.
func embedding() object {
	return object{"embedOptions": object{"renderer": "svg", "actions": object{"export": true, "source": false, "compiled": false, "editor": false}}}
}

// vegaLite returns a specification in Vega-Lite with what is the same in all of them.
func vegaLite(parts object) object {
	return webSpec("https://vega.github.io/schema/vega-lite/v5.json", parts)
}

// vega returns a specification in Vega, likewise.
func vega(parts object) object { return webSpec("https://vega.github.io/schema/vega/v5.json", parts) }

func webSpec(schema string, parts object) object {
	spec := object{"$schema": schema, "background": "transparent", "config": webConfig(), "usermeta": embedding()}
	for key, part := range parts {
		spec[key] = part
	}
	return spec
}

// A window up to narrowWindow pixels wide shows the notebook alone, with narrowMargin pixels beside
// a picture and its menu. A wider one may show other panels.
const (
	narrowWindow = 760
	narrowMargin = 150
	wideMargin   = 190
	leastWidth   = 200
)

// fitting returns the expression of a picture's width: the given width, or the width that fits the
// window. Vega does not know how wide the place for the picture is.
func fitting(width float64) string {
	return fmt.Sprintf("min(%v, max(%d, windowSize()[0] - (windowSize()[0] > %d ? %d : %d)))", width, leastWidth, narrowWindow, wideMargin, narrowMargin)
}

// resized returns a signal with the value of an expression, which is computed again when the size
// of the window changes.
func resized(name, expression string) object {
	return object{"name": name, "update": expression, "on": list{object{"events": object{"source": "window", "type": "resize"}, "update": expression}}}
}

// narrowing makes a picture in Vega-Lite fit the window. width is its width without the names at
// the axis, names is their width.
func narrowing(spec object, width, names float64) object {
	spec["usermeta"].(object)["embedOptions"].(object)["patch"] = list{
		object{"op": "remove", "path": "/width"},
		object{"op": "add", "path": "/signals/0", "value": resized("width", fmt.Sprintf("%s - %v", fitting(width+names), names))},
	}
	return spec
}

// axisRange returns the range of an axis as gonum's plot draws it.
func axisRange(a *plot.Axis) list {
	if a.Min == a.Max {
		return list{a.Min - 1, a.Max + 1}
	}
	return list{a.Min, a.Max}
}

// thinned returns the numbers from 0 to n-1, or, if those are more than most, as many of them:
// evenly spaced, with the first and the last.
func thinned(n, most int) []int {
	kept := make([]int, min(n, most))
	for i := range kept {
		kept[i] = i
		if n > most {
			kept[i] = int(float64(i) * float64(n-1) / float64(most-1))
		}
	}
	return kept
}

// finite returns v, or nothing for what JSON does not have.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// value, field and signal are the ways in which Vega gives a mark its properties.
func value(v any) object              { return object{"value": v} }
func field(name string) object        { return object{"field": name} }
func signal(expression string) object { return object{"signal": expression} }

// mark returns a mark of the type over the rows of the data set, or once if that is empty. What is
// set is encoded again with every change.
func mark(kind, data string, set object) object {
	m := object{"type": kind, "encode": object{"update": set}}
	if data != "" {
		m["from"] = object{"data": data}
	}
	return m
}

// write returns a text mark in the style of names.
func write(data, text string, set object) object {
	m := mark("text", data, object{"text": signal(text), "baseline": value("middle"), "font": value(webFont), "fontSize": value(webName), "fill": value(hex(ink))})
	for key, v := range set {
		m["encode"].(object)["update"].(object)[key] = v
	}
	return m
}

// webName is the size of names and webRow the height of their rows, in pixels.
const (
	webName = nameSize * 96 / 72.
	webRow  = 17
)

// wideness is how much wider than those of Liberation, with which text is measured, the letters of
// a front end may be.
const wideness = 1.15

// tooltip returns the expression of a tooltip: names and the expressions of what they have.
func tooltip(parts ...string) object {
	var b strings.Builder
	seen := make(map[string]bool)
	for i := 0; i < len(parts); i += 2 {
		name := parts[i]
		for seen[name] {
			name += " " // an object of Vega's expressions has a name once
		}
		seen[name] = true
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(name) + ": " + parts[i+1])
	}
	return signal("{" + b.String() + "}")
}

// quoted returns a string of Vega's expressions.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""` // which does not happen: every string has a form in JSON
	}
	return string(text)
}

// titleLines returns a title for Vega: a text, or a list of lines. A narrow window has more lines.
func titleLines(title string) any { return narrowed(title, longestTitle, "signal") }

// narrowed returns a text of one or more lines. In a narrow window, its lines have at most so many
// letters, unless a word is longer. key is the key of expressions.
func narrowed(text string, longest int, key string) any {
	wide := strings.Split(text, "\n")
	var narrow []string
	for _, line := range wide {
		from := len(narrow)
		for word := range strings.FieldsSeq(line) {
			last := len(narrow) - 1
			if last < from || utf8.RuneCountInString(narrow[last])+utf8.RuneCountInString(word) >= longest {
				narrow = append(narrow, word)
			} else {
				narrow[last] += " " + word
			}
		}
	}
	if len(narrow) > len(wide) {
		return object{key: fmt.Sprintf("windowSize()[0] <= %d ? %s : %s", narrowWindow, quotedList(narrow), quotedList(wide))}
	}
	if len(wide) == 1 {
		return text
	}
	all := list{}
	for _, l := range wide {
		all = append(all, l)
	}
	return all
}

// quotedList returns strings as a list of Vega's expressions.
func quotedList(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// heading returns the title of a picture, with a hint below it.
func heading(title any, hint string) object {
	return object{
		"text": title, "subtitle": narrowed(hint, longestHint, "signal"),
		"subtitleColor": hex(paleInk), "subtitleFont": webFont, "subtitleFontSize": webName, "subtitlePadding": 4, "offset": 10,
	}
}

// How long the lines of titles and of hints are in a narrow window, in letters.
const (
	longestTitle = 24
	longestHint  = 36
)

// How long the names and paths of tooltips are at most, in letters.
const (
	longestName = 80
	longestPath = 160
)

// path returns the names from the root to a node, each below the first of its parents. A name that
// begins with the parent's, as those of paths do, stands for both.
func path(t *taxonomy.Taxonomy, n int) string {
	text := short(t.Name(n), longestName)
	for at := n; len(t.Parents(at)) > 0 && len(text) < longestPath; {
		above := t.Parents(at)[0]
		if !strings.HasPrefix(t.Name(at), t.Name(above)) {
			text = short(t.Name(above), longestName) + " › " + text
		}
		at = above
	}
	runes := []rune(text)
	if len(runes) > longestPath {
		text = "… " + string(runes[len(runes)-longestPath:])
	}
	return text
}

// hovered darkens a mark a little below the pointer.
func hovered(m object) object {
	m["encode"].(object)["hover"] = object{"fillOpacity": value(0.06)}
	return m
}
