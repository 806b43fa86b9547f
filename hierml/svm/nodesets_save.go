package svm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// savedSets is the JSON form of the data that a NodeSetModel adds to its model of scores.
type savedSets struct {
	Format        string                 `json:"format"`
	Version       int                    `json:"version"`
	Nodes         int                    `json:"nodes"`
	Direct        bool                   `json:"own scores,omitempty"`
	Level         float64                `json:"level"`
	HeldOut       float64                `json:"held out"`
	Frequencies   float64                `json:"frequencies"`
	StandardError float64                `json:"standard error"`
	Folds         int                    `json:"folds"`
	Tried         []TriedSets            `json:"tried,omitempty"`
	Functions     []calibration.Relative `json:"functions"`
	Of            []int                  `json:"function"` // by node
	Means         []float64              `json:"means"`    // by node
	Deviation     float64                `json:"deviation"`
}

const (
	setsFormat  = "hierml.sets"
	setsVersion = 1
	// setsAttachment and probabilitiesAttachment are the names of the attachments in the file of a
	// model.
	setsAttachment, probabilitiesAttachment = "sets", "probabilities"
)

// MarshalJSON returns the data for predicting sets, without the model of scores, which has a
// separate file. ReadNodeSets combines both.
func (m *NodeSetModel) MarshalJSON() ([]byte, error) {
	s := savedSets{
		Format: setsFormat, Version: setsVersion, Nodes: m.Taxonomy.Len(), Direct: m.direct, Level: m.Level, HeldOut: m.HeldOut, Frequencies: m.Frequencies,
		StandardError: m.error, Folds: m.folds, Tried: m.Tried, Means: m.unit.mean, Deviation: m.unit.deviation,
	}
	number := make(map[calibration.Relative]int)
	for _, f := range m.likely {
		n, ok := number[f]
		if !ok {
			n = len(s.Functions)
			number[f] = n
			s.Functions = append(s.Functions, f)
		}
		s.Of = append(s.Of, n)
	}
	return json.Marshal(s)
}

// ReadNodeSets returns the model with the data that MarshalJSON wrote. It validates the data and
// returns an error if they do not match the nodes of the model.
func ReadNodeSets(data []byte, m *classifier.Model) (*NodeSetModel, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s savedSets
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("svm: node sets: %w", err)
	}
	sets, err := s.model(m)
	if err != nil {
		return nil, fmt.Errorf("svm: node sets: %w", err)
	}
	return sets, nil
}

func (s *savedSets) model(m *classifier.Model) (*NodeSetModel, error) {
	if s.Format != setsFormat || s.Version != setsVersion {
		return nil, fmt.Errorf("the format is %.40q in version %d; this program reads %q in version %d", s.Format, s.Version, setsFormat, setsVersion)
	}
	if m == nil {
		return nil, fmt.Errorf("there is no model for them")
	}
	if s.Nodes < 1 || s.Nodes > m.Taxonomy.Len() || s.Direct && s.Nodes != m.Taxonomy.Len() {
		return nil, fmt.Errorf("it has %d nodes, and the model has %d", s.Nodes, m.Taxonomy.Len())
	}
	if !s.Direct {
		if err := checkCalibration(m, m.Taxonomy); err != nil {
			return nil, err
		}
	}
	if len(s.Of) != s.Nodes || len(s.Means) != s.Nodes {
		return nil, fmt.Errorf("it has functions of %d nodes and means of %d, and the model has %d nodes", len(s.Of), len(s.Means), s.Nodes)
	}
	if !(s.Deviation > 0) || !(s.Level >= 0 && s.Level <= 1) {
		return nil, fmt.Errorf("the unit of the scores is %v and the level is %v", s.Deviation, s.Level)
	}
	t, err := firstNodes(m.Taxonomy, s.Nodes)
	if err != nil {
		return nil, err
	}
	sets := &NodeSetModel{
		Model: m, Taxonomy: t, Level: s.Level, HeldOut: s.HeldOut, Frequencies: s.Frequencies, Tried: s.Tried,
		unit: unit{s.Means, s.Deviation}, folds: s.Folds, direct: s.Direct, error: s.StandardError,
	}
	for _, n := range s.Of {
		if n < 0 || n >= len(s.Functions) {
			return nil, fmt.Errorf("a node names function %d of %d", n, len(s.Functions))
		}
		sets.likely = append(sets.likely, s.Functions[n])
	}
	return sets, nil
}

// firstNodes returns the taxonomy of the first nodes, as it was before Leafed added leaves after
// them.
func firstNodes(t *taxonomy.Taxonomy, nodes int) (*taxonomy.Taxonomy, error) {
	if nodes == t.Len() {
		return t, nil
	}
	var edges [][2]int
	for _, e := range t.Edges() {
		switch {
		case e[0] >= nodes, e[1] >= nodes && !t.IsLeaf(e[1]):
			return nil, fmt.Errorf("node %q is not an added leaf", t.Name(max(e[0], e[1])))
		case e[1] < nodes:
			edges = append(edges, e)
		}
	}
	labels := maps.Clone(t.LabelNames())
	maps.DeleteFunc(labels, func(n int, _ string) bool { return n >= nodes })
	return taxonomy.NewWithLabels(slices.Clone(t.Names()[:nodes]), edges, labels)
}

// Save writes the model to a file for LoadNodeSets and for hierml.load in Python. It is the file of
// the model of scores, with the rest attached. Save replaces an older file only when the new one is
// complete.
func (m *NodeSetModel) Save(path string) error { return saveWith(m.Model, setsAttachment, m, path) }

// LoadNodeSets reads a model that NodeSetModel.Save wrote. It validates everything in the file.
func LoadNodeSets(path string) (*NodeSetModel, error) {
	m, data, err := loadWith(path, setsAttachment, "NodeSetModel.Save")
	if err != nil {
		return nil, err
	}
	return ReadNodeSets(data, m)
}

// Save writes the model and the probabilities to a file for LoadCalibrated and for hierml.load in
// Python. It replaces an older file only when the new one is complete.
func (p *Calibrated) Save(path string) error {
	return saveWith(p.Model, probabilitiesAttachment, p, path)
}

// LoadCalibrated reads a file that Calibrated.Save wrote. It validates everything in the file.
func LoadCalibrated(path string) (*Calibrated, error) {
	m, data, err := loadWith(path, probabilitiesAttachment, "Calibrated.Save")
	if err != nil {
		return nil, err
	}
	return ReadCalibrated(data, m)
}

// saveWith writes the model with an attachment.
func saveWith(m *classifier.Model, name string, rest any, path string) error {
	if m == nil {
		return fmt.Errorf("svm: save: there is no model")
	}
	data, err := json.Marshal(rest)
	if err != nil {
		return fmt.Errorf("svm: save: %w", err)
	}
	with := *m
	with.Attached = map[string][]byte{name: data}
	return with.Save(path)
}

// loadWith reads a file that saveWith wrote.
func loadWith(path, name, writer string) (*classifier.Model, []byte, error) {
	m, err := classifier.Load(path)
	if err != nil {
		return nil, nil, err
	}
	data, ok := m.Attached[name]
	if !ok {
		return nil, nil, fmt.Errorf("svm: load %s: the file has only a model; read it with classifier.Load, or write the file with %s", path, writer)
	}
	m.Attached = nil
	return m, data, nil
}
