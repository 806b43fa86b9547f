package experiment

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/hierml/notebook/hierml/metric"
)

// Summary has a row for every method, and without an inner split for every point of its grid, on
// every data set at every size, and a column for every measure.
type Summary struct {
	Name     string
	Measures []string
	Baseline string // or ""
	Rows     []Row
	Ranks    []Ranks  // by measure, where the methods are compared over three data sets or more
	Notes    []string // what a reader has to know about the numbers
}

// Ranks are the ranks of the methods over the data sets by a measure: by their means on those on
// which all of them have one, at one size.
type Ranks struct {
	Measure  string
	PerClass int      // 0 where the study has no sizes
	Methods  []string // of Mean
	metric.Ranks
}

// Row is a row of a Summary.
type Row struct {
	Data          string
	PerClass      int // 0 where the study has no sizes
	Method        string
	Point         string // of the grid, or those chosen with how often
	Rounds        int    // finished, without those that failed
	Failed        int
	LearnedLittle int     // rounds whose training may have learned nothing; see Cell
	Values        []Value // by measure

	measures []string // names of the values; nil in a row that Summary did not make
}

// String returns the row with its values behind the names of their measures.
func (row Row) String() string {
	texts := []string{row.name()}
	for k, v := range row.Values {
		if k < len(row.measures) {
			texts = append(texts, row.measures[k]+" "+v.text(row.measures[k])+v.mark())
		} else {
			texts = append(texts, v.String())
		}
	}
	return strings.Join(texts, "  ")
}

// Value is a measure over the rounds.
type Value struct {
	Mean      float64 // NaN where there is none
	Deviation float64 // standard deviation over the rounds; NaN with fewer than two
	// of the rows with the same data and size, as printed; none is where these differ in Rounds
	Best   bool
	Test   metric.Test
	Tested bool // against the baseline
	// Holm is the p of the test corrected by metric.Holm for the rows that are tested against the
	// baseline on the same data, at the same size and by the same measure.
	Holm float64
}

// String returns the mean with the deviation and the test.
func (v Value) String() string {
	return v.text("") + v.mark()
}

// mark stands behind the best values in text.
func (v Value) mark() string {
	if v.Best {
		return " best"
	}
	return ""
}

// group is what the rows of a group have in common.
func (r *Row) group() string { return join(r.Data, r.PerClass) }

// Summary returns the means and deviations over the rounds, with tests against the baseline if
// there is one.
func (r *Results) Summary() *Summary {
	s := &Summary{Name: r.Name, Measures: r.Measures, Baseline: r.Baseline}
	rows, cells := r.rows()
	said := make(map[string]bool)
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			s.Notes = append(s.Notes, text)
		}
	}
	if r.Missing > 0 {
		note("%s not finished: run the study again to go on", plural(r.Missing, "cell"))
	}
	tests := make(map[string][]string) // measures by test
	var untested []string
	var failures, partly, inner, noTest gathered
	for i, row := range rows {
		if failed, reason := row.describe(cells[i], note); failed > 0 {
			failures.add(reason, row, failed, len(cells[i]))
			if row.Rounds > 0 {
				partly.add("", row, failed, len(cells[i]))
			}
		}
		if failed, all, reason := r.describeInner(row); failed > 0 && failed < all { // else there is no point to choose, as the row's failures say
			inner.add(reason, row, failed, all)
		}
		base, err := r.baseline(row, rows, cells)
		if row.Rounds == 0 {
			base, err = nil, nil
		}
		if err != nil && row.Method != r.Baseline {
			noTest.add(err.Error(), row, 0, 0)
		}
		for _, measure := range r.Measures {
			v := mean(measure, cells[i])
			if math.IsNaN(v.Mean) && row.Rounds > 0 {
				note("– for the %s of %s: it is not defined for this method on these data", measure, row.name())
			}
			if base != nil && measure != seconds {
				test, err := r.compare(measure, cells[i], base)
				v.Test, v.Tested = test, err == nil
				switch {
				case err == nil:
					tests[test.Name] = appendNew(tests[test.Name], measure)
					if test.N > len(cells[i]) && len(cells[i]) == 1 {
						note("there is one division: p is about these trained models on other instances for testing, not about other training data")
					}
				case errors.Is(err, errRounds):
					noTest.add(err.Error(), row, 0, 0)
				case errors.Is(err, errOneRound):
					untested = append(untested, measure)
				default:
					note("no test of the %s of %s: %v", measure, row.name(), err)
				}
			}
			row.Values = append(row.Values, v)
		}
		row.measures = r.Measures
		s.Rows = append(s.Rows, *row)
	}
	s.markBest()
	several := s.correct()
	s.rank()
	failures.each(func(reason string, of *about) {
		note("%s: %d of %s failed: %s", of.names(), of.failed, plural(of.cells, "cell"), reason)
	})
	partly.each(func(_ string, of *about) { note("%s: means are over the cells that did not fail", of.names()) })
	inner.each(func(reason string, of *about) {
		note("%s: %d of %s for the choice of a point failed, the first with: %s; a point that failed is not chosen", of.names(), of.failed, plural(of.cells, "cell"), reason)
	})
	noTest.each(func(reason string, of *about) { note("no test of %s: %s", of.names(), reason) })
	for _, measure := range r.Measures {
		if slices.Contains(untested, measure) {
			note("no test of the %s: there is only one round, and the measure is not a mean over instances", measure)
		}
	}
	if len(tests) > 0 {
		correction := "not corrected for the number of tests"
		if several {
			correction = "corrected by Holm for the methods that are tested on the same data by one measure, not for the number of measures, data and sizes"
		}
		note("p: %s against %s, two-sided, %s; before p the difference, with its interval of 95 %% confidence", namedTests(tests), r.Baseline, correction)
	}
	r.noteWeights(note)
	r.noteEquals(note)
	s.Notes = append(s.Notes, r.Notes...)
	return s
}

// namedTests names the tests and, where there are several, the measures of each.
func namedTests(tests map[string][]string) string {
	names := sortedKeys(tests)
	if len(names) > 1 {
		for i, name := range names {
			names[i] = name + " for " + strings.Join(tests[name], ", ")
		}
	}
	return strings.Join(names, "; ")
}

// rows returns the rows without values and their cells.
func (r *Results) rows() ([]*Row, [][]*Cell) {
	var rows []*Row
	var cells [][]*Cell
	at := make(map[string]int)
	for _, c := range r.Cells {
		point := c.Point
		if c.Chosen || r.chooses(c) {
			point = ""
		}
		key := join(c.Data, c.PerClass, c.Method, point)
		i, ok := at[key]
		if !ok {
			i = len(rows)
			at[key] = i
			rows = append(rows, &Row{Data: c.Data, PerClass: c.PerClass, Method: c.Method, Point: point})
			cells = append(cells, nil)
		}
		cells[i] = append(cells[i], c)
	}
	return rows, cells
}

// chooses tells whether a cell that failed would have chosen its point.
func (r *Results) chooses(c *Cell) bool { return c.Error != "" && c.Point == "" }

// describe fills in the rounds and the points that were chosen, and returns how many of the cells
// failed and why the first did.
func (row *Row) describe(cells []*Cell, note func(string, ...any)) (failed int, reason string) {
	var points []string
	count := make(map[string]int)
	notes, last := 0, ""
	for _, c := range cells {
		if c.Error != "" {
			row.Failed++
			if reason == "" {
				reason = c.Error
			}
			continue
		}
		row.Rounds++
		if c.LearnedLittle {
			row.LearnedLittle++
		}
		if c.Note != "" {
			notes++
			last = c.Note
		}
		if c.Chosen {
			if count[c.Point] == 0 {
				points = append(points, c.Point)
			}
			count[c.Point]++
		}
	}
	slices.SortStableFunc(points, func(a, b string) int { return count[b] - count[a] })
	for i, p := range points {
		if len(points) > 1 {
			points[i] = fmt.Sprintf("%s (%d)", p, count[p])
		}
	}
	if len(points) > 0 {
		row.Point = strings.Join(points, "; ")
	}
	if row.LearnedLittle > 0 {
		note(dagger + " by the certificates, the training may have learned nothing: zero weights are optimal, or less than half of the possible improvement over them is realized")
	}
	if notes > 0 {
		note("%s: in %d of %s %s", row.name(), notes, plural(len(cells), "cell"), last)
	}
	return row.Failed, reason
}

// dagger marks rows with trainings that may have learned nothing.
const dagger = "†"

// describeInner returns how many failed of the cells by which a row's points were chosen, and why
// the first did.
func (r *Results) describeInner(row *Row) (failed, all int, reason string) {
	for _, c := range r.Inner {
		if c.Data != row.Data || c.PerClass != row.PerClass || c.Method != row.Method {
			continue
		}
		all++
		if c.Error != "" {
			if failed++; failed == 1 {
				reason = fmt.Sprintf("%s: %s", c.Point, c.Error)
			}
		}
	}
	return failed, all, reason
}

// name is what notes call a row.
func (row *Row) name() string { return row.Method + row.place() }

// place is what the rows of a group have in common, in words.
func (row *Row) place() string {
	place := " on " + row.Data
	if row.PerClass > 0 {
		place += fmt.Sprintf(", %d of every class", row.PerClass)
	}
	return place
}

// gathered has the rows of which the same is to be said, by that.
type gathered struct {
	said []string // in the order of the first row of each
	of   map[string]*about
}

// about is what something is said of.
type about struct {
	rows          []*Row
	failed, cells int // of all rows
}

func (g *gathered) add(said string, row *Row, failed, cells int) {
	of := g.of[said]
	if of == nil {
		if g.of == nil {
			g.of = make(map[string]*about)
		}
		of = &about{}
		g.of[said] = of
		g.said = append(g.said, said)
	}
	of.failed += failed
	of.cells += cells
	of.rows = append(of.rows, row)
}

func (g *gathered) each(say func(said string, of *about)) {
	for _, said := range g.said {
		say(said, g.of[said])
	}
}

// names is what notes call the rows, each method once with what it has in common with others.
func (of *about) names() string {
	var b strings.Builder
	for i, row := range of.rows {
		switch {
		case i == 0:
		case of.rows[i-1].name() == row.name(): // another point, or another measure
			continue
		case of.rows[i-1].group() == row.group():
			b.WriteString(", ")
		default:
			b.WriteString(of.rows[i-1].place() + "; ")
		}
		b.WriteString(row.Method)
	}
	return b.String() + of.rows[len(of.rows)-1].place()
}

// baseline returns the cells that a row is tested against, nil if there are none.
func (r *Results) baseline(row *Row, rows []*Row, cells [][]*Cell) ([]*Cell, error) {
	if r.Baseline == "" || row.Method == r.Baseline {
		return nil, nil
	}
	found := -1
	for i, other := range rows {
		if other.Method == r.Baseline && other.group() == row.group() {
			if found >= 0 {
				return nil, fmt.Errorf("%s has several points; without an inner split there is none to test against", r.Baseline)
			}
			found = i
		}
	}
	if found < 0 {
		return nil, fmt.Errorf("%s is not finished there", r.Baseline)
	}
	return cells[found], nil
}

// mean returns the mean and deviation of the cells that have the measure.
func mean(measure string, cells []*Cell) Value {
	var values []float64
	for _, c := range cells {
		if v, ok := c.value(measure); ok && !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	v := Value{Mean: math.NaN(), Deviation: math.NaN()}
	switch len(values) {
	case 0:
	case 1:
		v.Mean = values[0]
	default:
		v.Mean, v.Deviation = stat.MeanStdDev(values, nil)
	}
	return v
}

// markBest marks the best values of a column among the rows with the same data and size, unless all
// are the same or they are means over different numbers of rounds. A row of which all cells failed
// has no values, and does not count.
func (s *Summary) markBest() {
	groups := make(map[string][]int)
	for i := range s.Rows {
		if g := s.Rows[i].group(); s.Rows[i].Rounds > 0 {
			groups[g] = append(groups[g], i)
		}
	}
	maps.DeleteFunc(groups, func(_ string, rows []int) bool {
		return slices.ContainsFunc(rows, func(i int) bool { return s.Rows[i].Rounds != s.Rows[rows[0]].Rounds })
	})
	for k, measure := range s.Measures {
		lower := lower(measure)
		for _, rows := range groups {
			best, differ := math.NaN(), false
			for _, i := range rows {
				v := s.Rows[i].Values[k].Mean
				switch {
				case math.IsNaN(v):
				case math.IsNaN(best):
					best = v
				default:
					differ = differ || figure(measure, v) != figure(measure, best)
					if lower && v < best || !lower && v > best {
						best = v
					}
				}
			}
			for _, i := range rows {
				v := &s.Rows[i].Values[k]
				v.Best = differ && !math.IsNaN(v.Mean) && figure(measure, v.Mean) == figure(measure, best)
			}
		}
	}
}

// figure returns a value as tables have it.
func figure(measure string, v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case measure == seconds:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// probability returns a p-value as tables have it, with two digits.
func probability(p float64) string {
	if p < 0.0001 {
		return "p<0.0001"
	}
	return fmt.Sprintf("p=%#.2g", p)
}

// text returns a value with its deviation and test.
func (v Value) text(measure string) string {
	text := figure(measure, v.Mean)
	if !math.IsNaN(v.Deviation) {
		text += " ± " + figure(measure, v.Deviation)
	}
	if v.Tested {
		text += " (" + v.effect(measure) + probability(v.p()) + ")"
	}
	return text
}

// p is Holm, where that was filled in.
func (v Value) p() float64 { return max(v.Holm, v.Test.P) }

// effect returns the difference from the baseline with its interval, ahead of p.
func (v Value) effect(measure string) string {
	in := v.Test.Interval
	if in.Level == 0 {
		return ""
	}
	sign := ""
	if v.Test.Difference > 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s%s [%s, %s], ", sign, figure(measure, v.Test.Difference), figure(measure, in.Low), figure(measure, in.High))
}
