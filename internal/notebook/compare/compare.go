// Package compare compares the outputs of a notebook with the stored ones.
//
// Two outputs are equal if a reader would say so. Numbers may differ within a tolerance, and
// columns may be aligned differently. HTML counts by its words, not its markup; pictures by kind,
// size, and rough appearance. Durations, clock times, rates and memory addresses differ in every
// run and always count as equal. Standard error, notes of the kernel, progress bars, execution
// counts and metadata are ignored.
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

// DefaultTolerance is the default relative tolerance of numbers, which allows for a few last
// digits.
const DefaultTolerance = 0.001

// A Difference describes the differences in the outputs of one cell.
type Difference struct {
	// Number counts the cells that run, from 1, as in package rerun.
	Number int
	Cell   *notebook.Cell // as stored
	Parts  []Part
	// Largest is the relative tolerance that would accept the cell, or 0 if not only numbers
	// differ.
	Largest float64
}

// A Part describes the difference in one output.
type Part struct {
	Title string
	// Diff has the lines that differ, and a few around them. Each begins with "-" if it is stored,
	// with "+" if it is new, with a space if it is both, or with "@".
	Diff []string
}

// Cells compares the cells of a notebook with the same cells after a run. Tolerance is the relative
// tolerance of numbers, at least 0. It skips cells that did not run, which have the count 0 now. It
// panics if the notebooks do not have the same number of cells.
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

// A measure compares, and records by how much numbers differ.
type measure struct {
	tolerance float64
	largest   float64 // of the numbers outside the tolerance
	words     bool    // not only numbers differ
}

// An output is the comparable part of an output.
type output struct {
	kind string // "output" for displays and results
	// parts has a text for each MIME type, or for a stream or an error.
	parts map[string]part
}

// outputs returns the comparable outputs of a cell.
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
			drawn := false // as a raster image
			for mime, data := range o.Data {
				shown.parts[mime] = read(mime, data)
				drawn = drawn || shown.parts[mime].picture != nil
			}
			if _, ok := shown.parts[svg]; ok && drawn {
				shown.parts[svg] = part{} // the raster image tells more about the same picture
			}
			all = append(all, shown)
		}
	}
	flush()
	return all
}

// isProgress reports whether an output is a progress bar.
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

// read returns the comparable part of data of a MIME type.
func read(mime string, data any) part {
	text, isText := data.(string)
	switch {
	case mime == "application/vnd.jupyter.widget-view+json":
		return part{} // contains only a random name
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

// order is the order in which the parts of an output are compared: the first difference is
// reported.
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

// outputs compares the outputs of a cell.
func (m *measure) outputs(stored, now []output) []Part {
	// Equal outputs at both ends are neither missing nor new.
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

// summary returns the text of an output.
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

// output compares one output.
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

// missing returns the names of parts that only a has.
func missing(a, b map[string]part) []string {
	var names []string
	for _, name := range sortedNames(a) {
		if _, ok := b[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// part compares one representation. The result is nil if they are equal.
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
