package collection

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// packedFile is where a page of a browser has the documentation of the Go that has built it.
const packedFile = "/hierml/godoc.jsonl.gz"

// A packed corpus is a line with its name, and then a line for each document: import path, name of
// the symbol, text. They are strings and lists of JSON, compressed by gzip.

// PackGoDoc writes the documentation of the Go tree at root so that a page of a browser, which has
// no Go tree, can be given it. What GoDoc returns there is what it returns here.
func PackGoDoc(w io.Writer, root string) error {
	packages, symbols, name, err := goSymbols(context.Background(), root)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	if err := lines.Encode(name); err != nil {
		return err
	}
	for i, p := range packages {
		for _, s := range symbols[i] {
			if err := lines.Encode([3]string{p.path, s.name, s.text}); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// packedGoDoc reads a packed corpus.
func packedGoDoc(file string) (corpus *dataset.Corpus, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("collection: the documentation of Go: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := textfile.Open(f, file, syntaxError)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(text)
	var name string
	if err := lines.Decode(&name); err != nil {
		return nil, fmt.Errorf("collection: %s: %w", file, err)
	}
	var packages []sourcePackage
	var symbols [][]symbol
	for {
		var line [3]string
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return symbolCorpus(name, file, packages, symbols)
		}
		if err != nil {
			return nil, fmt.Errorf("collection: %s: %w", file, err)
		}
		if n := len(packages); n == 0 || packages[n-1].path != line[0] {
			packages, symbols = append(packages, sourcePackage{path: line[0]}), append(symbols, nil)
		}
		last := len(symbols) - 1
		symbols[last] = append(symbols[last], symbol{line[1], line[2]})
	}
}
