package features

import (
	"context"
	"fmt"
	"iter"

	"github.com/hierml/notebook/hierml/dataset"
)

// FitDocuments is Fit for documents that are read one after the other, such as those of
// JSONLines.Documents. It does not keep the texts: memory grows with the number of distinct terms,
// or not at all with Bits. It stops at the first error of the documents, or when ctx is cancelled.
func (s Text) FitDocuments(ctx context.Context, train iter.Seq2[dataset.Document, error]) (*Vectorizer, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, err
	}
	if train == nil {
		return nil, fmt.Errorf("features: the documents are nil")
	}
	c := newCounter(v)
	for document, err := range train {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		c.add(document.Text)
	}
	if c.texts == 0 {
		return nil, fmt.Errorf("features: there are no documents to read words from")
	}
	if err := v.adopt([]*counter{c}, ""); err != nil {
		return nil, err
	}
	return v, nil
}

// Instances yields the documents as vectors, one after the other, with their labels. Online
// learners use it for texts larger than memory; with hashed terms they need no first pass. It stops
// at the first error of the documents.
func (v *Vectorizer) Instances(documents iter.Seq2[dataset.Document, error]) iter.Seq2[dataset.Instance, error] {
	return func(yield func(dataset.Instance, error) bool) {
		reader := &termReader{terms: v.terms}
		var w textWriter
		for document, err := range documents {
			if err != nil {
				yield(dataset.Instance{}, err)
				return
			}
			w.x.Indices, w.x.Values, w.x.Indptr = w.x.Indices[:0], w.x.Values[:0], w.x.Indptr[:0]
			w.add(v, reader, document.Text)
			if !yield(dataset.Instance{Labels: document.Labels, Columns: w.x.Indices, Values: w.x.Values}, nil) {
				return
			}
		}
	}
}
