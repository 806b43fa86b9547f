package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// generate writes a generated problem, or a set of the table, as files into a folder.
func generate(ctx context.Context, folder, problem string) (stem, error) {
	presets := map[string]synthetic.TextLike{
		"small": synthetic.NewsgroupsLike(), "big": synthetic.IPCLike(), "wipod": synthetic.WIPOLike(), "dmoz": synthetic.DMOZLike(), "wikipedia": synthetic.WikipediaLike(),
	}
	for _, g := range grown {
		presets[g.problem] = g.like()
	}
	var train, test *dataset.Dataset
	if preset, ok := presets[problem]; ok {
		c, err := preset.Generate(ctx)
		if err != nil {
			return stem{}, err
		}
		train, test = c.Train, c.Test
	} else {
		s, err := open(ctx, problem, math.MaxInt)
		if err != nil {
			return stem{}, fmt.Errorf("%w; or small, big, wipod, dmoz and wikipedia, or any with -data", err)
		}
		train, test = s.train, s.test
	}
	f := dataFiles(folder, problem)
	if err := writeEdges(f.edges(), train.Taxonomy); err != nil {
		return stem{}, err
	}
	for name, d := range map[string]*dataset.Dataset{f.train(): train, f.test(): test} {
		if err := writeRows(name, d); err != nil {
			return stem{}, err
		}
	}
	return f, nil
}

// A grownProblem has the shape of DMOZ and about a number of nodes.
type grownProblem struct {
	problem string
	nodes   float64
}

var grown = []grownProblem{{"1k", 1e3}, {"4k", 4e3}, {"16k", 16e3}}

// like returns what DMOZ would be with these nodes: as many instances a node, and words whose
// number grows as its power of 0.6.
func (p grownProblem) like() synthetic.TextLike {
	g := synthetic.DMOZLike()
	times := p.nodes / 17221
	g.Name, g.Levels = p.problem, slices.Clone(g.Levels)
	for k, nodes := range g.Levels {
		g.Levels[k] = max(2, int(float64(nodes)*times))
	}
	g.Train, g.Test = int(float64(g.Train)*times), 5000
	g.Features = int(float64(g.Features) * math.Pow(times, 0.6))
	return g
}

// writeEdges writes parent and child a line, with the numbers of nodes from 1 and of the root 0.
func writeEdges(name string, t *taxonomy.Taxonomy) error {
	var edges bytes.Buffer
	for n := range t.Len() {
		if len(t.Parents(n)) == 0 {
			fmt.Fprintf(&edges, "0 %d\n", n+1)
		}
		for _, parent := range t.Parents(n) {
			fmt.Fprintf(&edges, "%d %d\n", parent+1, n+1)
		}
	}
	return os.WriteFile(name, edges.Bytes(), 0o600)
}

// writeRows writes instances with the numbers of their nodes, from 1, as labels.
func writeRows(name string, d *dataset.Dataset) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	var line []byte
	for i, labels := range d.Labels {
		line = line[:0]
		for k, n := range labels {
			if k > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, int64(n+1), 10)
		}
		indices, values := d.X.Row(i)
		for k, f := range indices {
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(f)+1, 10)
			line = append(line, ':')
			line = strconv.AppendFloat(line, float64(values[k]), 'g', 6, 32)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			file.Close()
			return err
		}
	}
	if err := out.Flush(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// readEdges reads the taxonomy without its root 0, which has the same score in all comparisons.
func readEdges(name string) (*taxonomy.Taxonomy, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var edges strings.Builder
	for line := range strings.Lines(string(text)) {
		parent, child, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is not parent and child", name, strings.TrimSpace(line))
		}
		if parent != "0" {
			edges.WriteString(parent + "\t")
		}
		edges.WriteString(child + "\n")
	}
	return taxonomy.Read(strings.NewReader(edges.String()), name)
}

func readRows(name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return files.ReadSVMLight(file, name, t)
}
