package conformal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// saved is a Predictor in JSON.
type saved struct {
	Format     string       `json:"format"`
	Version    int          `json:"version"`
	Taxonomy   string       `json:"taxonomy"` // digest
	Coverage   float64      `json:"coverage"`
	Nodes      int          `json:"nodes,omitzero"`
	ByClass    bool         `json:"by class,omitzero"`
	Most       int          `json:"most,omitzero"`
	Instances  int          `json:"instances"`
	Thresholds []savedGroup `json:"thresholds"`
	Leaves     []int        `json:"leaves,omitempty"` // positions in Thresholds; missing for 0 each
}

// savedGroup is a threshold, of the leaves below a node, or of all with node -1.
type savedGroup struct {
	Node      int     `json:"node"`
	Instances int     `json:"instances"`
	Threshold float64 `json:"threshold"`
}

const (
	format  = "hierml.conformal"
	version = 1
)

// digest returns the SHA-256 sum of the names and the edges, in hexadecimal digits: thresholds
// promise nothing on another taxonomy.
func digest(t *taxonomy.Taxonomy) (string, error) {
	text, err := json.Marshal(struct {
		Names []string
		Edges [][2]int
	}{t.Names(), t.Edges()})
	if err != nil {
		return "", fmt.Errorf("conformal: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// MarshalJSON returns the settings and the thresholds, without the model, which has a separate
// file. Read combines both:
//
//	data, err := json.Marshal(sets)
//	err = os.WriteFile("sets.json", data, 0o644)
func (p *Predictor) MarshalJSON() ([]byte, error) {
	if len(p.groups) == 0 {
		return nil, errors.New("conformal: there is nothing to write: Settings.Learn makes a predictor")
	}
	sum, err := digest(p.Taxonomy)
	if err != nil {
		return nil, err
	}
	c := p.settings
	s := saved{Format: format, Version: version, Taxonomy: sum, Coverage: c.Coverage, Nodes: c.Nodes, ByClass: c.ByClass, Most: c.Most, Instances: p.held}
	for _, g := range p.groups {
		s.Thresholds = append(s.Thresholds, savedGroup{g.node, g.held, g.threshold})
	}
	if len(p.groups) > 1 {
		s.Leaves = p.of
	}
	return json.Marshal(s)
}

// Read reads what Predictor.MarshalJSON wrote, for the model and the taxonomy that it was learned
// with. The model may be nil if you use PredictProbabilities. Read validates the data. It cannot
// check that the model is the one that the thresholds were learned with.
func Read(data []byte, t *taxonomy.Taxonomy, model metric.Prober) (*Predictor, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s saved
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("conformal: reading sets: %w", err)
	}
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if s.Format != format || s.Version != version {
		return nil, fmt.Errorf("conformal: the format is %.40q in version %d; this program reads %q in version %d", s.Format, s.Version, format, version)
	}
	sum, err := digest(t)
	if err != nil {
		return nil, err
	}
	if s.Taxonomy != sum {
		return nil, errors.New("conformal: the sets were learned on another taxonomy; give that one")
	}
	c, err := Settings{Coverage: s.Coverage, Nodes: s.Nodes, ByClass: s.ByClass, Most: s.Most}.checked()
	if err != nil {
		return nil, err
	}
	p := newPredictor(t, c, s.Instances)
	if !none(model) {
		p.Model = model
	}
	if len(s.Thresholds) == 0 || s.Thresholds[0].Node != -1 || len(s.Thresholds) > 1 != (s.Leaves != nil) || len(s.Thresholds) > 1 && !s.ByClass {
		return nil, fmt.Errorf("conformal: %d thresholds, and %d leaves with one of several; the first threshold is that of all instances, and others are by class", len(s.Thresholds), len(s.Leaves))
	}
	needed := c.needed()
	for _, g := range s.Thresholds {
		if g.Node < -1 || g.Node >= t.Len() || g.Instances < needed || g.Instances > s.Instances || !(g.Threshold >= 0 && g.Threshold <= math.MaxFloat64) {
			return nil, fmt.Errorf("conformal: the threshold %v of %d instances at node %d; it must not be negative, and be of %d to %d instances", g.Threshold, g.Instances, g.Node, needed, s.Instances)
		}
		p.groups = append(p.groups, group{g.Node, g.Instances, g.Threshold})
	}
	if s.Leaves == nil {
		return p, nil
	}
	if outside := func(k int) bool { return k < 0 || k >= len(p.groups) }; len(s.Leaves) != len(p.of) || slices.ContainsFunc(s.Leaves, outside) {
		return nil, fmt.Errorf("conformal: the thresholds of %d leaves, by position in %d; the taxonomy has %d leaves", len(s.Leaves), len(p.groups), len(p.of))
	}
	p.of = s.Leaves
	return p, nil
}
