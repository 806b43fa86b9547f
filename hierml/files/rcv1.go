package files

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// RCV1 reads and writes the files of the collection RCV1-v2 [LYRL04], except the hierarchies of its
// topics, which taxonomy.RCV1 reads:
//
//	lyrl2004_vectors_*.dat     document  term:weight term:weight ...   Read, Instances
//	rcv1-v2.topics.qrels       TOPIC document 1                        ReadTopics
//	stem.termid.idf.map.txt    stem term idf                           ReadTerms
//
// Terms are numbers from 1; term j is column j-1. So are the files of its industries and regions.
type RCV1 struct {
	// Topics has the labels of the documents by their numbers, as returned by ReadTopics. A
	// document without labels is a fault; if the map is nil, the instances have no labels.
	Topics map[int][]int

	// Columns is the number of columns of the matrix, 47236 for the whole collection; a larger term
	// is a fault. If 0, the largest term determines it.
	Columns int

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Read reads all instances of a file of vectors. The taxonomy must be the one that the topics were
// read with.
func (s RCV1) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	src, err := s.open(ctx, r, name, t)
	if err != nil {
		return nil, err
	}
	return readAll(name, t, s.Repair, src)
}

// Instances yields one instance of a file of vectors after the other, like SVMLight.Instances.
func (s RCV1) Instances(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Instance, error] {
	return streamAll(ctx, r, s.Repair, func(r io.Reader) (source, error) { return s.open(ctx, r, name, t) })
}

// ReadTopics reads the topics, nodes of the taxonomy, of the documents.
func (s RCV1) ReadTopics(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (map[int][]int, error) {
	if t == nil {
		return nil, errNoTaxonomy(name)
	}
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	l := labeler{taxonomy: t, repair: s.Repair, errorf: lines.Errorf}
	topics := make(map[int][]int)
	err = eachLine(lines, s.Repair, func(line []byte) error {
		fields := bytes.Fields(line)
		switch {
		case len(fields) == 0:
			return nil
		case len(fields) != 3 || string(fields[2]) != "1":
			return report(s.Repair, faultUnreadable, lines.Errorf(1, "%s is not a topic of a document; expected TOPIC, document, 1", textfile.Quote(string(line))))
		}
		document, err := strconv.Atoi(string(fields[1]))
		if err != nil || document < 0 {
			return report(s.Repair, faultUnreadable, lines.Errorf(bytes.Index(line, fields[1])+1, "%s is not the number of a document", textfile.Quote(string(fields[1]))))
		}
		nodes, err := l.add(topics[document], string(fields[0]), 1)
		topics[document] = nodes
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(topics) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no topics; expected lines of TOPIC, document, 1"}
	}
	for document, nodes := range topics {
		topics[document] = t.MostSpecific(nodes)
	}
	return topics, nil
}

// ReadTerms reads the names of the columns.
func (s RCV1) ReadTerms(ctx context.Context, r io.Reader, name string) ([]string, error) {
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	byID := make(map[int]string)
	largest := 0
	err = eachLine(lines, s.Repair, func(line []byte) error {
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			return nil
		}
		if len(fields) < 2 {
			return report(s.Repair, faultUnreadable, lines.Errorf(1, "%s has one field; expected stem, number, idf", textfile.Quote(string(line))))
		}
		id, err := strconv.Atoi(string(fields[1]))
		if err != nil || id < 1 || id > math.MaxInt32 {
			return report(s.Repair, faultUnreadable, lines.Errorf(bytes.Index(line, fields[1])+1, "%s is not the number of a term, from 1", textfile.Quote(string(fields[1]))))
		}
		if first, ok := byID[id]; ok {
			return report(s.Repair, faultTwice, lines.Errorf(1, "term %d is already %s", id, textfile.Quote(first)))
		}
		byID[id] = string(fields[0])
		largest = max(largest, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(byID) == 0 || largest > 2*len(byID)+1000 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: fmt.Sprintf("%d terms, the last with number %d; expected lines of stem, number, idf, with all numbers from 1", len(byID), largest)}
	}
	terms := make([]string, largest)
	for id, stem := range byID {
		terms[id-1] = stem
	}
	return terms, nil
}

// Write writes a file of vectors. The documents are numbered from 1.
func (s RCV1) Write(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	return writeInstances(ctx, w, d.Instances(), func(buf []byte, row int, in dataset.Instance) ([]byte, error) {
		buf = append(strconv.AppendInt(buf, int64(row+1), 10), ' ')
		return appendFeatures(buf, row, 1, in)
	})
}

// WriteTopics writes the labels of the documents, numbered as in Write, with their ancestors, as in
// the collection.
func (s RCV1) WriteTopics(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	labels := labelWriter{taxonomy: d.Taxonomy, forbidden: " \t\r\n"}
	out := bufio.NewWriter(w)
	for row, nodes := range d.Labels {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, n := range nodes {
			if _, err := labels.name(row, n); err != nil {
				return err
			}
		}
		for _, n := range d.Taxonomy.Closure(nodes) {
			name, err := labels.name(row, n)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(out, "%s %d 1\n", name, row+1); err != nil {
				return fmt.Errorf("files: writing the topics of row %d: %w", row, err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("files: writing topics: %w", err)
	}
	return nil
}

// WriteTerms writes the names of columns, with 0 for their inverse document frequencies.
func (s RCV1) WriteTerms(w io.Writer, terms []string) error {
	out := bufio.NewWriter(w)
	for k, term := range terms {
		if bytes.ContainsAny([]byte(term), " \t\r\n") || term == "" {
			return fmt.Errorf("files: term %d is %s; a term that is empty or has a blank cannot be written", k+1, textfile.Quote(term))
		}
		if _, err := fmt.Fprintf(out, "%s %d 0\n", term, k+1); err != nil {
			return fmt.Errorf("files: writing terms: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("files: writing terms: %w", err)
	}
	return nil
}

func (s RCV1) open(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (source, error) {
	if t == nil {
		return nil, errNoTaxonomy(name)
	}
	for document, nodes := range s.Topics {
		if i := slices.IndexFunc(nodes, func(n int) bool { return n < 0 || n >= t.Len() }); i >= 0 {
			return nil, fmt.Errorf("%s: Topics of document %d have node %d; nodes are 0 to %d: they were read with another taxonomy; read them with this one",
				name, document, nodes[i], t.Len()-1)
		}
	}
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	p := &rcv1Source{Lines: lines, topics: s.Topics, seen: make(map[int]int)}
	p.features = featureParser{lines: lines, repair: s.Repair, base: 1, limit: s.Columns, cols: s.Columns}
	return p, nil
}

// rcv1Source reads the vectors of a file.
type rcv1Source struct {
	*textfile.Lines
	topics   map[int][]int
	features featureParser
	seen     map[int]int // the lines of the documents
}

func (p *rcv1Source) columns() int      { return p.features.cols }
func (p *rcv1Source) fraction() float64 { return p.Fraction() }

func (p *rcv1Source) empty() error {
	return &SyntaxError{File: p.Name(), Line: 1, Msg: "no documents; expected lines of document  term:weight ..."}
}

func (p *rcv1Source) next(in *dataset.Instance) error {
	for {
		line, err := p.Next()
		if err != nil {
			return err
		}
		at := skipSpace(line, 0)
		if at == len(line) {
			continue
		}
		end := fieldEnd(line, at)
		document, err := strconv.Atoi(string(line[at:end]))
		if err != nil || document < 0 {
			return p.features.fault(faultUnreadable, at, "%s is not the number of a document", textfile.Quote(string(line[at:end])))
		}
		if first, ok := p.seen[document]; ok {
			if err := p.features.fault(faultTwice, at, "document %d is already in line %d", document, first); err != nil {
				return err
			}
			continue
		}
		p.seen[document] = p.Line()
		in.Labels = nil
		if p.topics != nil {
			labels, ok := p.topics[document]
			if !ok || len(labels) == 0 {
				return p.features.fault(faultNoLabel, at, "document %d has no topics", document)
			}
			in.Labels = labels
		}
		return p.features.parse(line, end, in)
	}
}
