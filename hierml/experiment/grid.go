package experiment

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Grid has the values to try for each setting. A setting is the name of a field, or of a field of a
// field with a dot in between, such as "C", "Settings.Gap" and "Weighting". A point of the grid has
// one value for each setting. Values have the meaning of the field: a C of 0 means the default, 1.
//
// A name that begins with "Data." is of a field of the data, below Text, Columns or Steps:
// "Data.Text.NGrams", "Data.Columns.Nominal.MinRows", "Data.Columns.Of.size.Number.Log",
// "Data.Steps". Such values are tried together with the others. The data are transformed once for
// each of them, and not for each C.
type Grid map[string][]any

// largestGrid bounds the points of a grid, so that a mistake is an error and not a year of
// computation.
const largestGrid = 100_000

// paths returns the names, ascending.
func (g Grid) paths() []string { return sortedKeys(g) }

// setting is a value at a path.
type setting struct {
	path  string
	value any
	text  string // of the value, in tables
}

// point is one of a grid: its settings, ascending by path.
type point []setting

// points returns all points, the last path the fastest. A grid without paths has one point, without
// settings.
func (g Grid) points() ([]point, error) {
	points := []point{nil}
	for _, path := range g.paths() {
		values := g[path]
		if len(values) == 0 {
			return nil, fmt.Errorf("experiment: the grid has no values of %s", path)
		}
		if hasRange(values) {
			return nil, fmt.Errorf("experiment: the grid of %s has a Range, from which values are drawn; set Method.Draws to the number of points", path)
		}
		if len(points)*len(values) > largestGrid {
			return nil, fmt.Errorf("experiment: the grid has more than %d points", largestGrid)
		}
		texts, err := texts(values)
		if err != nil {
			return nil, fmt.Errorf("experiment: the grid of %s %w", path, err)
		}
		next := make([]point, 0, len(points)*len(values))
		for _, p := range points {
			for i, value := range values {
				next = append(next, append(p[:len(p):len(p)], setting{path, value, texts[i]}))
			}
		}
		points = next
	}
	return points, nil
}

// longestText is how long the description of a value may be to be its name.
const longestText = 80

// texts returns what tables call the values. They are different.
func texts(values []any) ([]string, error) {
	found := make([]string, len(values))
	for i, value := range values {
		if value == nil {
			return nil, errors.New("has a value that is nil")
		}
		found[i] = strings.ReplaceAll(shortText(value), `"`, "")
		if len(found[i]) > longestText {
			found[i] = fmt.Sprintf("%T %.8x", value, sha256.Sum256([]byte(found[i])))
			if s, ok := value.(fmt.Stringer); ok {
				found[i] = s.String()
			}
		}
	}
	if text, ok := twice(found); ok {
		return nil, fmt.Errorf("has the value %s twice", text)
	}
	return found, nil
}

// shortText is what a value is described by.
func shortText(value any) string {
	text := canonical([]any{value})
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}

// dataPrefix is what names of fields of the data begin with.
const dataPrefix = "Data."

// ofData returns the settings of the data, and ofMethod the others.
func (p point) ofData() point   { return p.filter(true) }
func (p point) ofMethod() point { return p.filter(false) }

func (p point) filter(data bool) point {
	var settings point
	for _, s := range p {
		if strings.HasPrefix(s.path, dataPrefix) == data {
			settings = append(settings, s)
		}
	}
	return settings
}

// String returns the settings as PATH=VALUE.
func (p point) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.path + "=" + s.text
	}
	return strings.Join(parts, ", ")
}

// identity is what the point is known by.
func (p point) identity() string {
	parts := make([]any, len(p))
	for i, s := range p {
		parts[i] = []any{s.path, s.value}
	}
	return canonical(parts)
}

// values returns the values by path, those from JSON as the numbers and texts that they are.
func (p point) values() map[string]any {
	values := make(map[string]any, len(p))
	for _, s := range p {
		values[s.path] = s.value
	}
	return values
}

// Params has the parameters of a training function.
type Params struct {
	Values  map[string]any // the point of the grid
	Seed    uint64         // of the cell
	Workers int            // goroutines to use
}

// Float returns the number with the given name, and 0 if there is none.
func (p Params) Float(name string) float64 {
	f, _ := float(p.Values[name]) // 0 otherwise, as told
	return f
}

// Int returns the number with the given name without its fraction, and 0 if there is none.
func (p Params) Int(name string) int { return int(p.Float(name)) }

// Text returns the text with the given name, and "" if there is none.
func (p Params) Text(name string) string {
	text, _ := p.Values[name].(string)
	return text
}
