package experiment

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/chart"
)

// PerClass is the parameter of a learning curve: the number of training instances of every class.
const PerClass = "per class"

// Curve has a measure over the values of a parameter, for all methods with this parameter.
type Curve struct {
	Measure, Parameter string
	Values             []float64            // of the parameter, ascending
	Means              map[string][]float64 // by method, at each value; NaN where there is none
	// standard deviations over the rounds; NaN where there are fewer than two
	Deviations map[string][]float64
}

// Curve returns a measure over a parameter: PerClass, or a numeric setting of a grid. If points of
// the grid were chosen, the curve over a setting shows the inner cells that chose them. Cells that
// differ otherwise, in the data, the size or other settings, form separate lines.
func (r *Results) Curve(measure, parameter string) (*Curve, error) {
	if _, err := r.With(measure); err != nil {
		return nil, err
	}
	type line struct {
		name  string
		value float64
	}
	cells := make(map[line][]*Cell)
	c := &Curve{Measure: measure, Parameter: parameter, Means: make(map[string][]float64), Deviations: make(map[string][]float64)}
	for _, cell := range r.all() {
		value, name, ok := cell.on(parameter)
		if !ok {
			continue
		}
		if !slices.Contains(c.Values, value) {
			c.Values = append(c.Values, value)
		}
		c.Means[name] = nil
		cells[line{name, value}] = append(cells[line{name, value}], cell)
	}
	if len(c.Values) == 0 {
		return nil, fmt.Errorf("experiment: no finished cell has a number for %q; parameters are %s", parameter, strings.Join(append(r.paths(), PerClass), ", "))
	}
	slices.Sort(c.Values)
	for name := range c.Means {
		for _, value := range c.Values {
			v := mean(measure, cells[line{name, value}])
			c.Means[name] = append(c.Means[name], v.Mean)
			c.Deviations[name] = append(c.Deviations[name], v.Deviation)
		}
	}
	c.shorten()
	return c, nil
}

// nameSeparator stands between the parts of a line's name.
const nameSeparator = "\x00"

// on returns the value of a parameter in a cell, and the name of its line.
func (c *Cell) on(parameter string) (value float64, name string, ok bool) {
	size := fmt.Sprintf("%d per class", c.PerClass)
	if parameter == PerClass {
		if c.PerClass == 0 || c.Inner > 0 {
			return 0, "", false
		}
		value, size = float64(c.PerClass), ""
	} else if value, ok = c.Settings[parameter].(float64); !ok || c.Chosen {
		return 0, "", false
	}
	var others []string
	if !c.Chosen {
		for _, path := range sortedKeys(c.Settings) {
			if path != parameter {
				others = append(others, fmt.Sprintf("%s=%v", path, c.Settings[path]))
			}
		}
	}
	return value, strings.Join([]string{c.Method, c.Data, size, strings.Join(others, ", ")}, nameSeparator), true
}

// shorten leaves out of the names what is the same in all.
func (c *Curve) shorten() {
	names := sortedKeys(c.Means)
	parts := make([][]string, len(names))
	differs := [4]bool{true, false, false, true}
	for i, name := range names {
		parts[i] = strings.Split(name, nameSeparator)
		for k := range differs {
			differs[k] = differs[k] || parts[i][k] != parts[0][k]
		}
	}
	means, deviations := c.Means, c.Deviations
	c.Means, c.Deviations = make(map[string][]float64), make(map[string][]float64)
	for i, name := range names {
		var kept []string
		for k, part := range parts[i] {
			if differs[k] && part != "" {
				kept = append(kept, part)
			}
		}
		short := strings.Join(kept, ", ")
		c.Means[short], c.Deviations[short] = means[name], deviations[name]
	}
}

// Plot draws a measure over a parameter, as in Curve, with error bars of one standard deviation.
func (r *Results) Plot(measure, parameter string) (*chart.Figure, error) {
	c, err := r.Curve(measure, parameter)
	if err != nil {
		return nil, err
	}
	return c.Plot()
}

// Plot draws the curve, with error bars of one standard deviation.
func (c *Curve) Plot() (*chart.Figure, error) {
	return chart.Parameter(c.label(), c.Measure, c.Values, c.Means, c.Deviations)
}

// label is what the parameter is called beside its values.
func (c *Curve) label() string {
	if c.Parameter == PerClass {
		return "instances per class"
	}
	return c.Parameter
}

// String returns the curve as a table, one row per value.
func (c *Curve) String() string {
	names := sortedKeys(c.Means)
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s\n", c.Measure, c.label())
	for i, v := range c.Values {
		fmt.Fprintf(&b, "%12g", v)
		for _, name := range names {
			text := figure(c.Measure, c.Means[name][i])
			if d := c.Deviations[name][i]; !math.IsNaN(d) {
				text += " ± " + figure(c.Measure, d)
			}
			fmt.Fprintf(&b, "  %s %s", name, text)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML returns the picture of the curve.
func (c *Curve) HTML() string {
	f, err := c.Plot()
	if err != nil {
		return "<p>" + html.EscapeString(err.Error()) + "</p>"
	}
	return f.SVG()
}
