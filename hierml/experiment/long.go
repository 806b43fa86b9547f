package experiment

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// paths returns all names of settings in the cells, ascending.
func (r *Results) paths() []string {
	found := make(map[string]bool)
	for _, cells := range [][]*Cell{r.Cells, r.Inner} {
		for _, c := range cells {
			for path := range c.Settings {
				found[path] = true
			}
		}
	}
	return sortedKeys(found)
}

// all returns the cells, those by which points were chosen last.
func (r *Results) all() []*Cell {
	return append(r.Cells[:len(r.Cells):len(r.Cells)], r.Inner...)
}

// CSV returns the table in long form: one row for every cell and measure, with a column for every
// setting of a grid. A failed cell has one row, with its error. In rows of cells that chose a
// point, inner is not empty.
func (r *Results) CSV() string {
	paths := r.paths()
	head := []string{"key", "data", "method", "per class", "repeat", "fold", "inner", "train", "test"}
	head = append(append(head, paths...), "measure", "value", "error")
	rows := [][]string{head}
	for _, c := range r.all() {
		line := []string{c.Key, c.Data, c.Method, some(c.PerClass), strconv.Itoa(c.Repeat), some(c.Fold), some(c.Inner), some(c.Train), some(c.Test)}
		for _, path := range paths {
			text := ""
			if v, ok := c.Settings[path]; ok {
				text = fmt.Sprint(v)
			}
			line = append(line, text)
		}
		n := len(line)
		if c.Error != "" {
			rows = append(rows, append(line, "", "", c.Error))
			continue
		}
		for _, m := range r.Measures {
			if v, ok := c.value(m); ok {
				rows = append(rows, append(line[:n:n], m, exact(v), ""))
			}
		}
	}
	return csvText(rows)
}

// JSONLines returns the table in long form with an object for every cell: its place, settings,
// instances and measures, with null for a measure that is undefined on the data.
func (r *Results) JSONLines() string {
	var b strings.Builder
	for _, c := range r.all() {
		values := make(map[string]*float64)
		for _, m := range r.Measures {
			if v, ok := c.value(m); ok {
				values[m] = finite(v)
			}
		}
		line, err := json.Marshal(struct {
			Key      string              `json:"key"`
			Data     string              `json:"data"`
			Method   string              `json:"method"`
			Settings map[string]any      `json:"settings,omitempty"`
			Chosen   bool                `json:"chosen,omitempty"`
			PerClass int                 `json:"per_class,omitempty"`
			Repeat   int                 `json:"repeat"`
			Fold     int                 `json:"fold,omitempty"`
			Inner    int                 `json:"inner,omitempty"`
			Train    int                 `json:"train"`
			Test     int                 `json:"test"`
			Values   map[string]*float64 `json:"values,omitempty"`
			Note     string              `json:"note,omitempty"`
			Error    string              `json:"error,omitempty"`
		}{c.Key, c.Data, c.Method, c.Settings, c.Chosen, c.PerClass, c.Repeat, c.Fold, c.Inner, c.Train, c.Test, values, c.Note, c.Error})
		if err != nil { // it has nothing that JSON does not have
			line = []byte(strconv.Quote(err.Error()))
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}
