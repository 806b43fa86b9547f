package features

import (
	"encoding/json"
	"fmt"
	"math"
)

// savedScaler is a Scaler in JSON.
type savedScaler struct {
	header
	Scaling   Scaling   `json:"scaling"`
	Instances int       `json:"instances"`
	Of        int       `json:"of,omitzero"` // columns of the data, if values are of occurring columns
	Occurring []int32   `json:"occurring,omitempty"`
	Shift     []float64 `json:"shift,omitempty"`
	Factor    []float64 `json:"factor"`
}

// Version 2 has the occurring columns.
var scalerHeader = header{"hierml.scaler", 2}

// Save writes the scaler to a file, as JSON, which LoadScaler reads. It replaces an older file only
// when the new one is complete.
func (r *Scaler) Save(path string) error { return saveJSON(path, r) }

// LoadScaler reads a file that Scaler.Save wrote. The scaler scales in the same way.
func LoadScaler(path string) (*Scaler, error) {
	r := new(Scaler)
	if err := loadJSON(path, r); err != nil {
		return nil, err
	}
	return r, nil
}

// MarshalJSON returns the JSON that Save writes.
func (r *Scaler) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedScaler{r.columns.header(scalerHeader, 1), r.settings, r.instances, r.columns.of(), r.columns.columns, r.shift, r.factor})
}

// UnmarshalJSON sets the scaler from the output of MarshalJSON.
func (r *Scaler) UnmarshalJSON(data []byte) error {
	var saved savedScaler
	if err := decode(data, &saved); err != nil {
		return err
	}
	if err := saved.check(scalerHeader); err != nil {
		return err
	}
	shifts := saved.Scaling.Columns == ZScore || saved.Scaling.Columns == UnitRange
	if shifts && len(saved.Shift) != len(saved.Factor) || !shifts && len(saved.Shift) > 0 {
		return fmt.Errorf("%d columns are shifted and %d scaled, by %v", len(saved.Shift), len(saved.Factor), saved.Scaling.Columns)
	}
	for j, f := range saved.Factor {
		if !(f > 0) || math.IsInf(f, 0) {
			return fmt.Errorf("column %d is scaled by %v", j, f)
		}
	}
	columns, err := readOccurring(saved.Of, saved.Occurring, len(saved.Factor))
	if err != nil {
		return err
	}
	*r = Scaler{settings: saved.Scaling, instances: saved.Instances, columns: columns, shift: saved.Shift, factor: saved.Factor}
	return nil
}
