package classifier

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// see finds the nodes without training instances, given the labels of the instances. Training
// compares with all labels, as the papers define it; prediction leaves these out. If no label of
// the model has an instance, or nothing is known of the instances, the model chooses from all.
func (m *Model) see(labels [][]int) {
	unseen := make([]bool, m.Taxonomy.Len())
	for n := range unseen {
		unseen[n] = true
	}
	for _, set := range labels {
		for _, n := range set {
			if n < 0 || n >= len(unseen) || !unseen[n] {
				continue
			}
			for _, above := range m.Taxonomy.Ancestors(n) {
				unseen[above] = false
			}
		}
	}
	m.setUnseen(unseen)
}

// setUnseen sets the unseen nodes.
func (m *Model) setUnseen(unseen []bool) {
	m.unseen, m.dead = nil, nil
	candidates := m.attributes.Candidates()
	if !slices.Contains(unseen, true) || !slices.ContainsFunc(candidates, func(n int) bool { return !unseen[n] }) {
		return
	}
	m.unseen, m.dead = unseen, make([]bool, len(unseen))
	for n := range m.dead {
		m.dead[n] = true
	}
	for _, n := range candidates {
		if !unseen[n] && m.dead[n] {
			for _, above := range m.Taxonomy.Ancestors(n) {
				m.dead[above] = false
			}
		}
	}
}

// isDead reports whether no predictable label is at or below the node: it is unseen, or its
// instances have the node itself as a label and the model chooses from leaves.
func (m *Model) isDead(node int) bool { return m.dead != nil && m.dead[node] }

// Unseen reports whether no training instance has a label at or below the node. An unseen label is
// never predicted and has probability 0. Unseen is false for all nodes if nothing is known of the
// training instances, as in files of older versions.
func (m *Model) Unseen(node int) bool { return m.unseen != nil && m.unseen[node] }

// seenCandidates returns the labels that the model predicts: the candidates that are not unseen.
func (m *Model) seenCandidates() []int {
	all := m.attributes.Candidates()
	if m.unseen == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return m.unseen[n] })
}

// hide sets the scores of unseen nodes to minus infinity. of has the node of each score.
func (m *Model) hide(scores []float64, of []int) {
	if m.unseen == nil {
		return
	}
	for k, n := range of {
		if m.unseen[n] {
			scores[k] = math.Inf(-1)
		}
	}
}

// best returns the position of the candidate with the highest score, in case of a tie the first. If
// all scores are NaN, it is the first that may be predicted.
func (m *Model) best(scores []float64) int {
	at := structured.Argmax(scores)
	if all := m.attributes.Candidates(); at < 0 || m.Unseen(all[at]) {
		at = slices.IndexFunc(all, func(n int) bool { return !m.Unseen(n) })
	}
	return at
}

// seenPart returns the taxonomy of the nodes at or above seen candidates, from which sets are
// chosen, and the id of each node in the model's taxonomy.
func (m *Model) seenPart(some []int) (*taxonomy.Taxonomy, []int) {
	if m.unseen == nil {
		return m.Taxonomy, nil
	}
	return m.Taxonomy.Above(some)
}

// note adds a note about labels without training instances.
func (m *Model) note(ctx context.Context) {
	all := m.attributes.Candidates()
	at := slices.IndexFunc(all, m.Unseen)
	if at < 0 {
		return
	}
	without := len(all) - len(m.seenCandidates())
	progress.Note(ctx, fmt.Sprintf("%s: %s of %d %s no instance to learn from, such as %q, and will not be predicted.",
		m.Name, describe.Count(without, "label", "labels"), len(all), map[bool]string{true: "has", false: "have"}[without == 1], m.Taxonomy.LabelName(all[at])))
}
