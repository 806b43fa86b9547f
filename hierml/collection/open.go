package collection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Environment is the variable that names the folders of data sets, separated as in PATH.
const Environment = "HIERML_DATA"

// The files of a data set, after its name. All but the hierarchy may have a further ".gz".
const (
	hierarchyFile  = ".hier.tsv"
	trainFile      = ".train.svm"
	testFile       = ".test.svm"
	vocabularyFile = ".vocab"
	textFile       = ".raw.jsonl"
)

// Open is OpenContext without a context.
func Open(name string) (*dataset.Collection, error) { return OpenContext(context.Background(), name) }

// OpenContext reads the data set of that name from the first folder that has it, of those in
// HIERML_DATA and then Cache():
//
//	NAME.hier.tsv       the taxonomy, as taxonomy.Read reads it
//	NAME.train.svm.gz   the training instances, as ReadSVMLight reads them
//	NAME.test.svm.gz    the test instances
//	NAME.vocab.gz       the names of the features, a line each, further fields after a tab; may be missing
//
// where the files may be without ".gz" and then are not compressed, and may be in a folder with the
// name of the data set. If no folder has it, and it is in the Catalogue as it is distributed, its
// files are looked for in the same folders, downloaded into the cache if need be, and read in their
// own format; see Download, which tells of progress.
//
// Nothing is returned if any of the files has an error. It ends early, with the context's error,
// when ctx does. If the data set is not found the error is an fs.ErrNotExist.
func OpenContext(ctx context.Context, name string) (*dataset.Collection, error) {
	return Download{}.Open(ctx, name)
}

func openPlain(ctx context.Context, name string, paths map[string]string) (*dataset.Collection, error) {
	var t *taxonomy.Taxonomy
	if err := textfile.ReadFile(ctx, "collection", paths[hierarchyFile], func(r io.Reader, file string) (err error) {
		t, err = taxonomy.Read(r, file)
		return err
	}); err != nil {
		return nil, err
	}
	var vocabulary []string
	if file := paths[vocabularyFile]; file != "" {
		if err := textfile.ReadFile(ctx, "collection", file, func(r io.Reader, file string) (err error) {
			vocabulary, err = readVocabulary(r, file)
			return err
		}); err != nil {
			return nil, err
		}
	}
	parts := [2]*dataset.Dataset{}
	group, ctx := errgroup.WithContext(ctx)
	for i, kind := range [2]string{trainFile, testFile} {
		group.Go(func() error {
			return textfile.ReadFile(ctx, "collection", paths[kind], func(r io.Reader, file string) (err error) {
				parts[i], err = files.SVMLight{Columns: len(vocabulary)}.Read(ctx, r, file, t)
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	columns := max(parts[0].X.Cols, parts[1].X.Cols)
	for i, part := range [2]string{"train", "test"} {
		parts[i].Name = name + " " + part
		parts[i].X.Cols = columns
		parts[i].Vocabulary, parts[i].X.Vocabulary = vocabulary, vocabulary
	}
	return &dataset.Collection{Name: name, Train: parts[0], Test: parts[1]}, nil
}

// OpenTexts is OpenTextsContext without a context.
func OpenTexts(name string) (*dataset.Corpus, error) {
	return OpenTextsContext(context.Background(), name)
}

// OpenTextsContext reads the texts of the data set of that name, from the files NAME.hier.tsv and
// NAME.raw.jsonl.gz of the first folder that has both, or, as OpenContext does, from files in
// another format. The parts of the given division are Part("train") and Part("test") of what it
// returns.
func OpenTextsContext(ctx context.Context, name string) (*dataset.Corpus, error) {
	return Download{}.OpenTexts(ctx, name)
}

func openPlainTexts(ctx context.Context, name string, paths map[string]string) (*dataset.Corpus, error) {
	var c *dataset.Corpus
	err := textfile.ReadFile(ctx, "collection", paths[hierarchyFile], func(r io.Reader, file string) error {
		t, err := taxonomy.Read(r, file)
		if err != nil {
			return err
		}
		return textfile.ReadFile(ctx, "collection", paths[textFile], func(r io.Reader, file string) (err error) {
			c, err = files.ReadJSONLines(r, file, t)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	c.Name = name
	return c, nil
}

// missingError is that of a data set that is not found.
type missingError string

func (e missingError) Error() string { return string(e) }

func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }

// findPlain returns the paths of the files of the named data set by their kinds; a further kind
// that is missing has none.
func (d Download) findPlain(name string, kinds []string, further ...string) (map[string]string, error) {
	if name == "" || name != filepath.Base(name) || name == "." || name == ".." {
		return nil, fmt.Errorf("collection: %q is not the name of a data set; give the name alone, without folder and extension", name)
	}
	var problems []string
	for _, folder := range d.folders() {
		paths := make(map[string]string)
		var missing []string
		for _, kind := range slices.Concat(kinds, further) {
			file := filepath.Join(folder, name+kind)
			below := filepath.Join(folder, name, name+kind)
			file, err := firstFile(file, file+".gz", below, below+".gz")
			if err != nil {
				return nil, fmt.Errorf("collection: %w", err)
			}
			if file == "" && !slices.Contains(further, kind) {
				missing = append(missing, name+kind)
			}
			paths[kind] = file
		}
		if len(missing) == 0 {
			return paths, nil
		}
		if len(missing) < len(kinds) {
			problems = append(problems, fmt.Sprintf("%s lacks %s", folder, strings.Join(missing, " and ")))
		} else {
			problems = append(problems, folder+" has "+known(folder))
		}
	}
	if os.Getenv(Environment) == "" {
		problems = append(problems, fmt.Sprintf("%s, which lists folders of data sets separated by %q, is not set", Environment, os.PathListSeparator))
	}
	return nil, missingError(fmt.Sprintf("collection: no data set %q in the folders of %s and the cache (looked for %s): %s",
		name, Environment, fileList(name, kinds), strings.Join(problems, "; ")))
}

func fileList(name string, kinds []string) string {
	var list []string
	for _, kind := range kinds {
		list = append(list, name+kind)
	}
	return strings.Join(list, ", ") + " (or with .gz)"
}

// firstFile returns the first of the files that exists, or "".
func firstFile(candidates ...string) (string, error) {
	for _, file := range candidates {
		_, err := os.Stat(file)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

// known says which data sets the folder has.
func known(folder string) string {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "none"
	}
	if err != nil {
		return fmt.Sprintf("none (%v)", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), hierarchyFile); ok {
			names = append(names, name)
		}
	}
	const most = 20
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// readVocabulary reads a feature name a line; what stands behind a tab, such as a count, is
// ignored.
func readVocabulary(r io.Reader, name string) ([]string, error) {
	lines, err := textfile.NewLines(r, name, syntaxError)
	if err != nil {
		return nil, err
	}
	var vocabulary []string
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return vocabulary, nil
		}
		if err != nil {
			return nil, err
		}
		word, _, _ := bytes.Cut(line, []byte{'\t'})
		vocabulary = append(vocabulary, string(word))
	}
}

// syntaxError makes the errors of textfile ours.
func syntaxError(file string, line, column int, msg string, cause error) error {
	return &taxonomy.SyntaxError{File: file, Line: line, Column: column, Msg: msg, Err: cause}
}
