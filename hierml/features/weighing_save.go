package features

import (
	"encoding/json"
	"fmt"
	"math"
)

// savedWeigher is a Weigher in JSON.
type savedWeigher struct {
	header
	Weighing    Weighing `json:"weighing"`
	Documents   int      `json:"documents"`
	Length      float64  `json:"terms per document"`
	Of          int      `json:"of,omitzero"` // columns of the data, if values are of occurring columns
	Occurring   []int32  `json:"occurring,omitempty"`
	Frequencies []int32  `json:"document frequencies"`
}

// Version 3 has the occurring columns.
var weigherHeader = header{"hierml.weigher", withSmoothIDF + 1}

// Save writes the weigher to a file, as JSON, which LoadWeigher reads. It replaces an older file
// only when the new one is complete.
func (w *Weigher) Save(path string) error { return saveJSON(path, w) }

// LoadWeigher reads a file that Weigher.Save wrote. The weigher returns the same weights.
func LoadWeigher(path string) (*Weigher, error) {
	w := new(Weigher)
	if err := loadJSON(path, w); err != nil {
		return nil, err
	}
	return w, nil
}

// MarshalJSON returns the JSON that Save writes.
func (w *Weigher) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedWeigher{w.columns.header(weigherHeader, version(w.settings.SmoothIDF)), w.settings, w.documents, w.length, w.columns.of(), w.columns.columns, w.frequencies})
}

// UnmarshalJSON sets the weigher from the output of MarshalJSON.
func (w *Weigher) UnmarshalJSON(data []byte) error {
	var saved savedWeigher
	if err := decode(data, &saved); err != nil {
		return err
	}
	if err := saved.check(weigherHeader); err != nil {
		return err
	}
	loaded, err := saved.Weighing.weigher()
	if err != nil {
		return err
	}
	loaded.documents, loaded.length, loaded.frequencies = saved.Documents, saved.Length, saved.Frequencies
	if loaded.columns, err = readOccurring(saved.Of, saved.Occurring, len(saved.Frequencies)); err != nil {
		return err
	}
	if err := loaded.checkCounts(0); err != nil {
		return err
	}
	loaded.weigh()
	*w = loaded
	return nil
}

// checkCounts returns an error for counts that Fit cannot have made. Each column is in at least
// least documents.
func (w *Weigher) checkCounts(least int32) error {
	for j, df := range w.frequencies {
		if df < least || int(df) > w.documents {
			return fmt.Errorf("column %d is in %d of %d documents", j, df, w.documents)
		}
	}
	if w.documents < 0 || !(w.length >= 0) || math.IsInf(w.length, 0) {
		return fmt.Errorf("%d documents of %v terms", w.documents, w.length)
	}
	return nil
}
