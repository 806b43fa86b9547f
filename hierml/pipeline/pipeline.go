// Package pipeline classifies texts and rows of tables. A pipeline combines a vectorizer of texts
// or an encoder of columns, the steps that select and scale features, the model, and its learned
// probabilities, and saves all of them in one file:
//
//	p := pipeline.Pipeline{Vectorizer: words, Model: model}
//	err := p.Save("model.hierml")
//	...
//	q, err := pipeline.Load("model.hierml")
//	label, err := q.Predict("Is there a fine if I park without a permit?")
//
// A pipeline of tables has Columns instead of the Vectorizer, and predicts with PredictTable.
//
// The file is that of the model (package classifier), with the rest attached. The folder python of
// this module has a Python package that reads it with numpy alone and predicts the same labels for
// the same texts and rows. Neither executes anything in a file.
//
// A model of sets of nodes, from svm.NodeSets or package forest, is in NodeSets or Forest instead
// of Model. A model translated by clustering.Automatic and similar estimators is in Translated.
//
// Package features makes the features, and packages svm, perceptron, bayes, forest and clustering
// train the models.
package pipeline

import (
	"errors"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Pipeline turns a text into a label. It is safe for concurrent use as long as no field is changed.
type Pipeline struct {
	// Vectorizer turns a text into a vector, and Columns a row of a table: set one of them.
	Vectorizer *features.Vectorizer
	Columns    *features.Encoder
	// Steps change the vector, in this order, in the same way as the training instances:
	// *features.Selection, *features.Scaler and *features.Weigher.
	Steps []Step
	// Model predicts the label. It may be nil if Calibrated or Translated is set; the model is then
	// theirs.
	Model *classifier.Model
	// Translated translates the labels of the model, and the nodes above them, to another taxonomy
	// than the one of the training.
	Translated *clustering.Translated
	// NodeSets or Forest predicts sets of nodes, instead of all other models; Sets and PredictTable
	// return them.
	NodeSets *svm.NodeSetModel
	Forest   *forest.Model
	// Calibrated has the probabilities of the model's labels, or is nil.
	Calibrated *svm.Calibrated
	// Decision is the rule by which Sets, PredictTable and Evaluate decide for nodes from
	// probabilities of one label. Predict and Rank ignore it.
	Decision decision.Rule
	// Beam is the width of a beam search for labels, see classifier.Beam. The default, 0, scores
	// all labels.
	Beam int

	lock   sync.Mutex
	beam   *classifier.Beam // of beamOf, by Beam
	beamOf *classifier.Model
	width  int // of beam
}

// Step is a transformation of features that was fitted on training data.
type Step interface {
	Transform(d *dataset.Dataset) (*dataset.Dataset, error)
}

// scorer is the model of a pipeline, of any type.
type scorer struct {
	model    *classifier.Model  // nil for sets of nodes
	taxonomy *taxonomy.Taxonomy // of the labels
	name     string
	check    func(x *dataset.Matrix) error
}

// scorer returns the model, if all is there.
func (p *Pipeline) scorer() (*scorer, error) {
	s, err := p.whichModel()
	switch {
	case err != nil:
		return nil, err
	case p.Vectorizer == nil && p.Columns == nil:
		return nil, errors.New("pipeline: there is neither a Vectorizer nor Columns; set Vectorizer to that of the training texts, or Columns to the encoder of the training rows")
	case p.Vectorizer != nil && p.Columns != nil:
		return nil, errors.New("pipeline: both Vectorizer and Columns are set; set Vectorizer for texts, or Columns for rows of a table")
	case p.Beam < 0:
		return nil, fmt.Errorf("pipeline: Beam is %d; it must be the width of a beam, or 0 for none", p.Beam)
	case p.Decision != nil && isSetF(p.Decision):
		return nil, errors.New("pipeline: decision.SetF needs probabilities of nodes, and Decision has those of labels; use decision.Model")
	case p.Decision != nil && (p.NodeSets != nil || p.Calibrated != nil && !p.Calibrated.OneLabel()):
		return nil, errors.New("pipeline: Decision needs probabilities of one label, and the model learned from several; do not set Decision")
	case p.Decision != nil && p.Forest == nil && p.Calibrated == nil && !probable(s.model):
		return nil, errors.New("pipeline: Decision needs probabilities, and the model has only scores; set Calibrated to the result of svm.Calibrate")
	case p.Beam > 0 && s.model == nil:
		return nil, errors.New("pipeline: Beam finds labels, and the model predicts sets of nodes; do not set Beam")
	}
	return s, nil
}

func (p *Pipeline) whichModel() (*scorer, error) {
	if p.NodeSets != nil || p.Forest != nil {
		if p.Model != nil || p.Calibrated != nil || p.Translated != nil || p.NodeSets != nil && p.Forest != nil {
			return nil, errors.New("pipeline: there are two models; set NodeSets or Forest without another model")
		}
		if m := p.NodeSets; m != nil {
			return &scorer{nil, m.Taxonomy, m.Model.Name + " for sets of nodes", m.Check}, nil
		}
		return &scorer{nil, p.Forest.Taxonomy, p.Forest.Name, p.Forest.Check}, nil
	}
	m := p.Model
	if c := p.Calibrated; c != nil {
		if m != nil && m != c.Model {
			return nil, errors.New("pipeline: Model differs from that of Calibrated; do not set Model")
		}
		m = c.Model
	}
	var to *taxonomy.Taxonomy
	if t := p.Translated; t != nil {
		own, err := t.Scores()
		if err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
		if m != nil && m != own {
			return nil, errors.New("pipeline: Model differs from that of Translated; do not set Model")
		}
		m, to = own, t.To
	}
	if m == nil {
		return nil, errors.New("pipeline: there is no model; set Model, Calibrated, Translated, NodeSets or Forest")
	}
	if to == nil {
		to = m.Taxonomy
	}
	return &scorer{m, to, m.Name, m.Check}, nil
}

// labelled returns the model of a pipeline that predicts labels.
func (p *Pipeline) labelled() (*scorer, error) {
	s, err := p.scorer()
	if err == nil && s.model == nil {
		return nil, errors.New("pipeline: the model predicts sets of nodes, not a label; use Sets or PredictTable")
	}
	return s, err
}

// Taxonomy returns the taxonomy of the predicted labels and sets, or nil if there is no model.
func (p *Pipeline) Taxonomy() *taxonomy.Taxonomy {
	s, err := p.whichModel()
	if err != nil {
		return nil
	}
	return s.taxonomy
}

// Vectors returns the features of texts that the model scores, one row each. It returns an error if
// vectorizer, steps and model do not fit together.
func (p *Pipeline) Vectors(texts ...string) (*dataset.Matrix, error) {
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	if p.Vectorizer == nil {
		return nil, errors.New("pipeline: the pipeline is for rows of a table, not for texts; use PredictTable")
	}
	return p.stepped(s, p.Vectorizer.Vectors(texts...))
}

// stepped returns the features as the steps leave them, if these are those of the model.
func (p *Pipeline) stepped(s *scorer, x *dataset.Matrix) (*dataset.Matrix, error) {
	d := &dataset.Dataset{Name: "rows", Taxonomy: s.taxonomy, X: x, Labels: make([][]int, x.Rows), Vocabulary: x.Vocabulary}
	var err error
	for k, step := range p.Steps {
		if step == nil {
			return nil, fmt.Errorf("pipeline: step %d is nil", k)
		}
		if d, err = step.Transform(d); err != nil {
			return nil, fmt.Errorf("pipeline: step %d, %T: %w", k, step, err)
		}
	}
	if err := s.check(d.X); err != nil {
		return nil, fmt.Errorf("pipeline: the result of features and steps does not fit the model: %w", err)
	}
	return d.X, nil
}

// rank returns the k labels with the highest scores for each row.
func (p *Pipeline) rank(s *scorer, x *dataset.Matrix, k int) ([][]classifier.Ranked, error) {
	var ranked [][]classifier.Ranked
	if p.Beam == 0 {
		ranked = s.model.Rank(x, k)
	} else {
		beam, err := p.beamOver(s.model)
		if err != nil {
			return nil, err
		}
		ranked = beam.Rank(x, k)
	}
	if s.taxonomy != s.model.Taxonomy {
		for _, labels := range ranked {
			for y := range labels { // all are there: see clustering.Translate
				labels[y].Node, _ = s.taxonomy.LabelNode(labels[y].Name)
			}
		}
	}
	return ranked, nil
}

// beamOver returns the beam of the width that Beam says, which is made once.
func (p *Pipeline) beamOver(m *classifier.Model) (*classifier.Beam, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.beam == nil || p.beamOf != m || p.width != p.Beam {
		beam, err := m.NewBeam(p.Beam)
		if err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
		p.beam, p.beamOf, p.width = beam, m, p.Beam
	}
	return p.beam, nil
}

// HasProbabilities reports whether the labels have probabilities: from Calibrated, from a model
// that has them, such as that of svm.PLT, or from a model of sets of nodes.
func (p *Pipeline) HasProbabilities() bool {
	s, err := p.scorer()
	return err == nil && (s.model == nil || p.Calibrated != nil || probable(s.model))
}

func isSetF(r decision.Rule) bool { _, ok := r.(decision.SetF); return ok }

// probable reports whether a model has probabilities itself.
func probable(m *classifier.Model) bool {
	return m.Link() != classifier.NoLink && m.Link() != classifier.Margin
}

// Probabilities returns the probability of each label for a text, in the order of Taxonomy.Leaves
// of the model. It returns an error if HasProbabilities is false.
func (p *Pipeline) Probabilities(text string) ([]float64, error) {
	x, err := p.Vectors(text)
	if err != nil {
		return nil, err
	}
	s, err := p.scorer()
	if err != nil {
		return nil, err
	}
	probabilities, err := p.probabilities(s, x)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	return probabilities.RawRowView(0), nil
}

// probabilities returns those of the leaves, a row each.
func (p *Pipeline) probabilities(s *scorer, x *dataset.Matrix) (*mat.Dense, error) {
	switch {
	case p.NodeSets != nil:
		return p.NodeSets.LeafScores(x), nil
	case p.Forest != nil:
		return p.Forest.LeafScores(x), nil
	}
	var own *mat.Dense
	if p.Calibrated != nil {
		own = p.Calibrated.LeafProbabilities(x)
	} else {
		var err error
		if own, err = s.model.LeafProbabilities(x); err != nil {
			return nil, err
		}
	}
	if s.taxonomy == s.model.Taxonomy || x.Rows == 0 {
		return own, nil
	}
	translated := mat.NewDense(x.Rows, len(s.taxonomy.Leaves()), nil) // 0 of leaves that the model does not know
	for y, leaf := range s.model.Taxonomy.Leaves() {
		n, _ := s.taxonomy.LabelNode(s.model.Taxonomy.LabelName(leaf))
		for i := range x.Rows {
			translated.Set(i, s.taxonomy.LeafIndex(n), own.At(i, y))
		}
	}
	return translated, nil
}

// title and description are what String and HTML say.
func (p *Pipeline) title() string {
	if p.Columns != nil {
		return "from rows of a table to labels"
	}
	return "from texts to labels"
}

func (p *Pipeline) description() []describe.Row {
	var rows []describe.Row
	if p.Columns != nil {
		for _, c := range p.Columns.Fields() {
			if c.Role == dataset.Labels {
				continue
			}
			rows = append(rows, describe.Row{Name: "column", Value: fmt.Sprintf("%s, %v", c.Name, c.Kind)})
		}
		rows = append(rows, describe.Row{Name: "features", Value: fmt.Sprint(p.Columns.Columns())})
	} else {
		rows = append(rows, describe.Row{Name: "features", Value: fmt.Sprint(p.Vectorizer)})
	}
	for _, step := range p.Steps {
		rows = append(rows, describe.Row{Name: "then", Value: fmt.Sprint(step)})
	}
	name := "none"
	if s, err := p.scorer(); err == nil {
		name = s.name
	}
	rows = append(rows, describe.Row{Name: "model", Value: name})
	if p.Calibrated != nil {
		rows = append(rows, describe.Row{Name: "probabilities", Value: "calibrated"})
	}
	if p.Decision != nil {
		rows = append(rows, describe.Row{Name: "decides for", Value: fmt.Sprint(p.Decision)})
	}
	if p.Beam > 0 {
		rows = append(rows, describe.Row{Name: "beam", Value: fmt.Sprint(p.Beam)})
	}
	return rows
}

// String describes the parts in a few lines.
func (p *Pipeline) String() string { return describe.Text(p.title(), p.description()) }

// HTML returns String as a table.
func (p *Pipeline) HTML() string { return describe.HTML(p.title(), p.description()) }
