package svm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
)

// savedCalibrated is the JSON form of the probabilities of a Calibrated.
type savedCalibrated struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	Learned   learnedBy  `json:"calibration"`
	From      int        `json:"instances"`
	Single    bool       `json:"one label"`
	Functions []function `json:"functions"`
	Leaves    []int      `json:"leaves,omitempty"` // numbers of functions
	Nodes     []int      `json:"nodes,omitempty"`
}

// learnedBy is a Calibration in JSON. Files of version 1 have only the forms Isotonic and Platt.
type learnedBy struct {
	Folds    int
	Isotonic bool
	Form     CalibrationForm `json:",omitzero"`
	Levels   bool            `json:",omitzero"`
	Seed     uint64
}

// function is a calibrator in JSON. With A and B alone it is Platt's.
type function struct {
	A             float64   `json:"A,omitzero"`
	B             float64   `json:"B,omitzero"`
	Beta          []float64 `json:"beta,omitempty"` // three numbers, in addition to A and B of the sigmoid
	Scores        []float64 `json:"scores,omitempty"`
	Probabilities []float64 `json:"probabilities,omitempty"`
	Low           []float64 `json:"low,omitempty"` // of Venn-ABERS, in addition to Scores
	High          []float64 `json:"high,omitempty"`
	Inverse       *float64  `json:"inverse temperature,omitempty"`
}

const (
	calibratedFormat  = "hierml.calibrated"
	calibratedVersion = 2 // of files with other forms than Platt and Isotonic, or levels
)

// MarshalJSON returns the probabilities without the model, which has a separate file.
// ReadCalibrated combines both.
func (p *Calibrated) MarshalJSON() ([]byte, error) {
	c := p.learned
	saved := savedCalibrated{Format: calibratedFormat, Version: 1, From: p.from, Single: p.single}
	saved.Learned = learnedBy{Folds: c.Folds, Isotonic: c.Form == Isotonic, Seed: c.Seed}
	if c.Form > Isotonic || c.Levels {
		saved.Version = calibratedVersion
		saved.Learned = learnedBy{Folds: c.Folds, Form: c.Form, Levels: c.Levels, Seed: c.Seed}
	}
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
				case calibration.BetaCurve:
					f.A, f.B, f.Beta = c.Sigmoid.A, c.Sigmoid.B, []float64{c.A, c.B, c.C}
				case *calibration.Steps:
					f.Scores, f.Probabilities = c.Scores, c.Probabilities
				case *calibration.VennAbers:
					f.Scores, f.Low, f.High = c.Scores, c.Low, c.High
				case calibration.Temperature:
					inverse := float64(c)
					f.Inverse = &inverse
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

// ReadCalibrated returns the model with the probabilities that MarshalJSON wrote. It validates the
// data and returns an error if they are not probabilities of the model's leaves.
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
	if s.Format != calibratedFormat || s.Version < 1 || s.Version > calibratedVersion {
		return nil, fmt.Errorf("the format is %.40q in version %d; this program reads %q in version 1 to %d", s.Format, s.Version, calibratedFormat, calibratedVersion)
	}
	c := Calibration{Folds: s.Learned.Folds, Form: s.Learned.Form, Levels: s.Learned.Levels, Seed: s.Learned.Seed}
	if later := c.Form > Isotonic || c.Levels; later != (s.Version == calibratedVersion) || s.Learned.Isotonic && c.Form != Platt {
		return nil, fmt.Errorf("version %d has no form %s with levels %v and isotonic %v", s.Version, calibrationForms[c.Form], c.Levels, s.Learned.Isotonic)
	}
	if s.Learned.Isotonic {
		c.Form = Isotonic
	}
	if m == nil {
		return nil, fmt.Errorf("there is no model for them")
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
		if _, is := functions[k].(calibration.Temperature); is != (c.Form == Temperature) {
			return nil, fmt.Errorf("function %d is not of the form %s", k, calibrationForms[c.Form])
		}
	}
	leaves, nodes := len(m.Taxonomy.Leaves()), m.Taxonomy.Len()
	switch {
	case c.Levels && !m.Taxonomy.IsTree():
		return nil, fmt.Errorf("they are by level, and the taxonomy is not a tree")
	case c.Form == Temperature && !s.Single:
		return nil, fmt.Errorf("there is a temperature, and instances have several labels")
	case c.Levels:
		leaves = 0
	case s.Single:
		nodes = 0
	}
	p := &Calibrated{Model: m, learned: c, from: s.From, single: s.Single}
	for _, c := range []struct {
		what    string
		numbers []int
		want    int
		to      *[]calibrator
	}{{"leaves", s.Leaves, leaves, &p.leaves}, {"nodes", s.Nodes, nodes, &p.nodes}} {
		if len(c.numbers) != c.want {
			return nil, fmt.Errorf("it has functions of %d %s, and the model has %d", len(c.numbers), c.what, c.want)
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
	for _, v := range append([]float64{f.A, f.B}, f.Beta...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("parameters A %v, B %v, beta %v; they must be finite", f.A, f.B, f.Beta)
		}
	}
	sigmoid := calibration.Sigmoid{A: f.A, B: f.B}
	kinds := 0
	for _, has := range []bool{f.Beta != nil, f.Probabilities != nil, f.Low != nil || f.High != nil, f.Inverse != nil} {
		if has {
			kinds++
		}
	}
	switch {
	case kinds > 1 || kinds > 0 && f.Beta == nil && sigmoid != calibration.Sigmoid{}:
		return nil, fmt.Errorf("it has parameters of several forms; a function has one form")
	case f.Inverse != nil:
		if !(*f.Inverse >= 0) || math.IsInf(*f.Inverse, 1) || f.Scores != nil {
			return nil, fmt.Errorf("inverse temperature %v with %d scores; it must be finite, not negative and without scores", *f.Inverse, len(f.Scores))
		}
		return calibration.Temperature(*f.Inverse), nil
	case f.Beta != nil:
		if len(f.Beta) != 3 || f.Beta[0] < 0 || f.Beta[1] < 0 || f.Scores != nil {
			return nil, fmt.Errorf("beta is %v; it must have three numbers, and the first two must not be negative", f.Beta)
		}
		return calibration.BetaCurve{Sigmoid: sigmoid, A: f.Beta[0], B: f.Beta[1], C: f.Beta[2]}, nil
	case f.Scores == nil && kinds == 0:
		return sigmoid, nil
	case f.Probabilities != nil || kinds == 0:
		return &calibration.Steps{Scores: f.Scores, Probabilities: f.Probabilities}, rising(f.Scores, f.Probabilities)
	}
	for k, v := range f.Low {
		if k < len(f.High) && v > f.High[k] {
			return nil, fmt.Errorf("low %v is above high %v", v, f.High[k])
		}
	}
	if err := rising(f.Scores, f.Low); err != nil {
		return nil, err
	}
	return &calibration.VennAbers{Scores: f.Scores, Low: f.Low, High: f.High}, rising(f.Scores, f.High)
}

// rising returns an error unless the scores ascend and their probabilities are from 0 to 1 and do
// not fall.
func rising(scores, probabilities []float64) error {
	if len(scores) == 0 || len(scores) != len(probabilities) {
		return fmt.Errorf("%d scores, %d probabilities", len(scores), len(probabilities))
	}
	for k, v := range probabilities {
		if !(v >= 0 && v <= 1) || k > 0 && (scores[k-1] >= scores[k] || probabilities[k-1] > v) {
			return fmt.Errorf("score %v with probability %v is not beyond the one before, or the probability not from 0 to 1", scores[k], v)
		}
	}
	return nil
}
