package collection

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// newsgroupTree puts the groups of 20 Newsgroups below what they are about: the five parents of
// [Cai08, section 7.1] for 15 of them, and science; misc.forsale stands alone.
const newsgroupTree = `computers	comp.graphics
computers	comp.os.ms-windows.misc
computers	comp.sys.ibm.pc.hardware
computers	comp.sys.mac.hardware
computers	comp.windows.x
politics	talk.politics.guns
politics	talk.politics.mideast
politics	talk.politics.misc
religion	alt.atheism
religion	soc.religion.christian
religion	talk.religion.misc
sports	rec.sport.baseball
sports	rec.sport.hockey
vehicles	rec.autos
vehicles	rec.motorcycles
science	sci.crypt
science	sci.electronics
science	sci.med
science	sci.space
misc.forsale
`

// thesisParents are those of the 15 groups of [Cai08].
var thesisParents = []string{"computers", "politics", "religion", "sports", "vehicles"}

// rcv1Tree has the topics of RCV1-v2, a parent and its children a line.
const rcv1Tree = `CCAT C11 C12 C13 C14 C15 C16 C17 C18 C21 C22 C23 C24 C31 C32 C33 C34 C41 C42
C15 C151 C152
C151 C1511
C17 C171 C172 C173 C174
C18 C181 C182 C183
C31 C311 C312 C313
C33 C331
C41 C411
ECAT E11 E12 E13 E14 E21 E31 E41 E51 E61 E71
E12 E121
E13 E131 E132
E14 E141 E142 E143
E21 E211 E212
E31 E311 E312 E313
E41 E411
E51 E511 E512 E513
GCAT G15 GCRIM GDEF GDIP GDIS GENT GENV GFAS GHEA GJOB GMIL GOBIT GODD GPOL GPRO GREL GSCI GSPO GTOUR GVIO GVOTE GWEA GWELF
G15 G151 G152 G153 G154 G155 G156 G157 G158 G159
MCAT M11 M12 M13 M14
M13 M131 M132
M14 M141 M142 M143
`

func newsgroupTaxonomy() (*taxonomy.Taxonomy, error) {
	return taxonomy.Read(strings.NewReader(newsgroupTree), "the catalogue's tree of newsgroups")
}

func rcv1Taxonomy() (*taxonomy.Taxonomy, error) {
	var edges strings.Builder
	for line := range strings.Lines(rcv1Tree) {
		names := strings.Fields(line)
		for _, child := range names[1:] {
			fmt.Fprintf(&edges, "%s\t%s\n", names[0], child)
		}
	}
	return taxonomy.Read(strings.NewReader(edges.String()), "the catalogue's tree of topics")
}

// newsgroupTexts reads an archive of 20 Newsgroups.
func newsgroupTexts(ctx context.Context, _ *Entry, paths []string) (*dataset.Corpus, error) {
	t, err := newsgroupTaxonomy()
	if err != nil {
		return nil, err
	}
	return files.Folders{Latin1: true}.Open(ctx, paths[0], t)
}

// thesisTexts reads the 15 groups of [Cai08].
func thesisTexts(ctx context.Context, e *Entry, paths []string) (*dataset.Corpus, error) {
	all, err := newsgroupTexts(ctx, e, paths)
	if err != nil {
		return nil, err
	}
	var edges strings.Builder
	for line := range strings.Lines(newsgroupTree) {
		if parent, _, ok := strings.Cut(line, "\t"); ok && slices.Contains(thesisParents, parent) {
			edges.WriteString(line)
		}
	}
	t, err := taxonomy.Read(strings.NewReader(edges.String()), "the catalogue's tree of newsgroups")
	if err != nil {
		return nil, err
	}
	c := &dataset.Corpus{Taxonomy: t}
	for _, d := range all.Documents {
		if n, ok := t.Node(all.Taxonomy.Name(d.Labels[0])); ok {
			d.Labels = []int{n}
			c.Documents = append(c.Documents, d)
		}
	}
	return c, nil
}

// newsgroupRows makes vectors of the texts, without their headers, which tell the groups: tf-idf of
// the words that stand in three of the training texts at least.
func newsgroupRows(ctx context.Context, e *Entry, paths []string) (*dataset.Collection, error) {
	all, err := e.texts(ctx, e, paths)
	if err != nil {
		return nil, err
	}
	for i := range all.Documents {
		all.Documents[i].Text = files.Newsgroup{Headers: true}.Strip(all.Documents[i].Text)
	}
	train, test := all.Part("train"), all.Part("test")
	if train.Len() == 0 || test.Len() == 0 {
		return nil, fmt.Errorf("collection: %s has %d training and %d test texts, and both parts need some; get the archive again", paths[0], train.Len(), test.Len())
	}
	words, err := features.TFIDF{MinDocuments: 3}.Fit(train)
	if err != nil {
		return nil, err
	}
	c := new(dataset.Collection)
	if c.Train, err = words.TransformContext(ctx, train); err != nil {
		return nil, err
	}
	c.Test, err = words.TransformContext(ctx, test)
	return c, err
}

// rcv1Rows reads the vectors of RCV1-v2: the training part, the test part in several files, and
// which topics they have.
func rcv1Rows(ctx context.Context, e *Entry, paths []string) (*dataset.Collection, error) {
	t, err := rcv1Taxonomy()
	if err != nil {
		return nil, err
	}
	reader := files.RCV1{Columns: e.Features}
	last := len(paths) - 1
	if err := textfile.ReadFile(ctx, "collection", paths[last], func(r io.Reader, file string) (err error) {
		reader.Topics, err = reader.ReadTopics(ctx, r, file, t)
		return err
	}); err != nil {
		return nil, err
	}
	var parts []*dataset.Dataset
	for _, path := range paths[:last] {
		if err := textfile.ReadFile(ctx, "collection", path, func(r io.Reader, file string) error {
			d, err := reader.Read(ctx, r, file, t)
			parts = append(parts, d)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return &dataset.Collection{Train: parts[0], Test: concatenated(parts[1:])}, nil
}

// concatenated returns the instances of all parts, which have one taxonomy and as many columns.
func concatenated(parts []*dataset.Dataset) *dataset.Dataset {
	d := &dataset.Dataset{Taxonomy: parts[0].Taxonomy, X: &dataset.Matrix{Cols: parts[0].X.Cols, Indptr: []int{0}}}
	entries := 0
	for _, p := range parts {
		entries += p.X.NonZeros()
	}
	d.X.Indices, d.X.Values = make([]int32, 0, entries), make([]float32, 0, entries)
	for _, p := range parts {
		for _, end := range p.X.Indptr[1:] {
			d.X.Indptr = append(d.X.Indptr, len(d.X.Indices)+end)
		}
		d.X.Indices, d.X.Values = append(d.X.Indices, p.X.Indices...), append(d.X.Values, p.X.Values...)
		d.X.Rows += p.X.Rows
		d.Labels = append(d.Labels, p.Labels...)
	}
	return d
}
