package files

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Folders reads collections of text files in folders, where the innermost folder is the label of a
// document: 20 Newsgroups as distributed, and the layout of scikit-learn's load_files. A document's
// ID is its path. Its part is "train" or "test" if a folder above the label ends with that word, as
// in
//
//	20news-bydate-train/alt.atheism/49960
//
// Files in fewer folders than a label has levels, and files and folders whose names begin with a
// dot, are skipped. Archives are tar files, compressed or not, and zip files.
//
// The taxonomy may be nil: then it is made from the labels.
type Folders struct {
	// Levels is the number of folders, from the document up, that form its label, joined by "/". 0
	// means one.
	Levels int

	// NoLabels says that the documents have no labels, for example because they are new. They may
	// then be in any folder or in none, and a taxonomy is required.
	NoLabels bool

	// Separator separates the levels of labels if the taxonomy is made from them: with ".",
	// comp.graphics is a child of comp. If empty, labels of several folders have one level per
	// folder, and others are analysed as in Table; "none" makes a flat taxonomy.
	Separator string

	// Latin1 says that the files are in Latin-1, as those of 20 Newsgroups are, not in UTF-8.
	Latin1 bool

	// Remove says which parts of newsgroup messages to remove.
	Remove Newsgroup

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Open reads a folder or an archive.
func (s Folders) Open(ctx context.Context, file string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, file, t, filesOfPath(ctx, file, s.Repair))
}

// Read reads an archive. A zip archive must be a file, or another io.ReaderAt and io.Seeker.
func (s Folders) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, name, t, filesOfArchive(ctx, r, name, s.Repair))
}

// ReadFS reads a file system.
func (s Folders) ReadFS(ctx context.Context, fsys fs.FS, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return s.read(ctx, name, t, filesOfFS(ctx, fsys))
}

// Documents yields one document of an archive after the other. It needs a taxonomy.
func (s Folders) Documents(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Document, error] {
	return streamKnown(name, t, s.Repair, func(l *labeler) eachDocument { return s.each(name, l, filesOfArchive(ctx, r, name, s.Repair)) })
}

func (s Folders) read(ctx context.Context, name string, t *taxonomy.Taxonomy, all files) (*dataset.Corpus, error) {
	return readDocuments(ctx, name, t, s.Repair, func(l *labeler) eachDocument { return s.each(name, l, all) })
}

func (s Folders) each(name string, l *labeler, all files) eachDocument {
	levels := max(s.Levels, 1)
	if s.NoLabels {
		levels = 0
	}
	l.written = writtenLabels{format: "Folders", levels: s.Separator, levelsSetting: "Separator"}
	return func(yield func(dataset.Document) error) error {
		outside, found := "", false
		err := all(func(file string, r io.Reader) error {
			folders := strings.Split(path.Clean(file), "/")
			folders = folders[:len(folders)-1]
			if len(folders) < levels {
				outside = file
				return nil
			}
			found = true
			errorf := func(line, column int, format string, args ...any) error {
				return syntaxError(path.Join(name, file), line, column, fmt.Sprintf(format, args...), nil)
			}
			l.errorf = func(column int, format string, args ...any) error { return errorf(1, 0, format, args...) }
			d := dataset.Document{ID: path.Clean(file), Part: partOf(folders[:len(folders)-levels])}
			if levels > 0 {
				var nodes []int
				var err error
				if label := folders[len(folders)-levels:]; levels > 1 && s.Separator == "" {
					nodes, err = l.addLevels(nil, label, "/", func(_ int, format string, args ...any) error { return errorf(1, 0, format, args...) })
				} else {
					nodes, err = l.add(nil, strings.Join(label, "/"), 0)
				}
				if err == nil {
					d.Labels, err = l.finish(nodes, true)
				}
				if err != nil {
					return err
				}
			}
			content, err := readMember(r, errorf)
			if err != nil {
				return err
			}
			if d.Text, err = decodeText(content, s.Latin1, s.Repair, errorf); err != nil {
				return err
			}
			if d.Text = s.Remove.Strip(d.Text); s.Repair != nil && strings.TrimSpace(d.Text) == "" {
				if err := report(s.Repair, faultEmptyText, errorf(1, 0, "the document has no text")); err != nil {
					return err
				}
			}
			return yield(d)
		})
		if err == nil && !found && outside != "" {
			return syntaxError(name, 1, 0, fmt.Sprintf("labels are the names of %s above a file, and no file has so many, for example %s; set Folders{NoLabels: true} to read texts without labels", describe.Count(levels, "folder", "folders"), textfile.Quote(outside)), nil)
		}
		return err
	}
}

// partOf returns the part that a document in the folders belongs to.
func partOf(folders []string) string {
	for _, folder := range folders {
		folder = strings.ToLower(folder)
		switch {
		case strings.HasSuffix(folder, "train"), strings.HasSuffix(folder, "training"):
			return "train"
		case strings.HasSuffix(folder, "test"), strings.HasSuffix(folder, "testing"):
			return "test"
		}
	}
	return ""
}

// Write writes the corpus as a tar archive, with the folders part and label, and the last part of a
// document's ID as the file name. It returns an error for a document with no label or several, for
// a label without Levels parts, and for names that Read would not return.
func (s Folders) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: the corpus is nil or has no taxonomy; there is nothing to write")
	}
	archive := tar.NewWriter(w)
	written := make(map[string]bool)
	for i, d := range c.Documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := s.pathOf(c.Taxonomy, d)
		if err == nil && written[file] {
			err = fmt.Errorf("there is a file %s already; give the documents distinct IDs", textfile.Quote(file))
		}
		var content []byte
		if err == nil {
			content, err = encodeText(d.Text, s.Latin1)
		}
		if err == nil {
			written[file] = true
			err = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: file, Mode: 0o644, Size: int64(len(content))})
		}
		if err == nil {
			_, err = archive.Write(content)
		}
		if err != nil {
			return fmt.Errorf("files: writing document %d: %w", i, err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("files: writing an archive: %w", err)
	}
	return nil
}

// pathOf returns the file that a document is written to.
func (s Folders) pathOf(t *taxonomy.Taxonomy, d dataset.Document) (string, error) {
	if len(d.Labels) != 1 {
		return "", fmt.Errorf("it has %d labels; a file in a folder can have only one", len(d.Labels))
	}
	n := d.Labels[0]
	if n < 0 || n >= t.Len() {
		return "", fmt.Errorf("it has label %d; nodes are 0 to %d", n, t.Len()-1)
	}
	if d.Part != "" && partOf([]string{d.Part}) != d.Part {
		return "", fmt.Errorf("its part %s is neither train nor test", textfile.Quote(d.Part))
	}
	label, base := t.LabelName(n), path.Base(d.ID)
	file := path.Join(d.Part, label, base)
	if got := strings.Count(label, "/") + 1; got != max(s.Levels, 1) {
		return "", fmt.Errorf("its label %s has %d parts; Levels says %d", textfile.Quote(label), got, max(s.Levels, 1))
	}
	if strings.HasSuffix(file, "/") || path.Clean(label) != label || isHidden("/"+label+"/"+base) || strings.ContainsAny(file, "\x00\n") || !strings.HasSuffix(file, label+"/"+base) {
		return "", fmt.Errorf("its label %s and ID %s cannot be names of a folder and a file", textfile.Quote(label), textfile.Quote(d.ID))
	}
	return file, nil
}

func encodeText(text string, latin1 bool) ([]byte, error) {
	if !latin1 {
		return []byte(text), nil
	}
	content := make([]byte, 0, len(text))
	for at, r := range text {
		if r > 0xff {
			return nil, fmt.Errorf("%q at byte %d is not in Latin-1", r, at)
		}
		content = append(content, byte(r))
	}
	return content, nil
}
