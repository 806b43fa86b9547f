package metric

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Report has the measures of one model on one data set, averages over its instances. Y is the set
// of true labels of an instance, F the scores, and f the leaf with the highest score; for a Decider
// it is the highest among the leaves that it predicts (among all, if it predicts none). Z is the
// predicted set: {f} unless the model is a Decider. If a Decider predicts inner nodes, the score of
// such a node is the highest of the leaves below it, and f may be one. It is then not a true label,
// and distances and losses are those between the node and the label. Equations without a key are
// from [Cai08].
type Report struct {
	// Instances is the number of instances.
	Instances int
	// InnerPredictions is the number of instances for which f is an inner node.
	InnerPredictions int
	// Accuracy is how often f is in Y (7.3); 1 minus the one-error.
	Accuracy float64
	// ExactSets is how often Z is Y; 1 minus the 0/1 loss of sets.
	ExactSets float64
	// ParentAccuracy is how often f is in Y, or shares a parent with a label in Y (7.6). If inner
	// nodes are labels, f may also be the parent or a child of a label in Y, because these are
	// nearer than siblings. It is the mean over the ParentInstances instances with a label that has
	// a parent: roots have no siblings in [Cai08]. It is NaN if there is no such instance, and
	// never below the accuracy on the same instances.
	ParentAccuracy  float64
	ParentInstances int
	// TreeLoss is the number of edges of the taxonomy between f and the farthest label in Y, 0 if f
	// is in Y. With one label per instance it is the distance between prediction and truth. Half of
	// it is the tree loss printed in papers, and on trees the top loss (4.22).
	TreeLoss float64
	// TopLoss is the largest loss between a label in Y and f, 0 where f is in Y (4.22), and
	// MaximalLoss that between a label y in Y and a leaf z not in Y with F(y) <= F(z), 0 if there
	// is none (4.18). The loss is half the number of nodes above exactly one of the two, unless
	// Settings.Loss is set.
	TopLoss, MaximalLoss float64
	// HLoss is the H-loss of [CGZ06]: it charges the nodes above a label of exactly one of Y and Z
	// whose parents are all above labels of both. As in that paper, the roots share a charge of 1
	// and the children of a node share its charge equally; a node with several parents gets a share
	// of each. It is at most 1.
	HLoss float64
	// SymmetricDifference is the number of nodes above labels of exactly one of Y and Z (3.12, for
	// sets).
	SymmetricDifference float64
	// AveragePrecision is the mean over the labels y in Y of the fraction of the leaves with a
	// score of at least F(y) that are in Y (7.4).
	AveragePrecision float64
	// ROC has areas under ROC curves; nil if there are more than 2^23 scores.
	ROC *ROC
	// LogLoss and Brier measure the probabilities of a Prober, if each instance has one label and
	// its probabilities sum to 1. They are the means of calibration.LogLoss, minus the logarithm of
	// the probability of the label, and of calibration.Brier, the sum over the leaves of the
	// squared errors. They are NaN otherwise.
	LogLoss, Brier float64
	// LabelsLogLoss and LabelsBrier measure other probabilities, where each leaf is a separate
	// event: the means over instances and leaves of calibration.LabelsLogLoss and of the squared
	// errors. They are NaN if LogLoss is not, and are not comparable with it.
	LabelsLogLoss, LabelsBrier float64
	// RankingLoss is the fraction of pairs of a label y in Y and a leaf z not in Y with F(y) <=
	// F(z) (7.5). Instances that have all leaves as labels have no such pair and are left out; it
	// is NaN if no instance remains.
	RankingLoss float64
	// MicroF1, MacroF1 and HierarchicalF1, and the precisions and recalls next to them, are those
	// of LabelSets for Y and Z. If instances have several labels and the model predicts one each,
	// the printed report says so: the sets of the model's LabelSets or PredictSets score higher.
	// With one label per instance and Z = {f}, MicroF1 is the Accuracy. The Rootless measures are
	// the hierarchical ones without roots. A measure is NaN if there are neither true nor predicted
	// nodes to count.
	MicroF1, MacroF1, HierarchicalF1 float64
	// MacroF1Occurring is MacroF1 without the leaves that no instance has as a true or a predicted
	// label.
	MacroF1Occurring float64

	MicroPrecision, MicroRecall                   float64
	HierarchicalPrecision, HierarchicalRecall     float64
	RootlessPrecision, RootlessRecall, RootlessF1 float64

	// These are also those of F1, except that HammingLoss is over all leaves of the data's
	// taxonomy.
	SamplesPrecision, SamplesRecall, SamplesF1                                     float64
	SamplesJaccard, MicroJaccard, MacroJaccard                                     float64
	HammingLoss                                                                    float64
	HierarchicalSamplesPrecision, HierarchicalSamplesRecall, HierarchicalSamplesF1 float64
	RootlessSamplesF1                                                              float64
	// MCC is the correlation between true and predicted classes, R_K of [Gor04]; for two classes it
	// is the Matthews correlation. Kappa is (p - e) / (1 - e) of [Coh60], with the share p of right
	// predictions and the share e expected if both classes were drawn independently. An empty set
	// is a separate class. Both are NaN if an instance has several true or predicted labels, or if
	// truth and prediction are the same single class for all instances. Otherwise MCC is 0 if truth
	// or prediction has a single class. In all other cases both equal matthews_corrcoef and
	// cohen_kappa_score of scikit-learn.
	MCC, Kappa float64

	// At has the measures of the k leaves with the highest scores, for each k.
	At []At
	// Levels has the accuracy of each depth of the taxonomy, from 0.
	Levels []Level

	// Nodes has areas under precision-recall curves, if the model is a NodeScorer; otherwise it is
	// nil.
	Nodes *PrecisionRecall

	perInstance map[string][]float64 // nil where they are not known
	confusion   *Confusion           // nil where it is not known
	margins     []float64            // of the instances, nil where they are not known
	classes     Classes              // nil where they are not known
	byNode      Classes              // likewise, of all nodes
	labels      uint64               // a hash of all true labels, 0 where they are not known
	weights     []float64            // of the instances, nil where they are not known
	scored      bool                 // with propensities
	probable    bool                 // there are probabilities of one label
	byLabel     bool                 // there are probabilities of each label separately
	weighted    bool
	sets        *labelSets // nil where no instance has several labels
}

// labelSets has the number of labels of the instances, if some have several.
type labelSets struct {
	True      float64 `json:"true"` // the mean
	Predicted float64 `json:"predicted"`
	OneEach   bool    `json:"oneEach,omitempty"` // is predicted
}

// At has the measures of the K leaves that are ranked highest. A wrong leaf with the score of a
// true one is ranked above it.
type At struct {
	K int
	// Accuracy is how often one of those leaves is true, also called top-k accuracy.
	Accuracy float64
	// Precision is the number of those leaves that are true, divided by K even if there are fewer
	// leaves or labels.
	Precision float64
	// NDCG is the sum of 1/log2(1+rank) over those that are true, divided by its maximum for the
	// number of true labels.
	NDCG float64
	// PSPrecision is the propensity-scored precision [JPV16], as the extreme classification
	// repository reports it: the sum of 1/p over those that are true, with the propensities p of
	// the Settings, divided by the mean of its maximum over the instances. It is at most 1,
	// although that of an instance need not be, and 0 without propensities.
	PSPrecision float64
}

// Level has the accuracy at a depth of the taxonomy, as Taxonomy.Depth counts it: how often f, or
// a node above f, is a node of that depth that is a true label or above one. Instances that have
// no such node are left out.
type Level struct {
	Depth, Instances int
	Accuracy         float64
	// Precision, Recall and F1 are computed over all pairs of an instance and a node of that depth:
	// an instance has a node if it has a label at or below it, and likewise for predictions [SF11].
	// MacroF1 is the mean of the F1 of each node of that depth that is true or predicted for some
	// instance. On a tree they equal precision_recall_fscore_support of scikit-learn for the nodes
	// of a level, micro and macro; Report.ByNode has the nodes. They are NaN if there is no such
	// node.
	Precision, Recall, F1, MacroF1 float64
}

// line is a line of a report, with the measures whose values it shows.
type line struct {
	text  string
	named []string
}

// depthsShown is the number of depths in a printed report.
const depthsShown = 8

// lines returns the lines of a group.
func (r *Report) lines(group string) []line {
	switch group {
	case ofLabels:
		all := []line{
			{"accuracy", []string{"accuracy"}},
			{"exact sets", []string{"exact sets"}},
			{"micro precision, recall, F1", []string{"micro precision", "micro recall", "micro F1"}},
			{allClasses, []string{allClasses}},
			{occurringClasses, []string{occurringClasses}},
		}
		if r.sets != nil {
			all = append(all, line{"samples precision, recall, F1", []string{"samples precision", "samples recall", "samples F1"}},
				line{"samples Jaccard, Hamming loss", []string{"samples Jaccard", "Hamming loss"}})
		}
		return all
	case ofRanking:
		all := []line{
			{"average precision", []string{"average precision"}},
			{"ranking loss", []string{"ranking loss"}},
		}
		if r.probable {
			all = append(all, line{"log loss, Brier score", []string{logLossName, "Brier score"}})
		}
		if r.byLabel {
			all = append(all, line{"log loss, Brier score by label", []string{logLossByLabel, "Brier score by label"}})
		}
		if r.Nodes != nil {
			all = append(all, line{"AU(PRC), mean of nodes", []string{pooledArea, meanArea}},
				line{"without roots", []string{rootlessPooledArea, rootlessMeanArea}})
		}
		if len(r.At) == 0 {
			return all
		}
		hit, precision, ndcg, scored := line{text: "accuracy at"}, line{text: "precision at"}, line{text: "nDCG at"}, line{text: "propensity-scored precision at"}
		for i, a := range r.At {
			k := strconv.Itoa(a.K)
			if i > 0 {
				hit.text, precision.text, ndcg.text, scored.text = hit.text+",", precision.text+",", ndcg.text+",", scored.text+","
			}
			hit.text, hit.named = hit.text+" "+k, append(hit.named, "accuracy at "+k)
			precision.text, precision.named = precision.text+" "+k, append(precision.named, "precision at "+k)
			ndcg.text, ndcg.named = ndcg.text+" "+k, append(ndcg.named, "nDCG at "+k)
			scored.text, scored.named = scored.text+" "+k, append(scored.named, scoredPrecision+k)
		}
		all = append(all, hit, precision, ndcg)
		if r.scored {
			all = append(all, scored)
		}
		return all
	}
	all := []line{
		{r.parentText(), []string{"parent accuracy"}},
		{"tree loss", []string{"tree loss"}},
		{"top loss, maximal loss", []string{"top loss", "maximal loss"}},
		{"H-loss", []string{"H-loss"}},
		{"symmetric difference", []string{"symmetric difference"}},
		{"hierarchical precision, recall, F1", []string{"hierarchical precision", "hierarchical recall", "hierarchical F1"}},
		{"without roots", []string{"rootless precision", "rootless recall", "rootless F1"}},
	}
	if r.InnerPredictions > 0 { // from decision.LargestF or TopDown
		all = append(all, line{"hierarchical samples F1", []string{"hierarchical samples F1"}}, line{"rootless samples F1", []string{"rootless samples F1"}})
	}
	if len(r.Levels) == 0 {
		return all
	}
	measured := []string{"accuracy"}
	if r.sets != nil {
		measured = append(measured, "F1")
	}
	for _, m := range measured {
		depth := line{text: m + atDepth + "0"}
		for d := range min(len(r.Levels), depthsShown) {
			depth.named = append(depth.named, m+atDepth+strconv.Itoa(d))
		}
		if last := len(depth.named) - 1; last > 0 {
			depth.text += " to " + strconv.Itoa(last)
		}
		all = append(all, depth)
	}
	return all
}

// note says that one label per instance is evaluated where several are true: the model's sets from
// LabelSets or PredictSets score higher. For other reports it is empty.
func (r *Report) note() string {
	if r == nil || r.sets == nil || !r.sets.OneEach || r.sets.True <= 1 {
		return ""
	}
	return fmt.Sprintf("one label each, where %.2f are true", r.sets.True)
}

// instancesText is the head of a report's first line.
func (r *Report) instancesText() string {
	if r.weighted {
		return "instances, weighted"
	}
	return "instances"
}

// parentText says how many instances the parent accuracy is computed over, unless all.
func (r *Report) parentText() string {
	if n := r.ParentInstances; n > 0 && n < r.Instances {
		return fmt.Sprintf("parent accuracy, of %d", n)
	}
	return "parent accuracy"
}

// groups are the parts of a report.
var groups = []string{ofLabels, ofRanking, ofTaxonomy}

// sections returns the lines of the groups with their values.
func (r *Report) sections() []section {
	all := r.Measures()
	var sections []section
	for _, g := range groups {
		s := section{Name: g}
		if note := r.note(); g == ofLabels && note != "" {
			s.Name += " (" + note + "; Model.LabelSets and PredictSets predict sets)"
		}
		if r != nil && r.InnerPredictions > 0 && g == ofTaxonomy {
			s.Name += fmt.Sprintf(" (an inner node is predicted for %d instances)", r.InnerPredictions)
		}
		for _, l := range r.lines(g) {
			shown := row{Name: l.text}
			for _, name := range l.named {
				m, _ := find(all, name)
				shown.Cells = append(shown.Cells, cell{Text: m.format(r), Help: name + ": " + m.Help})
				shown.Arrow = m.arrow()
			}
			s.Rows = append(s.Rows, shown)
		}
		sections = append(sections, s)
	}
	return sections
}

type section struct {
	Name string
	Rows []row
}

// String returns the measures, in groups. Use Value for depths that are left out.
func (r *Report) String() string {
	sections := r.sections()
	width := 0
	for _, s := range sections {
		for _, l := range s.Rows {
			width = max(width, 2+len(l.Name))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %8d\n", width, r.instancesText(), r.Instances)
	for _, s := range sections {
		b.WriteString(s.Name + "\n")
		for _, l := range s.Rows {
			fmt.Fprintf(&b, "  %-*s", width-2, l.Name)
			for _, c := range l.Cells {
				b.WriteString(" " + pad(c.Text, 8))
			}
			b.WriteByte('\n')
		}
	}
	if undefined(sections) {
		b.WriteString(dash + " " + notDefined + "\n")
	}
	return b.String()
}

// notDefined explains a dash.
const notDefined = "not defined on these instances"

// undefined reports whether a value is shown as a dash.
func undefined(sections []section) bool {
	for _, s := range sections {
		for _, l := range s.Rows {
			if slices.ContainsFunc(l.Cells, func(c cell) bool { return c.Text == dash }) {
				return true
			}
		}
	}
	return false
}

// pad aligns text to the right.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// HTML returns the measures as a table, in groups.
func (r *Report) HTML() string {
	page := struct {
		Instances, Width int
		Head             string
		Sections         []section
		Undefined        string
	}{r.Instances, 1, r.instancesText(), r.sections(), ""}
	if undefined(page.Sections) {
		page.Undefined = dash + " " + notDefined
	}
	for _, s := range page.Sections {
		for _, l := range s.Rows {
			page.Width = max(page.Width, len(l.Cells))
		}
	}
	return render(reportTemplate, page)
}

type row struct {
	Name, Help, Arrow string
	Instances         string
	Cells             []cell
}

type cell struct {
	Text, Help string
	Best       bool
}

var reportTemplate = template.Must(template.New("report").Parse(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
<thead><tr style="border-bottom:1px solid"><th style="text-align:left;padding:2px 12px 2px 4px">measure</th><th colspan="{{.Width}}" style="text-align:left;padding:2px 4px">{{.Instances}} {{.Head}}</th></tr></thead>
<tbody>
{{- range .Sections}}
<tr><th style="text-align:left;padding:6px 12px 2px 4px">{{.Name}}</th></tr>
{{- range .Rows}}
<tr><td style="text-align:left;padding:2px 12px 2px 4px">{{.Name}}&nbsp;{{.Arrow}}</td>{{range .Cells}}<td style="text-align:right;padding:2px 4px" title="{{.Help}}">{{.Text}}</td>{{end}}</tr>
{{- end}}
{{- end}}
</tbody>
</table>
{{- with .Undefined}}
<p style="margin:2px 4px"><small>{{.}}</small></p>
{{- end}}
`))

// render executes a template of this package on its own data, which cannot fail.
func render(t *template.Template, data any) string {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	return b.String()
}
