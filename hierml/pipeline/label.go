package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Label is a label of a text with its score. Node is a leaf of the model's taxonomy, and Name is
// its name in the data.
type Label struct {
	classifier.Ranked
	// Path has the names of the nodes on the path to the label, which is the last. If a node has
	// several parents, the path goes through the first. A leaf that dataset.Leafed added is not on
	// it: the label is the node above.
	Path []string
	// Probability is the probability of the label, from 0 to 1; 0 if HasProbabilities is false.
	Probability float64
	// Unknown means that the text has no term that the model knows: its features are those of an
	// empty text, and the label is meaningless.
	Unknown bool

	probable bool // there is a probability
}

// String returns the path, in which a name does not repeat the one above, and the probability, or
// the score if there are no probabilities. It also says if the text has no known term.
func (l Label) String() string {
	text := shortPath(l.Path) + "  " + l.kind() + " " + l.value()
	if l.Unknown {
		text += " (" + noKnownTerm + ")"
	}
	return text
}

const noKnownTerm = "no known term in the text"

// kind returns the name of the number shown.
func (l Label) kind() string {
	if l.probable {
		return "probability"
	}
	return "score"
}

func (l Label) value() string {
	v := l.Score
	if l.probable {
		v = l.Probability
	}
	return fmt.Sprintf("%.4f", v)
}

// shortPath joins the names of a path. Of one that begins with the name above, as
// "animal/dog" below "animal", it has the rest.
func shortPath(path []string) string {
	short := slices.Clone(path)
	for k := 1; k < len(path); k++ {
		rest, ok := strings.CutPrefix(path[k], path[k-1])
		if first, _ := utf8.DecodeRuneInString(rest); !ok || unicode.IsLetter(first) || unicode.IsDigit(first) {
			continue
		}
		if rest = strings.TrimLeftFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); rest != "" {
			short[k] = rest
		}
	}
	return strings.Join(short, " > ")
}

// Labels are the labels of one text, as in Rank, or one label for each of several texts, as in
// PredictAll.
type Labels []Label

func (l Labels) table() *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "label", Head: true}, {Name: "score", Right: true}}}
	unknown := 0
	for _, label := range l {
		t.Columns[1].Name = label.kind()
		t.Rows = append(t.Rows, table.Texts(shortPath(label.Path), label.value()))
		if label.Unknown {
			unknown++
		}
	}
	switch {
	case unknown == 0:
	case unknown == len(l):
		t.Notes = []string{noKnownTerm}
	default:
		t.Notes = []string{unknownNote(unknown, len(l))}
	}
	return t
}

// String returns one line per label, with its path and its probability, or its score if the
// pipeline has no probabilities.
func (l Labels) String() string { return l.table().String() }

// HTML returns the table of String in HTML.
func (l Labels) HTML() string { return l.table().HTML() }

// unknownNote describes texts without any term that the model knows.
func unknownNote(unknown, all int) string {
	return fmt.Sprintf("the model knows no term of %d of %d texts: their labels are meaningless", unknown, all)
}

// Predict returns the label that the model's rule chooses for a text, the first of Rank.
func (p *Pipeline) Predict(text string) (Label, error) {
	labels, err := p.ranked([]string{text}, 1)
	if err != nil {
		return Label{}, err
	}
	return labels[0][0], nil
}

// PredictAll returns the label of each text, as Predict does. It stops if ctx is cancelled. A note
// (package progress), and Unknown of the labels, report texts without any term that the model
// knows.
func (p *Pipeline) PredictAll(ctx context.Context, texts []string) (Labels, error) {
	all := make(Labels, 0, len(texts))
	unknown := 0
	const some = 256 // whose features are held at once
	for part := range slices.Chunk(texts, some) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("pipeline: ended after %d of %d texts: %w", len(all), len(texts), context.Cause(ctx))
		}
		ranked, err := p.ranked(part, 1)
		if err != nil {
			return nil, err
		}
		for _, labels := range ranked {
			if labels[0].Unknown {
				unknown++
			}
			all = append(all, labels[0])
		}
	}
	if unknown > 0 {
		progress.Note(ctx, "pipeline: "+unknownNote(unknown, len(texts))+".")
	}
	return all, nil
}

// Rank returns the k labels of a text with the highest scores, or all if there are fewer, the best
// first. The labels are ranked by the scores of classifier.Model.Rank, or of classifier.Beam.Rank.
// Their probabilities, if there are any, need not be in that order.
func (p *Pipeline) Rank(text string, k int) (Labels, error) {
	labels, err := p.ranked([]string{text}, k)
	if err != nil {
		return nil, err
	}
	return labels[0], nil
}

// ranked returns the k labels with the highest scores for each text.
func (p *Pipeline) ranked(texts []string, k int) ([]Labels, error) {
	x, err := p.Vectors(append(slices.Clone(texts), "")...) // the last are the features of nothing
	if err != nil {
		return nil, err
	}
	s, err := p.labelled()
	if err != nil {
		return nil, err
	}
	rows := make([]int, len(texts))
	for i := range rows {
		rows[i] = i
	}
	known := x.Subset(rows)
	best, err := p.rank(s, known, k)
	if err != nil {
		return nil, err
	}
	all := make([]Labels, len(texts))
	for i, ranked := range best {
		unknown := sameRow(x, i, len(texts))
		for _, r := range ranked {
			all[i] = append(all[i], Label{Ranked: r, Path: path(s.taxonomy, r.Node), Unknown: unknown})
		}
	}
	if k < 1 || !p.HasProbabilities() {
		return all, nil
	}
	probabilities, err := p.probabilities(s, known)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	for i, labels := range all {
		for j := range labels {
			labels[j].Probability, labels[j].probable = probabilities.At(i, s.taxonomy.LeafIndex(labels[j].Node)), true
		}
	}
	return all, nil
}

// sameRow reports whether two rows are equal.
func sameRow(x *dataset.Matrix, i, j int) bool {
	columns, values := x.Row(i)
	others, otherValues := x.Row(j)
	return slices.Equal(columns, others) && slices.Equal(values, otherValues)
}

// path returns the names of the nodes on the way to a label.
func path(t *taxonomy.Taxonomy, node int) []string {
	names := []string{t.LabelName(node)}
	node = t.Label(node)
	for above := t.Parents(node); len(above) > 0; above = t.Parents(above[0]) {
		names = append(names, t.Name(above[0]))
	}
	slices.Reverse(names)
	return names
}
