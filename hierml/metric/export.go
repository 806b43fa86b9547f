package metric

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// number is a value in JSON, null if it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

func (n *number) UnmarshalJSON(text []byte) error {
	*n = number(math.NaN())
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

func numbers(values []float64) []number {
	converted := make([]number, len(values))
	for i, v := range values {
		converted[i] = number(v)
	}
	return converted
}

func floats(values []number) []float64 {
	converted := make([]float64, len(values))
	for i, v := range values {
		converted[i] = float64(v)
	}
	return converted
}

// ordered are the values of measures as a JSON object in their order.
type ordered []named

type named struct {
	name  string
	value any
}

func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{m.name, m.value} {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON returns the number of instances, the values of all measures by name (null if
// undefined), the k of measures at k, the number of instances of each depth, and the number of
// instances of the parent accuracy. WriteJSON also writes the values of the instances.
func (r *Report) MarshalJSON() ([]byte, error) {
	out := struct {
		Instances      int     `json:"instances"`
		Measures       ordered `json:"measures"`
		At             []int   `json:"at"`
		DepthInstances []int   `json:"depthInstances"`

		ParentInstances  int `json:"parentInstances"`
		InnerPredictions int `json:"innerPredictions,omitempty"`

		Weighted bool       `json:"weighted,omitempty"`
		Sets     *labelSets `json:"sets,omitempty"`
	}{Instances: r.Instances, InnerPredictions: r.InnerPredictions, At: []int{}, DepthInstances: []int{}, ParentInstances: r.ParentInstances, Weighted: r.weighted, Sets: r.sets}
	for _, m := range r.Measures() {
		out.Measures = append(out.Measures, named{m.Name, number(*m.field(r))})
	}
	for _, a := range r.At {
		out.At = append(out.At, a.K)
	}
	for _, l := range r.Levels {
		out.DepthInstances = append(out.DepthInstances, l.Instances)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the output of MarshalJSON. A missing measure becomes NaN. Earlier versions
// wrote parent accuracies over all instances. It returns an error for impossible counts.
func (r *Report) UnmarshalJSON(text []byte) error {
	var in struct {
		Instances      int
		Measures       map[string]number
		At             []int
		DepthInstances []int

		ParentInstances  *int
		InnerPredictions int

		Weighted bool
		Sets     *labelSets
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("metric: a report in JSON: %w", err)
	}
	*r = Report{Instances: in.Instances, InnerPredictions: in.InnerPredictions, ParentInstances: in.Instances, weighted: in.Weighted, sets: in.Sets}
	if in.ParentInstances != nil {
		r.ParentInstances = *in.ParentInstances
	}
	for _, n := range append([]int{r.Instances, r.ParentInstances, r.InnerPredictions}, in.DepthInstances...) {
		if n < 0 || n > r.Instances {
			return fmt.Errorf("metric: a report in JSON on %d instances has a count of %d; the file was changed after it was written", r.Instances, n)
		}
	}
	for i, k := range in.At {
		if k < 1 || i > 0 && in.At[i-1] >= k {
			return fmt.Errorf("metric: a report in JSON has the k %v, which must be ascending from 1; the file was changed after it was written", in.At)
		}
		r.At = append(r.At, At{K: k})
	}
	for d, n := range in.DepthInstances {
		r.Levels = append(r.Levels, Level{Depth: d, Instances: n})
	}
	if _, ok := in.Measures[pooledArea]; ok {
		r.Nodes = new(PrecisionRecall)
	}
	if _, ok := in.Measures[microROC]; ok {
		r.ROC = new(ROC)
	}
	r.LogLoss, r.Brier, r.LabelsLogLoss, r.LabelsBrier = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	_, r.probable = in.Measures[logLossName]
	_, r.byLabel = in.Measures[logLossByLabel]
	for name := range in.Measures {
		r.scored = r.scored || strings.HasPrefix(name, scoredPrecision)
	}
	for _, m := range r.Measures() {
		*m.field(r) = math.NaN()
	}
	for name, v := range in.Measures {
		if m, ok := find(r.Measures(), name); ok {
			*m.field(r) = float64(v)
			delete(in.Measures, name)
		}
	}
	for name := range in.Measures {
		return fmt.Errorf("metric: a report in JSON has the measure %q, which is unknown", name)
	}
	return nil
}

// instances is a report with the values of instances, as WriteJSON writes it.
type instances struct {
	Report      *Report             `json:"report"`
	PerInstance map[string][]number `json:"perInstance"`
	Truth       []int               `json:"truth"`     // leaves, by node
	Predicted   []int               `json:"predicted"` // nodes
	// hashes to detect reports on other instances or another taxonomy
	Labels   string   `json:"labels"`
	Taxonomy string   `json:"taxonomy,omitempty"`
	Weights  []number `json:"weights,omitempty"` // of the instances
}

// fingerprint is a hash of the names and the edges of a taxonomy.
func fingerprint(t *taxonomy.Taxonomy) string {
	h := fnv.New64a()
	for n, name := range t.Names() {
		fmt.Fprintf(h, "%q%v", name, t.Parents(n)) // writing to a hash never fails
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// WriteJSON writes the report with the values of its instances, for ReadJSON.
func (r *Report) WriteJSON(w io.Writer) error {
	all := instances{Report: r, PerInstance: make(map[string][]number), Labels: strconv.FormatUint(r.labels, 16)}
	for name, values := range r.perInstance {
		all.PerInstance[name] = numbers(values)
	}
	if r.confusion != nil {
		all.Truth, all.Predicted = r.confusion.Truth, r.confusion.Predicted
		all.Taxonomy = fingerprint(r.confusion.Taxonomy)
	}
	if r.weights != nil {
		all.Weights = numbers(r.weights)
	}
	return json.NewEncoder(w).Encode(all)
}

// ReadJSON reads the output of WriteJSON. The taxonomy may be nil; the report then has no
// Confusion. ReadJSON returns an error if the taxonomy has other names or edges than that of the
// report (files of earlier versions cannot tell), if there is not one value per instance, or if the
// mean of the values is not that of the report.
func ReadJSON(from io.Reader, t *taxonomy.Taxonomy) (*Report, error) {
	var all instances
	if err := json.NewDecoder(from).Decode(&all); err != nil {
		return nil, fmt.Errorf("metric: a report in JSON: %w", err)
	}
	r := all.Report
	if r == nil {
		return nil, fmt.Errorf("metric: the JSON has no report; use a file that Report.WriteJSON wrote")
	}
	if all.Labels != "" {
		labels, err := strconv.ParseUint(all.Labels, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("metric: a report in JSON: the hash of the labels: %w", err)
		}
		r.labels = labels
	}
	if len(all.Weights) > 0 || r.weighted {
		r.weights, r.weighted = floats(all.Weights), true
		if err := (Settings{Weights: r.weights}).checkWeights(r.Instances); err != nil {
			return nil, fmt.Errorf("%w (in a report in JSON)", err)
		}
	}
	for name, values := range all.PerInstance {
		if _, ok := r.Value(name); !ok || len(values) != r.Instances {
			return nil, fmt.Errorf("metric: a report in JSON has %d values of %q for %d instances", len(values), name, r.Instances)
		}
		if r.perInstance == nil {
			r.perInstance = make(map[string][]float64)
		}
		own := floats(values)
		r.perInstance[name] = own
		v, _ := r.Value(name)
		const rounding = 1e-9
		if m, _ := mean(own, r.weights); math.IsNaN(m) != math.IsNaN(v) || math.Abs(m-v) > rounding*max(1, math.Abs(v)) {
			return nil, fmt.Errorf("metric: a report in JSON has %v for %q, and values of instances with a mean of %v; the file was changed after it was written", v, name, m)
		}
	}
	if len(all.Truth) != len(all.Predicted) {
		return nil, fmt.Errorf("metric: a report in JSON has %d true and %d predicted leaves; expected one of each per instance", len(all.Truth), len(all.Predicted))
	}
	if t != nil && all.Truth != nil {
		if len(all.Truth) != r.Instances {
			return nil, fmt.Errorf("metric: a report in JSON has %d true leaves for %d instances", len(all.Truth), r.Instances)
		}
		if own := fingerprint(t); all.Taxonomy != "" && all.Taxonomy != own {
			return nil, fmt.Errorf("metric: the report in JSON belongs to another taxonomy, with other names or edges; pass that one, or nil")
		}
		c := &Confusion{Taxonomy: t, Truth: all.Truth, Predicted: all.Predicted}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%w; pass the taxonomy that the report was made with", err)
		}
		r.confusion = c
	}
	return r, nil
}

// inCSV formats a value for CSV; NaN becomes empty.
func inCSV(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// WriteCSV writes one line per measure: its name, its group, whether lower or higher is better, and
// its value, empty if undefined.
func (r *Report) WriteCSV(w io.Writer) error {
	lines := [][]string{{"measure", "group", "better", "value"}, {"instances", "", "", strconv.Itoa(r.Instances)}}
	for _, m := range r.Measures() {
		better := "higher"
		if m.Lower {
			better = "lower"
		}
		lines = append(lines, []string{m.Name, m.Group, better, inCSV(*m.field(r))})
	}
	return table.WriteCSV(w, lines)
}

// WriteInstancesCSV writes one line per instance: its position, the names of its true label (of
// several, the nearest to the prediction) and of the predicted leaf, and the values of the measures
// that are means over instances, empty if undefined.
func (r *Report) WriteInstancesCSV(w io.Writer) error {
	head := []string{"instance", "truth", "predicted"}
	var columns [][]float64
	for _, m := range r.Measures() {
		if values := r.perInstance[m.Name]; values != nil {
			head, columns = append(head, m.Name), append(columns, values)
		}
	}
	if columns == nil {
		return noInstances(r, "accuracy")
	}
	out := csv.NewWriter(w)
	if err := out.Write(head); err != nil {
		return err
	}
	line := make([]string, len(head))
	for i := range r.Instances {
		line[0] = strconv.Itoa(i)
		if c := r.confusion; c != nil {
			line[1], line[2] = table.Field(c.Taxonomy.LabelName(c.Truth[i])), table.Field(c.Taxonomy.LabelName(c.Predicted[i]))
		}
		for j, values := range columns {
			line[3+j] = inCSV(values[i])
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteCSV writes the table with all digits, one line per report. A missing value is empty.
func (t *Table) WriteCSV(w io.Writer) error {
	measures := t.columns()
	head := []string{"name", "instances"}
	for _, m := range measures {
		head = append(head, m.Name)
	}
	lines := [][]string{head}
	for i, name := range t.Names {
		r := t.Reports[i]
		line := []string{name, ""}
		if r != nil {
			line[1] = strconv.Itoa(r.Instances)
		}
		for _, m := range measures {
			text := ""
			if r != nil {
				if v := m.field(r); v != nil {
					text = inCSV(*v)
				}
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	return table.WriteCSV(w, lines)
}

// MarshalJSON returns the fields, null for a statistic that is not finite.
func (t Test) MarshalJSON() ([]byte, error) {
	type fields Test
	return json.Marshal(struct {
		fields
		Statistic number `json:"statistic"`
	}{fields(t), number(t.Statistic)})
}
