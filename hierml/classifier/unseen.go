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

// see finds the nodes that no training instance belongs to, given the labels of the instances.
// Training compares with all labels, as the papers define it; prediction leaves these out. Where no
// label that the model chooses from has an instance, as where nothing is known of the instances,
// it chooses from all.
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

// setUnseen takes what is known by node.
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

// isDead reports whether nothing that may be predicted is at or below the node: where it is not
// unseen, its instances have the node itself as a label and the model chooses from leaves.
func (m *Model) isDead(node int) bool { return m.dead != nil && m.dead[node] }

// Unseen reports whether no training instance has a label at or below the node. A label that is
// unseen is never predicted and has probability 0. It is false of all nodes where nothing is known
// of the training instances, as of models from files that were written before they had it.
func (m *Model) Unseen(node int) bool { return m.unseen != nil && m.unseen[node] }

// seenCandidates returns the labels that the model predicts: the candidates that are not unseen.
func (m *Model) seenCandidates() []int {
	all := m.attributes.Candidates()
	if m.unseen == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return m.unseen[n] })
}

// hide makes the scores of nodes that are unseen minus infinity; of gives the node of each score.
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

// best returns the position of the candidate with the highest score, the first of equal ones, and
// of those that may be predicted where no score is a number.
func (m *Model) best(scores []float64) int {
	at := structured.Argmax(scores)
	if all := m.attributes.Candidates(); at < 0 || m.Unseen(all[at]) {
		at = slices.IndexFunc(all, func(n int) bool { return !m.Unseen(n) })
	}
	return at
}

// seenPart returns the taxonomy of the nodes that are at or above those of some, and the id of each
// in the model's: what sets are chosen from.
func (m *Model) seenPart(some []int) (*taxonomy.Taxonomy, []int) {
	if m.unseen == nil {
		return m.Taxonomy, nil
	}
	return m.Taxonomy.Above(some)
}

// note tells of the labels that no training instance has.
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
