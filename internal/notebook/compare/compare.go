// Package compare tells whether a notebook shows what is stored in it.
//
// Two outputs are the same if a reader would say so: numbers within a tolerance, whatever the
// columns they are aligned in; HTML by its words, and not by its markup; pictures by kind, size,
// and how they look from afar. Durations, clock times, rates and addresses in memory are different
// in every run: one is as good as another. What cells write to standard error, notes of the
// kernel, and the bars of progress, are not compared, nor are execution counts and metadata.
package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/stdlib/display"
)

// Changes is the tag of cells whose outputs are not compared.
const Changes = "changes"

// DefaultTolerance is the relative tolerance of numbers, in which a few last digits may differ.
const DefaultTolerance = 0.001

// A Difference is what differs in the outputs of one cell.
type Difference struct {
	// Number counts the cells that are run, from 1, as package rerun does.
	Number int
	Cell   *notebook.Cell // as it was stored
	Parts  []Part
	// Largest is the relative tolerance that would accept the cell, or 0 if something else than
	// numbers differs.
	Largest float64
}

// A Part is what differs in one output.
type Part struct {
	Title string
	// Diff has a line for each line of the output that differs, and a few around them. Each begins
	// with "-" if it is stored, with "+" if it is shown now, with a space if it is both, or with
	// "@".
	Diff []string
}

// Cells compares the cells of a notebook with the same cells that were run. Tolerance is the
// relative tolerance of numbers, at least 0. Cells that were not run, for they have the count 0
// now, are left out. It panics if the notebooks do not have the same number of cells.
func Cells(stored, now *notebook.Notebook, tolerance float64) []Difference {
	if len(stored.Cells) != len(now.Cells) {
		panic("compare: notebooks of different lengths")
	}
	var all []Difference
	for i, c := range stored.Cells {
		n := now.Cells[i]
		if c.Kind != notebook.Code || n.Count == 0 || c.Tagged(Changes) {
			continue
		}
		m := &measure{tolerance: tolerance}
		if parts := m.outputs(outputs(c), outputs(n)); len(parts) > 0 {
			d := Difference{Number: n.Count, Cell: c, Parts: parts}
			if !m.words {
				d.Largest = m.largest
			}
			all = append(all, d)
		}
	}
	return all
}

// A measure compares, and remembers by how much numbers differ.
type measure struct {
	tolerance float64
	largest   float64 // of the numbers that are not within the tolerance
	words     bool    // something else than numbers differs
}

// An output is what is compared of one.
type output struct {
	kind string // of what is shown, "output" for both ways to do so
	// parts has a text for each MIME type, or for what a stream or an error is.
	parts map[string]part
}

// outputs returns those of a cell that are compared.
func outputs(c *notebook.Cell) []output {
	var all []output
	text := "" // of standard output that is not yet in all
	flush := func() {
		if strings.TrimSpace(text) != "" {
			all = append(all, output{"output", map[string]part{"stdout": {text: notebook.Plain(text)}}})
		}
		text = ""
	}
	for _, o := range c.Outputs {
		switch o.Kind {
		case notebook.Stream:
			if o.Name == "stdout" {
				text += o.Text
			}
		case notebook.Failure:
			flush()
			lines := notebook.Plain(strings.Join(o.Traceback, "\n"))
			all = append(all, output{"error", map[string]part{
				"name": {text: o.ErrorName}, "message": {text: notebook.Plain(o.ErrorValue)}, "traceback": {text: lines},
			}})
		default:
			if isProgress(o) || display.IsNote(o.Metadata) {
				continue
			}
			flush()
			shown := output{"output", map[string]part{}}
			drawn := false // as points
			for mime, data := range o.Data {
				shown.parts[mime] = read(mime, data)
				drawn = drawn || shown.parts[mime].picture != nil
			}
			if _, ok := shown.parts[svg]; ok && drawn {
				shown.parts[svg] = part{} // the same picture, of which the points tell more
			}
			all = append(all, shown)
		}
	}
	flush()
	return all
}

// isProgress is true for the bar of something that lasts.
func isProgress(o *notebook.Output) bool {
	text, _ := o.Data["text/html"].(string)
	return strings.Contains(text, "<progress")
}

// A part is one representation of an output: a picture, or else a text.
type part struct {
	text    string
	picture *picture
}

// svg is the type of drawings.
const svg = "image/svg+xml"

// read returns what is compared of data of a MIME type.
func read(mime string, data any) part {
	text, isText := data.(string)
	switch {
	case mime == "application/vnd.jupyter.widget-view+json":
		return part{} // has nothing but a random name
	case !isText:
		plain, err := json.MarshalIndent(data, "", " ")
		if err != nil {
			return part{text: err.Error()}
		}
		return part{text: string(plain)}
	case mime == "text/html":
		return part{text: wordsOfHTML(text)}
	case mime == svg:
		return readSVG(text)
	case strings.HasPrefix(mime, "image/"):
		return readPicture(text)
	}
	return part{text: notebook.Plain(text)}
}

// order is that in which the parts of an output are looked at: the first that differs is reported.
var order = []string{"name", "message", "text/plain", "text/markdown", "text/html"}

func sortedNames(parts map[string]part) []string {
	names := slices.Sorted(maps.Keys(parts))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

func rank(name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// outputs compares those of a cell.
func (m *measure) outputs(stored, now []output) []Part {
	// What is the same at both ends is not what is missing or new.
	quiet := &measure{tolerance: m.tolerance}
	same := func(a, b output) bool { return len(quiet.output("", a, b)) == 0 }
	shorter := min(len(stored), len(now))
	head := 0
	for head < shorter && same(stored[head], now[head]) {
		head++
	}
	tail := 0
	for tail < shorter-head && same(stored[len(stored)-1-tail], now[len(now)-1-tail]) {
		tail++
	}
	var parts []Part
	for i := head; i < max(len(stored), len(now))-tail; i++ {
		title := fmt.Sprintf("output %d", i+1)
		switch {
		case i >= len(now)-tail:
			parts = append(parts, Part{stored[i].article(i) + " is missing", prefixed("-", stored[i].summary())})
			m.words = true
		case i >= len(stored)-tail:
			parts = append(parts, Part{now[i].article(i) + " is new", prefixed("+", now[i].summary())})
			m.words = true
		default:
			parts = append(parts, m.output(title, stored[i], now[i])...)
		}
	}
	return parts
}

// article names an output in a sentence.
func (o output) article(i int) string {
	if o.kind == "error" {
		return "an error"
	}
	return fmt.Sprintf("output %d", i+1)
}

// summary is the text of an output.
func (o output) summary() string {
	if o.kind == "error" {
		return o.parts["traceback"].text
	}
	for _, name := range sortedNames(o.parts) {
		if text := o.parts[name].text; text != "" {
			return text
		}
	}
	return strings.Join(sortedNames(o.parts), ", ")
}

// output compares one.
func (m *measure) output(title string, stored, now output) []Part {
	if stored.kind != now.kind {
		m.words = true
		return []Part{{title + " is of another kind", slices.Concat(prefixed("-", stored.summary()), prefixed("+", now.summary()))}}
	}
	var parts []Part
	if gone := missing(stored.parts, now.parts); len(gone) > 0 {
		m.words = true
		parts = append(parts, Part{Title: title + " is no longer there as " + strings.Join(gone, ", ")})
	}
	if more := missing(now.parts, stored.parts); len(more) > 0 {
		m.words = true
		parts = append(parts, Part{Title: title + " is now there as " + strings.Join(more, ", ") + " too"})
	}
	var differ []string
	var diff []string
	for _, name := range sortedNames(stored.parts) {
		a := stored.parts[name]
		b, both := now.parts[name]
		if !both {
			continue
		}
		lines := m.part(a, b)
		if lines == nil {
			continue
		}
		if differ = append(differ, name); diff == nil {
			diff = lines
		}
	}
	if len(differ) > 0 {
		parts = append(parts, Part{title + ", " + strings.Join(differ, ", "), diff})
	}
	return parts
}

// missing are the names of what only the first has.
func missing(a, b map[string]part) []string {
	var names []string
	for _, name := range sortedNames(a) {
		if _, ok := b[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// part compares one representation. The result is nil where it is the same.
func (m *measure) part(stored, now part) []string {
	if stored.picture == nil && now.picture == nil {
		return m.text(stored.text, now.text)
	}
	if said := stored.picture.differs(now.picture); said != "" {
		m.words = true
		return []string{" " + said}
	}
	return nil
}

func prefixed(sign, text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, sign+strings.TrimRight(line, "\n"))
	}
	return lines
}
