package features

import (
	"encoding/json"
	"fmt"
	"math"
)

// savedSelection is a Selection in JSON.
type savedSelection struct {
	header
	Method    string    `json:"method"`
	Columns   []int     `json:"columns"`
	Names     []string  `json:"names,omitempty"`
	Of        int       `json:"of,omitzero"` // columns of the data, if values are of occurring columns
	Occurring []int32   `json:"occurring,omitempty"`
	Scores    []float64 `json:"scores"`
}

// Version 2 has the occurring columns.
var selectionHeader = header{"hierml.selection", 2}

// Save writes the selection to a file, as JSON, which LoadSelection reads. Classes are not in the
// file, which has no taxonomy. It replaces an older file only when the new one is complete.
func (s *Selection) Save(path string) error { return saveJSON(path, s) }

// LoadSelection reads a file that Selection.Save wrote. The selection has the same columns.
func LoadSelection(path string) (*Selection, error) {
	s := new(Selection)
	if err := loadJSON(path, s); err != nil {
		return nil, err
	}
	return s, nil
}

// MarshalJSON returns the JSON that Save writes.
func (s *Selection) MarshalJSON() ([]byte, error) {
	of := occurring{s.all, s.Scored}
	return json.Marshal(savedSelection{of.header(selectionHeader, 1), s.method, s.Columns, s.Names, of.of(), of.columns, s.Scores})
}

// UnmarshalJSON sets the selection from the output of MarshalJSON.
func (s *Selection) UnmarshalJSON(data []byte) error {
	var saved savedSelection
	if err := decode(data, &saved); err != nil {
		return err
	}
	if err := saved.check(selectionHeader); err != nil {
		return err
	}
	if len(saved.Columns) == 0 || saved.Names != nil && len(saved.Names) != len(saved.Columns) {
		return fmt.Errorf("%d chosen columns with %d names", len(saved.Columns), len(saved.Names))
	}
	of, err := readOccurring(saved.Of, saved.Occurring, len(saved.Scores))
	if err != nil {
		return err
	}
	for k, j := range saved.Columns {
		if j < 0 || j >= of.all || of.find(int32(j)) < 0 || k > 0 && saved.Columns[k-1] >= j {
			return fmt.Errorf("column %d of %d is chosen; expected existing columns, ascending", j, of.all)
		}
	}
	for j, v := range saved.Scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("column %d has the score %v", j, v)
		}
	}
	*s = Selection{Columns: saved.Columns, Names: saved.Names, Scores: saved.Scores, Scored: of.columns, all: of.all, method: saved.Method}
	return nil
}
