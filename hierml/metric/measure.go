package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measure describes one number of a Report.
type Measure struct {
	Name  string // as in tables and for Report.Value
	Help  string // what it measures
	Group string // "labels", "ranking" or "taxonomy"
	Lower bool   // lower values are better

	digits int // of the fraction, in tables
	kind   kind
	key    int // the column, k or depth
	// where the report has the value, unless it has one for each k or depth
	fixed func(*Report) *float64
}

// String returns the name, an arrow towards better values, and the help.
func (m Measure) String() string { return m.Name + " " + m.arrow() + " " + m.Help }

// kind says where the values of a measure are stored.
type kind int

const (
	ofColumn kind = iota
	ofCounts      // not a mean over instances
	ofNodes       // likewise
	ofROC         // likewise
	precisionAt
	ndcgAt
	accuracyAt
	psPrecisionAt
	levelAccuracy
	levelPrecision
	levelRecall
	levelF1
	levelMacroF1
)

// The groups of measures.
const (
	ofLabels   = "labels"
	ofRanking  = "ranking"
	ofTaxonomy = "taxonomy"
)

// The names of the two macro F1, and the earlier name of the first.
const (
	allClasses       = "macro F1 of all classes"
	occurringClasses = "macro F1 of occurring classes"
	formerMacro      = "macro F1"
)

// scoredPrecision is the prefix of the names of the propensity-scored precisions; k follows.
const scoredPrecision = "propensity-scored precision at "

// CurrentName returns the current name of a measure that was renamed, "macro F1", and other names
// unchanged. Functions that read names of measures apply it.
func CurrentName(name string) string {
	if name == formerMacro {
		return allClasses
	}
	return name
}

// labelMeasures, rankingMeasures and taxonomyMeasures are those that all reports have.
var (
	labelMeasures = []Measure{
		{"accuracy", "how often the prediction is a true label", ofLabels, false, 4, ofColumn, accuracy, func(r *Report) *float64 { return &r.Accuracy }},
		{"exact sets", "how often the predicted set is the true one; 1 minus it is the 0/1 loss", ofLabels, false, 4, ofColumn, exactSets, func(r *Report) *float64 { return &r.ExactSets }},
		{"micro precision", "fraction of all predicted labels that are true", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MicroPrecision }},
		{"micro recall", "fraction of all true labels that are predicted", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MicroRecall }},
		{"micro F1", "F1 of all predictions together", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MicroF1 }},
		{allClasses, "mean of the F1 of all leaves, 0 for those that are neither true nor predicted", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MacroF1 }},
		{occurringClasses, "mean of the F1 of the leaves that are true or predicted labels of these instances", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MacroF1Occurring }},
		{"samples precision", "mean over the instances of the fraction of predicted labels that are true", ofLabels, false, 4, ofColumn, samplesPrecision, func(r *Report) *float64 { return &r.SamplesPrecision }},
		{"samples recall", "mean over the instances of the fraction of true labels that are predicted", ofLabels, false, 4, ofColumn, samplesRecall, func(r *Report) *float64 { return &r.SamplesRecall }},
		{"samples F1", "mean over the instances of the F1 of the predicted set", ofLabels, false, 4, ofColumn, samplesF1, func(r *Report) *float64 { return &r.SamplesF1 }},
		{"samples Jaccard", "mean over the instances of what the sets share, by what either has", ofLabels, false, 4, ofColumn, samplesJaccard, func(r *Report) *float64 { return &r.SamplesJaccard }},
		{"micro Jaccard", "Jaccard index of all predictions together", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MicroJaccard }},
		{"macro Jaccard", "mean of the Jaccard index of all leaves, 0 for those that are neither true nor predicted", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MacroJaccard }},
		{"Hamming loss", "fraction of the labels that are in one of the sets alone", ofLabels, true, 4, ofColumn, hammingLoss, func(r *Report) *float64 { return &r.HammingLoss }},
		{"MCC", "correlation of Matthews, for several classes as Gorodkin has it, of one label an instance", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.MCC }},
		{"kappa", "agreement above chance by Cohen, of one label an instance", ofLabels, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.Kappa }},
	}
	rankingMeasures = []Measure{
		{"average precision", "precision of the ranking at its true labels", ofRanking, false, 4, ofColumn, averagePrecision, func(r *Report) *float64 { return &r.AveragePrecision }},
		{"ranking loss", "fraction of pairs of a true and a wrong label in the wrong order", ofRanking, true, 4, ofColumn, rankingLoss, func(r *Report) *float64 { return &r.RankingLoss }},
	}
	taxonomyMeasures = []Measure{
		{"parent accuracy", "how often the prediction is a true label, its parent or child, or has a parent in common with one, where a true label has a parent", ofTaxonomy, false, 4, ofColumn, parentAccuracy, func(r *Report) *float64 { return &r.ParentAccuracy }},
		{"tree loss", "edges of the taxonomy between prediction and truth", ofTaxonomy, true, 3, ofColumn, treeLoss, func(r *Report) *float64 { return &r.TreeLoss }},
		{"top loss", "largest loss of the prediction, where it is wrong", ofTaxonomy, true, 3, ofColumn, topLoss, func(r *Report) *float64 { return &r.TopLoss }},
		{"maximal loss", "largest loss between a true label and a wrong one ranked above it", ofTaxonomy, true, 3, ofColumn, maximalLoss, func(r *Report) *float64 { return &r.MaximalLoss }},
		{"H-loss", "charge for the topmost nodes in which the sets differ", ofTaxonomy, true, 4, ofColumn, hLoss, func(r *Report) *float64 { return &r.HLoss }},
		{"symmetric difference", "nodes in which the sets differ, with their ancestors", ofTaxonomy, true, 3, ofColumn, symmetricDifference, func(r *Report) *float64 { return &r.SymmetricDifference }},
		{"hierarchical precision", "precision of all predictions together with their ancestors", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.HierarchicalPrecision }},
		{"hierarchical recall", "recall of all predictions together with their ancestors", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.HierarchicalRecall }},
		{"hierarchical F1", "F1 of all predictions together with their ancestors", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.HierarchicalF1 }},
		{"hierarchical samples precision", "mean over the instances of the precision with ancestors", ofTaxonomy, false, 4, ofColumn, closedPrecision, func(r *Report) *float64 { return &r.HierarchicalSamplesPrecision }},
		{"hierarchical samples recall", "mean over the instances of the recall with ancestors", ofTaxonomy, false, 4, ofColumn, closedRecall, func(r *Report) *float64 { return &r.HierarchicalSamplesRecall }},
		{"hierarchical samples F1", "mean over the instances of the F1 with ancestors", ofTaxonomy, false, 4, ofColumn, closedF1, func(r *Report) *float64 { return &r.HierarchicalSamplesF1 }},
		{"rootless precision", "hierarchical precision without the roots", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.RootlessPrecision }},
		{"rootless recall", "hierarchical recall without the roots", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.RootlessRecall }},
		{"rootless F1", "hierarchical F1 without the roots", ofTaxonomy, false, 4, ofCounts, 0, func(r *Report) *float64 { return &r.RootlessF1 }},
		{"rootless samples F1", "mean over the instances of the F1 with ancestors other than roots", ofTaxonomy, false, 4, ofColumn, rootlessSamplesF1, func(r *Report) *float64 { return &r.RootlessSamplesF1 }},
	}
)

// probabilityMeasures are for probabilities of one label, which sum to 1, and
// labelProbabilityMeasures for other probabilities; the two are not comparable. rocMeasures are for
// a limited number of scores, and nodeMeasures for models with scores of nodes.
var (
	probabilityMeasures = []Measure{
		{logLossName, "minus the logarithm of the probability of the one true label", ofRanking, true, 4, ofColumn, logLoss, func(r *Report) *float64 { return &r.LogLoss }},
		{"Brier score", "squared error of the probabilities of one label, the sum over the leaves", ofRanking, true, 4, ofColumn, brierScore, func(r *Report) *float64 { return &r.Brier }},
	}
	labelProbabilityMeasures = []Measure{
		{logLossByLabel, "minus the logarithm of the probability of what came about, of each leaf by itself", ofRanking, true, 4, ofColumn, labelsLogLoss, func(r *Report) *float64 { return &r.LabelsLogLoss }},
		{"Brier score by label", "squared error of the probability of each leaf by itself", ofRanking, true, 4, ofColumn, labelsBrier, func(r *Report) *float64 { return &r.LabelsBrier }},
	}
	rocMeasures = []Measure{
		{microROC, "how often a true label of an instance scores higher than a wrong one of any", ofRanking, false, 4, ofROC, 0, func(r *Report) *float64 { return &r.ROC.Micro }},
		{"macro AUC", "mean over the labels of how often an instance that has it scores higher than one that has not", ofRanking, false, 4, ofROC, 0, func(r *Report) *float64 { return &r.ROC.Macro }},
	}
)

// The first of the measures that not every report has.
const (
	logLossName    = "log loss"
	logLossByLabel = "log loss by label"
	microROC       = "micro AUC"
)

// The names of the areas under precision-recall curves of nodes.
const (
	pooledArea         = "AU(PRC)"
	meanArea           = "mean AUPRC"
	rootlessPooledArea = "rootless AU(PRC)"
	rootlessMeanArea   = "rootless mean AUPRC"
)

var nodeMeasures = []Measure{
	{pooledArea, "area under the precision-recall curve of all pairs of an instance and a node", ofRanking, false, 4, ofNodes, 0, func(r *Report) *float64 { return &r.Nodes.Pooled }},
	{meanArea, "mean area under the precision-recall curves of the nodes that instances have", ofRanking, false, 4, ofNodes, 0, func(r *Report) *float64 { return &r.Nodes.Mean }},
	{rootlessPooledArea, "AU(PRC) without the roots", ofRanking, false, 4, ofNodes, 0, func(r *Report) *float64 { return &r.Nodes.RootlessPooled }},
	{rootlessMeanArea, "mean AUPRC without the roots", ofRanking, false, 4, ofNodes, 0, func(r *Report) *float64 { return &r.Nodes.RootlessMean }},
}

// has says which optional measures a report has.
type has struct {
	at                   []int
	depths               int
	nodes, scored, areas bool
	probable, byLabel    bool // there are probabilities of one label, and of each label separately
}

// Measures returns all measures that a report can have with default settings, in the order of
// reports. Only a Prober has the log loss and the Brier score, and only a NodeScorer has AU(PRC).
// AUC is left out of reports on more than 2^23 scores. A report also has an "accuracy at depth 1",
// "precision at depth 1", "recall at depth 1", "F1 at depth 1" and "macro F1 at depth 1" for each
// depth of its taxonomy. With propensities it has a "propensity-scored precision at 1" for each k.
func Measures() []Measure {
	return has{at: defaultAt, nodes: true, probable: true, byLabel: true, areas: true}.listed()
}

// Named returns the measure with the given name: one of Measures, or one of a depth, such as "F1 at
// depth 2".
func Named(name string) (Measure, bool) {
	h := has{at: defaultAt, nodes: true, probable: true, byLabel: true, areas: true}
	const deepest = 1 << 10
	if _, depth, ok := strings.Cut(name, atDepth); ok {
		if d, err := strconv.Atoi(depth); err == nil && d >= 0 && d < deepest {
			h.depths = d + 1
		}
	}
	return find(h.listed(), name)
}

// Measures returns the measures that the report has, in its order.
func (r *Report) Measures() []Measure {
	h := has{depths: len(r.Levels), nodes: r.Nodes != nil, scored: r.scored, probable: r.probable, byLabel: r.byLabel, areas: r.ROC != nil}
	for _, a := range r.At {
		h.at = append(h.at, a.K)
	}
	return h.listed()
}

func (h has) listed() []Measure {
	all := slices.Concat(labelMeasures, rankingMeasures)
	for _, more := range []struct {
		has      bool
		measures []Measure
	}{{h.areas, rocMeasures}, {h.probable, probabilityMeasures}, {h.byLabel, labelProbabilityMeasures}, {h.nodes, nodeMeasures}} {
		if more.has {
			all = append(all, more.measures...)
		}
	}
	for _, k := range h.at {
		all = append(all, Measure{Name: fmt.Sprintf("accuracy at %d", k), Help: fmt.Sprintf("how often one of the %d labels ranked highest is true", k), Group: ofRanking, digits: 4, kind: accuracyAt, key: k})
	}
	for _, k := range h.at {
		all = append(all, Measure{Name: fmt.Sprintf("precision at %d", k), Help: fmt.Sprintf("fraction of the %d labels ranked highest that are true", k), Group: ofRanking, digits: 4, kind: precisionAt, key: k})
	}
	for _, k := range h.at {
		all = append(all, Measure{Name: fmt.Sprintf("nDCG at %d", k), Help: fmt.Sprintf("discounted gain of the %d labels ranked highest, by what can be reached", k), Group: ofRanking, digits: 4, kind: ndcgAt, key: k})
	}
	if h.scored {
		for _, k := range h.at {
			all = append(all, Measure{Name: fmt.Sprint(scoredPrecision, k), Help: fmt.Sprintf("the true ones of the %d labels ranked highest, rare ones worth more (PSP@%d), by what can be reached", k, k), Group: ofRanking, digits: 4, kind: psPrecisionAt, key: k})
		}
	}
	all = append(all, taxonomyMeasures...)
	for _, level := range []struct {
		kind       kind
		name, help string
	}{
		{levelAccuracy, "accuracy", "how often the prediction is below a true node of depth %d, where there is one"},
		{levelPrecision, "precision", "fraction of the nodes of depth %d at or above predicted labels that are at or above true ones"},
		{levelRecall, "recall", "fraction of the nodes of depth %d at or above true labels that are at or above predicted ones"},
		{levelF1, "F1", "F1 of the nodes of depth %d at or above labels, all together"},
		{levelMacroF1, "macro F1", "mean of the F1 of the nodes of depth %d that are at or above true or predicted labels"},
	} {
		for d := range h.depths {
			all = append(all, Measure{Name: fmt.Sprint(level.name, atDepth, d), Help: fmt.Sprintf(level.help, d), Group: ofTaxonomy, digits: 4, kind: level.kind, key: d})
		}
	}
	return all
}

// atDepth is the infix of the names of the measures of depths.
const atDepth = " at depth "

// field returns a pointer to the value in r, or nil.
func (m Measure) field(r *Report) *float64 {
	switch m.kind {
	case precisionAt, ndcgAt, accuracyAt, psPrecisionAt:
		for i := range r.At {
			if r.At[i].K != m.key {
				continue
			}
			switch m.kind {
			case ndcgAt:
				return &r.At[i].NDCG
			case accuracyAt:
				return &r.At[i].Accuracy
			case psPrecisionAt:
				return &r.At[i].PSPrecision
			}
			return &r.At[i].Precision
		}
		return nil
	case levelAccuracy, levelPrecision, levelRecall, levelF1, levelMacroF1:
		if m.key >= len(r.Levels) {
			return nil
		}
		l := &r.Levels[m.key]
		return map[kind]*float64{levelAccuracy: &l.Accuracy, levelPrecision: &l.Precision, levelRecall: &l.Recall, levelF1: &l.F1, levelMacroF1: &l.MacroF1}[m.kind]
	case ofNodes:
		if r.Nodes == nil {
			return nil
		}
	case ofROC:
		if r.ROC == nil {
			return nil
		}
	}
	return m.fixed(r)
}

// find returns the measure of the name.
func find(all []Measure, name string) (Measure, bool) {
	name = CurrentName(name)
	i := slices.IndexFunc(all, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return Measure{}, false
	}
	return all[i], true
}

// Value returns the value of the measure with the given name, NaN if it is undefined on the data.
// It returns false if the report has no such measure.
func (r *Report) Value(name string) (float64, bool) {
	if r == nil {
		return 0, false
	}
	m, ok := find(r.Measures(), name)
	if !ok {
		return 0, false
	}
	return *m.field(r), true
}

// PerInstance returns the values of the named measure for every instance, in their order, for
// paired tests; NaN where it is undefined. It returns nil if the report has no such measure, or if
// the measure is not a mean over the instances. The slice belongs to the report.
func (r *Report) PerInstance(name string) []float64 {
	if r == nil {
		return nil
	}
	return r.perInstance[name]
}

// format returns the value of r, or a dash.
func (m Measure) format(r *Report) string {
	if r == nil {
		return dash
	}
	v := m.field(r)
	if v == nil || math.IsNaN(*v) {
		return dash
	}
	return strconv.FormatFloat(*v, 'f', m.digits, 64)
}

const dash = "–"

// arrow points towards better values.
func (m Measure) arrow() string {
	if m.Lower {
		return "↓"
	}
	return "↑"
}

// Interval returns the confidence interval of the named measure, by Bootstrap with seed 1. The
// measure must be a mean over the instances, and these must have no weights.
func (r *Report) Interval(name string, level float64) (Interval, error) {
	values := r.PerInstance(name)
	if values == nil {
		return Interval{}, noInstances(r, name)
	}
	if r.weighted {
		return Interval{}, fmt.Errorf("metric: the report is weighted, and an interval needs instances of equal weight; evaluate without Settings.Weights")
	}
	return Bootstrap(values, level, 0, 1)
}

// noInstances returns an error that says why there are no values of instances.
func noInstances(r *Report, measure string) error {
	if _, ok := r.Value(measure); ok {
		return fmt.Errorf("metric: the report has no values of instances for %q; use a measure that is a mean over instances, and a report returned by Evaluate", measure)
	}
	var names []string
	for _, m := range r.Measures() {
		names = append(names, m.Name)
	}
	return fmt.Errorf("metric: the report has no measure %q; it has %s", measure, strings.Join(names, ", "))
}

// Significance tests whether two reports on the same instances differ significantly in a measure.
// It uses McNemar's exact test if each instance is right or wrong, otherwise the permutation test.
// It returns an error if the reports are on different instances, judging by their labels, if the
// measure is not a mean over instances, or if a report is weighted.
func Significance(a, b *Report, measure string) (Test, error) {
	if a == nil || b == nil {
		return Test{}, errors.New("metric: Significance needs two reports")
	}
	first, second := a.PerInstance(measure), b.PerInstance(measure)
	if first == nil {
		return Test{}, noInstances(a, measure)
	}
	if second == nil {
		return Test{}, noInstances(b, measure)
	}
	if a.weighted || b.weighted {
		return Test{}, errors.New("metric: a report is weighted, and the tests need instances of equal weight; evaluate both without Settings.Weights")
	}
	if len(first) != len(second) {
		return Test{}, fmt.Errorf("metric: one report is on %d instances, the other on %d; both must be on the same instances", len(first), len(second))
	}
	if a.labels != b.labels && a.labels != 0 && b.labels != 0 {
		return Test{}, errors.New("metric: the reports are on instances with other labels; a paired test needs two models on the same instances")
	}
	var t Test
	var err error
	if right, ok := outcomes(first, second); ok {
		t, err = McNemar(right[0], right[1])
	} else {
		t, err = Permutation(first, second, 0, 1)
	}
	t.Measure = measure
	return t, err
}

// outcomes returns the values as booleans if they are all 0 or 1, without instances that have a NaN
// in either.
func outcomes(values ...[]float64) ([2][]bool, bool) {
	var right [2][]bool
	for i := range values[0] {
		x, y := values[0][i], values[1][i]
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		if x != 0 && x != 1 || y != 0 && y != 1 {
			return right, false
		}
		right[0], right[1] = append(right[0], x == 1), append(right[1], y == 1)
	}
	return right, len(right[0]) > 0
}
