package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/metric"
)

// correct fills in Value.Holm, and tells whether any p was corrected for several.
func (s *Summary) correct() bool {
	several := false
	for k := range s.Measures {
		families := make(map[string][]int)
		for i := range s.Rows {
			if s.Rows[i].Values[k].Tested {
				families[s.Rows[i].group()] = append(families[s.Rows[i].group()], i)
			}
		}
		for _, family := range families {
			var p []float64
			for _, i := range family {
				p = append(p, s.Rows[i].Values[k].Test.P)
			}
			for j, corrected := range metric.Holm(p) {
				s.Rows[family[j]].Values[k].Holm = corrected
			}
			several = several || len(family) > 1
		}
	}
	return several
}

// fewestSets is the number of data sets that methods are ranked over at least.
const fewestSets = 3

// rank fills in Ranks. A method with several points has no rank.
func (s *Summary) rank() {
	type cell struct {
		data, method string
		perClass     int
	}
	var data, methods []string
	var sizes []int
	at := make(map[cell]int)
	twice := make(map[string]bool)
	for i, row := range s.Rows {
		c := cell{row.Data, row.Method, row.PerClass}
		if _, ok := at[c]; ok {
			twice[row.Method] = true
		}
		at[c] = i
		data, methods = appendNew(data, row.Data), appendNew(methods, row.Method)
		sizes = appendNew(sizes, row.PerClass)
	}
	methods = slices.DeleteFunc(methods, func(m string) bool { return twice[m] })
	if len(data) < fewestSets || len(methods) < 2 {
		return
	}
	for _, size := range sizes {
		for k, measure := range s.Measures {
			var values [][]float64
			for _, d := range data {
				var row []float64
				for _, m := range methods {
					i, ok := at[cell{d, m, size}]
					if !ok || s.Rows[i].Rounds == 0 || math.IsNaN(s.Rows[i].Values[k].Mean) {
						break
					}
					row = append(row, s.Rows[i].Values[k].Mean)
				}
				if len(row) == len(methods) {
					values = append(values, row)
				}
			}
			if len(values) < fewestSets {
				continue
			}
			if ranks, err := metric.Friedman(values, lower(measure)); err == nil {
				s.Ranks = append(s.Ranks, Ranks{Measure: measure, PerClass: size, Methods: methods, Ranks: ranks})
			}
		}
	}
}

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}

// String returns the mean ranks, best first, with the tests.
func (r Ranks) String() string {
	order := make([]int, len(r.Methods))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case r.Mean[a] < r.Mean[b]:
			return -1
		case r.Mean[a] > r.Mean[b]:
			return 1
		}
		return 0
	})
	var each []string
	for _, i := range order {
		each = append(each, fmt.Sprintf("%s %.2f", r.Methods[i], r.Mean[i]))
	}
	of := ""
	if r.PerClass > 0 {
		of = fmt.Sprintf(", %d of every class", r.PerClass)
	}
	return fmt.Sprintf("mean ranks by %s over %d data sets%s: %s; Friedman's test with the correction of Iman and Davenport %s; by Nemenyi's test, ranks differ that are %.2f apart",
		r.Measure, r.Sets, of, strings.Join(each, ", "), probability(r.P), r.Difference)
}

// below returns what stands below the table.
func (s *Summary) below() []string {
	var lines []string
	for _, r := range s.Ranks {
		lines = append(lines, r.String())
	}
	return append(lines, s.Notes...)
}

// JSON returns the output of MarshalJSON, indented, with a final line break.
func (s *Summary) JSON() string {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil { // it has nothing that JSON does not have
		return strconv.Quote(err.Error())
	}
	return string(text) + "\n"
}

// MarshalJSON returns the summary as an object: its rows with the values by measure, the ranks, and
// the notes. Undefined and infinite values are null.
func (s *Summary) MarshalJSON() ([]byte, error) {
	type value struct {
		Mean      *float64     `json:"mean"`
		Deviation *float64     `json:"deviation"`
		Best      bool         `json:"best"`
		Test      *metric.Test `json:"test,omitempty"`
		Holm      *float64     `json:"holm,omitempty"`
	}
	type row struct {
		Data          string           `json:"data"`
		PerClass      int              `json:"per_class,omitempty"`
		Method        string           `json:"method"`
		Settings      string           `json:"settings,omitempty"`
		Rounds        int              `json:"rounds"`
		Failed        int              `json:"failed,omitempty"`
		LearnedLittle int              `json:"learned_little,omitempty"`
		Values        map[string]value `json:"values"`
	}
	type ranks struct {
		Measure    string             `json:"measure"`
		PerClass   int                `json:"per_class,omitempty"`
		Sets       int                `json:"data_sets"`
		Mean       map[string]float64 `json:"mean_ranks"`
		ChiSquared float64            `json:"chi_squared"`
		F          *float64           `json:"f"`
		P          float64            `json:"p"`
		Level      float64            `json:"level"`
		Difference float64            `json:"critical_difference"`
	}
	out := struct {
		Name     string   `json:"name,omitempty"`
		Baseline string   `json:"baseline,omitempty"`
		Rows     []row    `json:"rows"`
		Ranks    []ranks  `json:"ranks,omitempty"`
		Notes    []string `json:"notes,omitempty"`
	}{Name: s.Name, Baseline: s.Baseline, Rows: []row{}, Notes: s.Notes}
	for _, r := range s.Rows {
		o := row{r.Data, r.PerClass, r.Method, r.Point, r.Rounds, r.Failed, r.LearnedLittle, make(map[string]value)}
		for k, v := range r.Values {
			at := value{Mean: finite(v.Mean), Deviation: finite(v.Deviation), Best: v.Best}
			if v.Tested {
				at.Test, at.Holm = &v.Test, finite(v.p())
			}
			o.Values[s.Measures[k]] = at
		}
		out.Rows = append(out.Rows, o)
	}
	for _, r := range s.Ranks {
		o := ranks{r.Measure, r.PerClass, r.Sets, make(map[string]float64), r.ChiSquared, finite(r.F), r.P, r.Level, r.Ranks.Difference}
		for i, m := range r.Methods {
			o.Mean[m] = r.Mean[i]
		}
		out.Ranks = append(out.Ranks, o)
	}
	return json.Marshal(out)
}
