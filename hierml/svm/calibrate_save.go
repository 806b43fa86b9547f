package svm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
)

// savedCalibrated are the probabilities of a Calibrated in JSON.
type savedCalibrated struct {
	Format    string      `json:"format"`
	Version   int         `json:"version"`
	Learned   Calibration `json:"calibration"`
	From      int         `json:"instances"`
	Single    bool        `json:"one label"`
	Functions []function  `json:"functions"`
	Leaves    []int       `json:"leaves"` // numbers of functions
	Nodes     []int       `json:"nodes,omitempty"`
}

// function is a calibrator in JSON: that of Platt if it has no scores.
type function struct {
	A             float64   `json:"A,omitzero"`
	B             float64   `json:"B,omitzero"`
	Scores        []float64 `json:"scores,omitempty"`
	Probabilities []float64 `json:"probabilities,omitempty"`
}

const (
	calibratedFormat  = "hierml.calibrated"
	calibratedVersion = 1
)

// MarshalJSON returns the probabilities without the model, whose file is its own. ReadCalibrated
// puts both together.
func (p *Calibrated) MarshalJSON() ([]byte, error) {
	saved := savedCalibrated{Format: calibratedFormat, Version: calibratedVersion, Learned: p.learned, From: p.from, Single: p.single}
	number := make(map[calibrator]int)
	numbers := func(of []calibrator) []int {
		all := make([]int, len(of))
		for k, c := range of {
			n, ok := number[c]
			if !ok {
				n = len(saved.Functions)
				number[c] = n
				var f function
				switch c := c.(type) {
				case calibration.Sigmoid:
					f.A, f.B = c.A, c.B
				case *calibration.Steps:
					f.Scores, f.Probabilities = c.Scores, c.Probabilities
				}
				saved.Functions = append(saved.Functions, f)
			}
			all[k] = n
		}
		return all
	}
	saved.Leaves, saved.Nodes = numbers(p.leaves), numbers(p.nodes)
	return json.Marshal(saved)
}

// ReadCalibrated returns the model with the probabilities that MarshalJSON wrote. It trusts nothing
// in the data: it is an error if they are not probabilities of the model's leaves.
func ReadCalibrated(data []byte, m *classifier.Model) (*Calibrated, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var saved savedCalibrated
	if err := d.Decode(&saved); err != nil {
		return nil, fmt.Errorf("svm: probabilities: %w", err)
	}
	p, err := saved.calibrated(m)
	if err != nil {
		return nil, fmt.Errorf("svm: probabilities: %w", err)
	}
	return p, nil
}

func (s *savedCalibrated) calibrated(m *classifier.Model) (*Calibrated, error) {
	if s.Format != calibratedFormat || s.Version != calibratedVersion {
		return nil, fmt.Errorf("the format is %.40q in version %d; this program reads %q in version %d", s.Format, s.Version, calibratedFormat, calibratedVersion)
	}
	if m == nil {
		return nil, fmt.Errorf("there is no model that they are of")
	}
	if err := checkCalibration(m, m.Taxonomy); err != nil {
		return nil, err
	}
	functions := make([]calibrator, len(s.Functions))
	for k, f := range s.Functions {
		var err error
		if functions[k], err = f.calibrator(); err != nil {
			return nil, fmt.Errorf("function %d: %w", k, err)
		}
	}
	nodes := m.Taxonomy.Len()
	if s.Single {
		nodes = 0
	}
	p := &Calibrated{Model: m, learned: s.Learned, from: s.From, single: s.Single}
	for _, c := range []struct {
		what    string
		numbers []int
		want    int
		to      *[]calibrator
	}{{"leaves", s.Leaves, len(m.Taxonomy.Leaves()), &p.leaves}, {"nodes", s.Nodes, nodes, &p.nodes}} {
		if len(c.numbers) != c.want {
			return nil, fmt.Errorf("functions of %d %s for %d", len(c.numbers), c.what, c.want)
		}
		for _, n := range c.numbers {
			if n < 0 || n >= len(functions) {
				return nil, fmt.Errorf("the %s name function %d of %d", c.what, n, len(functions))
			}
			*c.to = append(*c.to, functions[n])
		}
	}
	return p, nil
}

// calibrator returns the function, if it gives probabilities.
func (f function) calibrator() (calibrator, error) {
	if len(f.Scores) == 0 {
		if len(f.Probabilities) > 0 || math.IsNaN(f.A+f.B) || math.IsInf(f.A+f.B, 0) {
			return nil, fmt.Errorf("%d probabilities have no scores, beside A %v and B %v", len(f.Probabilities), f.A, f.B)
		}
		return calibration.Sigmoid{A: f.A, B: f.B}, nil
	}
	if len(f.Scores) != len(f.Probabilities) || f.A != 0 || f.B != 0 {
		return nil, fmt.Errorf("%d scores, %d probabilities, A %v, B %v", len(f.Scores), len(f.Probabilities), f.A, f.B)
	}
	for k, v := range f.Probabilities {
		if v < 0 || v > 1 || k > 0 && (f.Scores[k-1] >= f.Scores[k] || f.Probabilities[k-1] > v) {
			return nil, fmt.Errorf("score %v with probability %v is not beyond the one before, or the probability not from 0 to 1", f.Scores[k], v)
		}
	}
	return &calibration.Steps{Scores: f.Scores, Probabilities: f.Probabilities}, nil
}
