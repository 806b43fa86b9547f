package classifier

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Load reads a model that Save wrote. It validates everything in the file and returns an error for
// a damaged, truncated or foreign file. Models with mostly zero weights stay sparse.
func Load(path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("classifier: load: %w", err)
	}
	defer file.Close() // only read from
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("classifier: load: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("classifier: load: %s is not a file", path)
	}
	m, err := Read(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return m, nil
}

// Read reads a model of the given size that Write wrote. It validates everything, as Load does.
func Read(r io.ReaderAt, size int64) (*Model, error) {
	f, err := safetensors.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("classifier: load: %w", err)
	}
	if format := f.Metadata["format"]; format != fileFormat {
		return nil, fmt.Errorf("classifier: load: the file says that its format is %q, not %q; it is not a model of this library", format, fileFormat)
	}
	if kind := f.Metadata[modelfile.KindKey]; kind != "" {
		return nil, fmt.Errorf("classifier: load: the file has a %s, which is not a classifier.Model; read it with Load of package %s", kind, kind)
	}
	if version, err := strconv.Atoi(f.Metadata["version"]); err != nil || version < fileVersion || version > withLabels {
		return nil, fmt.Errorf("classifier: load: the model has version %q; this program reads versions %d to %d", f.Metadata["version"], fileVersion, withLabels)
	}
	m, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("classifier: load: %w", err)
	}
	return m, nil
}

// UnmarshalBinary sets m to the model that MarshalBinary wrote. It validates everything, as Load
// does.
func (m *Model) UnmarshalBinary(data []byte) error {
	found, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	*m = *found
	return nil
}

func read(f *safetensors.File) (*Model, error) {
	rule, ok := parseRule(f.Metadata["rule"])
	if !ok {
		return nil, fmt.Errorf("the model has the rule %q, which is unknown to this program", f.Metadata["rule"])
	}
	m := &Model{Name: f.Metadata["name"], Rule: rule}
	if err := m.readMetadata(f.Metadata); err != nil {
		return nil, err
	}
	if err := m.readHistory(f); err != nil {
		return nil, err
	}
	var err error
	if m.Taxonomy, err = modelfile.ReadTaxonomy(f); err != nil {
		return nil, err
	}
	if m.attributes, err = readAttributes(f, m.Taxonomy); err != nil {
		return nil, err
	}
	if _, ok := f.Tensors["taxonomy.unseen"]; ok {
		if err := m.readUnseen(f); err != nil {
			return nil, err
		}
	}
	readWeights := m.readWeights
	if _, ok := f.Metadata["kernel"]; ok {
		readWeights = m.readExpansion
	}
	if err := readWeights(f); err != nil {
		return nil, err
	}
	if _, ok := f.Tensors["weights.constants"]; ok || f.Metadata["version"] == strconv.Itoa(withConstants) {
		if err := m.readConstants(f); err != nil {
			return nil, err
		}
	}
	if _, ok := f.Metadata["link"]; ok || f.Metadata["version"] == strconv.Itoa(withLink) {
		if err := m.readLink(f); err != nil {
			return nil, err
		}
	}
	_, few := f.Tensors["weights.features"]
	if few || f.Metadata["version"] == strconv.Itoa(fewFeatures) {
		if err := m.readFeatures(f); err != nil {
			return nil, err
		}
	}
	if _, ok := f.Tensors["vocabulary"]; ok {
		if m.Vocabulary, err = modelfile.ReadTexts(f, "vocabulary"); err != nil {
			return nil, err
		}
		if len(m.Vocabulary) != m.Features() {
			return nil, fmt.Errorf("a vocabulary of %d words for %d features", len(m.Vocabulary), m.Features())
		}
	}
	m.Attached, err = modelfile.Attached(f)
	return m, err
}

// readUnseen reads the nodes without training instances.
func (m *Model) readUnseen(f *safetensors.File) error {
	nodes, err := safetensors.Indices[int](f, "taxonomy.unseen", m.Taxonomy.Len()-1)
	if err != nil {
		return err
	}
	unseen := make([]bool, m.Taxonomy.Len())
	for _, n := range nodes {
		unseen[n] = true
	}
	for _, n := range nodes {
		if at := slices.IndexFunc(m.Taxonomy.Children(n), func(c int) bool { return !unseen[c] }); at >= 0 {
			return fmt.Errorf("no instance belongs to node %q, but some do to its child %q", m.Taxonomy.Name(n), m.Taxonomy.Name(m.Taxonomy.Children(n)[at]))
		}
	}
	if m.setUnseen(unseen); m.unseen == nil {
		return fmt.Errorf("no instance belongs to any of the labels")
	}
	return nil
}

// readConstants reads the constants added to the scores of the columns.
func (m *Model) readConstants(f *safetensors.File) error {
	values, err := safetensors.Read[float64](f, "weights.constants")
	if err != nil {
		return err
	}
	nodes, err := safetensors.Indices[int](f, "weights.columns", m.Taxonomy.Len()-1) // as readColumns has checked
	if err != nil {
		return err
	}
	if len(values) != len(nodes) {
		return fmt.Errorf("%d constants for the scores of %d nodes", len(values), len(nodes))
	}
	m.constants = make([]float64, len(values))
	for c, n := range nodes {
		m.constants[m.attributes.Column(n)] = values[c]
	}
	return m.checkConstants()
}

// readLink reads the link.
func (m *Model) readLink(f *safetensors.File) error {
	var link Link
	if err := link.UnmarshalText([]byte(f.Metadata["link"])); err != nil {
		return fmt.Errorf("the metadata have the link %.40q, which is unknown to this program", f.Metadata["link"])
	}
	always, err := safetensors.Indices[int](f, "link.always", m.Taxonomy.Len()-1)
	if err != nil {
		return err
	}
	never, err := safetensors.Indices[int](f, "link.never", m.Taxonomy.Len()-1)
	if err != nil {
		return err
	}
	return m.SetLink(link, always, never)
}

// readFeatures reads the features of the rows of the weights.
func (m *Model) readFeatures(f *safetensors.File) error {
	all, err := strconv.Atoi(f.Metadata["features"])
	if err != nil || all < 0 || all > math.MaxInt32 {
		return fmt.Errorf("the metadata say that there are %q features; expected 0 to %d", f.Metadata["features"], math.MaxInt32)
	}
	occurring, err := safetensors.Indices[int32](f, "weights.features", all-1)
	if err != nil {
		return err
	}
	for k := 1; k < len(occurring); k++ {
		if occurring[k-1] >= occurring[k] {
			return fmt.Errorf("features %d, %d of the weights do not ascend", occurring[k-1], occurring[k])
		}
	}
	w := m.weights()
	if w == nil {
		return fmt.Errorf("a kernel model has no weights of features")
	}
	if rows, _ := w.size(); rows != len(occurring) {
		return fmt.Errorf("there are weights of %d features, and %d are listed", rows, len(occurring))
	}
	m.features = &features{occurring, all}
	return nil
}

func (m *Model) readMetadata(text map[string]string) error {
	t, r := &m.Training, new(solver.Result)
	numbers := map[string]*float64{"C": &m.C, "seconds": &t.Seconds, "gap": &r.Gap, "primal": &r.Primal, "dual": &r.Dual}
	for name, to := range numbers {
		v, err := strconv.ParseFloat(text[name], 64)
		uncertified := text["gap"] == "NaN" && (name == "gap" || name == "primal" || name == "dual")
		if err != nil || math.IsNaN(v) && !uncertified {
			return fmt.Errorf("the metadata say that %s is %q; expected a number", name, text[name])
		}
		*to = v
	}
	var status int
	for name, to := range map[string]*int{"instances": &m.Instances, "epochs": &t.Epochs, "status": &status} {
		v, err := strconv.Atoi(text[name])
		if err != nil || v < 0 {
			return fmt.Errorf("the metadata say that %s is %q; expected a whole number, not negative", name, text[name])
		}
		*to = v
	}
	if status <= int(solver.Stopped) { // older files have a special status for a learner
		t.Status = solver.Status(status)
	}
	if !math.IsNaN(r.Gap) {
		r.Status, r.Epochs, r.Seconds = t.Status, t.Epochs, t.Seconds
		t.Certificate = r
	}
	return nil
}

func (m *Model) readHistory(f *safetensors.File) error {
	values, err := safetensors.Read[float64](f, "history")
	if err != nil {
		return err
	}
	if shape := f.Tensors["history"].Shape; len(shape) != 2 || shape[1] != 6 {
		return fmt.Errorf("the history has shape %v; expected six columns", shape)
	}
	r := m.Training.Certificate
	if r == nil && len(values) > 0 {
		return fmt.Errorf("a history of %d epochs and no certificate", len(values)/6)
	}
	for ; len(values) > 0; values = values[6:] {
		r.History = append(r.History, solver.Progress{
			Epoch: int(values[0]), Primal: values[1], Dual: values[2], Gap: values[3], Seconds: values[4], Estimate: values[5],
		})
	}
	return nil
}

func readAttributes(f *safetensors.File, t *taxonomy.Taxonomy) (*structured.Attributes, error) {
	values, err := safetensors.Read[float64](f, "attributes.values")
	if err != nil {
		return nil, err
	}
	nodes, err := safetensors.Indices[int](f, "attributes.nodes", t.Len()-1)
	if err != nil {
		return nil, err
	}
	begin, err := modelfile.Borders(f, "attributes.begin", len(values))
	if err != nil {
		return nil, err
	}
	candidates, err := safetensors.Indices[int](f, "attributes.candidates", t.Len()-1)
	if err != nil {
		return nil, err
	}
	if len(nodes) != len(values) || len(begin) != len(candidates)+1 {
		return nil, fmt.Errorf("attributes of %d labels for %d, with %d nodes and %d values", len(begin)-1, len(candidates), len(nodes), len(values))
	}
	next := -1
	return structured.NewCandidates(t, candidates, func(int) ([]int, []float64) {
		next++
		return nodes[begin[next]:begin[next+1]], values[begin[next]:begin[next+1]]
	})
}
