package experiment

import (
	"fmt"
	"html"
	"strings"

	"github.com/hierml/notebook/hierml/internal/describe"
)

// String says what the study does.
func (s Study) String() string { return describe.Text(s.title(), s.description()) }

// HTML says what the study does.
func (s Study) HTML() string { return describe.HTML(s.title(), s.description()) }

func (s *Study) title() string {
	if s.Name == "" {
		return "study"
	}
	return s.Name
}

func (s *Study) description() []describe.Row {
	c, err := s.checked()
	if err != nil {
		return []describe.Row{{Name: "fault", Value: err.Error()}}
	}
	var rows []describe.Row
	for i, d := range c.Data {
		rows = append(rows, describe.Row{Name: first(i, "data"), Value: d.Name})
	}
	for i, m := range c.Methods {
		text := m.Name
		if points, err := m.points(c.Seed); err == nil && len(points) > 1 {
			text += fmt.Sprintf(", %d points of %s", len(points), strings.Join(m.Grid.paths(), ", "))
		}
		rows = append(rows, describe.Row{Name: first(i, "methods"), Value: text})
	}
	rows = append(rows, describe.Row{Name: "split", Value: fmt.Sprintf("%s, %s", c.Split, plural(c.Repeats, "repeat"))})
	if !c.Inner.zero() {
		rows = append(rows, describe.Row{Name: "points", Value: fmt.Sprintf("chosen by the %s on %s of what is trained on", c.Select, c.Inner)})
	}
	rows = append(rows, describe.Row{Name: "measures", Value: strings.Join(c.Measures, ", ")})
	if c.Baseline != "" {
		rows = append(rows, describe.Row{Name: "baseline", Value: c.Baseline})
	}
	if c.Directory != "" {
		rows = append(rows, describe.Row{Name: "directory", Value: c.Directory})
	}
	return rows
}

// first returns the name of a list at its first entry.
func first(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// String describes the split.
func (s Split) String() string {
	switch {
	case s.HeldOut != 0:
		return fmt.Sprintf("%.4g%% held out", 100*s.HeldOut)
	case s.Folds != 0:
		return fmt.Sprintf("%d folds", s.Folds)
	case s.Forward != 0 && s.Time != "":
		return plural(s.Forward, "step") + " forward in " + s.Time
	case s.Forward != 0:
		return plural(s.Forward, "step") + " forward in time"
	case len(s.PerClass) > 0:
		return strings.Trim(fmt.Sprint(s.PerClass), "[]") + " of every class"
	case len(s.Rounds) > 0:
		return plural(len(s.Rounds), "given round")
	}
	return "the given division"
}

// String describes the cell, with its values.
func (c *Cell) String() string { return describe.Text(c.title(), c.description()) }

// HTML describes the cell, with its values.
func (c *Cell) HTML() string { return describe.HTML(c.title(), c.description()) }

func (c *Cell) title() string { return "cell " + c.Key }

func (c *Cell) description() []describe.Row {
	rows := []describe.Row{{Name: "data", Value: c.Data}, {Name: "method", Value: c.Method}}
	if c.Point != "" {
		point := c.Point
		if c.Chosen {
			point += ", chosen"
		}
		rows = append(rows, describe.Row{Name: "settings", Value: point})
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"per class", c.PerClass}, {"repeat", c.Repeat}, {"fold", c.Fold}, {"inner", c.Inner}, {"trained on", c.Train}, {"tested on", c.Test}} {
		if n.value != 0 {
			rows = append(rows, describe.Row{Name: n.name, Value: fmt.Sprint(n.value)})
		}
	}
	rows = append(rows, describe.Row{Name: "seed", Value: fmt.Sprint(c.Seed)})
	if c.Note != "" {
		rows = append(rows, describe.Row{Name: "note", Value: c.Note})
	}
	if c.Error != "" {
		return append(rows, describe.Row{Name: "error", Value: c.Error})
	}
	rows = append(rows, describe.Row{Name: seconds, Value: figure(seconds, c.Seconds)})
	for _, name := range measureOrder(c.Values) {
		rows = append(rows, describe.Row{Name: name, Value: figure(name, c.Values[name])})
	}
	return rows
}

// measureOrder returns the names of values in the order of tables, others last.
func measureOrder(values map[string]float64) []string {
	var names []string
	known := make(map[string]bool)
	for _, name := range measureNames() {
		known[name] = true
		if _, ok := values[name]; ok {
			names = append(names, name)
		}
	}
	for _, name := range sortedKeys(values) {
		if !known[name] {
			names = append(names, name)
		}
	}
	return names
}

// HTML is the row as a paragraph.
func (row Row) HTML() string { return "<p>" + html.EscapeString(row.String()) + "</p>" }

// HTML is the value as a paragraph.
func (v Value) HTML() string { return "<p>" + html.EscapeString(v.String()) + "</p>" }
