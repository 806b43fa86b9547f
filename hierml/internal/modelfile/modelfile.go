// Package modelfile has the parts that files of all models have in common: the taxonomy, texts and
// node ids as tensors, and which kind of model a file has.
package modelfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// What the metadata of a file of a model say.
const (
	Format = "hierml.model"
	// KindKey names the kind of a model that is no classifier.Model: its files have KindVersion,
	// which readers of classifier.Model refuse.
	KindKey     = "kind"
	KindVersion = 6
)

// Kind returns the kind of model that a file has, "" for a classifier.Model and for what is no file
// of a model. It reads the header alone and verifies nothing of it.
func Kind(r io.ReaderAt, size int64) string {
	var start [8]byte
	if _, err := r.ReadAt(start[:], 0); err != nil {
		return ""
	}
	length := binary.LittleEndian.Uint64(start[:])
	if length > uint64(size) {
		return ""
	}
	var header struct {
		Metadata map[string]string `json:"__metadata__"`
	}
	if json.NewDecoder(io.NewSectionReader(r, 8, int64(length))).Decode(&header) != nil {
		return ""
	}
	return header.Metadata[KindKey]
}

// Taxonomy returns a taxonomy as tensors: taxonomy.names, taxonomy.edges and, where leaves stand
// for labels of other names, taxonomy.labels and taxonomy.labels.nodes.
func Taxonomy(t *taxonomy.Taxonomy) []safetensors.Tensor {
	edges := make([]int32, 0, 2*len(t.Edges()))
	for _, e := range t.Edges() {
		edges = append(edges, int32(e[0]), int32(e[1]))
	}
	tensors := append(Texts("taxonomy.names", t.Names()), safetensors.New("taxonomy.edges", edges, len(t.Edges()), 2))
	if labels := t.LabelNames(); len(labels) > 0 {
		leaves, names := slices.Sorted(maps.Keys(labels)), make([]string, 0, len(labels))
		for _, n := range leaves {
			names = append(names, labels[n])
		}
		tensors = append(append(tensors, Texts("taxonomy.labels", names)...), Nodes("taxonomy.labels.nodes", leaves))
	}
	return tensors
}

// attached begins the names of the tensors of what is attached to a model.
const attached = "attached."

// Attach returns what is attached to a model, by name, as tensors.
func Attach(content map[string][]byte) []safetensors.Tensor {
	var tensors []safetensors.Tensor
	for name, content := range content {
		tensors = append(tensors, safetensors.New(attached+name, content, len(content)))
	}
	return tensors
}

// Attached reads what Attach has written, nil where that is nothing.
func Attached(f *safetensors.File) (map[string][]byte, error) {
	var all map[string][]byte
	for tensor := range f.Tensors {
		name, ok := strings.CutPrefix(tensor, attached)
		if !ok {
			continue
		}
		content, err := safetensors.Read[uint8](f, tensor)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = make(map[string][]byte)
		}
		all[name] = content
	}
	return all, nil
}

// Nodes returns node ids as a tensor.
func Nodes(name string, nodes []int) safetensors.Tensor {
	ids := make([]int32, len(nodes))
	for k, n := range nodes {
		ids[k] = int32(n)
	}
	return safetensors.New(name, ids, len(ids))
}

// Texts returns strings as two tensors: their bytes, and where each begins and the last ends.
func Texts(name string, values []string) []safetensors.Tensor {
	offsets := make([]int64, len(values)+1)
	for i, v := range values {
		offsets[i+1] = offsets[i] + int64(len(v))
	}
	return []safetensors.Tensor{
		{Name: name, Type: safetensors.U8, Shape: []int{int(offsets[len(values)])}, Write: func(w io.Writer) error {
			for _, v := range values {
				if _, err := io.WriteString(w, v); err != nil {
					return err
				}
			}
			return nil
		}},
		safetensors.New(name+".offsets", offsets, len(offsets)),
	}
}

// ReadTexts reads what Texts has made of strings.
func ReadTexts(f *safetensors.File, name string) ([]string, error) {
	bytes, err := safetensors.Read[uint8](f, name)
	if err != nil {
		return nil, err
	}
	offsets, err := Borders(f, name+".offsets", len(bytes))
	if err != nil {
		return nil, err
	}
	all := string(bytes)
	texts := make([]string, len(offsets)-1)
	for i := range texts {
		texts[i] = all[offsets[i]:offsets[i+1]]
	}
	return texts, nil
}

// Borders reads where each of a number of parts begins and the last ends, which is at end.
func Borders(f *safetensors.File, name string, end int) ([]int, error) {
	borders, err := safetensors.Indices[int](f, name, end)
	if err != nil {
		return nil, err
	}
	if len(borders) == 0 || borders[0] != 0 || borders[len(borders)-1] != end {
		return nil, fmt.Errorf("%s do not run from 0 to %d", name, end)
	}
	for i := range borders[1:] {
		if borders[i] > borders[i+1] {
			return nil, fmt.Errorf("%s fall from %d to %d", name, borders[i], borders[i+1])
		}
	}
	return borders, nil
}

// maxPairs bounds the ancestors of all leaves together, which a taxonomy holds in memory once they
// have been asked for: a small file can describe a graph with very many.
const maxPairs = 1 << 27

// ReadTaxonomy reads the taxonomy that Taxonomy has written.
func ReadTaxonomy(f *safetensors.File) (*taxonomy.Taxonomy, error) {
	names, err := ReadTexts(f, "taxonomy.names")
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = strings.Clone(name) // else each would keep the text of all
	}
	if shape := f.Tensors["taxonomy.edges"].Shape; len(shape) != 2 || shape[1] != 2 {
		return nil, fmt.Errorf("the edges have shape %v; expected two columns", shape)
	}
	flat, err := safetensors.Indices[int](f, "taxonomy.edges", len(names))
	if err != nil {
		return nil, err
	}
	edges := make([][2]int, 0, len(flat)/2)
	for ; len(flat) > 0; flat = flat[2:] {
		edges = append(edges, [2]int{flat[0], flat[1]})
	}
	labels, err := readLabels(f)
	if err != nil {
		return nil, err
	}
	t, err := taxonomy.NewWithLabels(names, edges, labels)
	if err != nil {
		return nil, err
	}
	if t.IsTree() {
		pairs := 0
		for _, leaf := range t.Leaves() {
			if pairs += t.Depth(leaf) + 1; pairs > maxPairs {
				return nil, fmt.Errorf("the taxonomy is too deep: its leaves have more than %d ancestors", maxPairs)
			}
		}
	}
	return t, nil
}

// readLabels reads which leaves stand for labels of other names, if the file says so of any.
func readLabels(f *safetensors.File) (map[int]string, error) {
	if _, ok := f.Tensors["taxonomy.labels"]; !ok {
		return nil, nil
	}
	names, err := ReadTexts(f, "taxonomy.labels")
	if err != nil {
		return nil, err
	}
	nodes, err := safetensors.Indices[int](f, "taxonomy.labels.nodes", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if len(nodes) != len(names) {
		return nil, fmt.Errorf("%d leaves stand for %d labels", len(nodes), len(names))
	}
	labels := make(map[int]string, len(nodes))
	for k, n := range nodes {
		if _, twice := labels[n]; twice {
			return nil, fmt.Errorf("node %d stands for two labels", n)
		}
		labels[n] = strings.Clone(names[k])
	}
	return labels, nil
}
