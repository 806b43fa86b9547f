package forest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/internal/replace"
)

// fileKind is the kind of model that the file has.
const fileKind = "forest"

// Save writes the model to a file for Load and for hierml.load in Python. It replaces an older file
// only when the new one is complete.
func (m *Model) Save(path string) error {
	file, err := replace.Create(path)
	if err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	defer file.Discard()
	if err := m.Write(file); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	return nil
}

// Write writes the contents of the file of Save.
func (m *Model) Write(w io.Writer) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	metadata := map[string]string{
		"format": modelfile.Format, "version": strconv.Itoa(modelfile.KindVersion), modelfile.KindKey: fileKind, "name": m.Name,
		"instances": strconv.Itoa(m.Instances), "features": strconv.Itoa(m.features), "level": number(m.Level), "held out": number(m.HeldOut), "seconds": number(m.seconds),
	}
	var feature, other, size, labels, counts []int32
	var threshold []float64
	nodes, leaves, begin := []int64{0}, []int64{0}, []int64{0}
	for _, t := range m.trees {
		feature, other, size = append(feature, t.feature...), append(other, t.other...), append(size, t.size...)
		for _, v := range t.threshold {
			threshold = append(threshold, float64(v))
		}
		for _, b := range t.begin[1:] {
			begin = append(begin, int64(len(labels)+b))
		}
		labels, counts = append(labels, t.labels...), append(counts, t.counts...)
		nodes, leaves = append(nodes, int64(len(feature))), append(leaves, int64(len(size)))
	}
	tensors := append(modelfile.Taxonomy(m.Taxonomy),
		safetensors.New("trees.nodes", nodes, len(nodes)),
		safetensors.New("trees.feature", feature, len(feature)),
		safetensors.Floats("trees.threshold", safetensors.F32, slices.Values([][]float64{threshold}), len(threshold)),
		safetensors.New("trees.other", other, len(other)),
		safetensors.New("trees.leaves", leaves, len(leaves)),
		safetensors.New("trees.size", size, len(size)),
		safetensors.New("trees.begin", begin, len(begin)),
		safetensors.New("trees.labels", labels, len(labels)),
		safetensors.New("trees.counts", counts, len(counts)),
	)
	if m.m {
		tensors = append(tensors, safetensors.Floats("trees.prior", safetensors.F64, slices.Values([][]float64{m.prior}), len(m.prior)))
	}
	if m.vocabulary != nil {
		tensors = append(tensors, modelfile.Texts("vocabulary", m.vocabulary)...)
	}
	tensors = append(tensors, modelfile.Attach(m.Attached)...)
	buffered := bufio.NewWriterSize(w, 1<<20)
	if err := safetensors.Write(buffered, metadata, tensors); err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	return nil
}

// MarshalBinary returns the output of Write.
func (m *Model) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := m.Write(&b)
	return b.Bytes(), err
}

// Load reads a model that Save wrote. It validates everything in the file and returns an error for
// a damaged, truncated or foreign file.
func Load(path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	defer file.Close() // only read from
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
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
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	if f.Metadata["format"] != modelfile.Format || f.Metadata[modelfile.KindKey] != fileKind {
		return nil, fmt.Errorf("forest: load: the file says that its format is %.40q and its kind %.40q; it is not a forest", f.Metadata["format"], f.Metadata[modelfile.KindKey])
	}
	if version := f.Metadata["version"]; version != strconv.Itoa(modelfile.KindVersion) {
		return nil, fmt.Errorf("forest: load: the forest has version %.40q; this program reads version %d", version, modelfile.KindVersion)
	}
	m := new(Model)
	if err := m.read(f); err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	return m, nil
}

func (m *Model) read(f *safetensors.File) error {
	m.Name = f.Metadata["name"]
	for name, to := range map[string]*float64{"level": &m.Level, "held out": &m.HeldOut, "seconds": &m.seconds} {
		v, err := strconv.ParseFloat(f.Metadata[name], 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) && name != "held out" {
			return fmt.Errorf("the metadata say that %s is %.40q; expected a number", name, f.Metadata[name])
		}
		*to = v
	}
	for name, to := range map[string]*int{"instances": &m.Instances, "features": &m.features} {
		v, err := strconv.Atoi(f.Metadata[name])
		if err != nil || v < 0 || v > math.MaxInt32 {
			return fmt.Errorf("the metadata say that %s is %.40q; expected a whole number, not negative", name, f.Metadata[name])
		}
		*to = v
	}
	var err error
	if m.Taxonomy, err = modelfile.ReadTaxonomy(f); err != nil {
		return err
	}
	if _, ok := f.Tensors["vocabulary"]; ok {
		if m.vocabulary, err = modelfile.ReadTexts(f, "vocabulary"); err != nil {
			return err
		}
		if len(m.vocabulary) != m.features {
			return fmt.Errorf("a vocabulary of %d words for %d features", len(m.vocabulary), m.features)
		}
	}
	if _, m.m = f.Tensors["trees.prior"]; m.m {
		if err := f.Floats("trees.prior", func(_ int, values []float64) { m.prior = append(m.prior, values...) }); err != nil {
			return err
		}
		if len(m.prior) != m.Taxonomy.Len() || slices.ContainsFunc(m.prior, func(p float64) bool { return p < 0 || p > 1 }) {
			return fmt.Errorf("the shares of %d nodes among the instances are not those of %d", len(m.prior), m.Taxonomy.Len())
		}
	}
	if m.Attached, err = modelfile.Attached(f); err != nil {
		return err
	}
	return m.readTrees(f)
}

// readTrees reads the trees, and checks that a row comes to a leaf of each, in which no node has
// more instances than those above it.
func (m *Model) readTrees(f *safetensors.File) error {
	var all tree
	var err error
	if all.feature, err = safetensors.Read[int32](f, "trees.feature"); err != nil {
		return err
	}
	nodes, err := modelfile.Borders(f, "trees.nodes", len(all.feature))
	if err != nil {
		return err
	}
	if err := f.Floats("trees.threshold", func(_ int, values []float64) {
		for _, v := range values {
			all.threshold = append(all.threshold, float32(v))
		}
	}); err != nil {
		return err
	}
	for name, to := range map[string]*[]int32{"trees.other": &all.other, "trees.size": &all.size, "trees.counts": &all.counts} {
		if *to, err = safetensors.Indices[int32](f, name, math.MaxInt32); err != nil {
			return err
		}
	}
	if all.labels, err = safetensors.Indices[int32](f, "trees.labels", m.Taxonomy.Len()-1); err != nil {
		return err
	}
	if all.begin, err = modelfile.Borders(f, "trees.begin", len(all.labels)); err != nil {
		return err
	}
	leaves, err := modelfile.Borders(f, "trees.leaves", len(all.size))
	if err != nil {
		return err
	}
	if len(all.threshold) != len(all.feature) || len(all.other) != len(all.feature) || len(all.counts) != len(all.labels) || len(all.begin) != len(all.size)+1 || len(leaves) != len(nodes) || len(nodes) < 2 {
		return fmt.Errorf("%d trees of %d nodes have %d thresholds, %d leaves and %d labels with %d counts", len(nodes)-1, len(all.feature), len(all.threshold), len(all.size), len(all.labels), len(all.counts))
	}
	for k := range len(nodes) - 1 {
		t := all.part(nodes[k], nodes[k+1], leaves[k], leaves[k+1])
		if err := t.check(m); err != nil {
			return fmt.Errorf("tree %d: %w", k, err)
		}
		m.trees = append(m.trees, t)
	}
	return nil
}

// part returns the tree of some of the nodes and leaves.
func (t *tree) part(node, endNode, leaf, endLeaf int) *tree {
	from, to := t.begin[leaf], t.begin[endLeaf]
	own := &tree{
		feature: t.feature[node:endNode], threshold: t.threshold[node:endNode], other: t.other[node:endNode],
		size: t.size[leaf:endLeaf], labels: t.labels[from:to], counts: t.counts[from:to],
	}
	for _, b := range t.begin[leaf : endLeaf+1] {
		own.begin = append(own.begin, b-from)
	}
	return own
}

// check returns an error unless the tree is one of the model.
func (t *tree) check(m *Model) error {
	if len(t.feature) == 0 {
		return fmt.Errorf("it has no nodes")
	}
	for k, f := range t.feature {
		other := int(t.other[k])
		if f < 0 {
			if f != -1 || other >= t.leaves() {
				return fmt.Errorf("node %d is leaf %d of %d", k, other, t.leaves())
			}
		} else if int(f) >= m.features || k+1 >= len(t.feature) || other <= k || other >= len(t.feature) {
			return fmt.Errorf("node %d of %d tests feature %d of %d, and goes on to node %d", k, len(t.feature), f, m.features, other)
		}
	}
	count := make([]int32, m.Taxonomy.Len())
	for leaf, size := range t.size {
		lo, hi := t.begin[leaf], t.begin[leaf+1]
		for k := lo; k < hi; k++ {
			if n := t.labels[k]; k > lo && t.labels[k-1] >= n || t.counts[k] > size {
				return fmt.Errorf("leaf %d has node %d in %d of %d instances", leaf, n, t.counts[k], size)
			}
			count[t.labels[k]] = t.counts[k]
		}
		for k := lo; k < hi; k++ {
			for _, above := range m.Taxonomy.Parents(int(t.labels[k])) {
				if count[above] < t.counts[k] {
					return fmt.Errorf("leaf %d has node %d in %d instances, and the node above it in %d", leaf, t.labels[k], t.counts[k], count[above])
				}
			}
		}
		for k := lo; k < hi; k++ {
			count[t.labels[k]] = 0
		}
		if size < 1 {
			return fmt.Errorf("leaf %d has %d instances", leaf, size)
		}
	}
	return nil
}
